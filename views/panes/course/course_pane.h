// SPDX-License-Identifier: GPL-3.0-or-later
// The course as a tree: sections, lessons, how far each has been read.
#pragma once

#include "views/kit/pane.h"

class QTreeWidget;
class QTreeWidgetItem;

namespace lanescope::views {

class LessonModel;

class CoursePane : public Pane {
    Q_OBJECT
public:
    CoursePane(LessonModel* lessons, Intents* intents, QWidget* parent = nullptr);

    QString context() const override;
    void setSnapshot(const SnapshotPtr&) override {}
    void setTheme(const Theme& theme) override;

private:
    void rebuild();
    void refresh();
    void openItem(QTreeWidgetItem* item);

    LessonModel* m_lessons;
    QTreeWidget* m_tree;
};

} // namespace lanescope::views
