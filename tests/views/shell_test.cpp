// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window, offscreen, over the fake session.
#include <catch2/catch.hpp>

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QImage>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QPainter>
#include <QRadioButton>
#include <QSet>
#include <QSpinBox>

#include <Qsci/qsciscintilla.h>

#include <algorithm>
#include <functional>
#include <type_traits>

#include "tests/views/application.h"
#include "tests/views/fake_lessons.h"
#include "tests/views/fake_snapshot.h"
#include "views/bridge/bridge.h"
#include "views/bridge/lesson_model.h"
#include "views/kit/controls.h"
#include "views/panes/source/source_view.h"
#include "views/shell/main_window.h"

namespace lanescope::views {

namespace {

struct Fixture {
    explicit Fixture(test::FakeOptions fake = {}, QSize size = {1366, 768}) {
        test::application();
        WindowOptions options;
        options.backend = [fake](auto) { return std::make_unique<test::FakeBackend>(fake); };
        options.lessons = test::fakeLessons();
        options.theme = ThemeKind::Light;
        window = std::make_unique<MainWindow>(std::move(options));
        window->resize(size);
        window->show();
    }

    void openLesson() {
        REQUIRE(window->openLesson(QStringLiteral("first")));
        REQUIRE(ready());
    }
    bool ready() {
        return test::waitFor(
            [this] { return window->isReady() && window->bridge().snapshot()->trace; });
    }
    const session::Snapshot& snapshot() { return *window->bridge().snapshot(); }
    template <class T>
    T* find(const char* name) {
        T* found = window->findChild<T*>(QLatin1String(name));
        // The lesson stands on two pages: the one in sight is meant.
        if constexpr (std::is_base_of_v<QWidget, T>)
            for (T* widget : window->findChildren<T*>(QLatin1String(name)))
                if (widget->parentWidget() && widget->parentWidget()->isVisible())
                    found = widget;
        INFO(name);
        REQUIRE(found);
        return found;
    }
    void press(QWidget* widget, int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier,
               const QString& text = {}) {
        QKeyEvent down(QEvent::KeyPress, key, modifiers, text);
        QApplication::sendEvent(widget, &down);
        QKeyEvent up(QEvent::KeyRelease, key, modifiers, text);
        QApplication::sendEvent(widget, &up);
    }
    void trigger(const char* action) { find<QAction>(action)->trigger(); }
    void settleMove() {
        test::waitFor([this] { return window->bridge().isIdle(); });
    }

    std::unique_ptr<MainWindow> window;
};

int differentColours(const QImage& image) {
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); y += 2)
        for (int x = 0; x < image.width(); x += 2)
            colours.insert(image.pixel(x, y));
    return static_cast<int>(colours.size());
}

/// For people: pictures go to the folder that LANESCOPE_PICTURES names.
void keep(MainWindow& window, QSize size, ThemeKind kind, const char* page) {
    const QString folder = qEnvironmentVariable("LANESCOPE_PICTURES");
    if (!folder.isEmpty())
        window.grab().save(QStringLiteral("%1/%2-%3-%4.png")
                               .arg(folder, QLatin1String(page))
                               .arg(size.width())
                               .arg(kind == ThemeKind::Light ? "light" : "dark"));
}

} // namespace

TEST_CASE("the window starts without a display and shows the first lesson", "[shell]") {
    Fixture f;
    f.openLesson();
    CHECK(f.snapshot().program->id == "pair");
    CHECK(f.snapshot().selection.lane == 10);
    CHECK(f.find<QLabel>("lesson.title")->text() == "Step 1");
    CHECK(differentColours(f.window->grab().toImage()) > 20);
    CHECK(f.window->size() == QSize(1366, 768));
}

TEST_CASE("menus have no item that does nothing, and every item has a name", "[shell]") {
    Fixture f;
    f.openLesson();
    int items = 0;
    const std::function<void(const QMenu*)> visit = [&](const QMenu* menu) {
        for (const QAction* action : menu->actions()) {
            if (action->isSeparator())
                continue;
            if (action->menu()) {
                const bool isDead = action->menu()->isEmpty() && action->menu()->isEnabled();
                CHECK_FALSE(isDead);
                visit(action->menu());
                continue;
            }
            ++items;
            INFO(action->text().toStdString());
            CHECK_FALSE(action->objectName().isEmpty());
            CHECK_FALSE(action->text().isEmpty());
        }
    };
    for (const QAction* action : f.window->menuBar()->actions())
        visit(action->menu());
    CHECK(items > 50);
}

