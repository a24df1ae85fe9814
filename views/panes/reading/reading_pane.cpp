// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/reading/reading_pane.h"

#include <algorithm>

#include <QKeyEvent>
#include <QWheelEvent>

#include "views/export/canvas.h"
#include "views/export/performance_pane.h"
#include "views/kit/icons.h"
#include "views/panes/reading/reading_text.h"

namespace lanescope::views {
namespace {

class ReadingPane : public PerformancePane {
public:
    ReadingPane(Intents* intents, QWidget* parent)
        : PerformancePane(QStringLiteral("reading"), QStringLiteral("Reading"), intents, parent) {
        setMinimumSize(200, 120);
        refresh();
    }

protected:
    QString contextText() const override {
        const KernelEntry* k = kernel();
        return k == nullptr ? QString()
                            : QString::fromStdString(k->point.id) + QStringLiteral(" selected");
    }

    QString description() const override {
        QStringList all;
        for (const Remark& r : m_remarks)
            all += r.title + QStringLiteral(". ") + r.text;
        return all.join(' ');
    }

    void refreshed() override {
        const KernelEntry* k = kernel();
        m_remarks = k == nullptr ? std::vector<Remark>{} : remarksOn(performance(), *k);
        m_scroll = 0;
        setAccessibleDescription(description());
    }

    void fillTable(TableModel& table) const override {
        std::vector<QStringList> rows;
        for (const Remark& r : m_remarks)
            rows.push_back({r.kind == Remark::Kind::Warning ? QStringLiteral("warning")
                                                            : QStringLiteral("note"),
                            r.title, r.text});
        table.set({QStringLiteral("kind"), QStringLiteral("remark"), QStringLiteral("why")},
                  std::move(rows));
    }

    void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas c(painter, theme);
        const Theme& t = theme;
        c.fill(rect, t.pane);
        if (m_remarks.empty()) {
            c.paragraph(rect.adjusted(14, 14, -14, 0),
                        QStringLiteral("Select a kernel to read what its model says."),
                        {Theme::ui(12), t.tx3}, 17);
            return;
        }
        double y = rect.top() + 12 - m_scroll;
        painter.save();
        if (!c.isVector())
            painter.setClipRect(rect);
        for (std::size_t i = 0; i < m_remarks.size(); ++i) {
            const Remark& r = m_remarks[i];
            const double x = rect.left() + 40, width = rect.width() - 54;
            const Icon icon = r.kind == Remark::Kind::Warning ? Icon::Warning
                              : r.kind == Remark::Kind::Good  ? Icon::Pass
                                                              : Icon::Pin;
            drawIcon(painter, {rect.left() + 14, y, 16, 16}, icon, t.tx2, t);
            y += c.paragraph({x, y, width, 400}, r.title, {Theme::ui(12, QFont::DemiBold), t.tx},
                             17);
            y += c.paragraph({x, y, width, 400}, r.text, {Theme::ui(12), t.tx2}, 17);
            y += 9;
            if (i + 1 < m_remarks.size())
                c.line({rect.left() + 14, std::floor(y) + 0.5},
                       {rect.right() - 14, std::floor(y) + 0.5}, t.grid);
            y += 9;
        }
        painter.restore();
        m_contentHeight = y + m_scroll - rect.top();
    }

    void wheelEvent(QWheelEvent* event) override { scrollBy(-event->angleDelta().y() / 3.0); }

    void keyPressEvent(QKeyEvent* event) override {
        if (event->key() == Qt::Key_Down)
            scrollBy(34);
        else if (event->key() == Qt::Key_Up)
            scrollBy(-34);
        else
            Pane::keyPressEvent(event);
    }

private:
    void scrollBy(double dy) {
        const double to = std::clamp(m_scroll + dy, 0.0, std::max(0.0, m_contentHeight - height()));
        if (to == m_scroll)
            return;
        m_scroll = to;
        invalidate();
    }

    std::vector<Remark> m_remarks;
    double m_scroll = 0, m_contentHeight = 0;
};

} // namespace

Pane* makeReadingPane(Intents* intents, QWidget* parent) {
    return new ReadingPane(intents, parent);
}

} // namespace lanescope::views
