// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/registers/registers_pane.h"

#include <QAbstractTableModel>
#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace lanescope::views {

class RegistersModel : public QAbstractTableModel {
public:
    using QAbstractTableModel::QAbstractTableModel;

    void setRegisters(const std::vector<session::RegisterView>& registers) {
        const bool isSameShape =
            registers.size() == m_registers.size() &&
            std::equal(registers.begin(), registers.end(), m_registers.begin(),
                       [](const auto& a, const auto& b) { return a.name == b.name; });
        if (!isSameShape)
            beginResetModel();
        m_registers = registers;
        if (!isSameShape)
            endResetModel();
        else if (!m_registers.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
    void setTheme(const Theme& theme) { m_theme = &theme; }
    /// The first register that the step wrote, -1 when it wrote none.
    int changedRow() const {
        const auto at = std::find_if(m_registers.begin(), m_registers.end(),
                                     [](const auto& r) { return r.changed; });
        return at == m_registers.end() ? -1 : static_cast<int>(at - m_registers.begin());
    }

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_registers.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : 4;
    }

    QVariant data(const QModelIndex& index, int role) const override {
        const auto& r = m_registers[static_cast<std::size_t>(index.row())];
        switch (role) {
        case Qt::DisplayRole:
            switch (index.column()) {
            case 0:
                return QString::fromStdString(r.name);
            case 1:
                return QString::fromStdString(r.type);
            case 2:
                return QString::fromStdString(r.value);
            default:
                return r.changed   ? RegistersPane::tr("written")
                       : r.uniform ? RegistersPane::tr("all lanes")
                                   : QString();
            }
        case Qt::FontRole:
            return index.column() == 3 ? Theme::ui(11)
                                       : Theme::mono(11, r.changed ? QFont::Bold : QFont::Normal);
        case Qt::BackgroundRole:
            return r.changed ? QVariant(m_theme->accbg) : QVariant();
        case Qt::ForegroundRole:
            return index.column() == 1 || index.column() == 3 ? m_theme->tx3
                   : r.changed                                ? m_theme->acctx
                                                              : m_theme->tx;
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::Alignment(
                (index.column() == 2 ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
        default:
            return {};
        }
    }

    QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
        if (orientation != Qt::Horizontal)
            return {};
        if (role == Qt::TextAlignmentRole)
            return QVariant::fromValue(
                Qt::Alignment((section == 2 ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
        if (role != Qt::DisplayRole)
            return {};
        switch (section) {
        case 0:
            return RegistersPane::tr("Register");
        case 1:
            return RegistersPane::tr("Type");
        case 2:
            return RegistersPane::tr("Value");
        default:
            return QString();
        }
    }

private:
    std::vector<session::RegisterView> m_registers;
    const Theme* m_theme = &Theme::light();
};

RegistersPane::RegistersPane(Intents* intents, QWidget* parent)
    : Pane(QStringLiteral("registers"), tr("Registers"), intents, parent),
      m_model(new RegistersModel(this)), m_view(new QTableView(this)) {
    m_view->setObjectName(QStringLiteral("registers.table"));
    m_view->setAccessibleName(tr("Registers of the selected lane"));
    m_view->setModel(m_model);
    m_view->setAlternatingRowColors(true);
    m_view->setShowGrid(false);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setWordWrap(false);
    m_view->setTabKeyNavigation(false);
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setDefaultSectionSize(20);
    m_view->verticalHeader()->setMinimumSectionSize(18);
    QHeaderView* header = m_view->horizontalHeader();
    header->setHighlightSections(false);
    header->setFixedHeight(22);
    header->setMinimumSectionSize(30);
    header->setSectionResizeMode(QHeaderView::Interactive);
    header->resizeSection(0, 62);
    header->resizeSection(1, 48);
    header->resizeSection(3, 62);
    header->setSectionResizeMode(2, QHeaderView::Stretch);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_view);
    setFocusProxy(m_view);
}

QString RegistersPane::context() const {
    if (!m_snapshot || !m_snapshot->trace)
        return {};
    return tr("warp %1, lane %2").arg(m_snapshot->selection.warp).arg(m_snapshot->selection.lane);
}

void RegistersPane::setSnapshot(const SnapshotPtr& snapshot) {
    m_snapshot = snapshot;
    m_model->setRegisters(snapshot && snapshot->trace ? snapshot->frame.registers
                                                      : std::vector<session::RegisterView>{});
    if (const int row = m_model->changedRow(); row >= 0 && !m_view->hasFocus())
        m_view->scrollTo(m_model->index(row, 0));
    emit contextChanged();
}

void RegistersPane::setTheme(const Theme& theme) {
    Pane::setTheme(theme);
    m_model->setTheme(theme);
}

QAbstractItemModel* RegistersPane::table() {
    return m_model;
}

} // namespace lanescope::views
