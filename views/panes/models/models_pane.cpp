// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/models/models_pane.h"

#include <QKeyEvent>
#include <QMouseEvent>

#include "views/export/canvas.h"
#include "views/export/model_figures.h"
#include "views/export/performance_pane.h"
#include "views/export/segment_bar.h"

namespace lanescope::views {
namespace {

class ModelsPane : public PerformancePane {
public:
    ModelsPane(Intents* intents, QWidget* parent) : PerformancePane(QStringLiteral("models"), QStringLiteral("Models"), intents, parent) {
        setMinimumSize(360, 240);
        refresh();
    }

    QWidget* headerControls() override {
        if (m_bar == nullptr) {
            m_bar = new SegmentBar(QStringLiteral("models_figure"));
            QStringList names;
            for (int i = 0; i < kModelFigures; ++i)
                names << titleOf(ModelFigure(i));
            m_bar->setItems(names, 0);
            m_bar->onChange = [this](int i) {
                m_figure = ModelFigure(i);
                m_isExplained = false;
                refresh();
            };
        }
        return m_bar;
    }

    /// latency, launch, scaling, order
    void showPart(const QString& part) override {
        const int i = int(QStringList{QStringLiteral("latency"), QStringLiteral("launch"), QStringLiteral("scaling"), QStringLiteral("order")}.indexOf(part));
        if (i < 0)
            return;
        headerControls();
        m_bar->setItems(m_bar->items(), i);
        m_bar->onChange(i);
    }

protected:
    QString contextText() const override {
        return QStringLiteral("%1, modelled · click: %2")
            .arg(QString::fromStdString(performance().gpu), m_isExplained ? QStringLiteral("the figure") : QStringLiteral("formula and sources"));
    }
    QString description() const override { return m_data.problem.isEmpty() ? m_data.heading : m_data.problem; }
    void fillTable(TableModel& table) const override { table.set(m_data.columns, m_data.rows); }

    void refreshed() override {
        ModelFigureInput input;
        input.deviceId = performance().deviceId;
        if (const KernelEntry* k = kernel()) {
            input.kernel = QString::fromStdString(k->point.id);
            input.warpsPerSm = k->occupancy.warpsPerSm;
            input.blocksPerSm = k->occupancy.blocksPerSm;
        }
        m_data = modelFigure(m_figure, input);
    }

    void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas canvas(painter, theme);
        if (m_isExplained)
            paintExplanations(canvas, rect, m_data);
        else
            paintModelFigure(canvas, rect, m_data);
    }

    void mousePressEvent(QMouseEvent*) override { toggle(); }

    void keyPressEvent(QKeyEvent* event) override {
        if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || (event->key() == Qt::Key_Escape && m_isExplained)) {
            toggle();
        } else {
            PerformancePane::keyPressEvent(event);
        }
    }

private:
    void toggle() {
        m_isExplained = !m_isExplained && m_data.problem.isEmpty();
        refresh();
    }

    ModelFigure m_figure = ModelFigure::Latency;
    ModelFigureData m_data;
    SegmentBar* m_bar = nullptr;
    bool m_isExplained = false;
};

} // namespace

Pane* makeModelsPane(Intents* intents, QWidget* parent) {
    return new ModelsPane(intents, parent);
}

} // namespace lanescope::views
