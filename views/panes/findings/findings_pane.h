// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with the program, what the compiler said, and what was checked and found right. A
// row leads to its line.
#pragma once

#include <vector>

#include "views/kit/pane.h"

class QListView;
class QStandardItemModel;

namespace lanescope::views {

class FindingsPane : public Pane {
    Q_OBJECT
public:
    explicit FindingsPane(Intents* intents, QWidget* parent = nullptr);

    QString context() const override;
    QString badge() const override;
    void setSnapshot(const SnapshotPtr& snapshot) override;
    void setTheme(const Theme& theme) override;
    QAbstractItemModel* table() override;

private:
    enum class Kind { Error, Warning, Pass, Note };
    void addRow(Kind kind, const QString& title, const QString& count, const QString& detail,
                std::uint32_t line, std::uint32_t ptxLine, int finding);
    void fill();
    void addProgram(const session::ProgramView& program);
    void addRun(const session::RunView& run);
    void jump(int row);

    QListView* m_list;
    QStandardItemModel* m_model;
    int m_errors = 0, m_warnings = 0, m_notes = 0;
    SnapshotPtr m_snapshot;
};

} // namespace lanescope::views
