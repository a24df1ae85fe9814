// SPDX-License-Identifier: GPL-3.0-or-later
// The machine code beside the CUDA text: made where the CUDA Toolkit is there, refused with a reason where it is not.
#include <catch2/catch.hpp>

#include <QAbstractButton>

#include <Qsci/qsciscintilla.h>

#include "tests/views/application.h"
#include "tests/window/window.h"
#include "views/bridge/bridge.h"
#include "views/kit/controls.h"
#include "views/panes/source/sass_store.h"

using namespace lanescope;
using namespace lanescope::views;

TEST_CASE("SASS is one of the forms of the text beside the CUDA text", "[compare]") {
    const auto window = test::realWindow(ThemeKind::Light, {1366, 768});
    window->openKernel(QStringLiteral("k05_tile2d"));
    REQUIRE(test::waitUntilReady(*window));
    auto* form = window->findChild<SegmentedButtons*>(QStringLiteral("source.form"));
    REQUIRE(form);
    auto* editor = window->findChild<QsciScintilla*>(QStringLiteral("source.ptx"));
    REQUIRE(editor);
    const QString ptx = editor->text();
    REQUIRE(ptx.contains(QLatin1String(".entry k05_tile2d")));
    CHECK(form->segment(2)->isEnabled() == SassStore::isPossible());
    window->showPane(QStringLiteral("source/sass"));
    if (!SassStore::isPossible()) {
        CHECK(form->segment(2)->toolTip().contains(QLatin1String("nvdisasm")));
        CHECK(editor->text() == ptx);
        WARN("the machine code itself is skipped: ptxas and nvdisasm are not both on this machine");
        return;
    }
    Pane* source = window->pane(QStringLiteral("source"));
    REQUIRE(test::waitFor([&] { return !source->isBusy(); }, 60'000));
    CHECK(editor->text().contains(QLatin1String("FFMA")));
    CHECK(editor->text().contains(QLatin1String("EXIT")));
    CHECK(form->current() == 2);
    // Another form puts the PTX back; the compiled one is never assembled, for it is no text of a compiler.
    emit window->intents().setForm(session::CodeForm::Compiled);
    REQUIRE(test::waitUntilReady(*window));
    CHECK(form->current() == 1);
    CHECK_FALSE(editor->text().contains(QLatin1String("EXIT")));
    window->showPane(QStringLiteral("source/sass"));
    REQUIRE(test::waitFor([&] { return !source->isBusy(); }, 60'000));
    CHECK(editor->text().contains(QLatin1String("FFMA")));
    CHECK(window->bridge().snapshot()->program->form == session::CodeForm::Written);
}
