// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/banks/banks_pane.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include "views/export/canvas.h"
#include "views/export/painted_pane.h"
#include "views/export/segment_bar.h"
#include "views/export/table_model.h"
#include "views/panes/banks/banks_paint.h"

namespace lanescope::views {
namespace {

class BanksPane : public PaintedPane {
public:
    BanksPane(Intents* intents, QWidget* parent)
        : PaintedPane(QStringLiteral("banks"), QStringLiteral("Shared-memory banks"), intents,
                      parent) {
        setMouseTracking(true);
        setMinimumSize(360, 150);
    }

    QString context() const override { return m_context; }

    QWidget* headerControls() override {
        if (m_bar == nullptr) {
            m_bar = new SegmentBar(QStringLiteral("banks_access"));
            m_bar->onChange = [this](int i) {
                m_wanted = m_names.value(i);
                rebuild();
            };
            m_bar->setItems(m_names, sceneFor(rect()).access);
        }
        return m_bar;
    }

    void setSnapshot(const SnapshotPtr& snapshot) override {
        m_snapshot = snapshot;
        m_hover = m_preview = -1;
        rebuild();
    }

    void setHoverLane(int lane) override {
        if (lane != m_preview) {
            m_preview = lane;
            update();
        }
    }

    QAbstractItemModel* table() override {
        fillTable();
        return &m_table;
    }

protected:
    void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas canvas(painter, theme);
        paintBanks(canvas, sceneFor(rect), frame());
    }

    void paintOverlay(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        const int lane = m_hover >= 0 ? m_hover : m_preview;
        if (lane < 0)
            return;
        Canvas canvas(painter, theme);
        paintBanksHover(canvas, sceneFor(rect), lane);
    }

    void mouseMoveEvent(QMouseEvent* event) override {
        hoverTo(sceneFor(rect()).laneAt(event->position()));
    }

    void leaveEvent(QEvent*) override { hoverTo(-1); }

    void mousePressEvent(QMouseEvent* event) override {
        const int lane = sceneFor(rect()).laneAt(event->position());
        if (lane >= 0)
            emit intents()->selectLane(lane);
    }

    void keyPressEvent(QKeyEvent* event) override {
        const int lane = m_snapshot ? m_snapshot->selection.lane : 0;
        const bool back = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up;
        const bool forward = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down;
        if (back && lane > 0)
            emit intents()->selectLane(lane - 1);
        else if (forward && lane + 1 < kWarpSize)
            emit intents()->selectLane(lane + 1);
        else
            Pane::keyPressEvent(event);
    }

private:
    const session::FrameView& frame() const {
        static const session::FrameView none;
        return m_snapshot ? m_snapshot->frame : none;
    }

    const BankScene& sceneFor(const QRectF& rect) {
        if (m_scene.rect != rect || !m_valid) {
            m_scene = makeBankScene(m_snapshot.get(), m_chosen, rect);
            m_valid = true;
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

    void rebuild() {
        const BankScene all = makeBankScene(m_snapshot.get(), -1, QRectF(0, 0, 600, 300));
        m_names.clear();
        m_chosen = -1;
        for (const BankAccess& access : all.accesses) {
            if (access.name == m_wanted)
                m_chosen = int(m_names.size());
            m_names += access.name;
        }
        m_valid = false;
        const BankScene& scene = sceneFor(rect());
        if (m_bar != nullptr)
            m_bar->setItems(m_names, scene.access);
        m_context.clear();
        if (!m_names.isEmpty()) {
            m_context =
                m_names.value(scene.access) + QStringLiteral(" · warp %1").arg(frame().warp);
            setAccessibleDescription(m_context + QStringLiteral(": ") + scene.verdict +
                                     QStringLiteral(", ") + scene.sum);
        } else {
            setAccessibleDescription(scene.emptyTitle);
        }
        m_tableDirty = true;
        emit contextChanged();
        invalidate();
    }

    void fillTable() {
        if (!m_tableDirty)
            return;
        m_tableDirty = false;
        std::vector<QStringList> rows;
        const BankScene& scene = sceneFor(rect());
        for (const BankAccess& a : scene.accesses) {
            const session::AccessView& view = frame().accesses[std::size_t(a.source)];
            for (const BankRow& row : wavefrontsOf(view))
                for (int bank = 0; bank < memory::kBanks; ++bank) {
                    const BankCell& cell = row.cells[std::size_t(bank)];
                    if (cell.lanes != 0)
                        rows.push_back(
                            {a.name, QString::number(row.pass + 1), QString::number(row.number),
                             QString::number(bank), QString::number(cell.word),
                             laneRanges(cell.lanes),
                             row.inPass > 0 ? QStringLiteral("yes") : QStringLiteral("no")});
                }
        }
        m_table.set({QStringLiteral("access"), QStringLiteral("pass"), QStringLiteral("wavefront"),
                     QStringLiteral("bank"), QStringLiteral("word"), QStringLiteral("lanes"),
                     QStringLiteral("conflict")},
                    std::move(rows));
    }

    SnapshotPtr m_snapshot;
    BankScene m_scene;
    bool m_valid = false;
    int m_chosen = -1, m_hover = -1, m_preview = -1;
    QString m_wanted, m_context;
    QStringList m_names;
    SegmentBar* m_bar = nullptr;
    TableModel m_table;
    bool m_tableDirty = true;
};

} // namespace

Pane* makeBanksPane(Intents* intents, QWidget* parent) {
    return new BanksPane(intents, parent);
}

} // namespace lanescope::views
