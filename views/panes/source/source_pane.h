// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA text and the PTX made from it, side by side. The CUDA text can be edited; what was typed
// stays even when it does not compile.
#pragma once

#include "views/kit/pane.h"

class QSplitter;

namespace lanescope::views {

class SegmentedButtons;
class SourceHeader;
class SourceView;

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

    QSplitter* m_splitter;
    SourceView* m_cuda;
    SourceView* m_ptx;
    SourceHeader* m_header = nullptr;
    SnapshotPtr m_snapshot;
    std::string m_programId;
    /// The user typed something that no snapshot has shown yet.
    bool m_isAhead = false;
    /// The next program is a new one, whose text replaces whatever is in the editor.
    bool m_expectsNew = true;
};

} // namespace lanescope::views
