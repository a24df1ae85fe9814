// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/banks/banks_pane.h"

#include <QKeyEvent>

#include "views/export/canvas.h"
#include "views/export/lane_pane.h"
#include "views/export/segment_bar.h"
#include "views/export/table_model.h"
#include "views/panes/banks/banks_paint.h"

namespace lanescope::views {
namespace {

class BanksPane : public LanePane {
public:
    BanksPane(Intents* intents, QWidget* parent)
        : LanePane(QStringLiteral("banks"), QStringLiteral("Shared-memory banks"), intents,
                   parent) {}

    QWidget* headerControls() override {
        if (m_bar == nullptr) {
            m_bar = new SegmentBar(QStringLiteral("banks_access"));
            m_bar->onChange = [this](int i) {
                m_wanted = m_names.value(i);
                rebuild();
                emit contextChanged();
                invalidate();
            };
            m_bar->setItems(m_names, sceneFor(rect()).access);
        }
        return m_bar;
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

    int laneAt(QPointF at) override { return sceneFor(rect()).laneAt(at); }

    QPointF markLane(Canvas& canvas, const QRectF& rect, int lane) override {
        return paintBanksLane(canvas, sceneFor(rect), lane);
    }

    QStringList laneTip(int lane) override { return bankDetails(m_scene, frame(), lane); }
    QString laneDistance(int first, int second) override {
        return bankDistanceText(m_scene, frame(), first, second);
    }
    void refreshed() override { rebuild(); }

    void keyPressEvent(QKeyEvent* event) override {
        // Lanes lie beside each other here.
        const bool back = event->key() == Qt::Key_Left, forward = event->key() == Qt::Key_Right;
        if (back || forward) {
            QKeyEvent turned(event->type(), back ? Qt::Key_Up : Qt::Key_Down, event->modifiers());
            LanePane::keyPressEvent(&turned);
            event->setAccepted(turned.isAccepted());
        } else {
            LanePane::keyPressEvent(event);
        }
    }

private:
    const BankScene& sceneFor(const QRectF& rect) {
        if (m_scene.rect != rect || !m_valid) {
            m_scene = makeBankScene(snapshot().get(), m_chosen, rect);
            m_valid = true;
        }
        return m_scene;
    }

    void rebuild() {
        const BankScene all = makeBankScene(snapshot().get(), -1, QRectF(0, 0, 600, 300));
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
        setContext(m_names.isEmpty() ? QString()
                                     : m_names.value(scene.access) +
                                           QStringLiteral(" · warp %1").arg(frame().warp));
        setAccessibleDescription(m_names.isEmpty() ? scene.emptyTitle
                                                   : context() + QStringLiteral(": ") +
                                                         scene.verdict + QStringLiteral(", ") +
                                                         scene.sum);
        m_tableDirty = true;
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

    BankScene m_scene;
    bool m_valid = false;
    int m_chosen = -1;
    QString m_wanted;
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
