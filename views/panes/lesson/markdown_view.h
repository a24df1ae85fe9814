// SPDX-License-Identifier: GPL-3.0-or-later
// Markdown text in the program's fonts and colours, as high as it needs to be.
#pragma once

#include <QTextBrowser>

namespace lanescope::views {

struct Theme;

class MarkdownView : public QTextBrowser {
    Q_OBJECT
public:
    explicit MarkdownView(QWidget* parent = nullptr);
    void setText(const QString& markdown, const Theme& theme);
    int heightForWidth(int width) const override;
    bool hasHeightForWidth() const override { return true; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {80, 16}; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void dress(const Theme& theme);
};

} // namespace lanescope::views
