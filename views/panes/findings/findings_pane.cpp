// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/findings/findings_pane.h"

#include <QListView>
#include <QLocale>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTextLayout>
#include <QVBoxLayout>

#include <algorithm>

#include "views/bridge/hardware_store.h"
#include "views/kit/icons.h"
#include "views/kit/paint.h"

namespace lanescope::views {

namespace {

enum Role {
    kKindRole = Qt::UserRole,
    kCountRole,
    kDetailRole,
    kLineRole,
    kPtxLineRole,
    kFindingRole
};
constexpr int kIcon = 15, kPadding = 10, kGap = 9, kTitleHeight = 16, kDetailHeight = 15,
              kMaxDetailLines = 4;

QString titleOf(const check::Finding& finding) {
    const QString array = QString::fromStdString(finding.array);
    const auto of = [&array](const QString& what, const QString& with) {
        return array.isEmpty() ? what : with.arg(array);
    };
    using check::FindingKind;
    switch (finding.kind) {
    case FindingKind::RaceRaw:
        return of(FindingsPane::tr("Race: read after write"),
                  FindingsPane::tr("Race on %1: read after write"));
    case FindingKind::RaceWar:
        return of(FindingsPane::tr("Race: write after read"),
                  FindingsPane::tr("Race on %1: write after read"));
    case FindingKind::RaceWaw:
        return of(FindingsPane::tr("Race: two writes"), FindingsPane::tr("Race on %1: two writes"));
    case FindingKind::OutOfBounds:
        return of(FindingsPane::tr("Out of bounds"), FindingsPane::tr("Out of bounds of %1"));
    case FindingKind::Misaligned:
        return of(FindingsPane::tr("Misaligned access"),
                  FindingsPane::tr("Misaligned access to %1"));
    case FindingKind::Uninitialized:
        return of(FindingsPane::tr("Uninitialised read"),
                  FindingsPane::tr("Uninitialised read of %1"));
    case FindingKind::BarrierDivergence:
        return FindingsPane::tr("Barrier in divergent code");
    case FindingKind::DidNotFinish:
        return FindingsPane::tr("Did not finish");
    case FindingKind::WaitExcess:
        return FindingsPane::tr("Waits for more than it must");
    case FindingKind::Unsupported:
        return FindingsPane::tr("Unsupported instruction");
    }
    return {};
}

QString lineText(std::uint32_t line, std::uint32_t ptxLine) {
    if (line != 0)
        return FindingsPane::tr("Line %1").arg(line);
    return ptxLine != 0 ? FindingsPane::tr("PTX line %1").arg(ptxLine) : QString();
}

QString withLine(std::uint32_t line, std::uint32_t ptxLine, const QString& message) {
    const QString where = lineText(line, ptxLine);
    return where.isEmpty() ? message : FindingsPane::tr("%1: %2").arg(where, message);
}

class FindingsDelegate : public QStyledItemDelegate {
public:
    explicit FindingsDelegate(QListView* list)
        : QStyledItemDelegate(list), m_list(list), m_theme(&Theme::light()) {}
    void setTheme(const Theme& theme) { m_theme = &theme; }

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
        const int width = m_list->viewport()->width();
        return {width,
                6 + kTitleHeight +
                    kDetailHeight * std::max(1, static_cast<int>(wrap(index, width).size())) + 7};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Theme& theme = *m_theme;
        const QRectF row(option.rect);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const bool isSelected = option.state & QStyle::State_Selected;
        painter->fillRect(row, isSelected                               ? theme.accbg
                               : option.state & QStyle::State_MouseOver ? theme.alt
                                                                        : theme.pane);
        hLine(*painter, row.left(), row.right(), row.bottom() - 1, theme.grid);
        static constexpr Icon icons[] = {Icon::Error, Icon::Warning, Icon::Pass, Icon::Note};
        drawIcon(*painter, QRectF(row.left() + kPadding, row.top() + 7, kIcon, kIcon),
                 icons[index.data(kKindRole).toInt()], theme.acc, theme);
        QRectF box = row.adjusted(kPadding + kIcon + kGap, 6, -kPadding, 0);
        box.setHeight(kTitleHeight);
        const QString count = index.data(kCountRole).toString();
        const QFont countFont = Theme::mono(11, QFont::Medium);
        const double countWidth = count.isEmpty() ? 0 : textWidth(countFont, count) + 6;
        drawText(*painter, box, count, countFont, theme.tx2, Qt::AlignRight | Qt::AlignVCenter);
        drawText(*painter, box.adjusted(0, 0, -countWidth, 0), index.data().toString(),
                 Theme::ui(12, QFont::Medium), theme.tx);
        box.translate(0, kTitleHeight);
        box.setHeight(kDetailHeight);
        for (const QString& line : wrap(index, m_list->viewport()->width())) {
            drawText(*painter, box, line, Theme::ui(11.5), theme.tx3);
            box.translate(0, kDetailHeight);
        }
        if (isSelected && (option.state & QStyle::State_HasFocus))
            crispFrame(*painter, row, theme.acc);
        painter->restore();
    }

private:
    QStringList wrap(const QModelIndex& index, int width) const {
        const QString text = index.data(kDetailRole).toString();
        QStringList lines;
        QTextLayout layout(text, Theme::ui(11.5));
        layout.beginLayout();
        for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
            line.setLineWidth(std::max(60, width - kPadding * 2 - kIcon - kGap));
            if (lines.size() + 1 == kMaxDetailLines) {
                lines << text.mid(line.textStart());
                break;
            }
            lines << text.mid(line.textStart(), line.textLength()).trimmed();
        }
        layout.endLayout();
        return lines;
    }