TEST_CASE("steps, seeks and keys move in the trace", "[shell]") {
    Fixture f;
    f.openLesson();
    REQUIRE(f.snapshot().frame.index == 0);
    f.trigger("action.step");
    f.settleMove();
    const auto first = f.snapshot().frame.index;
    CHECK(first == 1);
    f.trigger("action.step");
    f.settleMove();
    CHECK(f.snapshot().frame.index == 9); // eight warps: the next instruction of warp 0
    f.trigger("action.step.back");
    f.settleMove();
    CHECK(f.snapshot().frame.index == 1);
    f.trigger("action.end");
    f.settleMove();
    CHECK(f.snapshot().frame.index == f.snapshot().trace->events.size());
    f.trigger("action.start");
    f.settleMove();
    CHECK(f.snapshot().frame.index == 0);

    SECTION("letters work in a pane and not in an editor") {
        QWidget* map = f.window->pane(QStringLiteral("map"));
        map->setFocus();
        f.window->activateWindow();
        REQUIRE(test::waitFor([&] { return QApplication::focusWidget() == map; }));
        f.press(map, Qt::Key_BracketRight, Qt::NoModifier, QStringLiteral("]"));
        f.settleMove();
        CHECK(f.snapshot().selection.warp == 1);
        f.press(map, Qt::Key_Period, Qt::NoModifier, QStringLiteral("."));
        f.settleMove();
        CHECK(f.snapshot().selection.lane == 11);
        f.press(map, Qt::Key_B, Qt::NoModifier, QStringLiteral("b"));
        f.settleMove();
        CHECK(f.snapshot().frame.index == f.snapshot().trace->barriers.front() + 1);

        auto* editor = f.find<QsciScintilla>("source.cuda");
        editor->setFocus();
        REQUIRE(test::waitFor([&] { return QApplication::focusWidget() == editor; }));
        const auto before = f.snapshot().frame.index;
        f.press(editor, Qt::Key_B, Qt::NoModifier, QStringLiteral("b"));
        // Shorter than the pause after which the edited text is compiled.
        test::settle(100);
        CHECK(f.snapshot().frame.index == before);
        CHECK(editor->text().startsWith(QLatin1String("b")));
    }
}

TEST_CASE("the form of the PTX is one setting, in the source pane and in the menu", "[shell]") {
    test::FakeOptions fake;
    fake.formChanges = "12 shared loads merged";
    Fixture f(fake);
    f.openLesson();
    auto* form = f.find<SegmentedButtons>("source.form");
    CHECK(form->current() == 0);
    CHECK(form->segment(1)->isEnabled());
    CHECK(form->segment(1)->toolTip().contains(QLatin1String("12 shared loads merged")));
    form->segment(1)->click();
    f.settleMove();
    REQUIRE(f.snapshot().program->form == session::CodeForm::Compiled);
    CHECK(form->current() == 1);
    CHECK(f.find<QAction>("action.form.compiled")->isChecked());
    // The load that took another in names it.
    SourceView* ptx = nullptr;
    for (auto* view : f.window->findChildren<SourceView*>())
        if (view->editor()->objectName() == QLatin1String("source.ptx"))
            ptx = view;
    REQUIRE(ptx);
    CHECK(ptx->marks().merged == std::map<std::uint32_t, std::vector<std::uint32_t>>{{13, {14}}});
    CHECK(ptx->tipOf(13).contains(QLatin1String("line 14 of the PTX as written")));
    CHECK_FALSE(ptx->tipOf(15).contains(QLatin1String("as written")));
    f.trigger("action.form.written");
    f.settleMove();
    CHECK(f.snapshot().program->form == session::CodeForm::Written);
    CHECK(form->current() == 0);
}

