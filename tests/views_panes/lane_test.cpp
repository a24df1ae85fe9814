// SPDX-License-Identifier: GPL-3.0-or-later
// What map and bank view share: hover, click, Shift+click, Ctrl+click, keys.
#include <catch2/catch.hpp>

#include <memory>

#include <QCoreApplication>
#include <QKeyEvent>
#include <QMouseEvent>

#include "tests/views/fake_snapshot.h"
#include "tests/views_panes/support.h"
#include "views/panes/map/map_pane.h"
#include "views/panes/map/map_scene.h"

using namespace lanescope;
using namespace lanescope::views;
using namespace lanescope::views::test;

namespace {

struct Fixture {
    Fixture() {
        startApplication();
        pane.reset(makeMapPane(&intents, nullptr));
        pane->resize(982, 464);
        pane->setSnapshot(snapshot);
        scene = makeMapScene(snapshot.get(), {}, QRectF(pane->rect()));
        QObject::connect(&intents, &Intents::selectLane, [this](int lane) { selected = lane; });
        QObject::connect(&intents, &Intents::hoverLane, [this](int lane) { hovered = lane; });
    }
    void send(QEvent::Type type, int lane, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        const QPointF at = scene.lanes[std::size_t(lane)].chip.center();
        QMouseEvent event(type, at, at, type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton,
                          type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton, modifiers);
        QCoreApplication::sendEvent(pane.get(), &event);
    }
    void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QKeyEvent event(QEvent::KeyPress, key, modifiers);
        QCoreApplication::sendEvent(pane.get(), &event);
    }
    QImage image() { return picture(*pane, pane->size()); }

    Intents intents;
    SnapshotPtr snapshot = fakeSnapshot(); // lane 13 selected
    std::unique_ptr<Pane> pane;
    MapScene scene;
    int selected = -1, hovered = -2;
};

} // namespace

TEST_CASE("a click selects, hovering previews", "[lanes]") {
    Fixture f;
    f.send(QEvent::MouseButtonPress, 5);
    CHECK(f.selected == 5);
    f.send(QEvent::MouseMove, 9);
    CHECK(f.hovered == 9);
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(f.pane.get(), &leave);
    CHECK(f.hovered == -1);
}

TEST_CASE("Ctrl+click pins the tooltip until Esc, Shift+click compares, neither selects", "[lanes]") {
    Fixture f;
    const QImage plain = f.image();
    f.send(QEvent::MouseButtonPress, 5, Qt::ControlModifier);
    CHECK(f.selected == -1);
    const QImage pinned = f.image();
    CHECK(pinned != plain);
    f.pane->setSnapshot(f.snapshot); // another step: the pin stays
    CHECK(f.image() == pinned);
    f.press(Qt::Key_Escape);
    CHECK(f.image() == plain);

    f.send(QEvent::MouseButtonPress, 5, Qt::ShiftModifier);
    CHECK(f.selected == -1);
    const QImage compared = f.image();
    CHECK(compared != plain);
    CHECK(compared != pinned);
    f.send(QEvent::MouseButtonPress, 5, Qt::ShiftModifier);
    CHECK(f.image() == plain);
    f.press(Qt::Key_Up, Qt::ShiftModifier);
    CHECK(f.image() != plain);
    CHECK(f.selected == -1);
    f.press(Qt::Key_Up);
    CHECK(f.selected == 12);
}

TEST_CASE("the distance of two lanes says what they share", "[lanes]") {
    Fixture f;
    // Naive: lanes 128 bytes apart in A, one address in B.
    const QString apart = laneDistanceText(f.scene, f.snapshot->frame, 3, 4);
    CHECK(apart.contains(QStringLiteral("128 bytes apart, other lines")));
    CHECK(apart.contains(QStringLiteral("the same address")));
}
