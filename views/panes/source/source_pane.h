// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA text and the PTX made from it, side by side. The CUDA text can be edited; what was typed
// stays even when it does not compile.
#pragma once

#include "views/kit/pane.h"

class QSplitter;

namespace lanescope::views {

class SegmentedButtons;
class SassStore;
class SourceHeader;
class SourceView;
struct SourceMarks;

class SourcePane : public Pane {
    Q_OBJECT
public:
    explicit SourcePane(Intents* intents, QWidget* parent = nullptr);

    QString context() const override;
    QWidget* headerControls() override;
    void setSnapshot(const SnapshotPtr& snapshot) override;
    void setTheme(const Theme& theme) override;
    /// The text in the editor, which may be newer than the snapshot's.
    QString cudaText() const;
    bool isBusy() const override;
    /// sass: the machine code, where it can be made
    void showPart(const QString& part) override;

private:
    friend class SourceHeader;
    void loadTexts();
    void updateMarks();
    void follow();
    void onEdited();
    void onCudaLine(quint32 line);
    void onPtxLine(quint32 line);
    void onRevealPtxLine(quint32 writtenLine);
    QString ptxContext() const;
    void updateForm();
    void setSass(bool on);
    void updateSass();
    SourceMarks sassMarks() const;

    QSplitter* m_splitter;
    SourceView* m_cuda;
    SourceView* m_ptx;
    SourceHeader* m_header = nullptr;
    SassStore* m_sass;
    bool m_showsSass = false;
    /// The PTX as written was asked for, from which machine code is made.
    bool m_awaitsWritten = false;
    SnapshotPtr m_snapshot;
    std::string m_programId;
    /// The user typed something that no snapshot has shown yet.
    bool m_isAhead = false;
    /// The next program is a new one, whose text replaces whatever is in the editor.
    bool m_expectsNew = true;
};

} // namespace lanescope::views
