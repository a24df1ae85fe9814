// SPDX-License-Identifier: GPL-3.0-or-later
// A real window on an X server: keys step through the lesson, a parameter is typed, a chart is exported.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QEventLoop>
#include <QFile>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTimer>
#include <QtTest/QTest>

#include <ctime>
#include <functional>
#include <optional>
#include <utility>

#include "tests/views/application.h"
#include "tests/window/timed_application.h"
#include "tests/window/window.h"
#include "views/bridge/bridge.h"
#include "views/bridge/lesson_model.h"

using namespace lanescope;
using namespace lanescope::views;

TEST_CASE("naive and coalesced, stepped, edited and exported in a real window", "[real]") {
    REQUIRE(QApplication::platformName() == QStringLiteral("xcb"));
    const auto window = test::realWindow(ThemeKind::Light, {1366, 768});
    REQUIRE(QTest::qWaitForWindowExposed(window.get()));
    window->activateWindow();
    REQUIRE(window->openLesson(QStringLiteral("naive-vs-coalesced")));
    REQUIRE(test::waitUntilReady(*window));
    const auto frame = [&]() -> const session::FrameView& { return window->bridge().snapshot()->frame; };
    const auto settle = [&] { REQUIRE(test::waitUntilReady(*window)); };
    const auto sectors = [&] {
        int sum = 0;
        for (const session::AccessView& a : frame().accesses)
            sum += a.global.sectors;
        return sum;
    };

    // Every step of the lesson; on the way the two figures it is about are on screen.
    const int steps = static_cast<int>(window->lessons().lesson()->steps.size());
    REQUIRE(steps >= 5);
    bool saw33 = false, saw5 = false;
    for (int step = 0; step < steps; ++step) {
        window->lessons().setStep(step);
        settle();
        saw33 = saw33 || sectors() == 33;
        saw5 = saw5 || sectors() == 5;
    }
    CHECK(saw33);
    CHECK(saw5);

    // Keys: F10 executes an instruction of the selected warp, F9 undoes it, B goes to the barrier.
    window->lessons().setStep(1);
    settle();
    Pane* map = window->pane(QStringLiteral("map"));
    REQUIRE(map);
    map->setFocus();
    const std::uint32_t start = frame().index;
    const std::uint32_t pc = frame().pc;
    QTest::keyClick(map, Qt::Key_F10);
    settle();
    CHECK(frame().index > start);
    QTest::keyClick(map, Qt::Key_F9);
    settle();
    CHECK(frame().index == start);
    CHECK(frame().pc == pc);
    QTest::keyClick(map, Qt::Key_B);
    settle();
    const auto trace = window->bridge().snapshot()->trace;
    REQUIRE(trace);
    REQUIRE_FALSE(trace->barriers.empty());
    CHECK(frame().index == trace->barriers[0] + 1);
    QTest::keyClick(map, Qt::Key_F11);
    settle();
    CHECK(frame().index > trace->barriers[0] + 1);

    // A parameter, typed: the trace is of the new launch.
    auto* k = window->findChild<QSpinBox*>(QStringLiteral("parameters.K"));
    REQUIRE(k);
    REQUIRE(k->value() == 32);
    const std::size_t before = trace->events.size();
    k->setFocus();
    k->selectAll();
    QTest::keyClicks(k, QStringLiteral("16"));
    QTest::keyClick(k, Qt::Key_Return);
    REQUIRE(test::waitFor([&] {
        const auto s = window->bridge().snapshot();
        return !s->busy && s->trace && s->trace->events.size() < before;
    }, 30'000));
    settle();
    CHECK(window->bridge().snapshot()->run->verified);

    // A chart, from the page's pane, in every format.
    const QTemporaryDir folder;
    window->setSection(MainWindow::Section::Performance);
    REQUIRE(test::waitUntilModelled(*window));
    for (const char* ending : {"svg", "png", "pdf", "csv", "json"}) {
        const QString path = folder.filePath(QStringLiteral("roofline.") + QLatin1String(ending));
        const Result<void> written = window->exportPaneTo(*window->pane(QStringLiteral("roofline")), path);
        INFO(ending);
        REQUIRE(written);
        CHECK(QFile(path).size() > 500);
    }
}

// Not run by ctest, since they measure times: test_window "[speed]".

namespace {

/// Time until the map has painted a picture of a trace other than the one on screen; nothing after 10 s.
std::optional<double> timeToNewPicture(MainWindow& window, const std::function<void()>& edit) {
    class Painted : public QObject {
    public:
        bool seen = false;
        bool eventFilter(QObject*, QEvent* event) override {
            seen = seen || event->type() == QEvent::Paint;
            return false;
        }
    } painted;
    Pane* map = window.pane(QStringLiteral("map"));
    const auto before = window.bridge().snapshot()->trace;
    const auto isNew = [&] {
        const auto& now = window.bridge().snapshot();
        return !now->busy && now->trace && now->trace != before;
    };
    bool watches = false;
    const auto connection = QObject::connect(&window.bridge(), &Bridge::published, &window, [&] {
        if (isNew() && !std::exchange(watches, true))
            map->installEventFilter(&painted);
    });
    QElapsedTimer timer;
    timer.start();
    edit();
    const bool done = test::waitFor([&] { return painted.seen; });
    const double ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    QObject::disconnect(connection);
    return done ? std::optional<double>(ms) : std::nullopt;
}

} // namespace

TEST_CASE("steps a second that Play reaches", "[.][speed][play]") {
    const auto window = test::realWindow(ThemeKind::Light, {1600, 1000});
    REQUIRE(window->openLesson(QStringLiteral("naive-vs-coalesced")));
    REQUIRE(test::waitUntilReady(*window));
    auto* application = dynamic_cast<test::TimedApplication*>(qApp);
    REQUIRE(application);
    int published = 0;
    QObject::connect(&window->bridge(), &Bridge::published, window.get(), [&] { ++published; });
    application->takePaintTimes();
    const std::clock_t cpu = std::clock();
    emit window->intents().setSpeed(60);
    emit window->intents().setPlaying(true);
    QEventLoop loop; // the program's own kind of loop: it sleeps until there is something to do
    QTimer::singleShot(5000, Qt::PreciseTimer, &loop, &QEventLoop::quit);
    loop.exec();
    emit window->intents().setPlaying(false);
    const double cpuMs = 1000.0 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
    std::string report = fmt::format("of 300 steps asked for in 5 s, {} were made; {:.1f} ms of processor time a step", published, cpuMs / published);
    for (const auto& [name, time] : application->takePaintTimes())
        if (time.ms / published > 0.05)
            report += fmt::format("\n  {:5.2f} ms a step in {} paints of {}", time.ms / published, time.count, name.toStdString());
    WARN(report);
    CHECK(published > 0);
}

TEST_CASE("time from an edit to its picture", "[.][speed][edit]") {
    const QTemporaryDir cache;
    compile::Environment clang;
    clang.programDirs = {"/usr/bin"};
    clang.searchSystem = false;
    clang.cacheDir = cache.path().toStdString();
    const auto window = test::realWindow(ThemeKind::Light, {1600, 1000}, clang);
    REQUIRE(window->openLesson(QStringLiteral("shared-memory-tiling")));
    REQUIRE(test::waitUntilReady(*window));
    auto* tile = window->findChild<QSpinBox*>(QStringLiteral("parameters.BS"));
    REQUIRE(tile);
    for (const int value : {8, 16, 8, 16, 8, 16}) {
        REQUIRE(tile->value() != value);
        const auto ms = timeToNewPicture(*window, [&] { tile->setValue(value); });
        REQUIRE(ms);
        const auto& program = window->bridge().snapshot()->program;
        WARN("BS = " << value << ", " << program->compiler << ": " << *ms << " ms");
        REQUIRE(test::waitUntilReady(*window));
    }
}
