// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/model_answers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/device/device.h"
#include "engine/model/launch_order.h"
#include "engine/model/launch_overhead.h"
#include "engine/model/littles_law.h"
#include "engine/model/occupancy.h"
#include "engine/model/roofline.h"
#include "engine/model/scaling.h"
#include "engine/model/waves.h"
#include "engine/session/explanation_json.h"
#include "engine/session/model_reader.h"

namespace lanescope::session {

using Json = nlohmann::ordered_json;
using Reader = ModelReader;

namespace {

Result<ModelAnswer> occupancyAnswer(Reader& read) {
    const Result<device::Device> device = read.device();
    if (!device)
        return failure(device.error());
    // What is a number but no launch is for the model to refuse; it knows the GPU's limits.
    model::OccupancyInput input;
    input.threads = read.wholeInt("threads", 1);
    input.registersPerThread = read.wholeInt("regs", 0);
    input.dynamicSharedBytes = read.wholeInt("shared", 0);
    input.barriers = static_cast<int>(read.whole("barriers", 0, 16));
    if (!read.errors().empty())
        return failure(read.errors());
    const Result<model::Occupancy> o = model::occupancy(*device, input);
    if (!o)
        return failure(o.error());
    const auto optional = [](const std::optional<int>& v) { return v ? Json(*v) : Json(); };
    Json explanations = Json::array();
    for (const model::Explanation& e : o->explanations)
        explanations.push_back(explanationJson(e));
    Json json = gpuJson(*device);
    json.update(Json{{"blocks_per_sm", o->blocksPerSm},
                     {"warps_per_sm", o->warpsPerSm},
                     {"occupancy", o->occupancy},
                     {"limits",
                      {{"warps", o->limits.warps},
                       {"blocks", o->limits.blocks},
                       {"registers", optional(o->limits.registers)},
                       {"shared", optional(o->limits.shared)}}},
                     {"limiter", o->limiterNames()},
                     {"allocated",
                      {{"registers_per_block", o->registersAllocated},
                       {"shared_bytes_per_block", o->sharedAllocated},
                       {"threads_per_block", o->lanesAllocated}}},
                     {"requested",
                      {{"registers_per_block", o->registersRequested},
                       {"shared_bytes_per_block", o->sharedRequested},
                       {"threads_per_block", o->lanesRequested}}},
                     {"explanations", explanations}});
    const auto text = [](const std::optional<int>& v) {
        return v ? std::to_string(*v) : std::string("no limit");
    };
    return answerOf(
        json,
        fmt::format("{}: {} blocks an SM, {} of {} warps, occupancy {:.1f}%\n"
                    "limits    warps {}, blocks {}, registers {}, shared memory {}\n"
                    "limiter   {}\n"
                    "a block   asks for {} registers and gets {}, asks for {} bytes of shared "
                    "memory and gets {}\n",
                    device->name, o->blocksPerSm, o->warpsPerSm, device->limits.warpsPerSm(),
                    100 * o->occupancy, o->limits.warps, o->limits.blocks,
                    text(o->limits.registers), text(o->limits.shared), o->limiterNames(),
                    o->registersRequested, o->registersAllocated, o->sharedRequested,
                    o->sharedAllocated));
}

Result<ModelAnswer> wavesAnswer(Reader& read) {
    const Result<device::Device> device = read.device();
    if (!device)
        return failure(device.error());
    const auto sms = device->value("sm_count");
    if (!sms)
        return failure("device", fmt::format("{} has no number of SMs", device->name), {},
                       "name a GPU: `lanescope devices` lists them");
    const auto smCount = static_cast<std::int64_t>(*sms);
    const std::int64_t perSm = read.whole("blocks-per-sm", 1, 1024);
    model::TileWaves tiles;
    if (read.has("m") || read.has("n")) {
        const model::TiledMatmul matmul{read.whole("m", 1), read.whole("n", 1),
                                        read.whole("bm", 1), read.whole("bn", 1),
                                        read.whole("split-k", 1)};
        if (read.has("blocks"))
            read.add("--blocks is given beside --m and --n", "give either");
        if (!read.errors().empty())
            return failure(read.errors());
        Result<model::TileWaves> t = model::tileWaves(matmul, smCount, perSm);
        if (!t)
            return failure(t.error());
        tiles = std::move(*t);
    } else {
        const std::int64_t blocks = read.whole("blocks", 1, INT64_MAX / 2);
        if (!read.errors().empty())
            return failure(read.errors());
        Result<model::Waves> w = model::waves(blocks, smCount, perSm);
        if (!w)
            return failure(w.error());
        tiles.waves = std::move(*w);
    }
    const model::Waves& w = tiles.waves;
    Json json = gpuJson(*device);
    json.update(Json{{"blocks", w.blocks},
                     {"sms", w.sms},
                     {"blocks_per_sm", w.blocksPerSm},
                     {"capacity", w.capacity},
                     {"waves", w.waves},
                     {"full_waves", w.fullWaves},
                     {"tail_blocks", w.tailBlocks},
                     {"idle_sms_in_tail", w.idleSmsInTail},
                     {"slots_used", w.slotsUsed}});
    if (tiles.reuse > 0)
        json["fma_per_element_read"] = tiles.reuse;
    json["explanations"] = explanationsJson({&w.explanation});
    return answerOf(
        json, fmt::format("{} blocks on {} SMs, {} an SM: {} wave{}, the last of {} blocks; {:.1f}% "
                          "of the slots used\n",
                          w.blocks, w.sms, w.blocksPerSm, w.waves, w.waves == 1 ? "" : "s",
                          w.tailBlocks == 0 ? w.capacity : w.tailBlocks, 100 * w.slotsUsed));
}

Result<ModelAnswer> latencyAnswer(Reader& read) {
    const Result<device::Device> device = read.device();
    if (!device)
        return failure(device.error());
    model::LatencyInput input;
    const double most = device->limits.warpsPerSm();
    input.warpsPerSm = read.has("warps") ? read.number("warps") : most;
    input.bytesPerLane = read.number("bytes");
    input.activeLanes = read.number("lanes");
    input.requestsPerWarp = read.number("requests");
    input.latencyNanoseconds = read.optionalNumber("latency");
    input.bandwidth = read.optionalNumber("bandwidth");
    if (!read.errors().empty())
        return failure(read.errors());
    const Result<model::LatencyHiding> h = model::latencyHiding(*device, input);
    if (!h)
        return failure(h.error());
    Json json = gpuJson(*device);
    json.update(Json{{"bandwidth_per_sm_gb_s", h->bandwidthPerSm},
                     {"latency_ns", h->latencyNanoseconds},
                     {"bytes_needed", h->bytesNeeded},
                     {"bytes_per_request", h->bytesPerRequest},
                     {"bytes_in_flight", h->bytesInFlight},
                     {"share", h->share},
                     {"occupancy", h->occupancy},
                     {"warps_needed", h->warpsNeeded},
                     {"occupancy_needed", h->occupancyNeeded},
                     {"requests_needed", h->requestsNeeded},
                     {"explanations", explanationsJson({&h->needed, &h->reached})}});
    return answerOf(
        json,
        fmt::format(
            "{}: an SM's share is {:.1f} GB/s; {:.0f} ns of latency need {:.1f} KB in flight\n"
            "{:.0f} warps x {:.4g} requests x {:.0f} bytes = {:.1f} KB in flight: {:.0f}% of the "
            "bandwidth at {:.0f}% occupancy\n"
            "for all of it: {:.0f} warps{}, or {:.0f} requests a warp\n",
            device->name, h->bandwidthPerSm, h->latencyNanoseconds, 1e-3 * h->bytesNeeded,
            input.warpsPerSm, input.requestsPerWarp, h->bytesPerRequest, 1e-3 * h->bytesInFlight,
            100 * h->share, 100 * h->occupancy, h->warpsNeeded,
            h->occupancyNeeded > 1 ? fmt::format(" (an SM holds {:.0f})", most) : std::string(),
            h->requestsNeeded));
}

Result<ModelAnswer> launchAnswer(Reader& read) {
    const Result<device::Device> device = read.device();
    if (!device)
        return failure(device.error());
    model::DecodeStep step;
    step.parameters = read.number("parameters");
    step.layers = read.number("layers");
    step.keyValueHeads = read.number("kv-heads");
    step.headSize = read.number("head-size");
    step.context = read.number("context");
    step.batch = read.number("batch");
    step.kernelsPerLayer = read.number("kernels-per-layer");
    step.otherKernels = read.number("other-kernels");
    const std::optional<double> kernels = read.optionalNumber("kernels");
    const std::optional<double> work = read.optionalNumber("work-ms");
    const std::optional<double> overhead = read.optionalNumber("overhead-us");
    const auto way = read.flag("graph") ? model::LaunchWay::Graph : model::LaunchWay::Stream;
    if (!read.errors().empty())
        return failure(read.errors());
    const Result<model::DecodeWork> decode = model::decodeWork(*device, step);
    if (!decode)
        return failure(decode.error());
    const Result<model::LaunchOverhead> l = model::launchOverhead(
        *device, kernels.value_or(decode->kernels), work ? *work * 1e-3 : decode->seconds, way,
        overhead);
    if (!l)
        return failure(l.error());
    Json json = gpuJson(*device);
    json.update(Json{{"kernels", l->kernels},
                     {"work_s", l->workSeconds},
                     {"overhead_s", l->overheadSeconds},
                     {"launches_s", l->launchSeconds},
                     {"serial_s", l->serialSeconds},
                     {"overlapped_s", l->overlappedSeconds},
                     {"serial_share", l->serialShare},
                     {"launch_bound", l->launchBound}});
    json["explanations"] = explanationsJson({&l->serial, &l->overlapped});
    if (!work)
        json["explanations"].push_back(explanationJson(decode->explanation));
    return answerOf(json,
                    fmt::format("{}: {:.0f} kernels, {:.3f} ms of work, {:.2f} us to launch one{}\n"
                                "not overlapped {:.3f} ms, {:.0f}% of it launching; launched ahead "
                                "{:.3f} ms, bound by {}\n",
                                device->name, l->kernels, 1e3 * l->workSeconds,
                                1e6 * l->overheadSeconds,
                                way == model::LaunchWay::Graph ? " in a graph" : "",
                                1e3 * l->serialSeconds, 100 * l->serialShare,
                                1e3 * l->overlappedSeconds, l->launchBound ? "launching" : "work"));
}

Result<ModelAnswer> scalingAnswer(Reader& read) {
    double processors = 0;
    std::string source;
    if (read.has("processors")) {
        processors = read.number("processors");
    } else {
        const Result<device::Device> device = read.device();
        if (!device)
            return failure(device.error());
        const auto sms = device->value("sm_count");
        const auto lanes = device->value("fp32_lanes_per_sm");
        if (!sms || !lanes)
            return failure("device", fmt::format("{} has no number of SMs", device->name), {},
                           "name a GPU, or give --processors");
        processors = *sms * *lanes;
        source = fmt::format(" ({} FP32 lanes of the {})", processors, device->name);
    }
    const double serial = read.number("serial");
    if (!read.errors().empty())
        return failure(read.errors());
    const Result<model::Scaling> s = model::scaling(serial, processors);
    if (!s)
        return failure(s.error());
    const auto finite = [](double v) { return std::isfinite(v) ? Json(v) : Json(); };
    const Json json{{"processors", processors},
                    {"serial", serial},
                    {"amdahl", s->amdahl},
                    {"limit", finite(s->limit)},
                    {"half_at", finite(s->halfAt)},
                    {"gustafson", s->gustafson},
                    {"explanations",
                     explanationsJson({&s->amdahlExplanation, &s->gustafsonExplanation})}};
    return answerOf(
        json, fmt::format("{:.0f} processors{}, {:.4g}% serial: the same problem runs {:.4g} times "
                          "faster (Amdahl), a grown one {:.0f} times (Gustafson)\n",
                          processors, source, 100 * serial, s->amdahl, s->gustafson));
}

Result<ModelAnswer> launchOrderAnswer(Reader& read) {
    model::LaunchOrderInput input;
    Json json = Json::object();
    const bool hasTiles = read.has("rows") || read.has("columns");
    if (hasTiles) {
        input.rows = read.whole("rows", 1);
        input.columns = read.whole("columns", 1);
        input.depth = read.has("depth") ? read.whole("depth", 1) : 1;
    }
    std::optional<device::Device> device;
    if (read.has("gpu") || !read.has("wave")) {
        Result<device::Device> found = read.device();
        if (!found)
            return failure(found.error());
        device = std::move(*found);
        json = gpuJson(*device);
    }
    if (read.has("wave")) {
        input.wave = read.whole("wave", 1);
    } else {
        const auto sms = device->value("sm_count");
        if (!sms)
            return failure("device", fmt::format("{} has no number of SMs", device->name), {},
                           "name a GPU, or give --wave");
        input.wave = static_cast<std::int64_t>(*sms) * read.whole("blocks-per-sm", 1, 1024);
    }
    input.groupRows = read.whole("group-m", 1);
    if (!hasTiles) {
        const std::int64_t m = read.whole("m", 1), n = read.whole("n", 1), k = read.whole("k", 1);
        const std::int64_t bm = read.whole("bm", 1), bn = read.whole("bn", 1);
        const double element = read.number("element-bytes");
        input.rows = (m + bm - 1) / bm;
        input.columns = (n + bn - 1) / bn;
        input.bytesOfA = double(bm) * double(k) * element;
        input.bytesOfB = double(bn) * double(k) * element;
        input.bytesOfC = double(bm) * double(bn) * element;
    }
    if (!read.errors().empty())
        return failure(read.errors());
    const Result<model::LaunchOrder> o = model::launchOrder(input);
    if (!o)
        return failure(o.error());
    json.update(Json{{"wave", input.wave},
                     {"group_m", input.groupRows},
                     {"waves", o->waves.size()},
                     {"first_wave",
                      {{"rows", o->waves[0].rows},
                       {"columns", o->waves[0].columns},
                       {"tiles", o->waves[0].tiles}}},
                     {"tiles", o->tiles},
                     {"row_major_tiles", o->rowMajorTiles},
                     {"ratio", o->ratio}});
    std::string text =
        fmt::format("{} x {} tiles of C, {} at once, GROUP_M {}: the first wave reads {} tiles; "
                    "{:.1f}% of the traffic of row-major order\n",
                    input.rows, input.columns, input.wave, input.groupRows, o->waves[0].tiles,
                    100 * o->ratio);
    if (o->bytes > 0) {
        json.update(Json{{"bytes_read", o->bytesRead},
                         {"bytes_written", o->bytesWritten},
                         {"bytes", o->bytes},
                         {"row_major_bytes", o->rowMajorBytes}});
        text += fmt::format("{:.1f} MB read, {:.1f} MB written", 1e-6 * o->bytesRead,
                            1e-6 * o->bytesWritten);
        if (const auto dram = device ? device->value("dram_bandwidth") : std::nullopt) {
            json["read_s"] = o->bytesRead / (*dram * 1e9);
            json["dram_s"] = o->bytes / (*dram * 1e9);
            text += fmt::format(": {:.0f} us at {:.0f} GB/s", 1e6 * o->bytes / (*dram * 1e9), *dram);
        }
        text += "\n";
    }
    json["explanations"] = explanationsJson({&o->explanation});
    return answerOf(json, text);
}

Result<ModelAnswer> tileAnswer(Reader& read) {
    const Result<device::Device> device = read.device();
    if (!device)
        return failure(device.error());
    const int rows = read.wholeInt("rows", 1), columns = read.wholeInt("columns", 1);
    if (!read.errors().empty())
        return failure(read.errors());
    const Result<model::TileSupply> t = model::registerTileSupply(*device, rows, columns);
    if (!t)
        return failure(t.error());
    Json json = gpuJson(*device);
    json.update(Json{{"needed_bytes_per_fma", t->neededBytesPerFma},
                     {"supplied_bytes_per_fma", t->suppliedBytesPerFma},
                     {"enough", t->enough},
                     {"reads_per_fma", t->neededBytesPerFma / 4},
                     {"explanations", explanationsJson({&t->explanation})}});
    return answerOf(
        json, fmt::format("{}: a tile of {} x {} needs {:.3g} bytes of shared memory per FMA, "
                          "there are {:.3g}: {}\n",
                          device->name, rows, columns, t->neededBytesPerFma,
                          t->suppliedBytesPerFma, t->enough ? "enough" : "too few"));
}

const std::vector<ModelEntry>& entries() {
    static const std::vector<ModelEntry> own = {
        {{"occupancy",
          "How many blocks and warps of a kernel an SM holds, and what limits it",
          "lanescope occupancy --gpu cc8.6 --threads 256 --regs 104",
          {{"gpu", "", true, "a GPU or ccX.Y", ModelParameter::Kind::Text},
           {"threads", "", true, "threads of a block"},
           {"regs", "", true, "registers of a thread"},
           {"shared", "0", false, "shared memory of a block in bytes, static and dynamic"},
           {"barriers", "1", false, "named barriers that a block uses"}}},
         occupancyAnswer},
        {{"waves",
          "How the blocks of a grid fill the SMs",
          "lanescope waves --gpu b200 --blocks 160\n"
          "  lanescope waves --gpu h100 --m 1024 --n 1024 --bm 128 --bn 128 --blocks-per-sm 2",
          {{"gpu", "", true, "a GPU (see `lanescope devices`)", ModelParameter::Kind::Text},
           {"blocks", "", false, "blocks of the grid"},
           {"blocks-per-sm", "1", false, "blocks that an SM holds at a time"},
           {"m", "", false, "instead of --blocks: rows of C of a tiled matmul"},
           {"n", "", false, "columns of C"},
           {"bm", "128", false, "rows of a block's tile"},
           {"bn", "128", false, "columns of a block's tile"},
           {"split-k", "1", false, "parts that K is cut into, each a block of its own"}}},
         wavesAnswer},
        {{"latency",
          "Little's law: bytes in flight that hide the latency of device memory",
          "lanescope latency --gpu h100 --latency 500 --warps 16 --bytes 16 --requests 2",
          {{"gpu", "", true, "a GPU (see `lanescope devices`)", ModelParameter::Kind::Text},
           {"warps", "", false, "warps on an SM (as many as it holds)"},
           {"bytes", "4", false, "bytes that a lane reads in a request"},
           {"lanes", "32", false, "lanes of a request that read bytes of their own"},
           {"requests", "1", false, "independent requests that a warp has in flight"},
           {"latency", "", false, "ns (the GPU's own, else 500)"},
           {"bandwidth", "", false, "GB/s of the whole GPU (its device memory)"}}},
         latencyAnswer},
        {{"launch",
          "What launching costs: one step of a decoding transformer, or any number of kernels",
          "lanescope launch --gpu h100 --kernels-per-layer 8 --overhead-us 8\n"
          "  lanescope launch --gpu h200 --kernels 500 --work-ms 1 --graph 1",
          {{"gpu", "", true, "a GPU (see `lanescope devices`)", ModelParameter::Kind::Text},
           {"overhead-us", "", false, "us to launch a kernel (the GPU's measured figure)"},
           {"graph", "0", false, "1: in a CUDA graph"},
           {"kernels", "", false, "kernels, instead of counting them by layers"},
           {"work-ms", "", false, "ms of work on the GPU, instead of the bytes of the model"},
           {"parameters", "1235814400", false, "parameters of the model, 2 bytes each"},
           {"layers", "16", false, "layers"},
           {"kernels-per-layer", "12", false, "kernels of a layer"},
           {"other-kernels", "3", false, "kernels outside the layers"},
           {"kv-heads", "8", false, "key-value heads of a layer"},
           {"head-size", "64", false, "values of a head"},
           {"context", "1024", false, "tokens in the key-value cache"},
           {"batch", "1", false, "requests decoded together"}}},
         launchAnswer},
        {{"l2",
          "Launch order and the L2: what the blocks of a tiled matmul read from device memory",
          "lanescope l2 --gpu h100 --m 4096 --n 4096 --k 4096 --group-m 8\n"
          "  lanescope l2 --rows 9 --columns 9 --depth 9 --wave 9 --group-m 3",
          {{"gpu", "", false, "a GPU (see `lanescope devices`); gives the blocks at once", ModelParameter::Kind::Text},
           {"group-m", "1", false, "rows of tiles in a group; 1 is row-major order"},
           {"m", "4096", false, "rows of C"},
           {"n", "4096", false, "columns of C"},
           {"k", "4096", false, "columns of A"},
           {"bm", "128", false, "rows of a block's tile"},
           {"bn", "128", false, "columns of a block's tile"},
           {"element-bytes", "2", false, "bytes of an element"},
           {"blocks-per-sm", "1", false, "blocks that an SM holds at a time"},
           {"wave", "", false, "blocks at once, instead of SMs x blocks per SM"},
           {"rows", "", false, "rows of tiles of C, instead of sizes: counts tiles only"},
           {"columns", "", false, "columns of tiles of C"},
           {"depth", "", false, "tiles along K"}}},
         launchOrderAnswer},
        {{"scaling",
          "Amdahl's and Gustafson's laws",
          "lanescope scaling --gpu h100 --serial 0.01",
          {{"gpu", "", false, "a GPU: its FP32 lanes are the processors", ModelParameter::Kind::Text},
           {"processors", "", false, "processors, instead of --gpu"},
           {"serial", "0.01", false, "share of the time on one processor that stays serial"}}},
         scalingAnswer},
        {{"tile",
          "Whether shared memory feeds a register tile",
          "lanescope tile --gpu a100 --rows 4 --columns 4",
          {{"gpu", "", true, "a GPU or ccX.Y", ModelParameter::Kind::Text},
           {"rows", "", true, "rows of a thread's tile, TM"},
           {"columns", "", true, "columns of a thread's tile, TN"}}},
         tileAnswer},
    };
    static const std::vector<ModelEntry> all = [] {
        std::vector<ModelEntry> both = own;
        both.insert(both.end(), tensorModels().begin(), tensorModels().end());
        return both;
    }();
    return all;
}

} // namespace

const ModelParameter* ModelKind::find(std::string_view parameter) const {
    const auto it = std::find_if(parameters.begin(), parameters.end(),
                                 [&](const ModelParameter& p) { return p.name == parameter; });
    return it != parameters.end() ? &*it : nullptr;
}

const std::vector<ModelKind>& modelKinds() {
    static const std::vector<ModelKind> kinds = [] {
        std::vector<ModelKind> out;
        for (const ModelEntry& entry : entries())
            out.push_back(entry.kind);
        return out;
    }();
    return kinds;
}

const ModelKind* findModelKind(std::string_view name) {
    for (const ModelKind& kind : modelKinds())
        if (kind.name == name)
            return &kind;
    return nullptr;
}

Result<ModelAnswer> answer(std::string_view model, const ModelArguments& arguments) {
    const auto names = [](const auto& list) {
        std::vector<std::string_view> out;
        for (const auto& item : list)
            out.push_back(item.name);
        return out;
    };
    const auto entry = std::find_if(entries().begin(), entries().end(),
                                    [&](const ModelEntry& e) { return e.kind.name == model; });
    if (entry == entries().end())
        return failure("argument", fmt::format("there is no model '{}'", model), {},
                       fmt::format("there are {}", fmt::join(names(modelKinds()), ", ")));
    for (const auto& [name, value] : arguments)
        if (entry->kind.find(name) == nullptr)
            return failure("argument", fmt::format("the model {} has no '{}'", model, name), {},
                           fmt::format("it has {}", fmt::join(names(entry->kind.parameters), ", ")));
    Reader reader(entry->kind, arguments);
    return entry->run(reader);
}

} // namespace lanescope::session
