// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/banks/banks_pane.h"

#include <QHBoxLayout>
#include <QKeyEvent>

#include "views/export/canvas.h"
#include "views/export/lane_pane.h"
#include "views/export/segment_bar.h"
#include "views/export/table_model.h"
#include "views/panes/banks/banks_paint.h"
#include "views/panes/banks/matrix_paint.h"

namespace lanescope::views {
namespace {

class BanksPane : public LanePane {
public:
    BanksPane(Intents* intents, QWidget* parent)
        : LanePane(QStringLiteral("banks"), QStringLiteral("Shared-memory banks"), intents,
                   parent) {}

    QWidget* headerControls() override {
        if (m_controls == nullptr) {
            m_controls = new QWidget;
            auto* row = new QHBoxLayout(m_controls);
            row->setContentsMargins(0, 0, 0, 0);
            row->setSpacing(6);
            m_tabs = new SegmentBar(QStringLiteral("banks_matrix"));
            m_tabs->onChange = [this](int i) {
                m_matrix = i;
                rebuild();
                invalidate();
            };
            m_bar = new SegmentBar(QStringLiteral("banks_access"));
            row->addWidget(m_bar);
            row->addWidget(m_tabs);
            m_bar->onChange = [this](int i) {
                m_wanted = m_names.value(i);
                rebuild();
                emit contextChanged();
                invalidate();
            };
            m_bar->setItems(m_names, sceneFor(rect()).access);
            setTabs();
        }
        return m_controls;
    }

    QAbstractItemModel* table() override {
        fillTable();
        return &m_table;
    }

protected:
    void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas canvas(painter, theme);
        if (const auto* access = matrixAccess())
            paintMatrix(canvas, matrixScene(*access, rect));
        else
            paintBanks(canvas, sceneFor(rect), frame());
    }

    int laneAt(QPointF at) override {
        const auto* access = matrixAccess();
        return access != nullptr ? matrixScene(*access, rect()).laneAt(at) : sceneFor(rect()).laneAt(at);
    }

    QPointF markLane(Canvas& canvas, const QRectF& rect, int lane) override {
        const auto* access = matrixAccess();
        return access != nullptr ? paintMatrixLane(canvas, matrixScene(*access, rect), lane)
                                 : paintBanksLane(canvas, sceneFor(rect), lane);
    }

    QStringList laneTip(int lane) override {
        const auto* access = matrixAccess();
        return access != nullptr ? matrixDetails(matrixScene(*access, rect()), lane)
                                 : bankDetails(m_scene, frame(), lane);
    }
    QString laneDistance(int first, int second) override {
        return bankDistanceText(m_scene, frame(), first, second);
    }
    void refreshed() override {
        m_matrix = -1; // that of the selected lane
        rebuild();
    }

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

    /// The access shown when it is one of ldmatrix or stmatrix whose rows all take part, else null.
    const session::AccessView* matrixAccess() {
        const BankScene& scene = sceneFor(rect());
        if (scene.accesses.empty())
            return nullptr;
        const session::AccessView& access = frame().accesses[std::size_t(scene.accesses[std::size_t(scene.access)].source)];
        const bool isWhole = access.active == 0xffu || access.active == 0xffffu || access.active == kFullMask;
        return access.isMatrix && isWhole ? &access : nullptr;
    }

    MatrixScene matrixScene(const session::AccessView& access, const QRectF& rect) const { return makeMatrixScene(access, selectedLane(), m_matrix, rect); }

    void setTabs() {
        QStringList names;
        int shown = 0;
        if (const auto* access = matrixAccess()) {
            const MatrixScene scene = matrixScene(*access, rect());
            shown = scene.matrix;
            for (int i = 0; i < scene.matrices && scene.matrices > 1; ++i)
                names += i == shown ? QStringLiteral("%1: lanes %2–%3").arg(i).arg(8 * i).arg(8 * i + 7) : QString::number(i);
        }
        m_tabs->setItems(names, shown);
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
        if (m_bar != nullptr) {
            m_bar->setItems(m_names, scene.access);
            setTabs();
        }
        setContext(m_names.isEmpty() ? QString()
                                     : m_names.value(scene.access) +
                                           QStringLiteral(" · warp %1").arg(frame().warp));
        if (const auto* access = matrixAccess()) {
            const MatrixScene matrix = matrixScene(*access, QRectF(0, 0, 600, 300));
            const MatrixSide& side = matrix.sides.back();
            return describeAs(QStringLiteral("%1: matrix %2, %3, %4; %5").arg(context()).arg(matrix.matrix).arg(side.verdict, side.sum, matrix.layout));
        }
        describeAs(m_names.isEmpty() ? scene.emptyTitle
                                                   : context() + QStringLiteral(": ") +
                                                         scene.verdict + QStringLiteral(", ") +
                                                         scene.sum);
    }

    void describeAs(const QString& text) {
        setAccessibleDescription(text);
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
    QWidget* m_controls = nullptr;
    SegmentBar *m_bar = nullptr, *m_tabs = nullptr;
    int m_matrix = -1;
    TableModel m_table;
    bool m_tableDirty = true;
};

} // namespace

Pane* makeBanksPane(Intents* intents, QWidget* parent) {
    return new BanksPane(intents, parent);
}

} // namespace lanescope::views
