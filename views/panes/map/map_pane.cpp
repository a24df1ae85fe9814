// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/map/map_pane.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>

#include "views/export/canvas.h"
#include "views/export/painted_pane.h"
#include "views/export/segment_bar.h"
#include "views/export/table_model.h"
#include "views/panes/map/map_paint.h"

namespace lanescope::views {
namespace {

class MapPane : public PaintedPane {
public:
    MapPane(Intents* intents, QWidget* parent)
        : PaintedPane(QStringLiteral("map"), QStringLiteral("Thread to address map"), intents,
                      parent) {
        setMouseTracking(true);
        setMinimumSize(360, 150);
    }

    QString context() const override { return m_context; }

    QWidget* headerControls() override {
        if (m_controls != nullptr)
            return m_controls;
        m_controls = new QWidget;
        auto* layout = new QHBoxLayout(m_controls);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(8);
        m_accessBar = new SegmentBar(QStringLiteral("map_access"), m_controls);
        m_accessBar->onChange = [this](int i) {
            m_all = i == int(m_names.size());
            m_wanted = m_all ? QString() : m_names.value(i);
            rebuild();
        };
        m_formatBar = new SegmentBar(QStringLiteral("map_format"), m_controls);
        m_formatBar->setItems({QStringLiteral("Hex"), QStringLiteral("Index")}, 0);
        m_formatBar->onChange = [this](int i) {
            m_options.index = i == 1;
            rebuild();
        };
        layout->addWidget(m_accessBar);
        layout->addWidget(m_formatBar);
        updateBar();
        return m_controls;
    }

    void setSnapshot(const SnapshotPtr& snapshot) override {
        m_snapshot = snapshot;
        m_hover = m_preview = -1;
        rebuild();
    }

    void setHoverLane(int lane) override {
        if (lane == m_preview)
            return;
        m_preview = lane;
        update();
    }

    QAbstractItemModel* table() override {
        fillTable();
        return &m_table;
    }

protected:
    void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas canvas(painter, theme);
        paintMap(canvas, sceneFor(rect), frame());
    }

    void paintOverlay(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        const int lane = m_pinned >= 0 ? m_pinned : m_hover >= 0 ? m_hover : m_preview;
        if (lane < 0)
            return;
        Canvas canvas(painter, theme);
        paintMapHover(canvas, sceneFor(rect), frame(), lane, m_pinned >= 0 || m_hover >= 0);
    }

    void mouseMoveEvent(QMouseEvent* event) override {
        hoverTo(sceneFor(rect()).laneAt(event->position(), frame()));
    }

    void leaveEvent(QEvent*) override { hoverTo(-1); }

    void mousePressEvent(QMouseEvent* event) override {
        const int lane = sceneFor(rect()).laneAt(event->position(), frame());
        if (lane < 0)
            return;
        if (event->modifiers().testFlag(Qt::ControlModifier)) {
            m_pinned = m_pinned == lane ? -1 : lane;
            update();
        } else {
            emit intents()->selectLane(lane);
        }
    }

    void keyPressEvent(QKeyEvent* event) override {
        const int lane = m_snapshot ? m_snapshot->selection.lane : 0;
        switch (event->key()) {
        case Qt::Key_Up:
            if (lane > 0)
                emit intents()->selectLane(lane - 1);
            return;
        case Qt::Key_Down:
            if (lane + 1 < kWarpSize)
                emit intents()->selectLane(lane + 1);
            return;
        case Qt::Key_Escape:
            m_pinned = -1;
            update();
            return;
        default:
            Pane::keyPressEvent(event);
        }
    }

private:
    const session::FrameView& frame() const {
        static const session::FrameView none;
        return m_snapshot ? m_snapshot->frame : none;
    }

    const MapScene& sceneFor(const QRectF& rect) {
        if (m_scene.rect != rect || !m_sceneValid) {
            m_scene = makeMapScene(m_snapshot.get(), m_options, rect);
            m_sceneValid = true;
        }
        return m_scene;
    }