    QListView* m_list;
    const Theme* m_theme;
};

/// The list lays its rows out again when its width changes, since their texts wrap.
class FindingsList : public QListView {
public:
    using QListView::QListView;

protected:
    void resizeEvent(QResizeEvent* event) override {
        QListView::resizeEvent(event);
        scheduleDelayedItemsLayout();
    }
};

} // namespace

FindingsPane::FindingsPane(Intents* intents, QWidget* parent)
    : Pane(QStringLiteral("findings"), tr("Findings"), intents, parent),
      m_list(new FindingsList(this)), m_model(new QStandardItemModel(this)) {
    m_list->setObjectName(QStringLiteral("findings.list"));
    m_list->setAccessibleName(tr("Findings"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new FindingsDelegate(m_list));
    m_list->setMouseTracking(true);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_list);
    setFocusProxy(m_list);
    connect(m_list, &QListView::clicked, this,
            [this](const QModelIndex& index) { jump(index.row()); });
    connect(m_list, &QListView::activated, this,
            [this](const QModelIndex& index) { jump(index.row()); });
    connect(HardwareStore::of(intents), &HardwareStore::changed, this, [this] { fill(); });
}

QString FindingsPane::badge() const {
    return m_errors > 0 ? QString::number(m_errors) : QString();
}

QString FindingsPane::context() const {
    if (!m_snapshot || !m_snapshot->program)
        return {};
    QStringList parts;
    if (m_errors > 0)
        parts << countedText(m_errors, tr("%1 error"), tr("%1 errors"));
    if (m_warnings > 0)
        parts << countedText(m_warnings, tr("%1 warning"), tr("%1 warnings"));
    if (m_notes > 0)
        parts << countedText(m_notes, tr("%1 note"), tr("%1 notes"));
    return parts.isEmpty() ? tr("nothing wrong") : parts.join(QStringLiteral(", "));
}

void FindingsPane::setTheme(const Theme& theme) {
    Pane::setTheme(theme);
    static_cast<FindingsDelegate*>(m_list->itemDelegate())->setTheme(theme);
    m_list->viewport()->update();
}

QAbstractItemModel* FindingsPane::table() {
    return m_model;
}

void FindingsPane::setSnapshot(const SnapshotPtr& snapshot) {
    const bool isNew = !m_snapshot || !snapshot || m_snapshot->program != snapshot->program ||
                       m_snapshot->run != snapshot->run || m_snapshot->busy != snapshot->busy;
    m_snapshot = snapshot;
    if (isNew)
        fill();
}

void FindingsPane::fill() {
    const SnapshotPtr& snapshot = m_snapshot;
    m_model->clear();
    m_errors = m_warnings = m_notes = 0;
    if (snapshot && snapshot->program)
        addProgram(*snapshot->program);
    if (snapshot && snapshot->program)
        for (const HardwareStore::Fault& fault : HardwareStore::of(intents())->faults())
            if (fault.kernel == QString::fromStdString(snapshot->program->id))
                addRow(Kind::Error, tr("On this machine's GPU"), {}, fault.message, 0, 0, -1);
    if (snapshot && snapshot->run)
        addRun(*snapshot->run);
    emit contextChanged();
}

