// SPDX-License-Identifier: GPL-3.0-or-later
// The compare page over two real sessions: they step together, and its figures are the engine's.
#include <catch2/catch.hpp>

#include <QAbstractItemModel>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QImage>
#include <QKeyEvent>
#include <QPixmap>
#include <QSpinBox>

#include "tests/views/application.h"
#include "tests/window/window.h"
#include "views/bridge/bridge.h"
#include "views/shell/compare_page.h"

using namespace lanescope;
using namespace lanescope::views;

namespace {

std::unique_ptr<MainWindow> compareWindow(ThemeKind theme, QSize size, const QString& left, const QString& right, const Parameters& parameters = {}) {
    auto window = test::realWindow(theme, size);
    window->openKernel(left, parameters);
    REQUIRE(test::waitUntilReady(*window));
    window->setSection(MainWindow::Section::Compare);
    REQUIRE(test::waitUntilReady(*window));
    window->compare().open(Side::Right, right);
    REQUIRE(test::waitUntilReady(*window));
    return window;
}

std::uint32_t index(MainWindow& window, Side side) {
    return window.compare().model().snapshot(side)->frame.index;
}

void keep(MainWindow& window, const QString& name) {
    if (const QString folder = qEnvironmentVariable("LANESCOPE_PICTURES"); !folder.isEmpty())
        window.grab().save(QDir(folder).filePath(name));
}

} // namespace

TEST_CASE("two kernels step together, back and to a place", "[compare]") {
    const auto window = compareWindow(ThemeKind::Light, {1366, 768}, QStringLiteral("k01_naive"), QStringLiteral("k02_coalesced"));
    CompareModel& model = window->compare().model();
    // The right side does the same work as the left.
    const auto problem = [&](Side side) {
        std::map<std::string, std::int64_t> out;
        for (const session::ParameterView& p : model.snapshot(side)->program->parameters)
            if (p.isProblem)
                out[p.name] = p.value;
        return out;
    };
    CHECK(model.snapshot(Side::Left)->program->id == "k01_naive");
    CHECK(model.snapshot(Side::Right)->program->id == "k02_coalesced");
    CHECK(problem(Side::Left) == problem(Side::Right));
    REQUIRE(model.comparison());
    CHECK(model.comparison()->verdict == session::ResultVerdict::Equal);

    for (int i = 0; i < 5; ++i)
        emit window->compare().intents().step(session::StepUnit::Instruction);
    REQUIRE(test::waitUntilReady(*window));
    CHECK(model.position(Side::Left) == 5);
    CHECK(model.position(Side::Right) == 5);
    emit window->compare().intents().stepBack(session::StepUnit::Instruction);
    REQUIRE(test::waitUntilReady(*window));
    CHECK(model.position(Side::Left) == 4);
    CHECK(model.position(Side::Right) == 4);

    emit window->compare().intents().seek(1'000'000);
    REQUIRE(test::waitUntilReady(*window));
    CHECK(model.position(Side::Left) == model.length(Side::Left));
    CHECK(model.position(Side::Right) == model.length(Side::Right));
    emit window->compare().intents().seek(0);
    REQUIRE(test::waitUntilReady(*window));
    CHECK(index(*window, Side::Left) == 0);
    CHECK(index(*window, Side::Right) == 0);

    // The stepper's own trace has not moved.
    CHECK(window->bridge().snapshot()->frame.index == 0);

    // A lane chosen on one side is chosen on both.
    emit window->compare().intents().selectLane(13);
    REQUIRE(test::waitUntilReady(*window));
    CHECK(model.snapshot(Side::Left)->selection.lane == 13);
    CHECK(model.snapshot(Side::Right)->selection.lane == 13);

    // The table is the comparison's, row by row.
    const QAbstractItemModel* table = window->pane(QStringLiteral("compare"))->table();
    REQUIRE(table);
    CHECK(table->rowCount() == static_cast<int>(model.comparison()->figures.size()));
    bool sawRatio = false;
    for (int row = 0; row < table->rowCount(); ++row)
        if (table->index(row, 0).data().toString() == QStringLiteral("Sectors loaded")) {
            CHECK(table->index(row, 3).data().toString() == QStringLiteral("6.6×"));
            sawRatio = true;
        }
    CHECK(sawRatio);
}

