// SPDX-License-Identifier: GPL-3.0-or-later
// The head of the compare pane: the verdict on the results, and the present step's figures of both sides as bars.
#pragma once

#include <QWidget>

#include "views/panes/compare/compare_view.h"

namespace lanescope::views {

class StepBars : public QWidget {
public:
    explicit StepBars(QWidget* parent);

    void setView(const CompareView& view);
    void setTheme(const Theme& theme);
    int heightForWidth(int width) const override;
    bool hasHeightForWidth() const override { return true; }
    QSize sizeHint() const override { return {300, heightForWidth(300)}; }
    QSize minimumSizeHint() const override { return {200, heightForWidth(width())}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    CompareView m_view;
    const Theme* m_theme;
};

} // namespace lanescope::views
