// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/feeding.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/memory/access.h"
#include "engine/model/launch_order.h"

namespace lanescope::model {

namespace {

using device::Device;
using device::Figure;

constexpr double kSharedBytesPerCycle = memory::kBanks * memory::kBankBytes;
constexpr const char* kSharedSource = "32 banks of 4 bytes, one wavefront a cycle";

Result<void> positive(std::initializer_list<std::pair<const char*, double>> quantities) {
    Diagnostics errors;
    for (const auto& [name, value] : quantities)
        if (!(value > 0) || !(value <= 1 << 20))
            errors.push_back({Severity::Error, "model", fmt::format("{} {} is out of range", name, value), {}, fmt::format("give 1 to {}", 1 << 20)});
    if (!errors.empty())
        return failure(std::move(errors));
    return {};
}

/// FMA a cycle of an SM's tensor cores with f32 (or s32) sums.
Result<const Figure*> tensorRate(const Device& device, int elementBytes) {
    const char* key = elementBytes == 1   ? "tensor_int8"
                      : elementBytes == 2 ? "tensor_f16_accumulate_f32"
                      : elementBytes == 4 ? "tensor_tf32"
                      : elementBytes == 8 ? "tensor_f64"
                                          : "";
    const Figure* rate = device.figure(key);
    if (rate == nullptr)
        return failure("device", fmt::format("{} has no tensor cores for elements of {} bytes, or no figure of their rate", device.name, elementBytes), {},
                       "choose another GPU, such as h100, or 2 bytes an element");
    return rate;
}

Result<const Figure*> needed(const Device& device, const char* key, const char* what) {
    const Figure* figure = device.figure(key);
    if (figure == nullptr)
        return failure("device", fmt::format("{} has no {}", device.name, what), {}, "choose a GPU, such as h100, instead of a bare compute capability");
    return figure;
}

/// The clock at which the tensor peak is stated, where it has one of its own.
Result<const Figure*> tensorClock(const Device& device) {
    const Figure* own = device.figure("tensor_clock");
    return own != nullptr ? own : needed(device, "boost_clock", "clock");
}

} // namespace

Result<WarpTile> warpTile(const Device& device, int rows, int columns, int elementBytes) {
    if (auto checked = positive({{"rows of the warp's tile", rows}, {"columns of the warp's tile", columns}}); !checked)
        return failure(checked.error());
    const auto rate = tensorRate(device, elementBytes);
    if (!rate)
        return failure(rate.error());
    WarpTile out;
    out.reuse = static_cast<double>(rows) * columns / (static_cast<double>(elementBytes) * (rows + columns));
    out.needed = (*rate)->value / kSharedBytesPerCycle;
    out.enough = out.reuse >= out.needed;
    // W x W: W / (2 bytes) >= needed.
    out.leastSquare = static_cast<int>(std::ceil(2 * elementBytes * out.needed / 8)) * 8;
    out.accumulators = (rows * columns + kWarpSize - 1) / kWarpSize;
    const std::vector<std::string> assumptions{"each warp reads its fragments of A and B from shared memory itself, without conflicts", "the warps of an SM share both rates evenly"};
    out.reuseExplanation = {"FMA per byte of shared memory",
                            out.reuse,
                            "FMA/byte",
                            "W_M W_N / (element bytes x (W_M + W_N))",
                            {inputOf("W_M", rows, "rows", "given"), inputOf("W_N", columns, "columns", "given"), inputOf("element bytes", elementBytes, "bytes", "given")},
                            assumptions};
    out.neededExplanation = {"FMA per byte that keep the tensor cores busy",
                             out.needed,
                             "FMA/byte",
                             "tensor FMA a cycle / bytes of shared memory a cycle",
                             {inputOf("tensor FMA a cycle", **rate), inputOf("bytes of shared memory a cycle", kSharedBytesPerCycle, "bytes/clk/SM", kSharedSource)},
                             assumptions};
    return out;
}

Result<TileTraffic> tileTraffic(const Device& device, const MatmulSize& size, int rows, int columns, int elementBytes) {
    if (auto checked = positive({{"M", size.m}, {"N", size.n}, {"K", size.k}, {"rows of the tile", rows}, {"columns of the tile", columns}}); !checked)
        return failure(checked.error());
    const auto rate = tensorRate(device, elementBytes);
    const auto sms = needed(device, "sm_count", "number of SMs");
    const auto dram = needed(device, "dram_bandwidth", "bandwidth");
    const auto clock = tensorClock(device);
    for (const auto* figure : {&rate, &sms, &dram, &clock})
        if (!*figure)
            return failure(figure->error());
    // One step along K is enough: a wave reads whole rows of tiles of A and whole columns of B.
    LaunchOrderInput order;
    order.rows = (size.m + rows - 1) / rows;
    order.columns = (size.n + columns - 1) / columns;
    order.depth = 1;
    order.wave = static_cast<std::int64_t>((*sms)->value);
    order.bytesOfA = static_cast<std::int64_t>(rows) * size.k * elementBytes;
    order.bytesOfB = static_cast<std::int64_t>(columns) * size.k * elementBytes;
    order.bytesOfC = static_cast<std::int64_t>(rows) * columns * elementBytes;
    const auto traffic = launchOrder(order);
    if (!traffic)
        return failure(traffic.error());
    TileTraffic out;
    out.bytesRead = traffic->bytesRead;
    out.bytesWritten = traffic->bytesWritten;
    const double bandwidth = (*dram)->value * 1e9, fma = static_cast<double>(size.m) * static_cast<double>(size.n) * static_cast<double>(size.k);
    out.readSeconds = out.bytesRead / bandwidth;
    out.totalSeconds = (out.bytesRead + out.bytesWritten) / bandwidth;
    out.arithmeticSeconds = fma / ((*rate)->value * (*sms)->value * (*clock)->value * 1e6);
    out.flopPerByte = 2 * fma / (out.bytesRead + out.bytesWritten);
    out.isBandwidthBound = out.totalSeconds > out.arithmeticSeconds;
    out.read = {"time to read A and B from device memory",
                out.readSeconds,
                "s",
                "sum over waves of (rows of tiles x bytes of A + columns of tiles x bytes of B) / bandwidth",
                {inputOf("tile rows", rows, "", "given"), inputOf("tile columns", columns, "", "given"), inputOf("blocks at once", **sms), inputOf("bytes read", out.bytesRead, "bytes", "counted wave by wave"),
                 inputOf("bandwidth", **dram)},
                {"one block an SM, in row-major order", "what the blocks of a wave share is read once, and nothing is kept for the next wave"}};
    out.arithmetic = {"time of the arithmetic",
                      out.arithmeticSeconds,
                      "s",
                      "M N K / (tensor FMA a cycle x SMs x clock)",
                      {inputOf("M N K", fma, "FMA", "given"), inputOf("tensor FMA a cycle", **rate), inputOf("SMs", **sms), inputOf("clock", **clock)},
                      {"every tensor core busy in every cycle"}};
    return out;
}

Result<Stages> stages(const Device& device, const StageInput& input) {
    if (auto checked = positive({{"rows of the tile", input.rows}, {"columns of the tile", input.columns}, {"depth of the tile", input.depth}, {"number of stages", input.mostStages},
                                 {"us of latency", input.latencySeconds * 1e6}});
        !checked)
        return failure(checked.error());
    if (input.mostStages > 64)
        return failure("model", fmt::format("{} stages are out of range", input.mostStages), {}, "give 1 to 64");
    const auto rate = tensorRate(device, input.elementBytes);
    const auto clock = tensorClock(device);
    for (const auto* figure : {&rate, &clock})
        if (!*figure)
            return failure(figure->error());
    Stages out;
    out.cycles = static_cast<double>(input.rows) * input.columns * input.depth / (*rate)->value;
    out.seconds = out.cycles / ((*clock)->value * 1e6);
    out.bytes = (static_cast<std::int64_t>(input.rows) + input.columns) * input.depth * input.elementBytes;
    out.needed = 1 + static_cast<int>(std::ceil(input.latencySeconds / out.seconds - 1e-9));
    const auto most = static_cast<std::int64_t>(device.limits.sharedBytesPerBlockOptIn);
    out.fit = static_cast<int>(most / out.bytes);
    out.bytesPerSecond = static_cast<double>(out.bytes) / out.seconds;
    for (int n = 1; n <= input.mostStages; ++n) {
        if (input.tiles <= 0) {
            out.busy.push_back(std::min(1.0, n * out.seconds / (out.seconds + input.latencySeconds)));
            continue;
        }
        // A slot is filled again as soon as it was used; the first slots are asked for at the start.
        std::vector<double> end(static_cast<std::size_t>(input.tiles));
        for (std::size_t i = 0; i < end.size(); ++i) {
            const double asked = i < static_cast<std::size_t>(n) ? 0.0 : end[i - static_cast<std::size_t>(n)];
            end[i] = std::max(asked + input.latencySeconds, i == 0 ? 0.0 : end[i - 1]) + out.seconds;
        }
        out.busy.push_back(static_cast<double>(input.tiles) * out.seconds / end.back());
    }
    const std::vector<std::string> assumptions{"a stage is there one latency after it was asked for, however many are under way", "a slot is filled again as soon as it was used"};
    out.cyclesExplanation = {"cycles of a stage", out.cycles, "cycles", "B_M B_N B_K / tensor FMA a cycle",
                             {inputOf("B_M", input.rows, "", "given"), inputOf("B_N", input.columns, "", "given"), inputOf("B_K", input.depth, "", "given"), inputOf("tensor FMA a cycle", **rate)},
                             {"every tensor core busy in every cycle"}};
    out.neededExplanation = {"stages needed", static_cast<double>(out.needed), "stages", "1 + ceil(latency / time of a stage)",
                             {inputOf("latency", input.latencySeconds, "s", "given"), inputOf("time of a stage", out.seconds, "s", fmt::format("{:.0f} cycles at {:.0f} MHz", out.cycles, (*clock)->value))},
                             assumptions};
    out.fitExplanation = {"stages that fit", static_cast<double>(out.fit), "stages", "floor(shared memory of a block / ((B_M + B_N) B_K x element bytes))",
                          {inputOf("shared memory of a block", static_cast<double>(most), "bytes", "limit of the compute capability"), inputOf("bytes of a stage", static_cast<double>(out.bytes), "bytes", "counted")},
                          {"nothing else is in shared memory"}};
    out.busyExplanation = {"busy fraction of the tensor cores", out.busy[std::min<std::size_t>(out.busy.size(), static_cast<std::size_t>(std::max(1, out.needed))) - 1], "",
                           input.tiles > 0 ? "tiles x time of a stage / time until the last one is done" : "min(1, stages x time of a stage / (time of a stage + latency))",
                           {inputOf("time of a stage", out.seconds, "s", "cycles / clock"), inputOf("latency", input.latencySeconds, "s", "given")},
                           assumptions};
    return out;
}

} // namespace lanescope::model
