// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/chart_documents.h"

#include <algorithm>

#include <QPainter>

#include "views/export/canvas.h"
#include "views/export/charts.h"

namespace lanescope::views {

namespace {

QString number(double v) {
    return QString::number(v, 'g', 10);
}

QString str(const std::string& s) {
    return QString::fromStdString(s);
}

const char* levelName(int level) {
    constexpr const char* names[] = {"l1_and_shared", "l2", "dram"};
    return names[level];
}

} // namespace

Json documentHead(const char* chart, const std::string& gpu) {
    Json json;
    json["program"] = "lanescope";
    json["chart"] = chart;
    json["basis"] = "modelled";
    json["gpu"] = gpu;
    return json;
}

QString modelledCaption(const std::string& gpu, const std::string& kernel) {
    QString text = QStringLiteral("Modelled, ") + str(gpu);
    if (!kernel.empty())
        text += QStringLiteral(" · ") + str(kernel);
    return text;
}

Document rooflineDocument(const RooflineData& data, MemoryLevel axis) {
    Document d;
    d.title = QStringLiteral("Roofline");
    d.gpu = str(data.gpu);
    d.caption = modelledCaption(data.gpu);
    d.paint = [&data, axis](QPainter& painter, const QRectF& rect, const Theme& theme) {
        Canvas canvas(painter, theme);
        paintRoofline(canvas, rect, data, axis);
    };
    d.columns = {QStringLiteral("kind"),
                 QStringLiteral("id"),
                 QStringLiteral("title"),
                 QStringLiteral("flop_per_byte_l1_and_shared"),
                 QStringLiteral("flop_per_byte_l2"),
                 QStringLiteral("flop_per_byte_dram"),
                 QStringLiteral("flops_per_s"),
                 QStringLiteral("bytes_per_s"),
                 QStringLiteral("time_s"),
                 QStringLiteral("bound_by")};
    const bool isMeasured = std::any_of(data.points.begin(), data.points.end(), [](const KernelPoint& p) { return p.measuredFlopsPerSecond.has_value(); });
    if (isMeasured) {
        d.basis = QStringLiteral("modelled and measured");
        d.caption.replace(QStringLiteral("Modelled"), QStringLiteral("Modelled and measured"));
        d.columns << QStringLiteral("measured_flops_per_s") << QStringLiteral("model_error");
    }
    d.json = documentHead("roofline", data.gpu);
    d.json["basis"] = d.basis.toStdString();
    Json roofs = Json::array(), points = Json::array();
    for (const ComputeRoof& roof : data.compute) {
        d.rows.push_back({QStringLiteral("roof"),
                          str(roof.label),
                          {},
                          {},
                          {},
                          {},
                          number(roof.flopsPerSecond),
                          {},
                          {},
                          {}});
        roofs.push_back({{"name", roof.label}, {"flops_per_s", roof.flopsPerSecond}});
    }
    for (const MemoryRoof& roof : data.memory) {
        d.rows.push_back({QStringLiteral("roof"),
                          str(roof.label),
                          {},
                          {},
                          {},
                          {},
                          {},
                          number(roof.bytesPerSecond),
                          {},
                          {}});
        roofs.push_back({{"name", roof.label},
                         {"level", levelName(int(roof.level))},
                         {"bytes_per_s", roof.bytesPerSecond}});
    }
    for (const KernelPoint& p : data.points) {
        QStringList row{QStringLiteral("kernel"), str(p.id), str(p.title)};
        Json point{{"kernel", p.id}, {"title", p.title}};
        Json intensity = Json::object();
        for (std::size_t i = 0; i < p.intensity.size(); ++i) {
            row += p.intensity[i] ? number(*p.intensity[i]) : QString();
            if (p.intensity[i])
                intensity[levelName(int(i))] = *p.intensity[i];
        }
        row += number(p.flopsPerSecond);
        row += QString();
        row += number(p.seconds);
        row += str(p.boundBy);
        if (isMeasured)
            row << (p.measuredFlopsPerSecond ? number(*p.measuredFlopsPerSecond) : QString()) << (p.modelError() ? number(*p.modelError()) : QString());
        d.rows.push_back(row);
        point["flop_per_byte"] = intensity;
        point["flops_per_s"] = p.flopsPerSecond;
        point["time_s"] = p.seconds;
        point["bound_by"] = p.boundBy;
        if (p.measuredFlopsPerSecond)
            point["measured_flops_per_s"] = *p.measuredFlopsPerSecond;
        if (p.modelError())
            point["model_error"] = *p.modelError();
        if (!p.measuredNote.empty())
            point["measured_note"] = p.measuredNote;
        points.push_back(std::move(point));
    }
    if (isMeasured)
        for (QStringList& row : d.rows)
            while (row.size() < d.columns.size())
                row << QString();
    d.json["roofs"] = std::move(roofs);
    d.json["points"] = std::move(points);
    if (!data.notes.empty())
        d.json["notes"] = data.notes;
    return d;
}

Document occupancyDocument(const OccupancyData& data, int curve) {
    Document d;
    d.title = QStringLiteral("Occupancy");
    d.gpu = str(data.gpu);
    d.caption = modelledCaption(data.gpu, data.kernel);
    if (data.problem.empty())
        d.caption +=
            QStringLiteral(": %1 per SM, %2")
                .arg(counted(data.blocksPerSm, QStringLiteral("block")), percent(data.occupancy));
    d.paint = [&data, curve](QPainter& painter, const QRectF& rect, const Theme& theme) {
        Canvas canvas(painter, theme);
        paintOccupancy(canvas, rect, data, curve);
    };
    d.columns = {QStringLiteral("kind"),      QStringLiteral("name"),
                 QStringLiteral("x"),         QStringLiteral("blocks_per_sm"),
                 QStringLiteral("occupancy"), QStringLiteral("limiter"),
                 QStringLiteral("detail")};
    d.json = documentHead("occupancy", data.gpu);
    d.json["kernel"] = data.kernel;
    d.json["threads"] = data.threads;
    d.json["registers_per_thread"] = data.registers;
    d.json["shared_bytes"] = data.sharedBytes;
    if (!data.problem.empty()) {
        d.json["problem"] = data.problem;
        return d;
    }
    d.json["blocks_per_sm"] = data.blocksPerSm;
    d.json["warps_per_sm"] = data.warpsPerSm;
    d.json["occupancy"] = data.occupancy;
    d.rows.push_back({QStringLiteral("result"),
                      str(data.kernel),
                      {},
                      QString::number(data.blocksPerSm),
                      number(data.occupancy),
                      {},
                      {}});
    Json limits = Json::array(), curves = Json::array();
    for (const OccupancyLimit& limit : data.limits) {
        d.rows.push_back({QStringLiteral("limit"),
                          str(limit.name),
                          {},
                          limit.blocks ? QString::number(*limit.blocks) : QString(),
                          {},
                          limit.isLimiter ? QStringLiteral("yes") : QStringLiteral("no"),
                          str(limit.detail)});
        limits.push_back({{"name", limit.name},
                          {"blocks", limit.blocks ? Json(*limit.blocks) : Json()},
                          {"limiter", limit.isLimiter},
                          {"detail", limit.detail}});
    }
    for (const OccupancyCurveData& c : data.curves) {
        for (std::size_t i = 0; i < c.x.size(); ++i)
            d.rows.push_back({QStringLiteral("curve"),
                              str(c.unit),
                              number(c.x[i]),
                              QString::number(c.blocks[i]),
                              number(c.occupancy[i]),
                              {},
                              {}});
        curves.push_back({{"over", c.axis},
                          {"unit", c.unit},
                          {"current", c.currentX},
                          {"x", c.x},
                          {"blocks_per_sm", c.blocks},
                          {"occupancy", c.occupancy}});
    }
    d.json["limits"] = std::move(limits);
    d.json["curves"] = std::move(curves);
    return d;
}

Document wavesDocument(const WavesData& data) {
    Document d;
    d.title = QStringLiteral("Waves");
    d.gpu = str(data.gpu);
    d.caption = modelledCaption(data.gpu, data.kernel);
    d.paint = [&data](QPainter& painter, const QRectF& rect, const Theme& theme) {
        Canvas canvas(painter, theme);
        paintWaves(canvas, rect, data);
    };
    d.columns = {QStringLiteral("on"),        QStringLiteral("blocks"),
                 QStringLiteral("sms"),       QStringLiteral("blocks_per_sm"),
                 QStringLiteral("waves"),     QStringLiteral("tail_blocks"),
                 QStringLiteral("slots_used")};
    d.json = documentHead("waves", data.gpu);
    d.json["kernel"] = data.kernel;
    if (!data.problem.empty()) {
        d.json["problem"] = data.problem;
        return d;
    }
    d.json["blocks"] = data.blocks;
    Json rows = Json::array();
    for (const WavesRow& r : data.rows) {
        d.rows.push_back({str(r.gpu), QString::number(data.blocks), QString::number(r.sms),
                          QString::number(r.blocksPerSm), QString::number(r.waves),
                          QString::number(r.tailBlocks), number(r.slotsUsed)});
        rows.push_back({{"gpu", r.gpu},
                        {"sms", r.sms},
                        {"blocks_per_sm", r.blocksPerSm},
                        {"waves", r.waves},
                        {"tail_blocks", r.tailBlocks},
                        {"slots_used", r.slotsUsed}});
    }
    d.json["gpus"] = std::move(rows);
    return d;
}

Document ladderDocument(const LadderData& data) {
    Document d;
    d.title = QStringLiteral("Ladder");
    d.gpu = str(data.gpu);
    d.basis = QStringLiteral("modelled and measured");
    d.caption = QStringLiteral("Modelled and measured, ") + str(data.title);
    d.paint = [&data](QPainter& painter, const QRectF& rect, const Theme& theme) {
        Canvas canvas(painter, theme);
        paintLadder(canvas, rect, data);
    };
    d.columns = {QStringLiteral("kernel"),
                 QStringLiteral("rung"),
                 QStringLiteral("measured_flops_per_s"),
                 QStringLiteral("modelled_flops_per_s"),
                 QStringLiteral("model_error"),
                 QStringLiteral("agreement"),
                 QStringLiteral("reason")};
    d.json = documentHead("ladder", data.gpu);
    d.json["basis"] = d.basis.toStdString();
    d.json["source"] = data.source;
    Json rungs = Json::array();
    for (const LadderEntry& e : data.entries) {
        const bool isModelled = e.modelledFlopsPerSecond.has_value();
        const bool isMeasured = e.measuredFlopsPerSecond > 0;
        d.rows.push_back({str(e.kernel), str(e.name), isMeasured ? number(e.measuredFlopsPerSecond) : QString(),
                          isModelled ? number(*e.modelledFlopsPerSecond) : QString(),
                          isModelled && isMeasured ? number(e.error) : QString(), str(e.agreement),
                          str(e.reason)});
        Json rung{{"kernel", e.kernel}, {"name", e.name}};
        if (isMeasured)
            rung["measured_flops_per_s"] = e.measuredFlopsPerSecond;
        rung["agreement"] = e.agreement;
        rung["reason"] = e.reason;
        if (isModelled)
            rung["modelled_flops_per_s"] = *e.modelledFlopsPerSecond;
        if (isModelled && isMeasured)
            rung["model_error"] = e.error;
        rungs.push_back(std::move(rung));
    }
    d.json["rungs"] = std::move(rungs);
    return d;
}

Document sweepDocument(const SweepData& data, SweepMeasure measure) {
    Document d;
    d.title = QStringLiteral("Tile sweep");
    d.gpu = str(data.gpu);
    d.caption = modelledCaption(data.gpu, data.kernel);
    d.paint = [&data, measure](QPainter& painter, const QRectF& rect, const Theme& theme) {
        Canvas canvas(painter, theme);
        paintSweep(canvas, rect, data, measure);
    };
    d.columns = {str(data.x.name),
                 data.y.name.empty() ? QStringLiteral("row") : str(data.y.name),
                 QStringLiteral("flops_per_s"),
                 QStringLiteral("occupancy"),
                 QStringLiteral("wavefronts_per_1000_fma"),
                 QStringLiteral("registers_per_thread"),
                 QStringLiteral("bound_by"),
                 QStringLiteral("problem")};
    const bool isMeasured = data.hasMeasured();
    if (isMeasured) {
        d.basis = QStringLiteral("modelled and measured");
        d.caption.replace(QStringLiteral("Modelled"), QStringLiteral("Modelled and measured"));
        d.columns << QStringLiteral("measured_flops_per_s") << QStringLiteral("model_error") << QStringLiteral("driver_registers");
    }
    d.json = documentHead("sweep", data.gpu);
    d.json["basis"] = d.basis.toStdString();
    d.json["kernel"] = data.kernel;
    if (!data.problem.empty()) {
        d.json["problem"] = data.problem;
        return d;
    }
    d.json["over"] = {{data.x.name, data.x.values}};
    if (!data.y.name.empty())
        d.json["over"][data.y.name] = data.y.values;
    d.json["parameters"] = data.fixed;
    Json cells = Json::array();
    for (std::size_t i = 0; i < data.cells.size(); ++i) {
        const SweepCell& cell = data.cells[i];
        const bool isDone = cell.state == SweepCell::State::Done;
        const auto value = [&](double v) { return isDone ? number(v) : QString(); };
        d.rows.push_back({QString::number(data.x.values[i % data.columns()]),
                          QString::number(data.y.values[i / data.columns()]),
                          value(cell.flopsPerSecond), value(cell.occupancy),
                          value(cell.wavefronts), value(cell.registers), str(cell.boundBy),
                          str(cell.problem)});
        if (isMeasured)
            d.rows.back() << (cell.measuredFlopsPerSecond ? number(*cell.measuredFlopsPerSecond) : QString()) << (cell.modelError() ? number(*cell.modelError()) : QString())
                          << (cell.driverRegisters ? QString::number(*cell.driverRegisters) : QString());
        Json one{{data.x.name, data.x.values[i % data.columns()]}};
        if (!data.y.name.empty())
            one[data.y.name] = data.y.values[i / data.columns()];
        if (isDone) {
            one["flops_per_s"] = cell.flopsPerSecond;
            one["occupancy"] = cell.occupancy;
            one["wavefronts_per_1000_fma"] = cell.wavefronts;
            one["registers_per_thread"] = cell.registers;
            one["bound_by"] = cell.boundBy;
            if (cell.measuredFlopsPerSecond)
                one["measured_flops_per_s"] = *cell.measuredFlopsPerSecond;
            if (cell.modelError())
                one["model_error"] = *cell.modelError();
            if (cell.driverRegisters)
                one["driver_registers"] = *cell.driverRegisters;
        } else {
            one["problem"] = cell.problem;
        }
        cells.push_back(std::move(one));
    }
    d.json["cells"] = std::move(cells);
    return d;
}

} // namespace lanescope::views
