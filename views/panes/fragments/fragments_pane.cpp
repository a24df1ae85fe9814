// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/fragments/fragments_pane.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTimer>
#include <QToolButton>
#include <QWheelEvent>

#include "views/export/canvas.h"
#include "views/export/lane_pane.h"
#include "views/export/segment_bar.h"
#include "views/export/table_model.h"
#include "views/kit/icons.h"
#include "views/panes/fragments/fragments_paint.h"

namespace lanescope::views {
namespace {

/// Steps of the walk while it plays: two a second, whole steps without motion between them, so that reduced motion has nothing to take away.
constexpr int kWalkMilliseconds = 500;

class FragmentsPane : public LanePane {
public:
    FragmentsPane(Intents* intents, QWidget* parent)
        : LanePane(QStringLiteral("fragments"), QStringLiteral("Fragment ownership"), intents, parent), m_across(new QScrollBar(Qt::Horizontal, this)), m_down(new QScrollBar(Qt::Vertical, this)),
          m_timer(new QTimer(this)) {
        setMinimumSize(420, 220);
        m_across->setObjectName(QStringLiteral("fragments.across"));
        m_down->setObjectName(QStringLiteral("fragments.down"));
        for (QScrollBar* bar : {m_across, m_down}) {
            bar->hide();
            connect(bar, &QScrollBar::valueChanged, this, [this] { changed(); });
        }
        m_timer->setInterval(kWalkMilliseconds);
        connect(m_timer, &QTimer::timeout, this, [this] { walkTo(m_walkStep + 1); });
    }

    QWidget* headerControls() override {
        if (m_controls != nullptr)
            return m_controls;
        m_controls = new QWidget;
        auto* row = new QHBoxLayout(m_controls);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(4);
        const auto button = [&](const char* name, Icon icon, const QString& text, auto run) {
            auto* b = new QToolButton;
            b->setObjectName(QStringLiteral("fragments.") + QLatin1String(name));
            b->setProperty("role", "header");
            b->setToolTip(text);
            b->setAccessibleName(text);
            b->setFixedSize(22, 20);
            b->setIconSize({14, 14});
            connect(b, &QAbstractButton::clicked, this, run);
            row->addWidget(b);
            m_buttons.push_back({b, icon});
            return b;
        };
        button("back", Icon::StepBack, tr("One product back (Backspace)"), [this] { walkTo(m_walkStep - 1); });
        m_play = button("play", Icon::Play, tr("Walk through the products of the chosen element (P)"), [this] { togglePlaying(); });
        button("step", Icon::Step, tr("One product on (Return)"), [this] { walkTo(m_walkStep + 1); });
        m_bar = new SegmentBar(QStringLiteral("fragments_mode"));
        m_bar->setItems({tr("Lanes"), tr("Registers"), tr("Values")}, 0);
        m_bar->onChange = [this](int i) {
            m_mode = FragmentMode(i);
            layoutBars();
            changed();
        };
        row->addWidget(m_bar);
        setIcons();
        return m_controls;
    }

    QAbstractItemModel* table() override {
        const FragmentScene scene = makeFragmentScene(snapshot().get(), choice(true), {0, 0, 900, 400});
        std::vector<QStringList> rows;
        if (!scene.grids.empty())
            for (int lane = 0; lane < scene.grids.front().view->map->lanes(); ++lane)
                for (const QStringList& row : laneRows(scene, lane))
                    rows.push_back(QStringList{QString::number(lane)} + row);
        m_table.set({tr("lane"), tr("name"), tr("element"), tr("register"), tr("value")}, std::move(rows));
        return &m_table;
    }

    void setTheme(const Theme& theme) override {
        LanePane::setTheme(theme);
        setIcons();
    }

    void paint(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas canvas(painter, theme);
        paintFragments(canvas, makeFragmentScene(snapshot().get(), choice(true), rect));
    }

protected:
    QRectF canvasRect() const override { return {0, 0, width() - (m_down->isVisibleTo(this) ? kBar : 0.0), height() - (m_across->isVisibleTo(this) ? kBar : 0.0)}; }

    void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas canvas(painter, theme);
        paintFragments(canvas, sceneFor(rect));
    }

    int laneAt(QPointF at) override {
        const FragmentScene& scene = sceneFor(canvasRect());
        const FragmentElement e = scene.elementAt(at);
        return e.grid < 0 ? -1 : scene.grids[std::size_t(e.grid)].cell(e.row, e.column).lane % kWarpSize;
    }

