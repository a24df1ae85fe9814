// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/swizzle/swizzle_pane.h"

#include <algorithm>

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>

#include "views/export/canvas.h"
#include "views/export/painted_pane.h"
#include "views/export/table_model.h"
#include "views/kit/controls.h"
#include "views/panes/swizzle/swizzle_paint.h"

namespace lanescope::views {
namespace {

QString text(std::string_view s) { return QString::fromLatin1(s.data(), qsizetype(s.size())); }

class SwizzlePane : public PaintedPane {
public:
    SwizzlePane(Intents* intents, QWidget* parent) : PaintedPane(QStringLiteral("swizzle"), QStringLiteral("Swizzle editor"), intents, parent), m_form(new QScrollArea(this)) {
        setMinimumSize(480, 220);
        auto* inside = new QWidget;
        auto* grid = new QGridLayout(inside);
        grid->setContentsMargins(10, 8, 6, 8);
        grid->setHorizontalSpacing(6);
        grid->setVerticalSpacing(6);
        const auto heading = [&](int row, const QString& name) {
            auto* label = new QLabel(name);
            label->setFont(Theme::ui(11.5, QFont::DemiBold));
            grid->addWidget(label, row, 0, 1, 2);
        };
        const auto spin = [&](int row, int column, const char* name, const QString& label, const QString& help, int from, int to, int value) {
            auto* box = new LabelledSpin(QStringLiteral("swizzle.") + QLatin1String(name), label);
            box->setRange(from, to);
            box->setValue(value);
            box->setToolTip(help);
            box->setAccessibleName(help);
            box->setMinimumWidth(96);
            connect(box, &QSpinBox::valueChanged, this, [this] {
                m_isEdited = true;
                refresh();
            });
            grid->addWidget(box, row, column);
            return box;
        };
        heading(0, tr("Tile in shared memory"));
        m_rows = spin(1, 0, "rows", tr("Rows"), tr("Rows of the tile"), 1, 1024, 64);
        m_rowBytes = spin(1, 1, "rowBytes", tr("Bytes"), tr("Bytes of a row"), 1, 1024, 128);
        m_rowBytes->setSingleStep(16);
        m_element = spin(2, 0, "element", tr("Element"), tr("Bytes of an element"), 1, 8, 2);
        m_element->setChoices({1, 2, 4, 8});
        m_pad = spin(2, 1, "pad", tr("Pad"), tr("Bytes of padding a row to compare with; 0: the least that is conflict-free"), 0, 1024, 0);
        m_pad->setSingleStep(16);
        heading(3, tr("Swizzle <B, M, S>, byte offsets"));
        m_b = spin(4, 0, "b", tr("B"), tr("Bits that are XORed"), 0, 5, 3);
        m_m = spin(4, 1, "m", tr("M"), tr("The lowest bit that changes, of a byte offset"), 0, 12, 4);
        m_s = spin(5, 0, "s", tr("S"), tr("They are XORed with the bits S above them"), -7, 7, 3);
        m_search = new QPushButton(tr("Smallest free"));
        m_search->setObjectName(QStringLiteral("swizzle.search"));
        m_search->setToolTip(tr("Sets the smallest swizzle without conflicts; again: the next one"));
        connect(m_search, &QPushButton::clicked, this, [this] { takeNext(); });
        grid->addWidget(m_search, 5, 1);
        heading(6, tr("Accesses"));
        m_pattern = new QComboBox;
        m_pattern->setObjectName(QStringLiteral("swizzle.pattern"));
        m_pattern->setAccessibleName(tr("How warps access the tile"));
        for (int i = 0; i < model::kTileAccesses; ++i) {
            m_pattern->addItem(text(model::id(model::TileAccess(i))));
            m_pattern->setItemData(i, text(model::description(model::TileAccess(i))), Qt::ToolTipRole);
        }
        connect(m_pattern, &QComboBox::currentIndexChanged, this, [this] { refresh(); });
        grid->addWidget(m_pattern, 7, 0, 1, 2);
        heading(8, tr("Where is the element?"));
        m_row = spin(9, 0, "row", tr("Row"), tr("Row of the element"), 0, 1023, 3);
        m_column = spin(9, 1, "column", tr("Col"), tr("Column of the element"), 0, 1023, 8);
        m_kernel = new QPushButton(tr("Tile of the kernel"));
        m_kernel->setObjectName(QStringLiteral("swizzle.kernel"));
        connect(m_kernel, &QPushButton::clicked, this, [this] {
            m_isEdited = false;
            followKernel();
        });
        grid->addWidget(m_kernel, 10, 0, 1, 2);
        grid->setRowStretch(11, 1);
        m_form->setWidget(inside);
        m_form->setWidgetResizable(true);
        m_form->setFrameShape(QFrame::NoFrame);
        m_form->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setFocusProxy(m_b);
        refresh();
    }

    QString context() const override { return m_context; }

    void setSnapshot(const SnapshotPtr& snapshot) override {
        m_snapshot = snapshot;
        const std::string id = snapshot && snapshot->program ? snapshot->program->id : std::string();
        if (id != m_program) {
            m_program = id;
            m_isEdited = false;
        }
        followKernel();
    }

