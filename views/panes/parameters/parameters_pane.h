// SPDX-License-Identifier: GPL-3.0-or-later
// GPU, sizes of the problem and tile parameters of the open kernel. Edits re-model after a pause; a
// value that cannot launch stays and says why.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "views/kit/pane.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QToolButton;
class QVBoxLayout;

namespace lanescope::views {

class LabelledSpin;

class ParametersPane : public Pane {
    Q_OBJECT
public:
    explicit ParametersPane(Intents* intents, QWidget* parent = nullptr);

    /// Shows a choice of kernels (id and title) above the GPU; the last entry opens a file.
    void setKernels(const std::vector<std::pair<QString, QString>>& kernels);

    QWidget* headerControls() override;
    void setSnapshot(const SnapshotPtr& snapshot) override;
    void setTheme(const Theme& theme) override;

private:
    struct Field {
        LabelledSpin* spin = nullptr;
        QCheckBox* check = nullptr;
        std::int64_t shown = 0; ///< the value of the last snapshot
    };

    void fillDevices();
    void showKernel();
    void rebuild(const session::ProgramView& program);
    /// Compact: three in a row, without the title's column.
    void addGroup(const QString& title,
                  const std::vector<const session::ParameterView*>& parameters, bool isCompact);
    void refresh(const session::ProgramView& program);
    QString launchSentence() const;
    void resetToDefaults();

    QComboBox* m_kernel = nullptr;
    QComboBox* m_device;
    QToolButton* m_reset = nullptr;
    QVBoxLayout* m_column;
    QWidget* m_fieldsBox = nullptr;
    QLabel* m_problems;
    QLabel* m_launch;
    std::map<std::string, Field> m_fields;
    std::string m_shape; ///< program and names of the fields that are built
    SnapshotPtr m_snapshot;
};

} // namespace lanescope::views