    QPointF markLane(Canvas& canvas, const QRectF& rect, int lane) override {
        const FragmentScene& scene = sceneFor(rect);
        return paintFragmentLane(canvas, scene, scene.lane / kWarpSize * kWarpSize + lane);
    }

    QStringList laneTip(int lane) override {
        const FragmentScene& scene = sceneFor(canvasRect());
        QStringList lines{tr("Lane %1: groupID %2, t = %3").arg(lane).arg(lane / 4).arg(lane % 4)};
        const auto rows = laneRows(scene, scene.lane / kWarpSize * kWarpSize + lane);
        for (std::size_t i = 0; i < rows.size() && i < 12; ++i)
            lines += QStringLiteral("%1 = %2 = %3").arg(rows[i][0], rows[i][1], rows[i][3]);
        if (rows.size() > 12)
            lines += tr("and %1 more").arg(rows.size() - 12);
        return lines;
    }

    QString laneDistance(int, int) override { return {}; }

    void refreshed() override {
        const std::uint32_t event = frame().fragmentEvent;
        if (event != m_event || frame().fragments.empty()) {
            m_event = event;
            m_walkStep = 0;
            m_timer->stop();
            setIcons();
        }
        layoutBars();
        m_isValid = false;
        const FragmentScene& scene = sceneFor(canvasRect());
        setContext(scene.emptyText.isEmpty() ? scene.instruction + (scene.note.isEmpty() ? QString() : QStringLiteral(" · ") + scene.note) : QString());
        describe();
    }

    void mousePressEvent(QMouseEvent* event) override {
        const FragmentElement e = sceneFor(canvasRect()).elementAt(event->position());
        if (e.grid >= 0 && event->modifiers() == Qt::NoModifier)
            choose(e);
        LanePane::mousePressEvent(event);
    }

    void keyPressEvent(QKeyEvent* event) override {
        const FragmentScene& scene = sceneFor(canvasRect());
        FragmentElement to = m_cursor.grid >= 0 && m_cursor.grid < int(scene.grids.size()) ? m_cursor : scene.chosen;
        switch (event->key()) {
        case Qt::Key_Left: --to.column; break;
        case Qt::Key_Right: ++to.column; break;
        case Qt::Key_Up: --to.row; break;
        case Qt::Key_Down: ++to.row; break;
        case Qt::Key_PageUp: --to.grid; break;
        case Qt::Key_PageDown: ++to.grid; break;
        case Qt::Key_Return:
        case Qt::Key_Enter: return walkTo(m_walkStep + 1);
        case Qt::Key_Backspace: return walkTo(m_walkStep - 1);
        case Qt::Key_P: return togglePlaying();
        default: return LanePane::keyPressEvent(event);
        }
        if (event->modifiers() & Qt::ShiftModifier || scene.grids.empty())
            return LanePane::keyPressEvent(event);
        to.grid = std::clamp(to.grid, 0, int(scene.grids.size()) - 1);
        const FragmentGrid& grid = scene.grids[std::size_t(to.grid)];
        to.row = std::clamp(to.row, 0, grid.rows - 1);
        to.column = std::clamp(to.column, 0, grid.columns - 1);
        const int lane = grid.cell(to.row, to.column).lane;
        reveal(scene.cellRect(grid, to.row, to.column));
        choose(to);
        emit intents()->selectLane(lane % kWarpSize);
    }

    void wheelEvent(QWheelEvent* event) override {
        const QPoint by = event->angleDelta() / 2;
        if (m_across->isVisibleTo(this))
            m_across->setValue(m_across->value() - by.x() - (event->modifiers() & Qt::ShiftModifier || !m_down->isVisibleTo(this) ? by.y() : 0));
        if (m_down->isVisibleTo(this) && !(event->modifiers() & Qt::ShiftModifier))
            m_down->setValue(m_down->value() - by.y());
        event->accept();
    }

    void resizeEvent(QResizeEvent* event) override {
        LanePane::resizeEvent(event);
        layoutBars();
    }

private:
    static constexpr double kBar = 12;

    FragmentChoice choice(bool fit) const {
        return {m_mode, m_chosen, m_walkStep, fit ? QPointF() : QPointF(m_across->isVisibleTo(this) ? m_across->value() : 0, m_down->isVisibleTo(this) ? m_down->value() : 0), fit};
    }

    const FragmentScene& sceneFor(const QRectF& rect) {
        if (!m_isValid || m_scene.rect != rect) {
            m_scene = makeFragmentScene(snapshot().get(), choice(false), rect);
            m_isValid = true;
        }
        return m_scene;
    }

    void changed() {
        m_isValid = false;
        describe();
        invalidate();
    }