    void hoverTo(int lane) {
        if (lane == m_hover)
            return;
        m_hover = lane;
        emit intents()->hoverLane(lane);
        update();
    }

    void updateBar() {
        if (m_accessBar == nullptr)
            return;
        QStringList items = m_names;
        if (items.size() > 1)
            items += items.size() == 2 ? QStringLiteral("Both") : QStringLiteral("All");
        m_accessBar->setItems(items,
                              m_options.access < 0 ? int(items.size()) - 1 : m_options.access);
    }

    void rebuild() {
        m_sceneValid = false;
        // The choice follows the access's name from step to step.
        const MapScene all = makeMapScene(m_snapshot.get(), {}, QRectF(0, 0, 600, 400));
        m_names.clear();
        m_options.access = -1;
        for (const MapAccess& access : all.accesses) {
            if (!m_all && access.name == m_wanted)
                m_options.access = int(m_names.size());
            m_names += access.name;
        }
        updateBar();
        m_context = contextText();
        setAccessibleDescription(m_snapshot ? QString::fromStdString(m_snapshot->frame.sentence)
                                            : QString());
        m_tableDirty = true;
        emit contextChanged();
        invalidate();
    }

    QString contextText() const {
        if (!m_snapshot || !m_snapshot->trace || !m_snapshot->program)
            return {};
        const session::FrameView& f = m_snapshot->frame;
        QString text = QStringLiteral("warp %1").arg(f.warp);
        if (f.hasStep && f.pc < m_snapshot->program->instructions.size()) {
            const auto& instruction = m_snapshot->program->instructions[f.pc];
            text += instruction.cudaLine != 0
                        ? QStringLiteral(" · line %1").arg(instruction.cudaLine)
                        : QStringLiteral(" · PTX line %1").arg(instruction.ptxLine);
            text += QStringLiteral(" · time %1").arg(f.iteration + 1);
        }
        return text;
    }

    void fillTable() {
        if (!m_tableDirty)
            return;
        m_tableDirty = false;
        std::vector<QStringList> rows;
        const MapScene all = makeMapScene(m_snapshot.get(), {}, QRectF(0, 0, 600, 400));
        for (const MapAccess& a : all.accesses) {
            const session::AccessView& view = frame().accesses[std::size_t(a.source)];
            forEachLane(view.active, [&](int lane) {
                const std::uint64_t address = view.addresses[std::size_t(lane)];
                rows.push_back(
                    {a.name, QString::number(lane), addressText(view, address, true),
                     QStringLiteral("0x") + QString::number(address, 16),
                     QStringLiteral("0x") + QString::number(address / kLineBytes * kLineBytes, 16),
                     QString::number(address % kLineBytes / kSectorBytes),
                     QString::number(address % kSectorBytes), QString::number(view.bytesPerLane),
                     QString::fromStdString(view.values[std::size_t(lane)])});
            });
        }
        m_table.set({QStringLiteral("access"), QStringLiteral("lane"), QStringLiteral("element"),
                     QStringLiteral("address"), QStringLiteral("line"), QStringLiteral("sector"),
                     QStringLiteral("byte in sector"), QStringLiteral("bytes"),
                     QStringLiteral("value")},
                    std::move(rows));
    }

    SnapshotPtr m_snapshot;
    MapOptions m_options;
    MapScene m_scene;
    bool m_sceneValid = false;
    int m_hover = -1, m_preview = -1, m_pinned = -1;
    bool m_all = true;
    QString m_wanted, m_context;
    QStringList m_names;
    QWidget* m_controls = nullptr;
    SegmentBar* m_accessBar = nullptr;
    SegmentBar* m_formatBar = nullptr;
    TableModel m_table;
    bool m_tableDirty = true;
};

} // namespace

Pane* makeMapPane(Intents* intents, QWidget* parent) {
    return new MapPane(intents, parent);
}

} // namespace lanescope::views
