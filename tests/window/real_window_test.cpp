// SPDX-License-Identifier: GPL-3.0-or-later
// A real window on an X server: keys step through the lesson, a parameter is typed, a chart is exported.
#include <catch2/catch.hpp>

#include <QApplication>
#include <QEvent>
#include <QEventLoop>
#include <QFile>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTimer>
#include <QtTest/QTest>

#include "tests/views/application.h"
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

// Not run by ctest: test_window "[speed]" prints how many of the steps that Play asks for are made and painted.
TEST_CASE("steps a second that Play reaches", "[.][speed]") {
    const auto window = test::realWindow(ThemeKind::Light, {1600, 1000});
    REQUIRE(window->openLesson(QStringLiteral("naive-vs-coalesced")));
    REQUIRE(test::waitUntilReady(*window));
    int published = 0, painted = 0;
    QObject::connect(&window->bridge(), &Bridge::published, window.get(), [&] { ++published; });
    class Counter : public QObject {
    public:
        int* count;
        bool eventFilter(QObject*, QEvent* event) override {
            *count += event->type() == QEvent::Paint;
            return false;
        }
    } counter;
    counter.count = &painted;
    window->pane(QStringLiteral("map"))->installEventFilter(&counter);
    emit window->intents().setSpeed(60);
    emit window->intents().setPlaying(true);
    QEventLoop loop; // the program's own kind of loop: it sleeps until there is something to do
    QTimer::singleShot(5000, Qt::PreciseTimer, &loop, &QEventLoop::quit);
    loop.exec();
    emit window->intents().setPlaying(false);
    WARN("of 300 steps asked for in 5 s, " << published << " were made and " << painted << " pictures of the map painted");
    CHECK(published > 0);
}