void FindingsPane::addProgram(const session::ProgramView& program) {
    for (const Diagnostic& diagnostic : program.diagnostics) {
        const Kind kind = diagnostic.severity == Severity::Error     ? Kind::Error
                          : diagnostic.severity == Severity::Warning ? Kind::Warning
                                                                     : Kind::Note;
        const QString file = QString::fromStdString(diagnostic.where.file);
        const bool isPtx = program.cudaText.empty() || file.endsWith(QLatin1String(".ptx"));
        QString title = tr("Does not compile");
        if (diagnostic.code == "launch" || diagnostic.code == "parameter")
            title = tr("Cannot launch");
        else if (diagnostic.code == "unsupported")
            title = tr("Unsupported instruction");
        else if (diagnostic.code == "file")
            title = tr("Cannot read the file");
        else if (diagnostic.code != "compile" && diagnostic.code != "syntax")
            title = kind == Kind::Error ? tr("Cannot run") : tr("Note");
        if (kind == Kind::Warning)
            title = tr("Compiler warning");
        QString detail = QString::fromStdString(diagnostic.message);
        if (!diagnostic.hint.empty())
            detail += QStringLiteral(". ") + QString::fromStdString(diagnostic.hint);
        const std::uint32_t line = isPtx ? 0 : diagnostic.where.line,
                            ptxLine = isPtx ? diagnostic.where.line : 0;
        addRow(kind, title, {}, withLine(line, ptxLine, detail), line, ptxLine, -1);
    }
}

void FindingsPane::addRun(const session::RunView& run) {
    int index = 0;
    bool hasRace = false, hasBounds = false;
    for (const check::Finding& finding : run.findings) {
        using check::FindingKind;
        hasRace = hasRace || finding.kind == FindingKind::RaceRaw ||
                  finding.kind == FindingKind::RaceWar || finding.kind == FindingKind::RaceWaw;
        hasBounds = hasBounds || finding.kind == FindingKind::OutOfBounds;
        addRow(check::isFault(finding.kind) ? Kind::Error : Kind::Note, titleOf(finding),
               QStringLiteral("×") +
                   QLocale(QLocale::English).toString(static_cast<qulonglong>(finding.occurrences)),
               withLine(finding.line, finding.ptxLine, QString::fromStdString(finding.message)),
               finding.line, finding.ptxLine, index++);
    }
    if (!run.finished)
        addRow(
            Kind::Warning, tr("Stopped at its budget"), {},
            tr("The run reached the limit of instructions; its figures are of the part that ran."),
            0, 0, -1);
    if (!run.verification.empty())
        addRow(run.verified ? Kind::Pass : Kind::Error,
               run.verified ? tr("Result is right") : tr("Result is wrong"), {},
               QString::fromStdString(run.verification), 0, 0, -1);
    if (!hasRace && run.finished)
        addRow(Kind::Pass, tr("No data races"), {},
               tr("Every order of the warps gives the same accesses"), 0, 0, -1);
    if (!hasBounds && run.finished)
        addRow(Kind::Pass, tr("All accesses in bounds"), {},
               tr("In the %1 blocks that were simulated").arg(run.blocksSimulated), 0, 0, -1);
}

void FindingsPane::addRow(Kind kind, const QString& title, const QString& count,
                          const QString& detail, std::uint32_t line, std::uint32_t ptxLine,
                          int finding) {
    auto* item = new QStandardItem(title);
    item->setEditable(false);
    item->setData(static_cast<int>(kind), kKindRole);
    item->setData(count, kCountRole);
    item->setData(detail, kDetailRole);
    item->setData(line, kLineRole);
    item->setData(ptxLine, kPtxLineRole);
    item->setData(finding, kFindingRole);
    item->setToolTip(detail);
    static const char* const words[] = {"error", "warning", "pass", "note"};
    item->setData(QStringLiteral("%1: %2 %3. %4")
                      .arg(QLatin1String(words[static_cast<int>(kind)]), title, count, detail),
                  Qt::AccessibleTextRole);
    m_model->appendRow({item, new QStandardItem(count), new QStandardItem(detail)});
    m_errors += kind == Kind::Error ? 1 : 0;
    m_warnings += kind == Kind::Warning ? 1 : 0;
    m_notes += kind == Kind::Note ? 1 : 0;
}

void FindingsPane::jump(int row) {
    const QStandardItem* item = m_model->item(row);
    if (!item)
        return;
    if (const auto line = item->data(kLineRole).toUInt(); line != 0)
        emit intents()->revealLine(line);
    if (const auto ptxLine = item->data(kPtxLineRole).toUInt(); ptxLine != 0)
        emit intents()->revealPtxLine(ptxLine);
    if (const int finding = item->data(kFindingRole).toInt(); finding >= 0)
        emit intents()->jumpToFinding(finding);
}

} // namespace lanescope::views
