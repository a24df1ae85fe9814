// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>

#include <chrono>
#include <memory>

#include <QAbstractButton>
#include <QAbstractItemModel>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QCoreApplication>

#include "tests/views/fake_snapshot.h"
#include "tests/views_panes/support.h"
#include "views/panes/transport/control_bar.h"
#include "views/panes/transport/strips.h"
#include "views/panes/transport/transport_pane.h"

using namespace lanescope;
using namespace lanescope::views;
using namespace lanescope::views::test;

namespace {

/// `events` events dealt to the warps in turn, a barrier every `every` events.
std::shared_ptr<session::Snapshot> longTrace(std::uint32_t events, int warps, std::uint32_t every) {
    auto snapshot = std::make_shared<session::Snapshot>(*fakeSnapshot());
    auto trace = std::make_shared<session::TraceView>();
    trace->warps = warps;
    trace->events.resize(events);
    trace->eventsOfWarp.resize(std::size_t(warps));
    for (std::uint32_t i = 0; i < events; ++i) {
        auto& e = trace->events[i];
        e.warp = std::uint16_t(i % std::uint32_t(warps));
        e.pc = (i / std::uint32_t(warps)) % 20;
        e.active = kFullMask;
        if (every != 0 && i % every >= every - std::uint32_t(warps)) {
            e.flags |= session::TraceEvent::kBarrierArrive;
            if (i % every == every - 1)
                trace->barriers.push_back(i);
        }
        if (i + std::uint32_t(warps) >= events)
            e.flags |= session::TraceEvent::kExit;
        trace->eventsOfWarp[e.warp].push_back(i);
    }
    snapshot->trace = trace;
    snapshot->frame.index = events / 3;
    snapshot->frame.warps.assign(std::size_t(warps), session::WarpState::Ready);
    return snapshot;
}

} // namespace

TEST_CASE("The index counts events, waits and ends as the trace has them", "[transport]") {
    const auto snapshot = fakeSnapshot();
    const TraceIndex index(snapshot->trace, snapshot->program.get());
    const auto& trace = *snapshot->trace;
    REQUIRE(trace.barriers.size() == 1);
    for (int warp = 0; warp < index.warps(); ++warp) {
        std::uint32_t own = 0, arrived = 0;
        for (std::uint32_t i = 0; i < trace.events.size(); ++i)
            if (trace.events[i].warp == warp) {
                ++own;
                if ((trace.events[i].flags & session::TraceEvent::kBarrierArrive) != 0)
                    arrived = i;
            }
        CHECK(index.issued(warp, 0, index.events()) == own);
        CHECK(index.issued(warp, 10, 10) == 0);
        CHECK_FALSE(index.waits(warp, 0, arrived));
        // From its arrival until the last warp has arrived.
        CHECK(index.waits(warp, arrived + 1, trace.barriers[0] + 1) ==
              (arrived < trace.barriers[0]));
        CHECK_FALSE(index.waits(warp, trace.barriers[0] + 1, index.events()));
        CHECK(trace.events[index.end(warp)].warp == warp);
    }
    REQUIRE(index.phases().size() == 2);
    CHECK(index.phases()[0].label().toStdString() == "Lines 4–10");
    CHECK(index.phases()[1].label().toStdString() == "Lines 11–14");
    CHECK(index.phases()[0].events.to == index.phases()[1].events.from);
}

TEST_CASE("Every warp's row can be hit, and the axis maps back", "[transport]") {
    for (const int warps : {1, 8, 32, 64})
        for (const double height : {96.0, 154.0, 400.0}) {
            const StripLayout l = stripLayout({0, 0, 1200, height}, warps, 5000, 0, 5000);
            for (int warp = 0; warp < warps; ++warp)
                CHECK(l.warpAt(l.row(warp).center().y()) == warp);
            CHECK(l.event(l.x(1234)) == Approx(1234));
            CHECK(l.scrubEvent(l.scrubX(4321)) == Approx(4321));
        }
    CHECK(ControlBar::speedAt(0) == Approx(0.5));
    CHECK(ControlBar::speedAt(1000) == Approx(64));
    CHECK(ControlBar::speedAt(ControlBar::positionOf(4)) == Approx(4).epsilon(0.01));
}

TEST_CASE("Strip texts stay apart and inside", "[transport]") {
    startApplication();
    for (const int warps : {1, 4, 8, 32})
        for (const std::uint32_t every : {0u, 640u, 64u}) {
            const auto snapshot = longTrace(6400, warps, every);
            const TraceIndex index(snapshot->trace, snapshot->program.get());
            for (const QRectF& rect : {QRectF(0, 0, 1590, 154), QRectF(0, 0, 900, 110)}) {
                const StripLayout l = stripLayout(rect, warps, 6400, 0, 6400);
                const TextLog log = paintLogged(rect.size(), [&](Canvas& c) {
                    paintStrips(c, l, index);
                    paintPlayhead(c, l, snapshot->frame, snapshot->frame.index);
                });
                CHECK(overlapping(log).toStdString() == "");
                if (l.scrubY + 20 < rect.height())
                    CHECK(clipped(log, rect).toStdString() == "");
            }
        }
}