TEST_CASE("the compiled form is off with a reason where it is no other", "[shell]") {
    Fixture f;
    f.openLesson();
    auto* form = f.find<SegmentedButtons>("source.form");
    CHECK_FALSE(form->segment(1)->isEnabled());
    CHECK(form->segment(1)->toolTip().contains(QLatin1String("both forms are the same")));
    CHECK(form->segment(0)->isEnabled());
}

TEST_CASE("Play steps by itself and stops when asked", "[shell]") {
    Fixture f;
    f.openLesson();
    emit f.window->intents().setSpeed(64);
    emit f.window->intents().setPlaying(true);
    CHECK(test::waitFor([&] { return f.snapshot().frame.index > 30; }));
    emit f.window->intents().setPlaying(false);
    f.settleMove();
    const auto stopped = f.snapshot().frame.index;
    test::settle(120);
    CHECK(f.snapshot().frame.index == stopped);
}

TEST_CASE("what is typed survives an error of the compiler", "[shell]") {
    Fixture f;
    f.openLesson();
    auto* editor = f.find<QsciScintilla>("source.cuda");
    const QString original = editor->text();
    editor->insertAt(QStringLiteral("oops "), 7, 4);
    const QString typed = editor->text();
    REQUIRE(typed != original);
    REQUIRE(test::waitFor(
        [&] { return f.window->isReady() && !f.snapshot().program->diagnostics.empty(); }));
    CHECK(editor->text() == typed);
    CHECK(QString::fromStdString(f.snapshot().program->cudaText) == typed);
    CHECK(editor->annotation(7).contains(QLatin1String("undeclared")));
    CHECK(f.window->pane(QStringLiteral("findings"))->context() == "1 error");
    // The PTX of the last good text stays.
    CHECK(f.find<QsciScintilla>("source.ptx")->text().contains(QLatin1String(".entry pair")));
    // Mending it runs again.
    editor->setText(original);
    REQUIRE(test::waitFor([&] { return f.window->isReady() && f.snapshot().run; }));
    CHECK(editor->annotation(7).isEmpty());
    CHECK(editor->text() == original);
}

TEST_CASE("typing while an older text is compiled loses nothing", "[shell]") {
    Fixture f;
    f.openLesson();
    auto* editor = f.find<QsciScintilla>("source.cuda");
    for (int i = 0; i < 12; ++i) {
        editor->append(QStringLiteral("// %1\n").arg(i));
        test::settle(i % 3 == 2 ? Bridge::kTextIdleMs + 30 : 40);
    }
    const QString typed = editor->text();
    REQUIRE(f.ready());
    test::settle(50);
    CHECK(editor->text() == typed);
    CHECK(QString::fromStdString(f.snapshot().program->cudaText) == typed);
}

TEST_CASE("an edited parameter models again after a pause, once", "[shell]") {
    Fixture f;
    f.openLesson();
    const auto version = f.snapshot().version;
    auto* spin = f.find<QSpinBox>("parameters.N");
    for (int value = 65; value <= 72; ++value)
        spin->setValue(value);
    REQUIRE(test::waitFor([&] {
        const auto& parameters = f.snapshot().program->parameters;
        return std::any_of(parameters.begin(), parameters.end(),
                           [](const auto& p) { return p.name == "N" && p.value == 72; });
    }));
    CHECK(f.snapshot().version == version + 1);
    CHECK(spin->value() == 72);
}

TEST_CASE("moves that come at once are joined", "[bridge]") {
    Fixture f;
    f.openLesson();
    int published = 0;
    QObject::connect(&f.window->bridge(), &Bridge::published, f.window.get(), [&] { ++published; });
    for (std::uint32_t i = 0; i < 1000; ++i)
        f.window->bridge().seek(i);
    f.settleMove();
    CHECK(f.snapshot().frame.index == 999);
    CHECK(published <= 4);
}

