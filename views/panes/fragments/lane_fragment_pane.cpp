// SPDX-License-Identifier: GPL-3.0-or-later
// What the selected lane holds of each operand: name, element, register, value.
#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>

#include "views/export/table_model.h"
#include "views/kit/pane.h"
#include "views/panes/fragments/fragments_pane.h"
#include "views/panes/fragments/fragments_scene.h"

namespace lanescope::views {
namespace {

class LaneFragmentPane : public Pane {
public:
    LaneFragmentPane(Intents* intents, QWidget* parent)
        : Pane(QStringLiteral("lanefragment"), QStringLiteral("Elements"), intents, parent), m_view(new QTableView(this)) {
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(m_view);
        m_view->setObjectName(QStringLiteral("lanefragment.table"));
        m_view->setAccessibleName(title());
        m_view->setModel(&m_table);
        m_view->setFont(Theme::mono(11));
        m_view->setShowGrid(false);
        m_view->setAlternatingRowColors(true);
        m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
        m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
        m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        m_view->verticalHeader()->hide();
        m_view->verticalHeader()->setDefaultSectionSize(20);
        m_view->verticalHeader()->setMinimumSectionSize(20);
        m_view->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        setFocusProxy(m_view);
        fill();
        // Three of known width, the rest for the value.
        QHeaderView* header = m_view->horizontalHeader();
        header->setSectionResizeMode(QHeaderView::Interactive);
        for (const auto& [column, width] : {std::pair(0, 40), std::pair(1, 74), std::pair(2, 80)})
            header->resizeSection(column, width);
        header->setSectionResizeMode(3, QHeaderView::Stretch);
    }

    QString context() const override { return m_context; }

    void setSnapshot(const SnapshotPtr& snapshot) override {
        m_snapshot = snapshot;
        fill();
        emit contextChanged();
    }

    QAbstractItemModel* table() override { return &m_table; }

private:
    void fill() {
        const FragmentScene scene = makeFragmentScene(m_snapshot.get(), {}, {0, 0, 900, 400});
        auto rows = laneRows(scene, scene.lane);
        m_context = rows.empty() ? QString() : tr("lane %1 · groupID %2, t = %3").arg(scene.lane).arg(scene.lane / 4).arg(scene.lane % 4);
        setAccessibleDescription(rows.empty() ? scene.emptyText : tr("Lane %1 holds %2 elements").arg(scene.lane).arg(rows.size()));
        if (rows.empty())
            rows.push_back({QStringLiteral("–"), tr("no matrix instruction"), {}, {}});
        m_table.set({tr("Name"), tr("Element"), tr("Register"), tr("Value")}, std::move(rows));
    }

    SnapshotPtr m_snapshot;
    QTableView* m_view;
    TableModel m_table;
    QString m_context;
};

} // namespace

Pane* makeLaneFragmentPane(Intents* intents, QWidget* parent) {
    return new LaneFragmentPane(intents, parent);
}

} // namespace lanescope::views