TEST_CASE("keys and the toolbar move both sides on the compare page", "[compare]") {
    const auto window = compareWindow(ThemeKind::Light, {1366, 768}, QStringLiteral("k01_naive"), QStringLiteral("k02_coalesced"));
    CompareModel& model = window->compare().model();
    auto* map = window->pane(QStringLiteral("map.left"));
    REQUIRE(map);
    REQUIRE(window->pane(QStringLiteral("map.right")));
    window->findChild<QAction*>(QStringLiteral("action.step"))->trigger();
    REQUIRE(test::waitUntilReady(*window));
    CHECK(model.position(Side::Left) == 1);
    CHECK(model.position(Side::Right) == 1);
    auto* transport = window->pane(QStringLiteral("compare.transport"));
    QKeyEvent right(QEvent::KeyPress, Qt::Key_Right, Qt::ShiftModifier);
    QApplication::sendEvent(transport, &right);
    REQUIRE(test::waitUntilReady(*window));
    CHECK(model.position(Side::Left) == 11);
    CHECK(model.position(Side::Right) == 11);
    auto* lane = window->findChild<QComboBox*>(QStringLiteral("toolbar.lane"));
    emit lane->activated(7);
    REQUIRE(test::waitUntilReady(*window));
    CHECK(model.snapshot(Side::Right)->selection.lane == 7);
    CHECK(lane->currentIndex() == 7);
    // Back on the stepper, its own selection is shown again.
    window->setSection(MainWindow::Section::Stepper);
    CHECK(lane->currentIndex() == 0);
}

TEST_CASE("one kernel with two tiles: a parameter of one side leaves the other alone", "[compare]") {
    const auto window = compareWindow(ThemeKind::Dark, {1600, 1000}, QStringLiteral("k03_shared"), QStringLiteral("k03_shared"));
    CompareModel& model = window->compare().model();
    const auto tile = [&](Side side) {
        for (const session::ParameterView& p : model.snapshot(side)->program->parameters)
            if (p.name == "BS")
                return p.value;
        return std::int64_t{-1};
    };
    const std::int64_t before = tile(Side::Left);
    REQUIRE(before > 0);
    auto* spin = window->pane(QStringLiteral("parameters.right"))->findChild<QSpinBox*>(QStringLiteral("parameters.BS"));
    REQUIRE(spin);
    const int other = before == 16 ? 32 : 16;
    spin->setValue(other);
    REQUIRE(test::waitUntilReady(*window));
    CHECK(tile(Side::Left) == before);
    CHECK(tile(Side::Right) == other);
    REQUIRE(model.comparison());
    CHECK(model.comparison()->verdict == session::ResultVerdict::Equal);
    CHECK(window->pane(QStringLiteral("compare"))->context().contains(QStringLiteral("BS %1").arg(other)));
    // While one side is broken there is no comparison to read, least of all an old one.
    spin->setValue(spin->maximum());
    REQUIRE(test::waitUntilReady(*window));
    if (!model.snapshot(Side::Right)->run)
        CHECK_FALSE(model.comparison());
}

TEST_CASE("the compare page at the sizes it is used at", "[compare]") {
    for (const ThemeKind theme : {ThemeKind::Light, ThemeKind::Dark})
        for (const QSize size : {QSize(1366, 768), QSize(1920, 1080)}) {
            const auto window = compareWindow(theme, size, QStringLiteral("k01_naive"), QStringLiteral("k02_coalesced"));
            emit window->compare().intents().seek(60);
            REQUIRE(test::waitUntilReady(*window));
            // Everything that the page is about is on screen, side by side, and large enough to read.
            for (const char* id : {"map.left", "map.right", "compare", "compare.transport", "parameters.left", "parameters.right"}) {
                INFO(id << " at " << size.width());
                Pane* pane = window->pane(QLatin1String(id));
                REQUIRE(pane);
                CHECK_FALSE(pane->visibleRegion().isEmpty());
                CHECK(pane->width() >= 280);
            }
            CHECK(std::abs(window->pane(QStringLiteral("map.left"))->width() - window->pane(QStringLiteral("map.right"))->width()) <= 4);
            keep(*window, QStringLiteral("compare_%1_%2.png").arg(theme == ThemeKind::Light ? "light" : "dark").arg(size.width()));
        }
}
