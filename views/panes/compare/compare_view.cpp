// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/compare/compare_view.h"

#include <QStringList>

namespace lanescope::views {

QString CompareView::name(std::size_t side) const {
    const SnapshotPtr& own = sides[side].snapshot;
    const SnapshotPtr& other = sides[1 - side].snapshot;
    if (!own || !own->program || own->program->id.empty())
        return side == 0 ? QStringLiteral("left") : QStringLiteral("right");
    const QString id = QString::fromStdString(own->program->id);
    if (!other || !other->program || other->program->id != own->program->id)
        return id;
    QStringList differing;
    for (const session::ParameterView& p : own->program->parameters)
        for (const session::ParameterView& q : other->program->parameters)
            if (p.name == q.name && p.value != q.value)
                differing << QStringLiteral("%1 %2").arg(QString::fromStdString(p.name)).arg(p.value);
    return differing.isEmpty() ? id : id + QStringLiteral(", ") + differing.join(QStringLiteral(", "));
}

} // namespace lanescope::views
