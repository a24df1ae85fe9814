// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/runsetup/runsetup_pane.h"

#include <map>

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include "engine/session/simulate.h"
#include "views/bridge/hardware_store.h"
#include "views/export/canvas.h"
#include "views/export/performance_store.h"
#include "views/kit/controls.h"

namespace lanescope::views {
namespace {

constexpr int kIdleMs = 150; ///< after the last change of a number

class RunSetupPane : public Pane {
public:
    RunSetupPane(Intents* intents, QWidget* parent)
        : Pane(QStringLiteral("runsetup"), QStringLiteral("Run setup"), intents, parent),
          m_store(PerformanceStore::of(intents)), m_hardware(HardwareStore::of(intents)) {
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(12, 10, 12, 10);
        layout->setSpacing(7);
        m_gpu = new QComboBox(this);
        m_gpu->setObjectName(QStringLiteral("runsetup_gpu"));
        m_gpu->setAccessibleName(QStringLiteral("GPU"));
        if (const auto devices = chartDevices())
            for (const DeviceEntry& device : *devices)
                m_gpu->addItem(QStringLiteral("%1 · %2 SMs")
                                   .arg(QString::fromStdString(device.name))
                                   .arg(device.sms),
                               QString::fromStdString(device.id));
        layout->addWidget(m_gpu);
        m_sizes = new QGridLayout;
        m_sizes->setHorizontalSpacing(6);
        m_sizes->setVerticalSpacing(7);
        layout->addLayout(m_sizes);
        m_model = new QPushButton(QStringLiteral("Model all"), this);
        m_model->setObjectName(QStringLiteral("runsetup_model"));
        m_model->setProperty("role", "primary");
        m_measure = new QPushButton(this);
        m_measure->setObjectName(QStringLiteral("runsetup_measure"));
        auto* buttons = new QHBoxLayout;
        buttons->setSpacing(6);
        buttons->addWidget(m_model);
        buttons->addWidget(m_measure);
        buttons->addStretch(1);
        layout->addLayout(buttons);
        m_note = new QLabel(this);
        m_note->setWordWrap(true);
        m_note->setObjectName(QStringLiteral("runsetup_note"));
        layout->addWidget(m_note);
        layout->addStretch(1);
        m_idle.setSingleShot(true);
        m_idle.setInterval(kIdleMs);
        connect(&m_idle, &QTimer::timeout, this, [this] { sendSizes(); });
        connect(m_gpu, &QComboBox::activated, this,
                [this](int i) { emit this->intents()->setDevice(m_gpu->itemData(i).toString()); });
        connect(m_model, &QPushButton::clicked, this, [this] {
            sendSizes();
            m_store->modelAll();
        });
        connect(m_measure, &QPushButton::clicked, this, [this] { m_hardware->isRunning() ? m_hardware->cancel() : measureAll(); });
        connect(m_store, &PerformanceStore::changed, this, [this] { showNote(); });
        connect(m_hardware, &HardwareStore::changed, this, [this] { showNote(); });
        showNote();
    }

    void setSnapshot(const SnapshotPtr& snapshot) override {
        m_store->setSnapshot(snapshot);
        if (!snapshot)
            return;
        if (snapshot->run != m_run) { // it comes after its program
            m_run = snapshot->run;
            if (const int i = m_run ? m_gpu->findData(QString::fromStdString(m_run->deviceId)) : -1; i >= 0)
                m_gpu->setCurrentIndex(i);
        }
        if (snapshot->program == m_program)
            return;
        m_program = snapshot->program;
        showSizes();
    }

private:
    void showSizes() {
        std::map<QString, LabelledSpin*> kept;
        if (m_program)
            for (const session::ParameterView& p : m_program->parameters) {
                if (!p.isProblem)
                    continue;
                const QString name = QString::fromStdString(p.name);
                LabelledSpin*& spin = kept[name];
                const auto at = m_spins.find(name);
                if (at != m_spins.end()) {
                    spin = at->second;
                    m_spins.erase(at);
                } else {
                    spin = new LabelledSpin(QStringLiteral("runsetup_") + name, name, this);
                    connect(spin, &QSpinBox::valueChanged, this, [this] { m_idle.start(); });
                }
                const QSignalBlocker quiet(spin);
                const int value = int(m_store->size(p.name, p.value));
                spin->setRange(int(p.minimum), int(std::min<std::int64_t>(p.maximum, 1 << 30)));
                spin->setSingleStep(int(std::max<std::int64_t>(1, p.step)));
                if (!spin->hasFocus() || spin->value() == m_sent[name])
                    spin->setValue(value); // what is being typed stays
                m_sent[name] = value;
                spin->setToolTip(QString::fromStdString(p.help));
            }
        for (const auto& [name, spin] : m_spins)
            spin->deleteLater();
        m_spins = std::move(kept);
        int i = 0; // in the order of the program, not of the alphabet
        if (m_program)
            for (const session::ParameterView& p : m_program->parameters)
                if (const auto at = m_spins.find(QString::fromStdString(p.name));
                    at != m_spins.end()) {
                    m_sizes->addWidget(at->second, i / 3, i % 3);
                    at->second->show();
                    ++i;
                }
    }

