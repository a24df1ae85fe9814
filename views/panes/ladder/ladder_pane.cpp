// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/ladder/ladder_pane.h"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include <QAbstractItemView>
#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPushButton>

#include "views/bridge/hardware_store.h"
#include "views/export/canvas.h"
#include "views/export/ladder_data.h"
#include "views/export/painted_pane.h"
#include "views/export/performance_store.h"
#include "views/export/segment_bar.h"
#include "views/export/table_model.h"
#include "views/kit/background.h"
#include "views/kit/paint.h"

namespace lanescope::views {
namespace {

class LadderPane : public PaintedPane {
public:
    LadderPane(Intents* intents, QWidget* parent)
        : PaintedPane(QStringLiteral("ladder"), QStringLiteral("Ladder"), intents, parent), m_store(PerformanceStore::of(intents)), m_hardware(HardwareStore::of(intents)), m_tables(tables()) {
        setMouseTracking(true);
        setMinimumSize(300, 220);
        connect(m_store, &PerformanceStore::changed, this, [this] {
            markSelected();
            showMeasured();
        });
        connect(m_hardware, &HardwareStore::changed, this, [this] { updateControls(); });
    }

    bool isBusy() const override { return m_work.isBusy(); }

    QString context() const override {
        if (m_work.isBusy())
            return QStringLiteral("modelling %1 of %2").arg(m_done).arg(m_of);
        if (m_data.entries.empty())
            return {};
        const bool isMeasured = std::any_of(m_data.entries.begin(), m_data.entries.end(), [](const LadderEntry& e) { return e.measuredFlopsPerSecond > 0; });
        return QStringLiteral("%1, modelled %2%3")
            .arg(QString::fromStdString(m_data.title), m_data.form == session::CodeForm::Compiled ? tr("as compiled") : tr("as written"),
                 isMeasured ? tr(" and measured") : QString());
    }

    QWidget* headerControls() override {
        if (m_choice == nullptr) {
            m_controls = new QWidget;
            auto* row = new QHBoxLayout(m_controls);
            row->setContentsMargins(0, 0, 0, 0);
            row->setSpacing(4);
            auto* forms = new SegmentBar(QStringLiteral("ladder_form"), m_controls);
            forms->setItems({tr("Written"), tr("Compiled")}, 1);
            forms->onChange = [this](int i) {
                m_form = i == 1 ? session::CodeForm::Compiled : session::CodeForm::Written;
                start();
            };
            m_choice = new QComboBox(m_controls);
            m_choice->setObjectName(QStringLiteral("ladder_table"));
            m_choice->setAccessibleName(tr("Which ladder"));
            m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
            m_choice->setMinimumContentsLength(4);
            m_choice->setMaximumWidth(66);
            m_choice->view()->setMinimumWidth(110);
            m_choice->setToolTip(tr("Which ladder"));
            m_choice->setStyleSheet(QStringLiteral("QComboBox { min-height: 18px; max-height: 18px; font-size: 11px; padding: 0 0 0 5px; } QComboBox::drop-down { width: 16px; }"));
            m_measure = new QPushButton(m_controls);
            m_measure->setObjectName(QStringLiteral("ladder_measure"));
            m_measure->setStyleSheet(QStringLiteral("min-height: 16px; max-height: 16px; font-size: 11px; padding: 0 5px; border-radius: 3px;"));
            m_measure->setToolTip(tr("Runs the kernels of this ladder, and cuBLAS where it is there, on this machine's GPU"));
            connect(m_measure, &QAbstractButton::clicked, this, [this] { m_hardware->isRunning() ? m_hardware->cancel() : measure(); });
            row->addWidget(forms);
            row->addWidget(m_choice);
            row->addWidget(m_measure);
            updateControls();
            showTables();
            connect(m_choice, &QComboBox::activated, this, [this](int i) {
                m_table = std::size_t(i);
                start();
            });
        }
        return m_controls;
    }

    /// The table of the GPU that is chosen, where there is one.
    void setSnapshot(const SnapshotPtr& snapshot) override {
        m_store->setSnapshot(snapshot);
        if (!snapshot || !snapshot->run || snapshot->run->deviceId == m_deviceId)
            return;
        m_deviceId = snapshot->run->deviceId;
        const auto found = std::find_if(m_tables.begin(), m_tables.end(), [&](const LadderTable& table) { return table.gpu == m_deviceId && table.id == m_tables[m_table].id; });
        if (found == m_tables.end() || found - m_tables.begin() == std::ptrdiff_t(m_table))
            return;
        m_table = std::size_t(found - m_tables.begin());
        showTables();
        restart();
    }

