// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/source/source_pane.h"

#include <Qsci/qsciscintilla.h>

#include <QFileInfo>
#include <QPainter>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

#include "engine/device/architecture.h"
#include "views/kit/controls.h"
#include "views/kit/paint.h"
#include "views/panes/source/sass_store.h"
#include "views/panes/source/source_view.h"

namespace lanescope::views {

namespace {

QString noSass() { return SourcePane::tr("Machine code needs ptxas and nvdisasm of the CUDA Toolkit on this machine"); }

} // namespace

/// The right part of the pane's header: what the heat means, then the PTX column's own title above
/// its text, with the choice of its form.
class SourceHeader : public QWidget {
public:
    SourceHeader(SourcePane* pane)
        : QWidget(), m_pane(pane),
          m_form(new SegmentedButtons(QStringLiteral("source.form"),
                                      {SourcePane::tr("Written"), SourcePane::tr("Compiled"), QStringLiteral("SASS")},
                                      true, this)) {
        m_form->setAccessibleName(SourcePane::tr("PTX as written, as compiled, or machine code"));
        m_form->segment(0)->setToolTip(SourcePane::tr("The PTX as the compiler wrote it"));
        m_form->segment(2)->setToolTip(SourcePane::tr("The machine code that ptxas makes of the PTX, by line of the CUDA text"));
        m_form->setSegmentEnabled(2, SassStore::isPossible(),
                                  noSass());
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
        setMinimumWidth(60);
        // The header keeps the title clear of what is drawn left of the middle.
        setProperty("reserved", textWidth(Theme::ui(11.5), SourcePane::tr("heat: warp executions")) + 12);
    }

    SegmentedButtons* form() const { return m_form; }

    /// Puts the choice beside the word PTX.
    void place() {
        const double split = mapFromGlobal(m_pane->m_ptx->mapToGlobal(QPoint(0, 0))).x();
        const QSize size = m_form->sizeHint();
        m_form->setGeometry(static_cast<int>(split) + 10 + titleWidth() + 8,
                            (height() - size.height()) / 2, size.width(), size.height());
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QWidget::resizeEvent(event);
        place();
    }

    void paintEvent(QPaintEvent*) override {
        const Theme& theme = m_pane->theme();
        QPainter painter(this);
        if (!m_pane->m_ptx->isVisibleTo(m_pane))
            return;
        place();
        const double split = mapFromGlobal(m_pane->m_ptx->mapToGlobal(QPoint(0, 0))).x();
        const QString heat = SourcePane::tr("heat: warp executions");
        const QFont caption = Theme::ui(11.5);
        if (split - 12 > textWidth(caption, heat))
            drawText(painter, QRectF(0, 0, split - 10, height()), heat, caption, theme.tx3,
                     Qt::AlignRight | Qt::AlignVCenter);
        vLine(painter, split - 1, 0, height(), theme.line);
        QRectF box(split + 10, 0, width() - split - 12, height());
        drawText(painter, box, QStringLiteral("PTX"), Theme::ui(12, QFont::DemiBold), theme.tx);
        box.setLeft(m_form->geometry().right() + 10);
        drawText(painter, box, m_pane->ptxContext(), caption, theme.tx3);
    }

private:
    static int titleWidth() {
        return static_cast<int>(
            textWidth(Theme::ui(12, QFont::DemiBold), QStringLiteral("PTX")));
    }

