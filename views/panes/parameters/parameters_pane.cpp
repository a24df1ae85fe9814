// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/parameters/parameters_pane.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

#include "engine/device/device.h"
#include "views/kit/controls.h"
#include "views/kit/paint.h"

namespace lanescope::views {

namespace {

constexpr int kLabelWidth = 54;
/// With more parameters than this the fields stand three in a row, so that all are in sight at 1366 x 768.
constexpr std::size_t kMostInColumns = 6;
/// A name and its value with more characters than this need half a row.
constexpr int kMostInThird = 8;

int digits(std::int64_t value) { return static_cast<int>(QString::number(value).size()); }

bool isSwitch(const session::ParameterView& p) {
    return (p.minimum == 0 && p.maximum == 1) ||
           (p.choices.size() == 2 && p.choices[0] == 0 && p.choices[1] == 1);
}

int toInt(std::int64_t value) {
    return static_cast<int>(std::clamp<std::int64_t>(value, std::numeric_limits<int>::min(),
                                                     std::numeric_limits<int>::max()));
}

QString times(const Dim3& d) {
    QString text = QString::number(d.x);
    if (d.y > 1 || d.z > 1)
        text += QStringLiteral(" × %1").arg(d.y);
    if (d.z > 1)
        text += QStringLiteral(" × %1").arg(d.z);
    return text;
}

/// What the parameter is and, when it cannot launch, why: at the field itself.
void explain(QWidget* field, const session::ParameterView& p) {
    const QString label = QString::fromStdString(p.label).toHtmlEscaped(),
                  help = QString::fromStdString(p.help), problem = QString::fromStdString(p.problem);
    QString tip = QStringLiteral("<b>%1</b>").arg(label.isEmpty() ? QString::fromStdString(p.name) : label);
    for (const QString& more : {help, problem})
        if (!more.isEmpty())
            tip += QStringLiteral("<br>") + more.toHtmlEscaped();
    field->setToolTip(tip);
    field->setAccessibleDescription(problem.isEmpty() ? help : problem);
}

} // namespace

ParametersPane::ParametersPane(Intents* intents, QWidget* parent)
    : Pane(QStringLiteral("parameters"), tr("Kernel parameters"), intents, parent) {
    auto* scroll = new QScrollArea(this);
    scroll->setObjectName(QStringLiteral("parameters.scroll"));
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* body = new QWidget;
    body->setObjectName(QStringLiteral("parameters.body"));
    m_column = new QVBoxLayout(body);
    m_column->setContentsMargins(12, 10, 12, 10);
    m_column->setSpacing(7);
    m_device = new LabelledCombo(QStringLiteral("parameters.device"), {}, body);
    m_device->setAccessibleName(tr("GPU"));
    m_device->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_device->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_problems = new QLabel(body);
    m_problems->setObjectName(QStringLiteral("parameters.problems"));
    m_problems->setWordWrap(true);
    m_problems->setTextFormat(Qt::PlainText);
    m_problems->hide();
    m_launch = new QLabel(body);
    m_launch->setObjectName(QStringLiteral("parameters.launch"));
    m_launch->setProperty("role", "caption");
    m_launch->setWordWrap(true);
    m_column->addWidget(m_device);
    m_column->addWidget(m_problems);
    m_column->addWidget(m_launch);
    m_column->addStretch(1);
    scroll->setWidget(body);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(scroll);
    setFocusProxy(m_device);
    fillDevices();
    connect(m_device, &QComboBox::activated, this, [this](int index) {
        emit this->intents()->setDevice(m_device->itemData(index).toString());
    });
    setTheme(Theme::light());
}

void ParametersPane::fillDevices() {
    const auto devices = device::allDevices();
    if (!devices)
        return;
    for (const device::Device& gpu : *devices) {
        QString text = QString::fromStdString(gpu.name);
        if (text.startsWith(QLatin1String("NVIDIA ")))
            text = text.mid(7);
        if (const auto count = gpu.value("sm_count"))
            text += tr(" · %1 SMs").arg(static_cast<int>(*count));
        m_device->addItem(text, QString::fromStdString(gpu.id));
    }
    // What a session models when it is not told otherwise.
    m_device->setCurrentIndex(
        m_device->findData(QString::fromStdString(session::SessionOptions().deviceId)));
}

void ParametersPane::setKernels(const std::vector<std::pair<QString, QString>>& kernels) {
    m_kernel = new LabelledCombo(QStringLiteral("parameters.kernel"), {}, m_device->parentWidget());
    m_kernel->setAccessibleName(tr("Kernel"));
    m_kernel->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_kernel->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_kernel->setPlaceholderText(tr("Choose a kernel"));
    for (const auto& [id, title] : kernels)
        m_kernel->addItem(QStringLiteral("%1 · %2").arg(id, title), id);
    m_kernel->addItem(tr("A file of your own..."));
    m_kernel->setCurrentIndex(-1);
    connect(m_kernel, &QComboBox::activated, this, [this](int index) {
        if (const QString id = m_kernel->itemData(index).toString(); !id.isEmpty())
            emit intents()->openKernel(id, {});
        else if (const QString path = QFileDialog::getOpenFileName(
                     this, tr("Open a kernel"), {}, tr("CUDA and PTX (*.cu *.ptx);;All files (*)"));
                 !path.isEmpty())
            emit intents()->openFile(path);
        showKernel();
    });
    m_column->insertWidget(0, m_kernel);
    setFocusProxy(m_kernel);
}

void ParametersPane::showKernel() {
    if (!m_kernel || !m_snapshot || !m_snapshot->program)
        return;
    const QString id = QString::fromStdString(m_snapshot->program->id);
    m_kernel->setCurrentIndex(m_kernel->findData(id));
    m_kernel->setPlaceholderText(id);
}

QWidget* ParametersPane::headerControls() {
    if (!m_reset) {
        m_reset = new QToolButton;
        m_reset->setObjectName(QStringLiteral("parameters.reset"));
        m_reset->setProperty("role", "header");
        m_reset->setFixedSize(20, 20);
        m_reset->setToolTip(tr("Back to the kernel's own values"));
        m_reset->setAccessibleName(m_reset->toolTip());
        m_reset->setIcon(icon(Icon::Reload, theme().tx3, theme(), 14));
        connect(m_reset, &QAbstractButton::clicked, this, &ParametersPane::resetToDefaults);
    }
    return m_reset;
}

void ParametersPane::setTheme(const Theme& theme) {
    Pane::setTheme(theme);
    m_problems->setStyleSheet(
        QStringLiteral("color: %1; border-left: 3px solid %2; padding-left: 7px;")
            .arg(theme.errtx.name(), theme.err.name()));
    if (m_reset)
        m_reset->setIcon(icon(Icon::Reload, theme.tx3, theme, 14));
    findChild<QWidget*>(QStringLiteral("parameters.body"))
        ->setStyleSheet(
            QStringLiteral("#parameters\\.body { background: %1; }").arg(theme.pane.name()));
}

void ParametersPane::setSnapshot(const SnapshotPtr& snapshot) {
    const bool isNew = snapshot && (!m_snapshot || m_snapshot->program != snapshot->program ||
                                    m_snapshot->run != snapshot->run);
    m_snapshot = snapshot;
    if (!isNew)
        return;
    if (snapshot->run) {
        const int index = m_device->findData(QString::fromStdString(snapshot->run->deviceId));
        if (index >= 0)
            m_device->setCurrentIndex(index);
    }
    showKernel();
    if (snapshot->program) {
        std::string shape = snapshot->program->id;
        for (const auto& p : snapshot->program->parameters)
            shape += '|' + p.name;
        if (shape != m_shape) {
            m_shape = shape;
            rebuild(*snapshot->program);
        }
        refresh(*snapshot->program);
    }
    m_launch->setText(launchSentence());
}

void ParametersPane::rebuild(const session::ProgramView& program) {
    m_fields.clear();
    delete m_fieldsBox;
    m_fieldsBox = new QWidget(m_device->parentWidget());
    auto* column = new QVBoxLayout(m_fieldsBox);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(7);
    m_column->insertWidget(m_column->indexOf(m_device) + 1, m_fieldsBox);
    std::vector<const session::ParameterView*> problem, tile;
    for (const auto& p : program.parameters)
        (p.isProblem ? problem : tile).push_back(&p);
    const bool isCompact = program.parameters.size() > kMostInColumns;
    addGroup(tr("Problem"), problem, isCompact);
    if (isCompact && !problem.empty() && !tile.empty()) {
        auto* line = new QFrame(m_fieldsBox);
        line->setFrameShape(QFrame::HLine);
        line->setFrameShadow(QFrame::Plain);
        line->setFixedHeight(1);
        column->addWidget(line);
    }
    // A file of the user's own has no tile parameters but a launch to choose.
    const bool isLaunch = std::any_of(tile.begin(), tile.end(), [](const auto* p) {
        return p->name.find('.') != std::string::npos;
    });
    addGroup(isLaunch ? tr("Launch") : tr("Tile"), tile, isCompact);
    m_fieldsBox->setVisible(!program.parameters.empty());
}

void ParametersPane::addGroup(const QString& title,
                              const std::vector<const session::ParameterView*>& parameters,
                              bool isCompact) {
    if (parameters.empty())
        return;
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(6);
    grid->setVerticalSpacing(7);
    if (!isCompact) {
        auto* heading = new QLabel(title, m_fieldsBox);
        heading->setProperty("role", "body");
        heading->setFixedWidth(kLabelWidth);
        grid->addWidget(heading, 0, 0);
    }
    // One letter and a number of four digits fit three in a row, more needs two.
    const bool isLong = std::any_of(parameters.begin(), parameters.end(), [](const auto* p) {
        return !isSwitch(*p) && (p->name.size() > 1 || digits(p->maximum) > 4);
    });
    const int columns = isLong && !isCompact ? 2 : 3, first = isCompact ? 0 : 1;
    // A row has six units: three fields of two, or two of three where a long name needs the room.
    constexpr int kUnits = 6;
    int row = 0, unit = 0;
    for (const session::ParameterView* p : parameters) {
        const QString name = QString::fromStdString(p->name);
        const std::string key = p->name;
        Field field;
        QWidget* widget = nullptr;
        if (isSwitch(*p)) {
            field.check = new QCheckBox(name, m_fieldsBox);
            field.check->setObjectName(QStringLiteral("parameters.") + name);
            connect(field.check, &QCheckBox::toggled, this,
                    [this, name](bool on) { emit intents()->setParameter(name, on ? 1 : 0); });
            widget = field.check;
        } else {
            field.spin = new LabelledSpin(QStringLiteral("parameters.") + name, name, m_fieldsBox);
            field.spin->setRange(toInt(p->minimum), toInt(p->maximum));
            field.spin->setSingleStep(toInt(std::max<std::int64_t>(1, p->step)));
            QList<int> choices;
            for (const std::int64_t choice : p->choices)
                choices << toInt(choice);
            field.spin->setChoices(choices);
            field.spin->setMinimumWidth(50);
            field.spin->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
            connect(field.spin, &QSpinBox::valueChanged, this,
                    [this, name](int value) { emit intents()->setParameter(name, value); });
            widget = field.spin;
        }
        widget->setAccessibleName(p->label.empty() ? name : QString::fromStdString(p->label));
        const bool needsHalf = !isSwitch(*p) && name.size() + digits(p->maximum) > kMostInThird;
        const int span = needsHalf ? kUnits / 2 : kUnits / columns;
        if (unit + span > kUnits) {
            ++row;
            unit = 0;
        }
        grid->addWidget(widget, row, first + unit, 1, span);
        unit += span;
        m_fields[key] = field;
    }
    for (int column = first; column < first + kUnits; ++column)
        grid->setColumnStretch(column, 1);
    static_cast<QVBoxLayout*>(m_fieldsBox->layout())->addLayout(grid);
}

void ParametersPane::refresh(const session::ProgramView& program) {
    QStringList problems;
    for (const auto& p : program.parameters) {
        const auto found = m_fields.find(p.name);
        if (found == m_fields.end())
            continue;
        Field& field = found->second;
        // While the user types, only what the field already shows comes back; it must not jump.
        const bool isEditing = field.spin && field.spin->hasFocus();
        if (!isEditing || p.value == field.spin->value()) {
            if (field.spin) {
                const QSignalBlocker blocker(field.spin);
                field.spin->setValue(toInt(p.value));
            } else {
                const QSignalBlocker blocker(field.check);
                field.check->setChecked(p.value != 0);
            }
        }
        field.shown = p.value;
        if (field.spin)
            field.spin->setProblem(!p.problem.empty());
        const QString text = QString::fromStdString(p.problem);
        explain(field.spin ? static_cast<QWidget*>(field.spin) : field.check, p);
        if (!text.isEmpty() && !problems.contains(text))
            problems << text;
    }
    for (const auto& diagnostic : program.diagnostics)
        if (diagnostic.code == "launch" || diagnostic.code == "parameter") {
            QString text = QString::fromStdString(diagnostic.message);
            if (!diagnostic.hint.empty())
                text += QStringLiteral(": ") + QString::fromStdString(diagnostic.hint);
            if (!problems.contains(text) &&
                !std::any_of(problems.begin(), problems.end(),
                             [&](const QString& p) { return text.startsWith(p); }))
                problems << text;
        }
    m_problems->setText(problems.join(QLatin1Char('\n')));
    m_problems->setVisible(!problems.isEmpty());
}

QString ParametersPane::launchSentence() const {
    if (!m_snapshot || !m_snapshot->program)
        return tr("Nothing is open.");
    if (!m_snapshot->run)
        return m_snapshot->busy ? QString::fromStdString(m_snapshot->activity)
                                : tr("Not launched: see Findings.");
    const auto& launch = m_snapshot->run->launch;
    const auto blocks = launch.grid.count(), threads = launch.block.count();
    QString text = tr("Grid %1 = %2 blocks of %3 threads (%4 warps).")
                       .arg(times(launch.grid))
                       .arg(QLocale(QLocale::English).toString(static_cast<qulonglong>(blocks)))
                       .arg(threads)
                       .arg(launch.warpsPerBlock);
    if (blocks == 1)
        text = tr("One block of %1 threads (%2).")
                   .arg(threads)
                   .arg(countedText(launch.warpsPerBlock, tr("%1 warp"), tr("%1 warps")));
    const auto shared = launch.sharedBytes + launch.staticSharedBytes;
    if (shared > 0)
        text += tr(" %1 bytes of shared memory a block.")
                    .arg(QLocale(QLocale::English).toString(static_cast<qulonglong>(shared)));
    if (m_snapshot->run->blocksSimulated < m_snapshot->run->blocksInGrid)
        text += tr(" %1 of %2 blocks simulated.")
                    .arg(m_snapshot->run->blocksSimulated)
                    .arg(m_snapshot->run->blocksInGrid);
    return text;
}

void ParametersPane::resetToDefaults() {
    if (!m_snapshot || !m_snapshot->program)
        return;
    for (const auto& p : m_snapshot->program->parameters)
        if (const auto found = m_fields.find(p.name); found != m_fields.end()) {
            if (found->second.spin)
                found->second.spin->setValue(toInt(p.defaultValue));
            else
                found->second.check->setChecked(p.defaultValue != 0);
        }
}

} // namespace lanescope::views
