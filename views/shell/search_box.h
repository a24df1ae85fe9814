// SPDX-License-Identifier: GPL-3.0-or-later
// The search field of the toolbar: lessons, lines of the open texts, counters.
#pragma once

#include <QLineEdit>

#include "views/kit/pane.h"

class QStandardItemModel;

namespace lanescope::views {

class LessonModel;

class SearchBox : public QLineEdit {
    Q_OBJECT
public:
    SearchBox(LessonModel* lessons, Intents* intents, QWidget* parent = nullptr);
    void setSnapshot(const SnapshotPtr& snapshot);
    void setTheme(const Theme& theme);

protected:
    void focusInEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void fill();
    void activate(const QModelIndex& index);

    LessonModel* m_lessons;
    Intents* m_intents;
    QStandardItemModel* m_model;
    SnapshotPtr m_snapshot;
    std::shared_ptr<const session::ProgramView> m_filledFor;
    const Theme* m_theme;
};

} // namespace lanescope::views
