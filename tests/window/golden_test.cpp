// SPDX-License-Identifier: GPL-3.0-or-later
// Every pane as a picture, compared with the one in tests/data/golden. Text is drawn by the fonts of Debian 12; small differences of
// rasterising are allowed, another state is not. LANESCOPE_UPDATE_GOLDEN=1 writes the pictures anew: look at them before they are committed.
#include <catch2/catch.hpp>

#include <QAbstractItemModel>
#include <QDir>
#include <QFontDatabase>
#include <QFontInfo>
#include <QImage>
#include <QPixmap>

#include "tests/views/application.h"
#include "tests/window/window.h"
#include "views/bridge/bridge.h"
#include "views/bridge/lesson_model.h"
#include "views/shell/compare_page.h"

using namespace lanescope;
using namespace lanescope::views;

namespace {

/// Part of the pixels whose colour differs by more than a little.
double difference(const QImage& a, const QImage& b) {
    if (a.size() != b.size())
        return 1;
    std::int64_t differ = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x) {
            const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
            if (std::abs(qRed(p) - qRed(q)) > 48 || std::abs(qGreen(p) - qGreen(q)) > 48 || std::abs(qBlue(p) - qBlue(q)) > 48)
                ++differ;
        }
    return static_cast<double>(differ) / (static_cast<double>(a.width()) * a.height());
}

/// Glyphs that sit half a pixel elsewhere differ in about this part of a pane full of text.
constexpr double kTolerance = 0.02;

QString pathOf(const QString& name) { return QStringLiteral(LANESCOPE_TEST_DATA "/golden/") + name + QStringLiteral(".png"); }

void compare(const QString& name, const QImage& image) {
    const QString path = pathOf(name);
    if (qEnvironmentVariableIsSet("LANESCOPE_UPDATE_GOLDEN")) {
        QDir().mkpath(QStringLiteral(LANESCOPE_TEST_DATA "/golden"));
        REQUIRE(image.convertToFormat(QImage::Format_RGB888).save(path));
        return;
    }
    const QImage golden(path);
    INFO(name.toStdString());
    REQUIRE_FALSE(golden.isNull());
    const double differs = difference(image, golden);
    if (differs > kTolerance)
        image.save(QDir::temp().filePath(QStringLiteral("lanescope-") + name + QStringLiteral(".png")));
    CHECK(image.size() == golden.size());
    CHECK(differs <= kTolerance);
}

/// The pictures are of these fonts and of the PTX that nvcc 13.0 makes: with others the program looks right and yet different.
bool isComparable(MainWindow& window) {
    const QStringList families = QFontDatabase::families();
    if (!families.contains(QStringLiteral("Inter")) || !families.contains(QStringLiteral("JetBrains Mono"))) {
        WARN("Inter or JetBrains Mono is not installed: pictures are not compared");
        return false;
    }
    if (window.bridge().snapshot()->program->ptxText.find("release 13.0") == std::string::npos) {
        WARN("the built-in PTX is not nvcc 13.0's: pictures are not compared");
        return false;
    }
    return true;
}

/// Every cell has a figure or says why it has none.
bool isSwept(Pane& pane) {
    const QAbstractItemModel* table = pane.table();
    int done = 0;
    for (int row = 0; row < table->rowCount(); ++row)
        done += !table->index(row, 2).data().toString().isEmpty() || !table->index(row, table->columnCount() - 1).data().toString().isEmpty();
    return done > 0 && done == table->rowCount();
}

QImage pictureOf(MainWindow& window, const QString& id) {
    window.showPane(id);
    REQUIRE(test::waitUntilReady(window));
    Pane* pane = window.pane(id);
    REQUIRE(pane);
    return pane->grab().toImage();
}

} // namespace

TEST_CASE("every pane of the stepper looks as it did", "[golden]") {
    const auto window = test::realWindow(ThemeKind::Light, {1600, 1000});
    REQUIRE(window->openLesson(QStringLiteral("naive-vs-coalesced")));
    REQUIRE(test::waitUntilReady(*window));
    window->lessons().setStep(1);
    REQUIRE(test::waitUntilReady(*window));
    if (!isComparable(*window))
        return;
    QImage naive;
    for (const char* id : {"course", "lesson", "source", "map", "parameters", "counters", "findings", "registers", "transport"}) {
        const QImage image = pictureOf(*window, QLatin1String(id));
        compare(QLatin1String(id), image);
        if (QLatin1String(id) == QLatin1String("map"))
            naive = image;
    }
    // Another state is another picture: the tolerance is not so wide that this would pass.
    window->bridge().step(session::StepUnit::Line);
    const auto trace = window->bridge().snapshot()->trace;
    REQUIRE(trace);
    REQUIRE(trace->barriers.size() == 1);
    window->bridge().seek(trace->barriers[0] + 200);
    REQUIRE(test::waitUntilReady(*window));
    CHECK(difference(naive, pictureOf(*window, QStringLiteral("map"))) > kTolerance);
}