    QAbstractItemModel* table() override {
        std::vector<QStringList> rows;
        for (const LadderEntry& e : m_data.entries)
            rows.push_back({QString::fromStdString(e.kernel), QString::fromStdString(e.name), e.measuredFlopsPerSecond > 0 ? shortNumber(e.measuredFlopsPerSecond / 1e12) : QString(),
                            e.modelledFlopsPerSecond ? shortNumber(*e.modelledFlopsPerSecond / 1e12) : QString(),
                            e.modelledFlopsPerSecond && e.measuredFlopsPerSecond > 0 ? percent(e.error) : QString(), QString::fromStdString(e.agreement), QString::fromStdString(e.reason)});
        m_model.set({QStringLiteral("kernel"), QStringLiteral("rung"), QStringLiteral("TFLOP/s measured"), QStringLiteral("TFLOP/s modelled"),
                     QStringLiteral("model error"), QStringLiteral("agreement"), QStringLiteral("reason")},
                    std::move(rows));
        return &m_model;
    }

protected:
    void showEvent(QShowEvent* event) override {
        PaintedPane::showEvent(event);
        if (m_data.entries.empty() && !m_work.isBusy())
            start();
    }

    void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas canvas(painter, theme);
        paintLadder(canvas, rect, m_data);
    }

    void paintOverlay(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        if (m_hover && *m_hover < m_data.entries.size())
            drawTip(painter, m_mouse, tipOf(m_data.entries[*m_hover]), rect, theme);
    }

    void mouseMoveEvent(QMouseEvent* event) override {
        m_mouse = event->position();
        m_hover = ladderHit(canvasRect(), m_data, m_mouse);
        update();
    }
    void leaveEvent(QEvent*) override {
        m_hover.reset();
        update();
    }
    void mousePressEvent(QMouseEvent* event) override {
        if (const auto rung = ladderHit(canvasRect(), m_data, event->position()))
            m_store->select(m_data.entries[*rung].kernel);
    }
    void keyPressEvent(QKeyEvent* event) override {
        const int step = event->key() == Qt::Key_Up ? -1 : event->key() == Qt::Key_Down ? 1 : 0;
        if (step == 0 || m_data.entries.empty())
            return Pane::keyPressEvent(event);
        const auto at = std::find_if(m_data.entries.begin(), m_data.entries.end(), [&](const LadderEntry& e) { return e.kernel == m_data.selected; });
        const auto last = std::ptrdiff_t(m_data.entries.size()) - 1;
        const auto now = at == m_data.entries.end() ? -step : at - m_data.entries.begin();
        const LadderEntry& entry = m_data.entries[std::size_t(std::clamp<std::ptrdiff_t>(now + step, 0, last))];
        m_store->select(entry.kernel);
        setAccessibleDescription(tipOf(entry).join(QLatin1Char(' ')));
    }

private:
    static QStringList tipOf(const LadderEntry& e) {
        QStringList lines{QString::fromStdString(e.name + " · " + e.kernel)};
        if (e.measuredFlopsPerSecond > 0)
            lines << QStringLiteral("%1 TFLOP/s measured").arg(shortNumber(e.measuredFlopsPerSecond / 1e12));
        if (e.modelledFlopsPerSecond)
            lines << QStringLiteral("%1 TFLOP/s modelled").arg(shortNumber(*e.modelledFlopsPerSecond / 1e12));
        return lines + wrapped(QString::fromStdString(e.reason)) + wrapped(QString::fromStdString(e.note));
    }

    void markSelected() {
        if (m_data.selected == m_store->selected())
            return;
        m_data.selected = m_store->selected();
        invalidate();
    }

    /// The tables that there are, then ladders of the GPU that is modelled: SGEMM where it has no table but was measured, and those of tensor cores.
    std::vector<LadderTable> tables() const {
        std::vector<LadderTable> out = ladderTables();
        const std::string gpu = m_store->performance()->deviceId;
        const bool hasTable = std::any_of(out.begin(), out.end(), [&](const LadderTable& t) { return t.gpu == gpu; });
        if (!hasTable && !m_store->measuredOn(gpu).points.empty())
            out.push_back({gpu, {}, "sgemm"});
        for (const std::string& id : tensorLadders())
            out.push_back({gpu, {}, id});
        return out;
    }
    static QStringList namesOf(const std::vector<LadderTable>& tables) {
        QStringList names;
        for (const LadderTable& table : tables)
            names << (table.id == "sgemm" ? QString::fromStdString(table.gpu).toUpper().remove(QStringLiteral("RTX-")) : table.id == "tensor" ? tr("Tensor") : tr("bf16"));
        return names;
    }

