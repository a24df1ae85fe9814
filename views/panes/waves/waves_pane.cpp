// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/waves/waves_pane.h"

#include "views/export/canvas.h"
#include "views/export/charts.h"
#include "views/export/performance_pane.h"

namespace lanescope::views {
namespace {

class WavesPane : public PerformancePane {
public:
    WavesPane(Intents* intents, QWidget* parent)
        : PerformancePane(QStringLiteral("waves"), QStringLiteral("Waves"), intents, parent) {
        setMinimumSize(300, 200);
        refresh();
    }

protected:
    QString contextText() const override {
        const KernelEntry* k = kernel();
        if (k == nullptr || k->waves.waves == 0)
            return {};
        const WavesData& w = k->waves;
        return QStringLiteral("%1: %2 on %3 SMs, %4 each")
            .arg(QString::fromStdString(w.kernel), counted(w.blocks, QStringLiteral("block")),
                 grouped(w.sms), counted(w.blocksPerSm, QStringLiteral("block")));
    }

    void fillTable(TableModel& table) const override {
        std::vector<QStringList> rows;
        if (const KernelEntry* k = kernel())
            for (const WavesRow& r : k->waves.rows)
                rows.push_back({QString::fromStdString(r.gpu), QString::number(r.sms),
                                QString::number(r.blocksPerSm), QString::number(r.waves),
                                QString::number(r.tailBlocks), percent(r.slotsUsed)});
        table.set({QStringLiteral("GPU"), QStringLiteral("SMs"), QStringLiteral("blocks per SM"),
                   QStringLiteral("waves"), QStringLiteral("blocks of the tail"),
                   QStringLiteral("slots used")},
                  std::move(rows));
    }

    void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas canvas(painter, theme);
        const KernelEntry* k = kernel();
        paintWaves(canvas, rect, k != nullptr ? k->waves : WavesData{});
    }
};

} // namespace

Pane* makeWavesPane(Intents* intents, QWidget* parent) {
    return new WavesPane(intents, parent);
}

} // namespace lanescope::views