    void sendSizes() {
        m_idle.stop();
        for (const auto& [name, spin] : m_spins)
            if (spin->value() != m_sent[name]) {
                m_sent[name] = spin->value();
                m_store->setSize(name.toStdString(), spin->value());
            }
    }

    /// Every kernel of the charts, at the sizes and with the tile that they model.
    void measureAll() {
        sendSizes();
        const auto kernels = session::builtInKernels();
        std::vector<GpuJob> jobs;
        for (const KernelEntry& entry : m_store->performance()->kernels) {
            const catalog::Kernel* kernel = kernels ? catalog::findKernel(**kernels, entry.point.id) : nullptr;
            if (kernel == nullptr)
                continue;
            std::map<std::string, std::int64_t> values = m_store->valuesOf(kernel->id);
            std::erase_if(values, [&](const auto& value) { return kernel->findParameter(value.first) == nullptr; });
            jobs.push_back(runJob(QString::fromStdString(kernel->id), values));
        }
        m_hardware->start(std::move(jobs));
    }

    void showNote() {
        const auto shown = m_store->performance();
        m_model->setEnabled(!m_store->isBusy());
        m_measure->setText(m_hardware->isRunning() ? tr("Cancel") : tr("Measure all"));
        m_measure->setToolTip(m_hardware->isRunning() ? QString() : tr("Runs every kernel on this machine's GPU, each in a process of its own"));
        QString text;
        if (m_hardware->isRunning())
            text = m_hardware->activity() + QStringLiteral(" …");
        else if (m_store->isBusy())
            text = QStringLiteral("Modelling …");
        else if (!shown->error.empty())
            text = QString::fromStdString(shown->error);
        else
            text = QStringLiteral("%1 modelled on %2 from sampled blocks. %3")
                       .arg(counted(qint64(shown->kernels.size()), QStringLiteral("kernel")),
                            QString::fromStdString(shown->gpu), measuredText(*shown));
        if (!m_hardware->isRunning() && !m_hardware->note().isEmpty())
            text += QLatin1Char('\n') + m_hardware->note();
        for (const std::string& note : shown->roofline.notes)
            text += '\n' + QString::fromStdString(note);
        m_note->setText(text);
        setAccessibleDescription(text);
    }

    static QString measuredText(const Performance& shown) {
        qint64 count = 0;
        for (const KernelPoint& point : shown.roofline.points)
            count += point.measuredFlopsPerSecond ? 1 : 0;
        return count == 0 ? tr("Nothing is measured.") : tr("%1 measured.").arg(count);
    }

    PerformanceStore* m_store;
    HardwareStore* m_hardware;
    QComboBox* m_gpu;
    QGridLayout* m_sizes;
    QPushButton *m_model, *m_measure;
    QLabel* m_note;
    std::map<QString, LabelledSpin*> m_spins;
    std::map<QString, int> m_sent;
    std::shared_ptr<const session::ProgramView> m_program;
    decltype(session::Snapshot::run) m_run;
    QTimer m_idle;
};

} // namespace

Pane* makeRunSetupPane(Intents* intents, QWidget* parent) {
    return new RunSetupPane(intents, parent);
}

} // namespace lanescope::views
