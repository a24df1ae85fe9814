// SPDX-License-Identifier: GPL-3.0-or-later
// The transport's strips over cycles: states, hover, the chain of causes.
#include <catch2/catch.hpp>

#include <QAbstractButton>
#include <QCoreApplication>
#include <QListWidget>
#include <QMouseEvent>

#include "tests/views_panes/support.h"
#include "views/kit/controls.h"
#include "views/panes/transport/cycle_strips.h"
#include "views/panes/transport/transport_pane.h"

using namespace lanescope;
using namespace lanescope::views;
using namespace lanescope::views::test;

namespace {

/// Kernel 3 in the middle of its second tile, from a real session.
SnapshotPtr tiledSnapshot() {
    static const SnapshotPtr snapshot = [] {
        session::SessionOptions options;
        options.deviceId = "h200";
        session::Session session(std::move(options));
        session.setTimingWanted(true);
        session.openKernel("k03_shared", {});
        session.select({{0, 0, 0}, 3, 5});
        const auto opened = session.snapshot();
        return session.seek(std::uint32_t(opened->trace->events.size() / 2));
    }();
    return snapshot;
}

void click(QWidget& widget, const QPointF& at) {
    for (const QEvent::Type type : {QEvent::MouseButtonPress, QEvent::MouseButtonRelease}) {
        QMouseEvent event(type, at, widget.mapToGlobal(at), Qt::LeftButton,
                          type == QEvent::MouseButtonPress ? Qt::LeftButton : Qt::NoButton,
                          Qt::NoModifier);
        QCoreApplication::sendEvent(&widget, &event);
    }
}

} // namespace

TEST_CASE("A session's snapshot carries the timing of the traced block", "[transport]") {
    const SnapshotPtr s = tiledSnapshot();
    REQUIRE(s->timing);
    const auto& timing = *s->timing;
    CHECK(timing.sm.warpsPerBlock == std::uint32_t(s->trace->warps));
    CHECK(timing.sm.issueOfEvent.size() == s->trace->events.size());
    // Each event of the trace is the issue of its own warp and instruction, and a warp's cycles grow.
    for (std::size_t e = 0; e < s->trace->events.size(); e += 7) {
        const timing::Issue& issue = timing.sm.issues[timing.sm.issueOfEvent[e]];
        CHECK(issue.pc == s->trace->events[e].pc);
        CHECK(timing.sm.warps[issue.warp].warp == s->trace->events[e].warp);
    }
    CHECK(cycleOf(timing, 0) == 0);
    CHECK(cycleOf(timing, std::uint32_t(s->trace->events.size())) <= timing.sm.cycles);
    CHECK(smWarp(timing, 3) >= 0);
    CHECK(smWarp(timing, 99) == -1);
    const QStringList states = statesAt(timing, s->trace->warps, timing.sm.cycles - 1);
    CHECK(states.size() == s->trace->warps);
    CHECK(statesAt(timing, 1, timing.sm.cycles).value(0) == QStringLiteral("done"));
}

TEST_CASE("Strips over cycles: an axis in cycles, states told apart, texts that do not collide",
          "[transport]") {
    startApplication();
    const SnapshotPtr s = tiledSnapshot();
    const auto cycles = s->timing->sm.cycles;
    for (const QSizeF size : {QSizeF(1366, 150), QSizeF(1920, 160), QSizeF(700, 120)})
        for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
            const TextLog log = paintLogged(
                size,
                [&](Canvas& c) {
                    paintCycleStrips(c,
                                     stripLayout(QRectF({0, 0}, size), s->trace->warps, cycles, 0,
                                                 cycles),
                                     *s->timing);
                },
                kind);
            CHECK(log.contains(QStringLiteral("cycles, modelled")));
            CHECK(overlapping(log).toStdString() == "");
        }
    // One row, two rows, and what is too much for two is counted.
    for (const auto& [area, isWhole] : {std::pair{QRectF(8, 0, 882, 30), true}, std::pair{QRectF(8, 0, 400, 38), true}, std::pair{QRectF(8, 0, 200, 38), false}}) {
        QStringList left;
        const TextLog legend = paintLogged({900, 40}, [&left, area = area](Canvas& c) { left = paintCycleLegend(c, area); });
        CHECK(left.isEmpty() == isWhole);
        for (const LookName& item : lookNames())
            CHECK(legend.contains(QLatin1String(item.name)) != left.contains(QLatin1String(item.name)));
        CHECK(legend.contains(QStringLiteral("+%1").arg(left.size())) != isWhole);
        CHECK(overlapping(legend).toStdString() == "");
        CHECK(clipped(legend, area.adjusted(0, 0, isWhole ? 0 : 24, 0)).toStdString() == "");
    }
}