    SourcePane* m_pane;
    SegmentedButtons* m_form;
};

SourcePane::SourcePane(Intents* intents, QWidget* parent)
    : Pane(QStringLiteral("source"), tr("CUDA"), intents, parent),
      m_splitter(new QSplitter(Qt::Horizontal, this)),
      m_cuda(new SourceView(SourceView::Language::Cuda, QStringLiteral("source.cuda"), this)),
      m_ptx(new SourceView(SourceView::Language::Ptx, QStringLiteral("source.ptx"), this)), m_sass(new SassStore(this)) {
    m_sass->onChange = [this] { updateSass(); };
    setAccessibleName(tr("Source: CUDA and PTX"));
    m_cuda->editor()->setAccessibleName(tr("CUDA text, editable"));
    m_ptx->editor()->setAccessibleName(tr("PTX text, read only"));
    m_splitter->addWidget(m_cuda);
    m_splitter->addWidget(m_ptx);
    m_splitter->setSizes({1000, 1000});
    m_splitter->setHandleWidth(1);
    m_splitter->setChildrenCollapsible(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_splitter);
    setFocusProxy(m_cuda->editor());
    connect(m_splitter, &QSplitter::splitterMoved, this, [this] {
        if (m_header)
            m_header->update();
    });
    connect(m_cuda, &SourceView::edited, this, &SourcePane::onEdited);
    connect(m_cuda, &SourceView::lineClicked, this, &SourcePane::onCudaLine);
    connect(m_ptx, &SourceView::lineClicked, this, &SourcePane::onPtxLine);
    const auto expectNew = [this] {
        m_expectsNew = true;
        m_isAhead = false;
    };
    connect(intents, &Intents::openKernel, this, expectNew);
    connect(intents, &Intents::openFile, this, expectNew);
    connect(intents, &Intents::openLesson, this, expectNew);
    connect(intents, &Intents::revealLine, this, [this](quint32 line) { m_cuda->goTo(line); });
    connect(intents, &Intents::revealPtxLine, this, &SourcePane::onRevealPtxLine);
}

QString SourcePane::context() const {
    if (!m_snapshot || !m_snapshot->program)
        return {};
    const auto& program = *m_snapshot->program;
    QString text = QString::fromStdString(program.cudaFile.empty() ? program.id : program.cudaFile);
    if (!program.entry.empty())
        text += QStringLiteral(" · ") + QString::fromStdString(program.entry);
    if (m_isAhead)
        text += tr(" · edited");
    return text;
}

QString SourcePane::ptxContext() const {
    if (!m_snapshot || !m_snapshot->program)
        return {};
    const auto& program = *m_snapshot->program;
    if (m_showsSass) {
        const compile::Sass* sass = m_sass->sass();
        if (sass == nullptr)
            return m_sass->isBusy() || m_awaitsWritten ? tr("ptxas is at work") : QString::fromStdString(m_sass->error());
        const QString spills = sass->spillStoreBytes + sass->spillLoadBytes == 0 ? tr("no spills") : tr("%1 B spilled").arg(sass->spillStoreBytes + sass->spillLoadBytes);
        return QStringList{QString::fromStdString(sass->arch), tr("%1 registers").arg(sass->registersPerThread), spills, QStringLiteral("ptxas ") + QString::fromStdString(sass->ptxas)}
            .join(QStringLiteral(" · "));
    }
    if (program.ptxText.empty())
        return m_snapshot->busy ? tr("compiling") : tr("none: the CUDA text does not compile");
    QStringList parts;
    if (program.form == session::CodeForm::Compiled && !program.formChanges.empty())
        parts << QString::fromStdString(program.formChanges);
    if (!program.target.empty())
        parts << QString::fromStdString(program.target);
    const auto& frame = m_snapshot->frame;
    if (frame.hasStep && frame.pc < program.instructions.size()) {
        const std::uint32_t line = program.instructions[frame.pc].cudaLine;
        const auto count = std::count_if(program.instructions.begin(), program.instructions.end(),
                                         [line](const auto& i) { return i.cudaLine == line; });
        if (line != 0)
            parts << countedText(count, tr("%1 instruction from line %2"),
                                 tr("%1 instructions from line %2"))
                         .arg(line);
    }
    if (!program.compiler.empty())
        parts << QString::fromStdString(program.compiler);
    return parts.join(QStringLiteral(" · "));
}

QWidget* SourcePane::headerControls() {
    if (!m_header) {
        m_header = new SourceHeader(this);
        connect(m_header->form(), &SegmentedButtons::activated, this, [this](int index) {
            setSass(index == 2);
            if (index == 2)
                return;
            emit intents()->setForm(index == 1 ? session::CodeForm::Compiled
                                               : session::CodeForm::Written);
        });
        updateForm();
    }
    return m_header;
}

QString SourcePane::cudaText() const {
    return m_cuda->text();
}

void SourcePane::setTheme(const Theme& theme) {
    Pane::setTheme(theme);
    m_cuda->setTheme(theme);
    m_ptx->setTheme(theme);
    m_splitter->setStyleSheet(
        QStringLiteral("QSplitter::handle { background: %1; }").arg(theme.line.name()));
    if (m_header)
        m_header->update();
}

void SourcePane::setSnapshot(const SnapshotPtr& snapshot) {
    const bool isNewProgram = snapshot && (!m_snapshot || m_snapshot->program != snapshot->program);
    m_snapshot = snapshot;
    if (isNewProgram)
        loadTexts();
    if (m_showsSass && snapshot && snapshot->program && !snapshot->busy) {
        const bool isWritten = snapshot->program->form == session::CodeForm::Written;
        if (!isWritten && !m_awaitsWritten) // chosen elsewhere
            setSass(false);
        m_awaitsWritten = m_awaitsWritten && !isWritten;
        updateSass();
    }
    updateMarks();
    follow();
    updateForm();
    emit contextChanged();
    if (m_header)
        m_header->update();
}

void SourcePane::updateForm() {
    if (!m_header || !m_snapshot || !m_snapshot->program)
        return;
    const auto& program = *m_snapshot->program;
    if (program.instructions.empty()) // what does not compile says nothing of its form
        return;
    SegmentedButtons* form = m_header->form();
    form->setCurrent(m_showsSass ? 2 : program.form == session::CodeForm::Compiled ? 1 : 0);
    const bool differs = !program.formChanges.empty();
    form->setSegmentEnabled(1, differs,
                            tr("ptxas changes no access to shared memory of this kernel: both forms "
                               "are the same"));
    if (differs)
        form->segment(1)->setToolTip(tr("What ptxas makes of the accesses to shared memory: %1")
                                         .arg(QString::fromStdString(program.formChanges)));
}

void SourcePane::loadTexts() {
    if (!m_snapshot->program)
        return;
    const auto& program = *m_snapshot->program;
    const QString cuda = QString::fromStdString(program.cudaText);
    const bool isOther = m_expectsNew || program.id != m_programId;
    // What the user has typed since this text was sent to the compiler stays.
    if (isOther || !m_isAhead)
        m_cuda->setText(cuda);
    if (m_cuda->text() == cuda)
        m_isAhead = false;
    if (!m_snapshot->busy)
        m_expectsNew = false;
    m_programId = program.id;
    m_cuda->setVisible(!program.cudaFile.empty() || !cuda.isEmpty());
    // The PTX of the last text that compiled stays on screen while the new one has errors.
    if (!m_showsSass && (!program.ptxText.empty() || isOther))
        m_ptx->setText(QString::fromStdString(program.ptxText));
}

void SourcePane::updateMarks() {
    SourceMarks cuda, ptx;
    if (m_snapshot && m_snapshot->program) {
        const auto& program = *m_snapshot->program;
        const auto& frame = m_snapshot->frame;
        for (const auto& instruction : program.instructions) {
            cuda.executable.insert(instruction.cudaLine);
            ptx.executable.insert(instruction.ptxLine);
            if (program.form == session::CodeForm::Written)
                continue;
            if (ptx.numbers.size() <= instruction.ptxLine)
                ptx.numbers.resize(instruction.ptxLine + 1);
            ptx.numbers[instruction.ptxLine] = instruction.writtenLine;
            if (!instruction.mergedLines.empty())
                ptx.merged[instruction.ptxLine] = instruction.mergedLines;
        }
        cuda.executable.erase(0);
        if (m_snapshot->run) {
            cuda.heat = m_snapshot->run->cudaLineExecutions;
            ptx.heat = m_snapshot->run->ptxLineExecutions;
        }
        if (frame.hasStep && frame.pc < program.instructions.size()) {
            const auto& now = program.instructions[frame.pc];
            ptx.current.insert(now.ptxLine);
            for (const auto& access : frame.accesses)
                if (access.pc < program.instructions.size() && access.event <= frame.stepEvent)
                    ptx.current.insert(program.instructions[access.pc].ptxLine);
            if (now.cudaLine != 0) {
                cuda.current.insert(now.cudaLine);
                for (const auto& other : program.instructions)
                    if (other.cudaLine == now.cudaLine)
                        ptx.linked.insert(other.ptxLine);
            }
        }
        if (frame.nextPc && *frame.nextPc < program.instructions.size()) {
            ptx.next.insert(program.instructions[*frame.nextPc].ptxLine);
            if (const auto line = program.instructions[*frame.nextPc].cudaLine; line != 0)
                cuda.next.insert(line);
        }
        const QString cudaName = QFileInfo(QString::fromStdString(program.cudaFile)).fileName();
        for (const auto& diagnostic : program.diagnostics) {
            if (diagnostic.severity != Severity::Error || diagnostic.where.line == 0)
                continue;
            const QString file =
                QFileInfo(QString::fromStdString(diagnostic.where.file)).fileName();
            const bool isCuda =
                !program.cudaText.empty() &&
                (file.isEmpty() || file == cudaName || !file.endsWith(QLatin1String(".ptx")));
            QString message = QString::fromStdString(diagnostic.message);
            if (!diagnostic.hint.empty())
                message += QStringLiteral(" - ") + QString::fromStdString(diagnostic.hint);
            QString& text = (isCuda ? cuda : ptx).errors[diagnostic.where.line];
            text += (text.isEmpty() ? QString() : QStringLiteral("\n ")) + message;
        }
    }
    m_cuda->setMarks(std::move(cuda));
    m_ptx->setMarks(m_showsSass ? sassMarks() : std::move(ptx));
}

bool SourcePane::isBusy() const { return m_showsSass && (m_awaitsWritten || m_sass->isBusy()); }

void SourcePane::showPart(const QString& part) {
    if (part != QLatin1String("sass"))
        return;
    if (SassStore::isPossible())
        setSass(true);
    else
        emit intents()->message(noSass());
}

void SourcePane::setSass(bool on) {
    if (on == m_showsSass)
        return;
    m_showsSass = on;
    m_awaitsWritten = false;
    if (!m_snapshot || !m_snapshot->program)
        return;
    if (on && m_snapshot->program->form != session::CodeForm::Written) {
        m_awaitsWritten = true;
        emit intents()->setForm(session::CodeForm::Written);
    }
    if (on) {
        updateSass();
    } else {
        m_ptx->setText(QString::fromStdString(m_snapshot->program->ptxText));
        updateMarks();
        follow();
    }
    updateForm();
}

/// Asks for the machine code of the present PTX and GPU, and shows what there is.
void SourcePane::updateSass() {
    if (!m_showsSass || !m_snapshot || !m_snapshot->program)
        return;
    const auto& program = *m_snapshot->program;
    if (!m_awaitsWritten && m_snapshot->run && !program.ptxText.empty())
        if (const auto device = device::findDevice(m_snapshot->run->deviceId))
            m_sass->request(program.ptxText, program.entry, device::architectureOf(device->limits.capability), program.cudaFile);
    const compile::Sass* sass = m_sass->sass();
    const QString text = sass ? QString::fromStdString(compile::toText(*sass)) : QString();
    if (m_ptx->text() != text)
        m_ptx->setText(text);
    updateMarks();
    follow();
    if (m_header)
        m_header->update();
}

/// The instructions of the CUDA line at the cursor.
SourceMarks SourcePane::sassMarks() const {
    SourceMarks marks;
    const compile::Sass* sass = m_sass->sass();
    const auto& frame = m_snapshot->frame;
    if (sass == nullptr || !m_snapshot->program)
        return marks;
    const auto& code = m_snapshot->program->instructions;
    const auto lineOf = [&](std::uint32_t pc) { return pc < code.size() ? code[pc].cudaLine : 0; };
    const std::uint32_t now = frame.hasStep ? lineOf(frame.pc) : frame.nextPc ? lineOf(*frame.nextPc) : 0;
    for (std::size_t i = 0; now != 0 && i < sass->lines.size(); ++i)
        if (sass->lines[i].cudaLine == now)
            marks.linked.insert(static_cast<std::uint32_t>(i + 1));
    return marks;
}

void SourcePane::follow() {
    // Not while the user types.
    if (!m_snapshot || !m_snapshot->program || m_isAhead)
        return;
    const auto lineOf = [](const std::set<std::uint32_t>& lines) {
        return lines.empty() ? 0u : *lines.rbegin();
    };
    m_cuda->reveal(
        lineOf(m_cuda->marks().current.empty() ? m_cuda->marks().next : m_cuda->marks().current));
    if (m_showsSass) {
        if (const auto& linked = m_ptx->marks().linked; !linked.empty())
            m_ptx->reveal(*linked.begin());
        return;
    }
    m_ptx->reveal(
        lineOf(m_ptx->marks().current.empty() ? m_ptx->marks().next : m_ptx->marks().current));
}

void SourcePane::onEdited() {
    if (!m_isAhead) {
        m_isAhead = true;
        emit contextChanged();
    }
    emit intents()->editText(m_cuda->text());
}

void SourcePane::onCudaLine(quint32 line) {
    if (m_cuda->marks().executable.contains(line))
        emit intents()->runToLine(line);
    else
        emit intents()->message(tr("Line %1 has no instruction").arg(line));
}

void SourcePane::onRevealPtxLine(quint32 writtenLine) {
    // The compiled form has its own lines, and an instruction may be part of another there.
    const auto contains = [&](const session::ProgramView::InstructionView& i) {
        return i.writtenLine == writtenLine ||
               std::binary_search(i.mergedLines.begin(), i.mergedLines.end(), writtenLine);
    };
    std::uint32_t line = writtenLine;
    setSass(false);
    if (m_snapshot && m_snapshot->program) {
        const auto& all = m_snapshot->program->instructions;
        if (const auto found = std::find_if(all.begin(), all.end(), contains); found != all.end())
            line = found->ptxLine;
    }
    m_ptx->goTo(line);
}

void SourcePane::onPtxLine(quint32 line) {
    if (m_showsSass) {
        const compile::Sass* sass = m_sass->sass();
        if (sass != nullptr && line >= 1 && line <= sass->lines.size() && sass->lines[line - 1].cudaLine != 0)
            m_cuda->goTo(sass->lines[line - 1].cudaLine);
        return;
    }
    if (!m_snapshot || !m_snapshot->trace || !m_snapshot->program)
        return;
    const auto& program = *m_snapshot->program;
    const auto& trace = *m_snapshot->trace;
    const auto warp = static_cast<std::size_t>(m_snapshot->selection.warp);
    if (warp >= trace.eventsOfWarp.size())
        return;
    const auto& own = trace.eventsOfWarp[warp];
    const auto runs = [&](std::uint32_t event) {
        const std::uint32_t pc = trace.events[event].pc;
        return pc < program.instructions.size() && program.instructions[pc].ptxLine == line;
    };
    // The next one after the present, else the first from the start.
    const auto now = std::lower_bound(own.begin(), own.end(), m_snapshot->frame.index);
    auto found = std::find_if(now, own.end(), runs);
    if (found == own.end())
        found = std::find_if(own.begin(), now, runs);
    if (found != own.end() && runs(*found))
        emit intents()->seek(*found + 1);
    else
        emit intents()->message(
            tr("Warp %1 does not run PTX line %2").arg(m_snapshot->selection.warp).arg(line));
}

} // namespace lanescope::views
