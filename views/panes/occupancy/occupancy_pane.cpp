// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/occupancy/occupancy_pane.h"

#include "views/export/canvas.h"
#include "views/export/charts.h"
#include "views/export/performance_pane.h"
#include "views/export/segment_bar.h"

namespace lanescope::views {
namespace {

class OccupancyPane : public PerformancePane {
public:
    OccupancyPane(Intents* intents, QWidget* parent)
        : PerformancePane(QStringLiteral("occupancy"), QStringLiteral("Occupancy"), intents,
                          parent) {
        setMinimumSize(420, 220);
        refresh();
    }

    QWidget* headerControls() override {
        if (m_bar == nullptr) {
            m_bar = new SegmentBar(QStringLiteral("occupancy_over"));
            m_bar->setItems({QStringLiteral("Registers"), QStringLiteral("Shared memory"),
                             QStringLiteral("Block size")},
                            m_curve);
            m_bar->onChange = [this](int i) {
                m_curve = i;
                invalidate();
            };
        }
        return m_bar;
    }

protected:
    QString contextText() const override {
        const KernelEntry* k = kernel();
        if (k == nullptr || !k->occupancy.problem.empty())
            return {};
        const OccupancyData& o = k->occupancy;
        return QStringLiteral("%1: %2 per SM, %3 of %4 warps, %5")
            .arg(QString::fromStdString(o.kernel), counted(o.blocksPerSm, QStringLiteral("block")))
            .arg(o.warpsPerSm)
            .arg(o.maxWarps)
            .arg(percent(o.occupancy));
    }

    void fillTable(TableModel& table) const override {
        std::vector<QStringList> rows;
        if (const KernelEntry* k = kernel())
            for (const OccupancyLimit& limit : k->occupancy.limits)
                rows.push_back(
                    {QString::fromStdString(limit.name),
                     limit.blocks ? QString::number(*limit.blocks) : QStringLiteral("no limit"),
                     QString::fromStdString(limit.detail),
                     limit.isLimiter ? QStringLiteral("yes") : QStringLiteral("no")});
        table.set({QStringLiteral("resource"), QStringLiteral("blocks per SM"),
                   QStringLiteral("use"), QStringLiteral("limiter")},
                  std::move(rows));
    }

    void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas canvas(painter, theme);
        const KernelEntry* k = kernel();
        paintOccupancy(canvas, rect, k != nullptr ? k->occupancy : OccupancyData{}, m_curve);
    }

private:
    SegmentBar* m_bar = nullptr;
    int m_curve = 0;
};

} // namespace

Pane* makeOccupancyPane(Intents* intents, QWidget* parent) {
    return new OccupancyPane(intents, parent);
}

} // namespace lanescope::views
