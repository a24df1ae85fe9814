// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/feeding/feeding_pane.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QScrollArea>

#include "views/export/canvas.h"
#include "views/export/model_figures.h"
#include "views/export/performance_pane.h"
#include "views/kit/controls.h"
#include "views/panes/feeding/feeding_scene.h"

namespace lanescope::views {
namespace {

class FeedingPane : public PerformancePane {
public:
    FeedingPane(Intents* intents, QWidget* parent) : PerformancePane(QStringLiteral("feeding"), QStringLiteral("Feeding calculator"), intents, parent), m_form(new QScrollArea(this)) {
        setMinimumSize(460, 260);
        auto* inside = new QWidget;
        auto* grid = new QGridLayout(inside);
        grid->setContentsMargins(10, 8, 6, 8);
        grid->setVerticalSpacing(6);
        int row = 0;
        const auto heading = [&](const QString& text) {
            auto* label = new QLabel(text);
            label->setFont(Theme::ui(11.5, QFont::DemiBold));
            grid->addWidget(label, row++, 0);
        };
        const auto spin = [&](const char* name, const QString& label, const QString& help, int from, int to, int step, int value) {
            auto* box = new LabelledSpin(QStringLiteral("feeding.") + QLatin1String(name), label);
            box->setRange(from, to);
            box->setSingleStep(step);
            box->setValue(value);
            box->setToolTip(help);
            box->setAccessibleName(help);
            connect(box, &QSpinBox::valueChanged, this, [this] { refresh(); });
            grid->addWidget(box, row++, 0);
            return box;
        };
        heading(tr("Warp's tile"));
        m_warpRows = spin("wm", tr("W_M"), tr("Rows of a warp's tile"), 8, 512, 8, 64);
        m_warpColumns = spin("wn", tr("W_N"), tr("Columns of a warp's tile"), 8, 512, 8, 64);
        heading(tr("Block's tile"));
        m_rows = spin("bm", tr("B_M"), tr("Rows of a block's tile"), 8, 1024, 8, 128);
        m_columns = spin("bn", tr("B_N"), tr("Columns of a block's tile"), 8, 1024, 8, 256);
        m_depth = spin("bk", tr("B_K"), tr("Depth of a stage"), 8, 1024, 8, 64);
        heading(tr("Problem"));
        m_size = spin("size", tr("M=N=K"), tr("Rows and columns of the matrices"), 128, 65536, 128, 4096);
        m_latency = spin("latency", tr("ns"), tr("Nanoseconds from asking for a stage until it is there"), 1, 100000, 100, 1000);
        m_element = spin("element", tr("Bytes"), tr("Bytes of an element: 1 int8, 2 f16, 4 tf32, 8 f64"), 1, 8, 1, 2);
        m_element->setChoices({1, 2, 4, 8});
        grid->setRowStretch(row, 1);
        m_form->setWidget(inside);
        m_form->setWidgetResizable(true);
        m_form->setFrameShape(QFrame::NoFrame);
        m_form->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        refresh();
    }

protected:
    QRectF canvasRect() const override { return {double(kForm), 0, double(std::max(0, width() - kForm)), double(height())}; }

    QString contextText() const override { return tr("%1, modelled · click: %2").arg(m_picture.device, m_isExplained ? tr("the figures") : tr("formulas and sources")); }

    QString description() const override {
        return m_picture.problem.isEmpty() ? tr("Warp tile: %1 FMA per byte, %2 needed. %3 stages needed, %4 fit.").arg(shortNumber(m_picture.warp.reuse), shortNumber(m_picture.warp.needed)).arg(m_picture.stages.needed).arg(m_picture.stages.fit)
                                           : m_picture.problem;
    }

    void fillTable(TableModel& table) const override { table.set(feedingColumns(), feedingRows(m_picture)); }

    void refreshed() override {
        FeedingInput input;
        input.deviceId = performance().deviceId;
        input.warpRows = m_warpRows->value();
        input.warpColumns = m_warpColumns->value();
        input.rows = m_rows->value();
        input.columns = m_columns->value();
        input.depth = m_depth->value();
        input.size = m_size->value();
        input.latencyMicroseconds = m_latency->value() * 1e-3;
        input.elementBytes = m_element->value();
        m_picture = makeFeedingPicture(input);
    }

    void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas canvas(painter, theme);
        if (!m_isExplained || !m_picture.problem.isEmpty())
            return paintFeeding(canvas, m_picture, rect);
        ModelFigureData figures;
        figures.explanations = m_picture.explanations;
        paintExplanations(canvas, rect, figures);
    }

    void mousePressEvent(QMouseEvent*) override { toggle(); }
    void keyPressEvent(QKeyEvent* event) override {
        if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || (event->key() == Qt::Key_Escape && m_isExplained))
            toggle();
        else
            PerformancePane::keyPressEvent(event);
    }
    void resizeEvent(QResizeEvent* event) override {
        PerformancePane::resizeEvent(event);
        m_form->setGeometry(0, 0, kForm, height());
    }

private:
    static constexpr int kForm = 138;

    void toggle() {
        m_isExplained = !m_isExplained;
        refresh();
    }

    QScrollArea* m_form;
    LabelledSpin *m_warpRows, *m_warpColumns, *m_rows, *m_columns, *m_depth, *m_size, *m_latency, *m_element;
    FeedingPicture m_picture;
    bool m_isExplained = false;
};

} // namespace

Pane* makeFeedingPane(Intents* intents, QWidget* parent) {
    return new FeedingPane(intents, parent);
}

} // namespace lanescope::views