    void describe() {
        const FragmentScene& scene = sceneFor(canvasRect());
        if (!scene.emptyText.isEmpty())
            return setAccessibleDescription(scene.emptyText);
        const FragmentGrid& grid = scene.grids[std::size_t(std::max(0, scene.chosen.grid))];
        QString text = tr("%1. Lane %2").arg(scene.instruction).arg(scene.lane);
        if (scene.chosen.grid >= 0)
            text += tr(", element %1 in %2").arg(grid.elementName(scene.chosen.row, scene.chosen.column), QStringLiteral("%1%2").arg(grid.matrix.toLower()).arg(grid.cell(scene.chosen.row, scene.chosen.column).index));
        if (scene.hasWalk)
            text += QStringLiteral(". ") + scene.walk.text;
        if (!scene.shared.isEmpty())
            text += QStringLiteral(". ") + scene.shared.join(QStringLiteral(". "));
        setAccessibleDescription(text);
    }

    /// An element of the result is chosen; of another matrix, its lane's first element of the result.
    void choose(const FragmentElement& e) {
        m_cursor = e;
        m_chosen = e;
        m_walkStep = 0;
        changed();
    }

    void walkTo(int step) {
        const FragmentScene& scene = sceneFor(canvasRect());
        if (!scene.hasWalk)
            return;
        m_walkStep = std::clamp(step, 0, scene.walk.steps);
        if (m_walkStep == scene.walk.steps && m_timer->isActive()) {
            m_timer->stop();
            setIcons();
        }
        changed();
    }

    void togglePlaying() {
        const FragmentScene& scene = sceneFor(canvasRect());
        if (!scene.hasWalk)
            return;
        if (m_timer->isActive()) {
            m_timer->stop();
        } else {
            if (m_walkStep == scene.walk.steps)
                walkTo(0);
            m_timer->start();
        }
        setIcons();
    }

    void setIcons() {
        for (const auto& [button, shape] : m_buttons)
            button->setIcon(icon(button == m_play && m_timer->isActive() ? Icon::Pause : shape, theme().tx2, theme(), 14));
    }

    void layoutBars() {
        const FragmentScene all = makeFragmentScene(snapshot().get(), choice(false), rect());
        const bool across = !all.grids.empty() && all.wanted.width() > width();
        const bool down = !all.grids.empty() && all.wanted.height() > height() - (across ? kBar : 0);
        const auto set = [](QScrollBar* bar, bool isShown, double wanted, double room, const QRect& at) {
            bar->setVisible(isShown);
            bar->setGeometry(at);
            bar->setPageStep(int(room));
            bar->setRange(0, isShown ? std::max(0, int(wanted - room)) : 0);
            bar->setSingleStep(24);
        };
        const int bar = int(kBar);
        set(m_across, across, all.wanted.width(), width() - (down ? kBar : 0), {0, height() - bar, width() - (down ? bar : 0), bar});
        set(m_down, down, all.wanted.height(), height() - (across ? kBar : 0), {width() - bar, 0, bar, height() - (across ? bar : 0)});
        m_isValid = false;
        invalidate();
    }

    void reveal(const QRectF& cell) {
        const FragmentScene& scene = sceneFor(canvasRect());
        if (cell.right() > scene.rect.right())
            m_across->setValue(m_across->value() + int(cell.right() - scene.rect.right()) + 8);
        else if (cell.left() < scene.rect.left() + 34)
            m_across->setValue(m_across->value() - int(scene.rect.left() + 34 - cell.left()) - 8);
        if (cell.bottom() > scene.legendTop)
            m_down->setValue(m_down->value() + int(cell.bottom() - scene.legendTop) + 4);
        else if (cell.top() < scene.rect.top() + 40)
            m_down->setValue(m_down->value() - int(scene.rect.top() + 40 - cell.top()) - 4);
    }

    FragmentScene m_scene;
    bool m_isValid = false;
    FragmentMode m_mode = FragmentMode::Lanes;
    FragmentElement m_chosen, m_cursor;
    int m_walkStep = 0;
    std::uint32_t m_event = 0;
    QScrollBar *m_across, *m_down;
    QTimer* m_timer;
    QWidget* m_controls = nullptr;
    QToolButton* m_play = nullptr;
    std::vector<std::pair<QToolButton*, Icon>> m_buttons;
    SegmentBar* m_bar = nullptr;
    TableModel m_table;
};

} // namespace

Pane* makeFragmentsPane(Intents* intents, QWidget* parent) {
    return new FragmentsPane(intents, parent);
}

} // namespace lanescope::views