TEST_CASE("Four million events and 32 warps repaint within a frame", "[transport]") {
    startApplication();
    const auto snapshot = longTrace(4'000'000, 32, 32'000);
    Intents intents;
    std::unique_ptr<Pane> pane(makeTransportPane(&intents, nullptr));
    pane->resize(1590, 194);
    using Clock = std::chrono::steady_clock;
    const auto ms = [](auto d) { return std::chrono::duration<double, std::milli>(d).count(); };
    const auto t0 = Clock::now();
    pane->setSnapshot(snapshot);
    pane->grab();
    const auto t1 = Clock::now();
    auto next = std::make_shared<session::Snapshot>(*snapshot);
    constexpr int kSteps = 20;
    for (int i = 0; i < kSteps; ++i) {
        next = std::make_shared<session::Snapshot>(*next);
        next->frame.index += 1000;
        pane->setSnapshot(next);
        pane->grab();
    }
    const auto t2 = Clock::now();
    WARN("first " << ms(t1 - t0) << " ms, a step " << ms(t2 - t1) / kSteps << " ms");
    // Not a timed test: what must hold is that a step does not cost what the trace costs.
    CHECK((t2 - t1) / kSteps < (t1 - t0));
    CHECK(pane->table()->rowCount() == 4'000'000);
    CHECK(pane->table()->data(pane->table()->index(33, 1)).toInt() == 1);
}

TEST_CASE("Keys and drags of the transport become intents", "[transport]") {
    startApplication();
    Intents intents;
    std::unique_ptr<Pane> pane(makeTransportPane(&intents, nullptr));
    pane->resize(1200, 194);
    const auto snapshot = fakeSnapshot();
    pane->setSnapshot(snapshot);
    std::vector<quint32> seeks;
    int warp = -1, steps = 0;
    bool playing = false;
    QObject::connect(&intents, &Intents::seek, [&](quint32 i) { seeks.push_back(i); });
    QObject::connect(&intents, &Intents::selectWarp, [&](int w) { warp = w; });
    QObject::connect(&intents, &Intents::step, [&](session::StepUnit) { ++steps; });
    QObject::connect(&intents, &Intents::setPlaying, [&](bool on) { playing = on; });
    const auto press = [&](int key, Qt::KeyboardModifiers m = {}) {
        QKeyEvent event(QEvent::KeyPress, key, m);
        QCoreApplication::sendEvent(pane.get(), &event);
    };
    const quint32 index = snapshot->frame.index;
    press(Qt::Key_Left);
    press(Qt::Key_Right, Qt::ShiftModifier);
    press(Qt::Key_Home);
    press(Qt::Key_End);
    REQUIRE(seeks == std::vector<quint32>{index - 1, index + 10, 0,
                                          quint32(snapshot->trace->events.size())});
    press(Qt::Key_Down);
    CHECK(warp == snapshot->selection.warp + 1);
    seeks.clear();
    const StripLayout l =
        stripLayout({0, 38, 1200, 156}, 8, quint32(snapshot->trace->events.size()), 0,
                    double(snapshot->trace->events.size()));
    QMouseEvent click(QEvent::MouseButtonPress, QPointF(l.x(100), l.row(2).center().y()), QPointF(),
                      Qt::LeftButton, Qt::LeftButton, {});
    QCoreApplication::sendEvent(pane.get(), &click);
    REQUIRE(seeks.size() == 1);
    CHECK(std::abs(int(seeks[0]) - 100) <= 2);
    for (const char* name : {"transport_step", "transport_line", "transport_barrier"}) {
        auto* button = pane->findChild<QAbstractButton*>(QLatin1String(name));
        REQUIRE(button != nullptr);
        CHECK(button->isEnabled());
        button->click();
    }
    CHECK(steps == 3);
    auto* play = pane->findChild<QAbstractButton*>(QStringLiteral("transport_play"));
    play->click();
    CHECK(playing);
    CHECK(play->text() == "Pause");
    play->click();
    CHECK_FALSE(playing);
}

TEST_CASE("The transport paints in both themes and sizes", "[transport]") {
    startApplication();
    Intents intents;
    std::unique_ptr<Pane> pane(makeTransportPane(&intents, nullptr));
    pane->resize(900, 160);
    pane->grab(); // nothing yet
    pane->setSnapshot(fakeFailure());
    pane->grab();
    pane->setSnapshot(fakeSnapshot());
    for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark})
        for (const QSize size : {QSize(1592, 194), QSize(1366, 170)}) {
            pane->setTheme(Theme::of(kind));
            pane->setStyleSheet(Theme::of(kind).styleSheet());
            pane->resize(size);
            const QImage image = pane->grab().toImage();
            CHECK(inkedPixels(image) > 5000);
            keep(image, QStringLiteral("transport_%1_%2")
                            .arg(kind == ThemeKind::Dark ? "dark" : "light")
                            .arg(size.width()));
        }
    keep(picture(*pane, {1200, 190}), "transport_export");
    pane->setSnapshot(longTrace(20000, 32, 4000));
    pane->resize(1366, 194);
    keep(pane->grab().toImage(), "transport_32");
}
