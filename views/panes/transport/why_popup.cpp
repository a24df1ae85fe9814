// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/transport/why_popup.h"

#include <algorithm>

#include <QListWidget>
#include <QScreen>

#include "engine/session/timing.h"
#include "views/export/canvas.h"

namespace lanescope::views {

QListWidget* showWhy(QWidget* parent, Intents* intents, const SnapshotPtr& snapshot, std::uint32_t warp,
                     std::uint32_t cycle, const QPoint& at) {
    const session::TimingReport& timing = *snapshot->timing;
    delete parent->findChild<QListWidget*>(QStringLiteral("transport_why"));
    auto* list = new QListWidget(parent);
    list->setObjectName(QStringLiteral("transport_why"));
    list->setWindowFlags(Qt::Popup);
    list->setAttribute(Qt::WA_DeleteOnClose);
    list->setAccessibleName(QStringLiteral("Why the warp waits"));
    list->setFont(Theme::ui(12));
    list->setUniformItemSizes(true);
    int widest = 0;
    for (const timing::CauseLink& link : timing::why(timing.sm, *timing.program, warp, cycle)) {
        QString text = QString::fromStdString(link.what);
        if (link.issue != timing::kNone) {
            const timing::WarpTiming& w = timing.sm.warps[timing.sm.issues[link.issue].warp];
            const QString block =
                w.slot == 0 ? QString() : QStringLiteral("block %1, ").arg(w.block);
            text = QStringLiteral("%1–%2  %3warp %4  %5")
                       .arg(grouped(link.begin), grouped(link.end), block)
                       .arg(w.warp)
                       .arg(text);
        }
        auto* item = new QListWidgetItem(text, list);
        const bool jumps = link.issue != timing::kNone &&
                           timing.sm.warps[timing.sm.issues[link.issue].warp].slot == 0;
        item->setData(Qt::UserRole, jumps ? qlonglong(link.issue) : qlonglong(-1));
        item->setToolTip(jumps ? QStringLiteral("Go to this event")
                               : QStringLiteral("Not in the traced block"));
        widest = std::max(widest, int(Canvas::width(text, Theme::ui(12))));
    }
    const auto jump = [list, intents, snapshot](QListWidgetItem* item) {
        const qlonglong issue = item->data(Qt::UserRole).toLongLong();
        if (issue < 0)
            return;
        const timing::SmTiming& sm = snapshot->timing->sm;
        const timing::Issue& i = sm.issues[std::size_t(issue)];
        emit intents->selectWarp(int(sm.warps[i.warp].warp));
        emit intents->seek(i.event + 1);
        list->close();
    };
    QObject::connect(list, &QListWidget::itemClicked, list, jump);
    QObject::connect(list, &QListWidget::itemActivated, list, jump);
    const QRect screen = parent->screen()->availableGeometry();
    const int row = list->sizeHintForRow(0) > 0 ? list->sizeHintForRow(0) : 20;
    const QSize size(std::clamp(widest + 48, 260, std::min(760, screen.width())),
                     std::min(list->count(), 12) * row + 8);
    const int x = std::clamp(at.x(), screen.left(), screen.right() - size.width());
    list->setGeometry(QRect(QPoint(x, std::max(screen.top(), at.y() - size.height())), size));
    list->setCurrentRow(0);
    list->show();
    return list;
}

} // namespace lanescope::views
