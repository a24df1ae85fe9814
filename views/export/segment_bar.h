// SPDX-License-Identifier: GPL-3.0-or-later
// Segmented buttons whose entries change with what is shown. With many entries it becomes a
// drop-down list, so that a pane's header never overflows.
#pragma once

#include <functional>

#include <QStringList>
#include <QWidget>

class QHBoxLayout;

namespace lanescope::views {

class SegmentBar : public QWidget {
public:
    explicit SegmentBar(const QString& name, QWidget* parent = nullptr);

    /// Replaces the entries when they differ; `current` out of range: the last one. Hidden with
    /// fewer than two entries. Does not call onChange.
    void setItems(const QStringList& items, int current);
    const QStringList& items() const { return m_items; }
    int current() const { return m_current; }

    /// Called when the user picks another entry.
    std::function<void(int)> onChange;

private:
    void rebuild();
    void pick(int index);

    QStringList m_items;
    int m_current = 0;
    QHBoxLayout* m_layout;
    QWidget* m_control = nullptr;
};

} // namespace lanescope::views