TEST_CASE("The switch between events and cycles, hover and the chain of causes", "[transport]") {
    startApplication();
    Intents intents;
    std::unique_ptr<Pane> pane(makeTransportPane(&intents, nullptr));
    pane->setTheme(Theme::light());
    pane->resize(1366, 200);
    const SnapshotPtr s = tiledSnapshot();
    pane->setSnapshot(s);
    const QImage events = picture(*pane, {1366, 200});
    auto* axis = pane->findChild<SegmentedButtons*>(QStringLiteral("transport_axis"));
    REQUIRE(axis != nullptr);
    bool isWanted = false;
    QObject::connect(&intents, &Intents::wantTiming, [&](const QString&, bool on) { isWanted = on; });
    axis->segment(1)->click();
    CHECK(isWanted);
    const QImage cycles = picture(*pane, {1366, 200});
    CHECK(events != cycles);
    keep(cycles, QStringLiteral("transport-cycles-1366"));
    keep(picture(*pane, {1920, 220}, ThemeKind::Dark), QStringLiteral("transport-cycles-1920-dark"));

    // A stretch in which warp 3 waits for memory.
    const int warp = smWarp(*s->timing, 3);
    const auto intervals = s->timing->sm.intervals(std::uint32_t(warp));
    const auto wait = std::max_element(intervals.begin(), intervals.end(), [](const auto& a, const auto& b) {
        const auto length = [](const timing::Interval& i) {
            return i.state == timing::WarpState::LongScoreboard ? i.end - i.begin : 0;
        };
        return length(a) < length(b);
    });
    REQUIRE(wait->state == timing::WarpState::LongScoreboard);
    const QStringList tip = describe(*s->timing, 3, wait->begin + 1);
    REQUIRE(tip.size() >= 3);
    CHECK(tip[0].contains(QStringLiteral("long scoreboard")));
    CHECK(tip[2].contains(QStringLiteral("waits for the result of ld")));

    pane->resize(1366, 200);
    pane->grab();
    const StripLayout l = stripLayout(QRectF(0, 38, 1366, 162), s->trace->warps,
                                      s->timing->sm.cycles, 0, s->timing->sm.cycles);
    int selected = -1;
    std::vector<quint32> sought;
    QObject::connect(&intents, &Intents::selectWarp, [&](int w) { selected = w; });
    QObject::connect(&intents, &Intents::seek, [&](quint32 index) { sought.push_back(index); });
    click(*pane, {l.x((wait->begin + wait->end) / 2.0), l.row(3).center().y()});
    CHECK(selected == 3);
    CHECK(sought.empty());
    auto* list = pane->findChild<QListWidget*>(QStringLiteral("transport_why"));
    REQUIRE(list != nullptr);
    REQUIRE(list->count() >= 2);
    CHECK(list->item(0)->text().contains(QStringLiteral("waits for the result of ld")));
    CHECK(list->item(1)->text().contains(QStringLiteral("served by")));
    keep(list->grab().toImage(), QStringLiteral("transport-why"));
    emit list->itemActivated(list->item(1));
    REQUIRE(sought.size() == 1);
    const session::TraceEvent& event = s->trace->events[sought[0] - 1];
    CHECK(event.warp == 3);
    CHECK((event.flags & session::TraceEvent::kMemory) != 0);

    // While the timing is being made the strips count events and the switch stays; without one it goes back and says why.
    auto without = std::make_shared<session::Snapshot>(*s);
    without->timing.reset();
    pane->setSnapshot(without);
    CHECK(axis->segment(1)->isEnabled());
    CHECK(axis->current() == 1);
    without = std::make_shared<session::Snapshot>(*without);
    without->timingProblem = "a block does not fit on an SM";
    pane->setSnapshot(without);
    CHECK_FALSE(axis->segment(1)->isEnabled());
    CHECK(axis->segment(1)->toolTip() == QLatin1String("a block does not fit on an SM"));
    CHECK(axis->current() == 0);
}