    void showTables() {
        if (m_choice == nullptr)
            return;
        m_choice->clear();
        m_choice->addItems(namesOf(m_tables));
        m_choice->setCurrentIndex(int(m_table));
    }

    LadderRequest request() const {
        const LadderTable& table = m_tables[m_table];
        return {table.gpu, table.id, m_form, m_store->measuredOn(table.gpu), table.title.empty()};
    }

    /// Points were added, or another GPU is modelled.
    void showMeasured() {
        const std::vector<LadderTable> now = tables();
        const auto isSame = [](const LadderTable& a, const LadderTable& b) { return a.gpu == b.gpu && a.id == b.id; };
        if (!std::equal(now.begin(), now.end(), m_tables.begin(), m_tables.end(), isSame)) {
            const LadderTable shown = m_tables[m_table];
            m_tables = now;
            const auto at = std::find_if(m_tables.begin(), m_tables.end(), [&](const LadderTable& t) { return t.id == shown.id && (t.gpu == shown.gpu || t.id != "sgemm"); });
            m_table = at == m_tables.end() ? 0 : std::size_t(at - m_tables.begin());
            showTables();
            if (!isSame(m_tables[m_table], shown))
                restart();
        }
        if (m_version == m_store->measuredVersion())
            return;
        m_version = m_store->measuredVersion();
        for (auto& [key, known] : m_known)
            known = withMeasured(known, {std::get<0>(key), std::get<1>(key), std::get<2>(key), m_store->measuredOn(std::get<0>(key)), true});
        if (!m_work.isBusy() && !m_data.entries.empty())
            present(withMeasured(m_data, {m_data.gpu, m_data.id, m_data.form, m_store->measuredOn(m_data.gpu), true}));
    }

    void measure() {
        const QString id = QString::fromStdString(m_tables[m_table].id);
        m_hardware->start({{id == QLatin1String("sgemm") ? tr("the ladder") : tr("the tensor ladder"), {}, {QStringLiteral("ladder"), id, QStringLiteral("--run"), QStringLiteral("--progress")}, {}}});
    }

    void updateControls() {
        if (m_measure != nullptr)
            m_measure->setText(m_hardware->isRunning() ? tr("Cancel") : tr("Measure"));
    }

    /// Another ladder: made when it is next in sight.
    void restart() {
        m_work.stop();
        m_data = {};
        if (isVisible())
            start();
    }

    void start() {
        if (m_table >= m_tables.size())
            return;
        m_work.stop(); // waits for one rung at most
        m_data = {};
        const LadderRequest asked = request();
        const auto key = std::tuple(asked.gpu, asked.id, asked.form);
        if (const auto known = m_known.find(key); known != m_known.end()) {
            present(known->second);
            return;
        }
        m_done = m_of = 0;
        m_version = m_store->measuredVersion();
        m_work.start([this, key, asked](const Background::Task& task) {
            auto ladder = modelLadder(asked, &task.cancelled(), [&](std::size_t done, std::size_t of) {
                task.post([this, done, of] {
                    m_done = done;
                    m_of = of;
                    emit contextChanged();
                });
            });
            LadderData result;
            if (ladder)
                result = std::move(*ladder);
            else
                result.problem = toString(ladder.error());
            task.finish([this, key, result] {
                if (!result.entries.empty())
                    m_known[key] = result;
                present(result);
                m_version = 0; // points may have come meanwhile
                showMeasured();
            });
        });
        emit contextChanged();
        invalidate();
    }

    void present(const LadderData& ladder) {
        m_data = ladder;
        m_data.selected = m_store->selected();
        m_hover.reset();
        setAccessibleDescription(context());
        emit contextChanged();
        invalidate();
    }

    PerformanceStore* m_store;
    HardwareStore* m_hardware;
    std::vector<LadderTable> m_tables;
    std::string m_deviceId;
    std::map<std::tuple<std::string, std::string, session::CodeForm>, LadderData> m_known; ///< by GPU, ladder and form: models do not change
    std::size_t m_version = 0; ///< of the measured points that are shown
    session::CodeForm m_form = session::CodeForm::Compiled; ///< what was measured is compiled code
    std::size_t m_table = 0, m_done = 0, m_of = 0;
    LadderData m_data;
    Background m_work{this};
    std::optional<std::size_t> m_hover;
    QPointF m_mouse;
    QWidget* m_controls = nullptr;
    QComboBox* m_choice = nullptr;
    QPushButton* m_measure = nullptr;
    TableModel m_model;
};

} // namespace

Pane* makeLadderPane(Intents* intents, QWidget* parent) {
    return new LadderPane(intents, parent);
}

} // namespace lanescope::views
