// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/kernels/kernels_pane.h"

#include <algorithm>
#include <cmath>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include "views/export/canvas.h"
#include "views/export/performance_pane.h"

namespace lanescope::views {
namespace {

constexpr double kRow = 22;

class KernelsPane : public PerformancePane {
public:
    KernelsPane(Intents* intents, QWidget* parent)
        : PerformancePane(QStringLiteral("kernels"), QStringLiteral("Kernels"), intents, parent) {
        setMinimumSize(200, 90);
        refresh();
    }

protected:
    QString contextText() const override {
        if (store()->isBusy())
            return QStringLiteral("modelling …");
        return counted(qint64(performance().kernels.size()), QStringLiteral("kernel"));
    }

    QString description() const override {
        const KernelEntry* k = kernel();
        return k == nullptr ? contextText()
                            : QStringLiteral("%1 selected, bound by %2")
                                  .arg(QString::fromStdString(k->point.id),
                                       QString::fromStdString(k->point.boundBy));
    }

    void fillTable(TableModel& table) const override {
        std::vector<QStringList> rows;
        for (const KernelEntry& k : performance().kernels)
            rows.push_back({QString::fromStdString(k.point.id),
                            QString::fromStdString(k.point.title),
                            k.point.intensity[0] ? shortNumber(*k.point.intensity[0]) : QString(),
                            shortNumber(k.point.flopsPerSecond / 1e12),
                            QString::fromStdString(k.point.boundBy), QString::number(k.blocks),
                            QString::number(k.shape.threads), QString::number(k.shape.registers),
                            QString::number(k.shape.sharedBytes)});
        table.set({QStringLiteral("kernel"), QStringLiteral("title"), QStringLiteral("FLOP/B"),
                   QStringLiteral("TFLOP/s modelled"), QStringLiteral("bound by"),
                   QStringLiteral("blocks"), QStringLiteral("threads"), QStringLiteral("registers"),
                   QStringLiteral("shared bytes")},
                  std::move(rows));
    }

    void refreshed() override { scrollTo(selectedRow()); }

    void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas c(painter, theme);
        const Theme& t = theme;
        c.fill(rect, t.pane);
        const double left = rect.left() + 12, right = rect.right() - 10;
        const double bound = right, number = right - 76;
        const auto& kernels = performance().kernels;
        if (kernels.empty()) {
            const QString text = store()->isBusy() ? QStringLiteral("Modelling the kernels …")
                                 : performance().error.empty()
                                     ? QStringLiteral("No kernel is modelled yet")
                                     : QString::fromStdString(performance().error);
            c.paragraph(rect.adjusted(14, 14, -14, 0), text, {Theme::ui(12), t.tx3}, 17);
            return;
        }
        const int rows = visibleRows(rect);
        int first = std::clamp(m_first, 0, std::max(0, int(kernels.size()) - rows));
        for (int i = first; i < std::min<int>(first + rows, int(kernels.size())); ++i) {
            const KernelPoint& p = kernels[std::size_t(i)].point;
            const double y = rect.top() + kRow * (i - first + 1);
            const bool selected = p.id == performance().roofline.selected;
            if (selected) {
                c.fill({rect.left(), y, rect.width(), kRow}, t.accbg);
                c.fill({rect.left(), y, 3, kRow}, t.acc);
            } else if (i % 2 == 1) {
                c.fill({rect.left(), y, rect.width(), kRow}, t.alt);
            }
            const QString name = QString::fromStdString(p.title.empty() ? p.id : p.title);
            c.textFit(left, y + 15, number - left - 52, name,
                      {Theme::ui(12, selected ? QFont::DemiBold : QFont::Normal),
                       selected ? t.acctx : t.tx});
            c.text(
                number, y + 15, p.intensity[0] ? shortNumber(*p.intensity[0]) : QStringLiteral("–"),
                {Theme::mono(11, selected ? QFont::DemiBold : QFont::Medium), t.tx, Align::Right});
            c.textFit(
                bound, y + 15, 70, QString::fromStdString(p.boundBy),
                {Theme::ui(12, selected ? QFont::DemiBold : QFont::Normal), t.tx2, Align::Right});
        }
        c.fill({rect.left(), rect.top(), rect.width(), kRow}, t.pane);
        const QFont head = Theme::ui(11, QFont::Medium);
        c.text(left, rect.top() + 15, QStringLiteral("Kernel"), {head, t.tx3});
        c.text(number, rect.top() + 15, QStringLiteral("FLOP/B"), {head, t.tx3, Align::Right});
        c.text(bound, rect.top() + 15, QStringLiteral("Bound by"), {head, t.tx3, Align::Right});
        c.line({rect.left(), rect.top() + kRow - 0.5}, {rect.right(), rect.top() + kRow - 0.5},
               t.line);
    }

    void mousePressEvent(QMouseEvent* event) override {
        const int row = int(event->position().y() / kRow) - 1 + m_first;
        if (event->position().y() >= kRow && row >= 0 && row < int(performance().kernels.size()))
            store()->select(performance().kernels[std::size_t(row)].point.id);
    }

    void wheelEvent(QWheelEvent* event) override {
        const int most = std::max(0, int(performance().kernels.size()) - visibleRows(rect()));
        const int first = std::clamp(m_first - event->angleDelta().y() / 60, 0, most);
        if (first != m_first) {
            m_first = first;
            invalidate();
        }
        event->accept();
    }

    void keyPressEvent(QKeyEvent* event) override {
        const int count = int(performance().kernels.size());
        const int step = event->key() == Qt::Key_Up ? -1 : event->key() == Qt::Key_Down ? 1 : 0;
        if (step == 0 || count == 0) {
            Pane::keyPressEvent(event);
            return;
        }
        const int row = std::clamp(selectedRow() + step, 0, count - 1);
        store()->select(performance().kernels[std::size_t(row)].point.id);
    }

private:
    static int visibleRows(const QRectF& rect) {
        return std::max(1, int((rect.height() - kRow) / kRow));
    }

    int selectedRow() const {
        const auto& kernels = performance().kernels;
        for (int i = 0; i < int(kernels.size()); ++i)
            if (kernels[std::size_t(i)].point.id == performance().roofline.selected)
                return i;
        return -1;
    }

    void scrollTo(int row) {
        const int rows = visibleRows(rect());
        if (row < 0 || height() < kRow * 2)
            return;
        m_first = std::clamp(m_first, std::max(0, row - rows + 1), row);
    }

    int m_first = 0;
};

} // namespace

Pane* makeKernelsPane(Intents* intents, QWidget* parent) {
    return new KernelsPane(intents, parent);
}

} // namespace lanescope::views