TEST_CASE("a lesson's steps, its try it and its question work", "[shell]") {
    Fixture f;
    f.openLesson();
    f.find<QAbstractButton>("lesson.next")->click();
    REQUIRE(f.ready());
    CHECK(f.window->lessons().step() == 1);
    CHECK(f.snapshot().selection.warp == 1);
    f.find<QAbstractButton>("lesson.try.button")->click();
    f.settleMove();
    CHECK(f.snapshot().program->instructions[f.snapshot().frame.pc].cudaLine == 12);
    auto* answer = f.find<QLabel>("lesson.quiz.answer");
    CHECK_FALSE(answer->isVisible());
    f.find<QRadioButton>("lesson.quiz.choice.1")->setChecked(true);
    f.find<QAbstractButton>("lesson.quiz.check")->click();
    REQUIRE(test::waitFor([&] { return answer->isVisible(); }));
    CHECK(answer->text().contains(QLatin1String("Right")));
    f.find<QRadioButton>("lesson.quiz.choice.0")->setChecked(true);
    f.find<QAbstractButton>("lesson.quiz.check")->click();
    REQUIRE(test::waitFor([&] { return answer->text().contains(QLatin1String("Not yet")); }));
}

TEST_CASE("every pane stands no snapshot, a failed program, one warp and 32 warps", "[panes]") {
    test::FakeOptions one, many;
    one.warps = 1;
    one.iterations = 1;
    many.warps = 32;
    Fixture f;
    const SnapshotPtr snapshots[] = {test::emptySnapshot(), test::fakeFailure(),
                                     test::fakeSnapshot(one), test::fakeSnapshot(many),
                                     test::fakeSnapshot()};
    for (Pane* pane : f.window->panes()) {
        INFO(pane->id().toStdString());
        CHECK_FALSE(pane->objectName().isEmpty());
        CHECK_FALSE(pane->accessibleName().isEmpty());
        for (const SnapshotPtr& snapshot : snapshots)
            for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
                pane->setTheme(Theme::of(kind));
                pane->setSnapshot(snapshot);
                pane->setHoverLane(31);
                QImage image(600, 400, QImage::Format_ARGB32_Premultiplied);
                image.fill(Theme::of(kind).pane);
                QPainter painter(&image);
                pane->paint(painter, QRectF(0, 0, 600, 400), Theme::of(kind));
                pane->setHoverLane(-1);
                CHECK_FALSE(pane->grab().isNull());
            }
    }
}

TEST_CASE("all controls can be named and reached by the keyboard", "[accessibility]") {
    Fixture f;
    f.openLesson();
    for (const QAbstractButton* button : f.window->findChildren<QAbstractButton*>()) {
        // Parts of Qt's own widgets: the corner of a table, arrows of tab bars.
        if (button->objectName().startsWith(QLatin1String("qt_")) || button->objectName().isEmpty())
            if (!button->inherits("QRadioButton") && !button->inherits("QPushButton"))
                continue;
        INFO(button->objectName().toStdString());
        CHECK_FALSE(button->objectName().isEmpty());
        const bool isNamed = !button->accessibleName().isEmpty() || !button->text().isEmpty();
        CHECK(isNamed);
        CHECK(button->focusPolicy() != Qt::NoFocus);
    }
    for (const QComboBox* combo : f.window->findChildren<QComboBox*>()) {
        INFO(combo->objectName().toStdString());
        CHECK_FALSE(combo->objectName().isEmpty());
        CHECK_FALSE(combo->accessibleName().isEmpty());
    }
}

TEST_CASE("both themes and sizes lay out with the centre wide enough", "[shell]") {
    for (const QSize size : {QSize(1366, 768), QSize(1920, 1080)}) {
        Fixture f({}, size);
        f.openLesson();
        for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
            f.window->setThemeKind(kind);
            test::settle(80);
            keep(*f.window, size, kind, "stepper");
            CHECK(f.window->pane(QStringLiteral("source"))->width() >= 640);
            CHECK(f.window->pane(QStringLiteral("map"))->width() >= 640);
            CHECK(f.window->pane(QStringLiteral("map"))->height() >= 200);
            const bool isBright =
                f.window->grab().toImage().pixelColor(size.width() / 2, 2).lightness() > 128;
            CHECK(isBright == (kind == ThemeKind::Light));
            f.window->setSection(MainWindow::Section::Performance);
            test::settle(80);
            keep(*f.window, size, kind, "performance");
            CHECK(f.window->pane(QStringLiteral("roofline"))->width() >= 500);
            f.window->setSection(MainWindow::Section::Stepper);
        }
    }
}

} // namespace lanescope::views