TEST_CASE("banks and the dark theme look as they did", "[golden]") {
    const auto window = test::realWindow(ThemeKind::Dark, {1600, 1000});
    window->openKernel(QStringLiteral("k03_shared"));
    REQUIRE(test::waitUntilReady(*window));
    if (!isComparable(*window))
        return;
    const auto trace = window->bridge().snapshot()->trace;
    REQUIRE(trace);
    // The first shared load of warp 0.
    std::uint32_t at = 0;
    for (std::uint32_t i = 0; i < trace->events.size() && at == 0; ++i) {
        const auto& e = trace->events[i];
        if (e.warp == 0 && window->bridge().snapshot()->program->instructions[e.pc].cls == ptx::InstructionClass::LoadShared)
            at = i + 1;
    }
    REQUIRE(at > 0);
    window->bridge().seek(at);
    REQUIRE(test::waitUntilReady(*window));
    compare(QStringLiteral("banks"), pictureOf(*window, QStringLiteral("banks")));
    compare(QStringLiteral("transport-dark"), pictureOf(*window, QStringLiteral("transport")));
}

TEST_CASE("the timing pane and the compiled form look as they did", "[golden]") {
    const auto window = test::realWindow(ThemeKind::Light, {1600, 1000});
    window->openKernel(QStringLiteral("k05_tile2d"));
    REQUIRE(test::waitUntilReady(*window));
    if (!isComparable(*window))
        return;
    window->bridge().select({{0, 0, 0}, 3, 5});
    window->bridge().seek(static_cast<std::uint32_t>(window->bridge().snapshot()->trace->events.size() / 2));
    emit window->intents().setForm(session::CodeForm::Compiled);
    REQUIRE(test::waitUntilReady(*window));
    compare(QStringLiteral("source-compiled"), pictureOf(*window, QStringLiteral("source")));
    compare(QStringLiteral("timing"), pictureOf(*window, QStringLiteral("timing")));
}

TEST_CASE("fragments, swizzle, pipeline and feeding look as they did", "[golden]") {
    const auto window = test::realWindow(ThemeKind::Dark, {1600, 1000});
    REQUIRE(window->openLesson(QStringLiteral("stages")));
    REQUIRE(test::waitUntilReady(*window));
    window->lessons().setStep(1);
    REQUIRE(test::waitUntilReady(*window));
    if (!isComparable(*window))
        return;
    for (const char* id : {"fragments", "swizzle", "pipeline", "feeding"})
        compare(QLatin1String(id), pictureOf(*window, QLatin1String(id)));
    // A ring of bulk copies, and a product of a warpgroup.
    REQUIRE(window->openLesson(QStringLiteral("hopper")));
    REQUIRE(test::waitUntilReady(*window));
    window->lessons().setStep(2);
    REQUIRE(test::waitUntilReady(*window));
    compare(QStringLiteral("fragments-wgmma"), pictureOf(*window, QStringLiteral("fragments")));
    window->lessons().setStep(5);
    REQUIRE(test::waitUntilReady(*window));
    const QImage start = pictureOf(*window, QStringLiteral("pipeline"));
    window->bridge().seek(static_cast<std::uint32_t>(window->bridge().snapshot()->trace->events.size() / 2));
    REQUIRE(test::waitUntilReady(*window));
    const QImage ring = pictureOf(*window, QStringLiteral("pipeline"));
    compare(QStringLiteral("pipeline-mbarriers"), ring);
    CHECK(difference(start, ring) > 0.005); // another cycle is another picture
}

TEST_CASE("the compare page's figures look as they did", "[golden]") {
    const auto window = test::realWindow(ThemeKind::Dark, {1600, 1000});
    window->openKernel(QStringLiteral("k01_naive"));
    REQUIRE(test::waitUntilReady(*window));
    if (!isComparable(*window))
        return;
    window->setSection(MainWindow::Section::Compare);
    REQUIRE(test::waitUntilReady(*window));
    window->compare().open(Side::Right, QStringLiteral("k02_coalesced"));
    REQUIRE(test::waitUntilReady(*window));
    compare(QStringLiteral("compare"), pictureOf(*window, QStringLiteral("compare")));
}

TEST_CASE("sweep, ladder and models look as they did", "[golden]") {
    const auto window = test::realWindow(ThemeKind::Light, {1600, 1000});
    window->openKernel(QStringLiteral("k03_shared"));
    REQUIRE(test::waitUntilReady(*window));
    if (!isComparable(*window))
        return;
    window->setSection(MainWindow::Section::Performance);
    REQUIRE(test::waitUntilModelled(*window));
    compare(QStringLiteral("models"), pictureOf(*window, QStringLiteral("models")));
    // These two model on threads of their own.
    window->showPane(QStringLiteral("sweep"));
    REQUIRE(test::waitFor([&] { return isSwept(*window->pane(QStringLiteral("sweep"))); }, 60'000));
    compare(QStringLiteral("sweep"), pictureOf(*window, QStringLiteral("sweep")));
    window->showPane(QStringLiteral("ladder"));
    REQUIRE(test::waitFor([&] { return window->pane(QStringLiteral("ladder"))->table()->rowCount() > 0; }, 120'000));
    compare(QStringLiteral("ladder"), pictureOf(*window, QStringLiteral("ladder")));
}

TEST_CASE("every pane of the performance page looks as it did", "[golden]") {
    const auto window = test::realWindow(ThemeKind::Light, {1600, 1000});
    window->openKernel(QStringLiteral("k02_coalesced"));
    REQUIRE(test::waitUntilReady(*window));
    if (!isComparable(*window))
        return;
    window->setSection(MainWindow::Section::Performance);
    REQUIRE(test::waitUntilModelled(*window));
    for (const char* id : {"runsetup", "kernels", "reading", "roofline", "occupancy", "waves"})
        compare(QLatin1String(id), pictureOf(*window, QLatin1String(id)));
}
