// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/roofline/roofline_pane.h"

#include <QKeyEvent>
#include <QMouseEvent>

#include "views/export/canvas.h"
#include "views/export/charts.h"
#include "views/export/performance_pane.h"
#include "views/export/segment_bar.h"
#include "views/kit/paint.h"

namespace lanescope::views {
namespace {

QString intensityText(const std::optional<double>& value) {
    return value ? shortNumber(*value) : QString();
}

class RooflinePane : public PerformancePane {
public:
    RooflinePane(Intents* intents, QWidget* parent)
        : PerformancePane(QStringLiteral("roofline"), QStringLiteral("Roofline"), intents, parent) {
        setMouseTracking(true);
        setMinimumSize(360, 240);
        refresh();
    }

    QWidget* headerControls() override {
        if (m_bar == nullptr) {
            m_bar = new SegmentBar(QStringLiteral("roofline_axis"));
            m_bar->setItems(
                {QStringLiteral("L1 and shared"), QStringLiteral("L2"), QStringLiteral("DRAM")},
                int(m_axis));
            m_bar->onChange = [this](int i) {
                m_axis = MemoryLevel(i);
                m_hover = -1;
                invalidate();
            };
        }
        return m_bar;
    }

protected:
    QString contextText() const override {
        QString text =
            QString::fromStdString(performance().gpu) + QStringLiteral(", FP32, log-log");
        if (store()->isBusy())
            text += QStringLiteral(" · modelling …");
        return text;
    }

    QString description() const override {
        QString text = contextText();
        if (const KernelEntry* k = kernel())
            text += QStringLiteral(". %1: %2 TFLOP/s modelled, bound by %3")
                        .arg(QString::fromStdString(k->point.id),
                             shortNumber(k->point.flopsPerSecond / 1e12),
                             QString::fromStdString(k->point.boundBy));
        return text;
    }

    void fillTable(TableModel& table) const override {
        std::vector<QStringList> rows;
        for (const KernelPoint& p : performance().roofline.points)
            rows.push_back({QString::fromStdString(p.id), QString::fromStdString(p.title),
                            intensityText(p.intensity[0]), intensityText(p.intensity[1]),
                            intensityText(p.intensity[2]), shortNumber(p.flopsPerSecond / 1e12),
                            QString::fromStdString(p.boundBy),
                            p.measuredFlopsPerSecond ? shortNumber(*p.measuredFlopsPerSecond / 1e12) : QString(),
                            p.modelError() ? signedPercent(*p.modelError()) : QString()});
        table.set({QStringLiteral("kernel"), QStringLiteral("title"),
                   QStringLiteral("FLOP/B L1 and shared"), QStringLiteral("FLOP/B L2"),
                   QStringLiteral("FLOP/B DRAM"), QStringLiteral("TFLOP/s modelled"),
                   QStringLiteral("bound by"),
                   QStringLiteral("TFLOP/s measured"), QStringLiteral("model error")},
                  std::move(rows));
    }

    void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas canvas(painter, theme);
        paintRoofline(canvas, rect, performance().roofline, m_axis);
    }

    void paintOverlay(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        const auto& points = performance().roofline.points;
        if (m_hover < 0 || m_hover >= int(points.size()))
            return;
        const KernelPoint& p = points[std::size_t(m_hover)];
        QStringList lines{
            QString::fromStdString(p.id),
            shortNumber(p.flopsPerSecond / 1e12) + QStringLiteral(" TFLOP/s modelled"),
            intensityText(p.intensity[std::size_t(m_axis)]) + QStringLiteral(" FLOP per byte"),
            QStringLiteral("bound by ") + QString::fromStdString(p.boundBy)};
        if (p.measuredFlopsPerSecond)
            lines << QStringLiteral("%1 TFLOP/s measured, the model is off by %2").arg(shortNumber(*p.measuredFlopsPerSecond / 1e12), signedPercent(p.modelError().value_or(0)));
        lines += wrapped(QString::fromStdString(p.measuredNote));
        drawTip(painter, m_mouse, lines, rect, theme);
    }

    void mouseMoveEvent(QMouseEvent* event) override {
        m_mouse = event->position();
        const int hit =
            rooflineHit(canvasRect(), performance().roofline, m_axis, m_mouse.x(), m_mouse.y());
        if (hit != m_hover) {
            m_hover = hit;
            update();
        }
    }

    void leaveEvent(QEvent*) override {
        m_hover = -1;
        update();
    }

    void mousePressEvent(QMouseEvent* event) override {
        const int hit = rooflineHit(canvasRect(), performance().roofline, m_axis,
                                    event->position().x(), event->position().y());
        if (hit >= 0)
            store()->select(performance().roofline.points[std::size_t(hit)].id);
    }

    void keyPressEvent(QKeyEvent* event) override {
        const auto& points = performance().roofline.points;
        const int step = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up      ? -1
                         : event->key() == Qt::Key_Right || event->key() == Qt::Key_Down ? 1
                                                                                         : 0;
        if (step == 0 || points.empty()) {
            Pane::keyPressEvent(event);
            return;
        }
        int at = step > 0 ? -1 : int(points.size());
        for (int i = 0; i < int(points.size()); ++i)
            if (points[std::size_t(i)].id == performance().roofline.selected)
                at = i;
        store()->select(points[std::size_t(std::clamp(at + step, 0, int(points.size()) - 1))].id);
    }

private:
    MemoryLevel m_axis = MemoryLevel::L1;
    SegmentBar* m_bar = nullptr;
    int m_hover = -1;
    QPointF m_mouse;
};

} // namespace

Pane* makeRooflinePane(Intents* intents, QWidget* parent) {
    return new RooflinePane(intents, parent);
}

} // namespace lanescope::views
