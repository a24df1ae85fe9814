// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/map/map_pane.h"

#include <QHBoxLayout>

#include "views/export/canvas.h"
#include "views/export/lane_pane.h"
#include "views/export/segment_bar.h"
#include "views/export/table_model.h"
#include "views/panes/map/map_paint.h"

namespace lanescope::views {
namespace {

class MapPane : public LanePane {
public:
    MapPane(Intents* intents, QWidget* parent)
        : LanePane(QStringLiteral("map"), QStringLiteral("Thread to address map"), intents,
                   parent) {}

    QWidget* headerControls() override {
        if (m_controls != nullptr)
            return m_controls;
        m_controls = new QWidget;
        auto* layout = new QHBoxLayout(m_controls);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(8);
        m_accessBar = new SegmentBar(QStringLiteral("map_access"), m_controls);
        m_accessBar->onChange = [this](int i) {
            m_all = i == int(m_names.size());
            m_wanted = m_all ? QString() : m_names.value(i);
            rebuild();
            invalidate();
        };
        m_formatBar = new SegmentBar(QStringLiteral("map_format"), m_controls);
        m_formatBar->setItems({QStringLiteral("Hex"), QStringLiteral("Index")}, 0);
        m_formatBar->onChange = [this](int i) {
            m_options.index = i == 1;
            rebuild();
            invalidate();
        };
        layout->addWidget(m_accessBar);
        layout->addWidget(m_formatBar);
        updateBar();
        return m_controls;
    }

    QAbstractItemModel* table() override {
        fillTable();
        return &m_table;
    }

protected:
    void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas canvas(painter, theme);
        paintMap(canvas, sceneFor(rect), frame());
    }

    int laneAt(QPointF at) override { return sceneFor(rect()).laneAt(at, frame()); }

    QPointF markLane(Canvas& canvas, const QRectF& rect, int lane) override {
        return paintMapLane(canvas, sceneFor(rect), frame(), lane);
    }

    QStringList laneTip(int lane) override { return laneDetails(m_scene, frame(), lane); }
    QString laneDistance(int first, int second) override {
        return laneDistanceText(m_scene, frame(), first, second);
    }
    QRectF tipBounds(const QRectF& rect) override { return sceneFor(rect).body; }
    void refreshed() override {
        remember();
        rebuild();
    }

private:
    const MapScene& sceneFor(const QRectF& rect) {
        if (m_scene.rect != rect || !m_sceneValid) {
            m_scene = makeMapScene(snapshot().get(), m_options, rect);
            m_sceneValid = true;
        }
        return m_scene;
    }

    /// Keeps what the last line with global memory cost, to set it beside the next one's.
    void remember() {
        const auto program = snapshot() ? snapshot()->program : nullptr;
        if (program != m_program) {
            m_program = program;
            m_last.reset();
            m_before.reset();
            m_options.compared.reset();
        }
        const session::StepFigures figures = session::stepFigures(frame());
        if (!program || !frame().hasStep || frame().pc >= program->instructions.size() ||
            !figures.hasGlobal)
            return;
        const std::uint32_t line = program->instructions[frame().pc].cudaLine;
        if (m_last && m_last->line != line)
            m_before = m_last;
        m_last = MapLine{line, figures};
        m_options.compared.reset();
        if (m_before && line != 0 && m_before->line != 0)
            m_options.compared = m_before->line < line ? std::array{*m_before, *m_last}
                                                       : std::array{*m_last, *m_before};
    }

    void updateBar() {
        if (m_accessBar == nullptr)
            return;
        QStringList items = m_names;
        if (items.size() > 1)
            items += items.size() == 2 ? QStringLiteral("Both") : QStringLiteral("All");
        m_accessBar->setItems(items,
                              m_options.access < 0 ? int(items.size()) - 1 : m_options.access);
    }

    void rebuild() {
        m_sceneValid = false;
        // The choice follows the access's name from step to step.
        const MapScene all = makeMapScene(snapshot().get(), {}, QRectF(0, 0, 600, 400));
        m_names.clear();
        m_options.access = -1;
        for (const MapAccess& access : all.accesses) {
            if (!m_all && access.name == m_wanted)
                m_options.access = int(m_names.size());
            m_names += access.name;
        }
        updateBar();
        setContext(contextText());
        setAccessibleDescription(QString::fromStdString(frame().sentence));
        m_tableDirty = true;
    }

    QString contextText() const {
        if (!snapshot() || !snapshot()->trace || !snapshot()->program)
            return {};
        const session::FrameView& f = frame();
        QString text = QStringLiteral("warp %1").arg(f.warp);
        if (f.hasStep && f.pc < snapshot()->program->instructions.size()) {
            const auto& instruction = snapshot()->program->instructions[f.pc];
            text += instruction.cudaLine != 0
                        ? QStringLiteral(" · line %1").arg(instruction.cudaLine)
                        : QStringLiteral(" · PTX line %1").arg(instruction.writtenLine);
            text += QStringLiteral(" · time %1").arg(f.iteration + 1);
        }
        return text;
    }

    void fillTable() {
        if (!m_tableDirty)
            return;
        m_tableDirty = false;
        std::vector<QStringList> rows;
        const MapScene all = makeMapScene(snapshot().get(), {}, QRectF(0, 0, 600, 400));
        for (const MapAccess& a : all.accesses) {
            const session::AccessView& view = frame().accesses[std::size_t(a.source)];
            forEachLane(view.active, [&](int lane) {
                const std::uint64_t address = view.addresses[std::size_t(lane)];
                rows.push_back(
                    {a.name, QString::number(lane), addressText(view, address, true),
                     QStringLiteral("0x") + QString::number(address, 16),
                     QStringLiteral("0x") + QString::number(address / kLineBytes * kLineBytes, 16),
                     QString::number(address % kLineBytes / kSectorBytes),
                     QString::number(address % kSectorBytes), QString::number(view.bytesPerLane),
                     QString::fromStdString(view.values[std::size_t(lane)])});
            });
        }
        m_table.set({QStringLiteral("access"), QStringLiteral("lane"), QStringLiteral("element"),
                     QStringLiteral("address"), QStringLiteral("line"), QStringLiteral("sector"),
                     QStringLiteral("byte in sector"), QStringLiteral("bytes"),
                     QStringLiteral("value")},
                    std::move(rows));
    }

    std::shared_ptr<const session::ProgramView> m_program;
    std::optional<MapLine> m_last, m_before; ///< lines with global memory
    MapOptions m_options;
    MapScene m_scene;
    bool m_sceneValid = false;
    bool m_all = true;
    QString m_wanted;
    QStringList m_names;
    QWidget* m_controls = nullptr;
    SegmentBar* m_accessBar = nullptr;
    SegmentBar* m_formatBar = nullptr;
    TableModel m_table;
    bool m_tableDirty = true;
};

} // namespace

Pane* makeMapPane(Intents* intents, QWidget* parent) {
    return new MapPane(intents, parent);
}

} // namespace lanescope::views