    QAbstractItemModel* table() override {
        std::vector<QStringList> rows;
        for (const SwizzleCase& one : m_picture.cases)
            rows.push_back({one.name, QString::number(one.wavefronts), QString::number(one.minimum), QString::number(one.excess), QString::number(one.degree), QString::number(one.bytesWasted)});
        for (const model::Swizzle& one : m_picture.found)
            rows.push_back({tr("conflict-free: %1").arg(QString::fromStdString(model::toString(one)))});
        m_table.set({tr("layout"), tr("wavefronts"), tr("minimum"), tr("excess"), tr("wavefronts of the worst pass"), tr("bytes lost")}, std::move(rows));
        return &m_table;
    }

protected:
    QRectF canvasRect() const override { return {double(kForm), 0, double(std::max(0, width() - kForm)), double(height())}; }
    void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas canvas(painter, theme);
        paintSwizzle(canvas, m_picture, rect);
    }
    void resizeEvent(QResizeEvent* event) override {
        PaintedPane::resizeEvent(event);
        m_form->setGeometry(0, 0, kForm, height());
    }

private:
    static constexpr int kForm = 234;

    void refresh() {
        SwizzleInput input;
        input.tile = {m_rows->value(), m_rowBytes->value(), m_element->value(), m_pad->value(), {}};
        input.b = m_b->value();
        input.m = m_m->value();
        input.s = m_s->value();
        input.access = model::TileAccess(m_pattern->currentIndex());
        input.row = m_row->value();
        input.column = m_column->value();
        m_picture = makeSwizzlePicture(input);
        for (LabelledSpin* box : {m_b, m_m, m_s, m_rows, m_rowBytes})
            box->setProblem(!m_picture.problem.isEmpty());
        m_search->setEnabled(!m_picture.found.empty() && m_picture.found.front().bits > 0);
        m_context = tr("%1 rows of %2 bytes, %3").arg(input.tile.rows).arg(input.tile.rowBytes).arg(text(model::id(input.access)));
        if (!m_isEdited && m_isOfKernel)
            m_context += tr(" · as the kernel reads it");
        setAccessibleDescription(m_picture.problem.isEmpty() ? tr("%1. In order: %2. Swizzled: %3").arg(m_picture.element, m_picture.passes[0].sum, m_picture.passes[1].sum) : m_picture.problem);
        emit contextChanged();
        invalidate();
    }

    void set(const model::Swizzle& swizzle) {
        for (const auto& [box, value] : {std::pair{m_b, swizzle.bits}, std::pair{m_m, swizzle.base}, std::pair{m_s, swizzle.shift}}) {
            const QSignalBlocker block(box);
            box->setValue(value);
        }
    }

    /// The next conflict-free swizzle after the present one, the smallest first.
    void takeNext() {
        const auto& found = m_picture.found;
        const auto at = std::find(found.begin(), found.end(), m_picture.swizzle);
        m_isEdited = true;
        set(at == found.end() || at + 1 == found.end() ? found.front() : *(at + 1));
        refresh();
    }

    /// Tile and swizzle of the ldmatrix or stmatrix at which the step is, unless the user has set others.
    void followKernel() {
        const session::AccessView* access = nullptr;
        if (m_snapshot)
            for (const session::AccessView& a : m_snapshot->frame.accesses)
                if (a.isMatrix && a.space == ptx::Space::Shared)
                    access = &a;
        const auto layout = access != nullptr ? model::findLayout(access->addresses, access->active) : std::nullopt;
        m_kernel->setEnabled(layout.has_value());
        m_kernel->setToolTip(layout ? tr("Rows and swizzle of this step's ldmatrix") : tr("Step to an ldmatrix or stmatrix first"));
        if (m_isEdited || !layout)
            return;
        const int row = layout->pitch % 128 <= 64 && layout->pitch > 128 ? layout->unpaddedPitch() : layout->pitch;
        const QSignalBlocker a(m_rows), b(m_rowBytes), c(m_element), d(m_pad);
        m_rowBytes->setValue(row);
        m_pad->setValue(layout->pitch - row);
        m_element->setValue(2);
        if (access->arrayBytes % std::uint64_t(layout->pitch) == 0 && access->arrayBytes / std::uint64_t(layout->pitch) <= 256)
            m_rows->setValue(int(access->arrayBytes / std::uint64_t(layout->pitch)));
        if (layout->swizzle.bits > 0)
            set(layout->swizzle);
        m_isOfKernel = true;
        refresh();
    }

    SnapshotPtr m_snapshot;
    std::string m_program;
    QScrollArea* m_form;
    LabelledSpin *m_rows, *m_rowBytes, *m_element, *m_pad, *m_b, *m_m, *m_s, *m_row, *m_column;
    QComboBox* m_pattern;
    QPushButton *m_search, *m_kernel;
    SwizzlePicture m_picture;
    TableModel m_table;
    QString m_context;
    bool m_isEdited = false, m_isOfKernel = false;
};

} // namespace

Pane* makeSwizzlePane(Intents* intents, QWidget* parent) {
    return new SwizzlePane(intents, parent);
}

} // namespace lanescope::views
