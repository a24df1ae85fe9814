// SPDX-License-Identifier: GPL-3.0-or-later
// The models about tensor cores by name: swizzle, feeding, pipeline, fragment, dot.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "engine/model/feeding.h"
#include "engine/model/swizzle.h"
#include "engine/session/model_reader.h"
#include "engine/tensor/fragment.h"
#include "engine/tensor/product.h"
#include "engine/tensor/product_steps.h"

namespace lanescope::session {

using Json = nlohmann::ordered_json;
using Kind = ModelParameter::Kind;

namespace {

Json bitsJson(std::uint64_t mask) {
    Json out = Json::array();
    for (int bit = 0; bit < 64; ++bit)
        if ((mask >> bit & 1) != 0)
            out.push_back(bit);
    return out;
}

Json costJson(const model::TileCost& cost) {
    return {{"accesses", cost.accesses}, {"wavefronts", cost.wavefronts}, {"minimum", cost.passes}, {"excess", cost.excess()}, {"degree", cost.degree}};
}

std::string costText(const model::TileCost& cost) {
    return fmt::format("{} wavefronts = {} minimum + {} excess{}", cost.wavefronts, cost.passes, cost.excess(),
                       cost.excess() > 0 ? fmt::format(", {}-way conflicts", cost.degree) : std::string(", conflict-free"));
}

Json swizzleJson(const model::Swizzle& swizzle) {
    return {{"text", model::toString(swizzle)}, {"b", swizzle.bits}, {"m", swizzle.base}, {"s", swizzle.shift}};
}

Result<ModelAnswer> swizzleAnswer(ModelReader& read) {
    model::TileLayout tile;
    tile.rows = read.wholeInt("rows", 1);
    tile.rowBytes = read.wholeInt("row-bytes", 1);
    tile.elementBytes = read.wholeInt("element-bytes", 1);
    tile.padBytes = read.wholeInt("pad", 0);
    const int b = read.wholeInt("b", 0), m = read.wholeInt("m", 0), s = static_cast<int>(read.whole("s", -20, 20)), unit = read.wholeInt("unit-bytes", 1);
    const int row = read.wholeInt("row", 0), column = read.wholeInt("column", 0);
    const bool wantsSearch = read.flag("search");
    const std::string name = read.text("pattern");
    const auto access = model::findTileAccess(name);
    if (!access) {
        std::string known;
        for (int i = 0; i < model::kTileAccesses; ++i)
            known += fmt::format("{}{}", i == 0 ? "" : ", ", model::id(static_cast<model::TileAccess>(i)));
        read.add(fmt::format("--pattern '{}' is not known", name), fmt::format("there are {}", known));
    }
    if (!read.errors().empty())
        return failure(read.errors());
    const auto swizzle = model::makeSwizzle(b, m, s, unit);
    if (!swizzle)
        return failure(swizzle.error());
    const auto before = model::costOf(tile, *access);
    if (!before)
        return failure(before.error());
    model::TileLayout moved = tile;
    moved.swizzle = *swizzle;
    const auto after = model::costOf(moved, *access);
    if (!after)
        return failure(after.error());
    if (row >= tile.rows || column * tile.elementBytes >= tile.rowBytes)
        return failure("argument", fmt::format("row {}, column {} is outside the tile of {} x {} elements", row, column, tile.rows, tile.rowBytes / tile.elementBytes), {},
                       "rows and columns are numbered from 0");
    const std::uint64_t linear = tile.byteOf(row, column * tile.elementBytes), byte = moved.byteOf(row, column * tile.elementBytes);
    const model::Explanation byteExplanation = model::explainByte(moved, row, column), costExplanation = model::explainCost(moved, *access, *after);
    Json json{{"tile", {{"rows", tile.rows}, {"row_bytes", tile.rowBytes}, {"element_bytes", tile.elementBytes}, {"pad_bytes", tile.padBytes}, {"bytes", tile.bytes()}}},
              {"pattern", model::id(*access)},
              {"swizzle", swizzleJson(*swizzle)},
              {"unit", "bytes"},
              {"changed_bits", bitsJson(swizzle->changedBits())},
              {"source_bits", bitsJson(swizzle->sourceBits())},
              {"before", costJson(*before)},
              {"after", costJson(*after)},
              {"element", {{"row", row}, {"column", column}, {"linear_byte", linear}, {"byte", byte}, {"bank", byte / memory::kBankBytes % memory::kBanks}}}};
    std::string text = fmt::format("tile      {} rows of {} bytes, {} apart; elements of {} bytes\n"
                                   "swizzle   {} on byte offsets: {}\n"
                                   "pattern   {}: {}\n"
                                   "before    {}\n"
                                   "after     {}\n"
                                   "element   row {}, column {}: byte {} in order, byte {} swizzled (bank {})\n",
                                   tile.rows, tile.rowBytes, tile.pitch(), tile.elementBytes, model::toString(*swizzle),
                                   swizzle->bits == 0 ? std::string("nothing is moved")
                                                      : fmt::format("bits {}-{} are XORed with bits {}-{}", swizzle->base, swizzle->base + swizzle->bits - 1, swizzle->base + swizzle->shift,
                                                                    swizzle->base + swizzle->shift + swizzle->bits - 1),
                                   model::id(*access), model::description(*access), costText(*before), costText(*after), row, column, linear, byte, byte / 4 % 32);
    model::TileLayout padded = tile;
    if (const auto pad = model::conflictFreePadding(tile, {*access})) {
        padded.padBytes = *pad;
        const auto cost = model::costOf(padded, *access);
        json["padding"] = {{"bytes_per_row", *pad}, {"bytes_wasted", *pad * tile.rows}, {"excess", cost ? cost->excess() : 0}};
        text += fmt::format("padding   {} bytes a row are conflict-free as well and waste {} bytes\n", *pad, *pad * tile.rows);
    } else {
        json["padding"] = nullptr;
        text += "padding   none up to the row's own length is conflict-free\n";
    }
    if (wantsSearch) {
        const std::vector<model::Swizzle> found = model::conflictFreeSwizzles(tile, {*access});
        Json all = Json::array();
        for (const model::Swizzle& one : found)
            all.push_back(swizzleJson(one));
        json["search"] = {{"count", found.size()}, {"first", found.empty() ? Json() : all.front()}, {"all", all}};
        text += found.empty() ? std::string("search    no swizzle with B <= 5 and S <= 7 is conflict-free\n")
                              : fmt::format("search    {} is the smallest of {} that {} conflict-free\n", model::toString(found.front()), found.size(), found.size() == 1 ? "is" : "are");
    }
    json["explanations"] = explanationsJson({&byteExplanation, &costExplanation});
    return answerOf(json, text);
}

Result<ModelAnswer> feedingAnswer(ModelReader& read) {
    const auto device = read.device();
    if (!device)
        return failure(device.error());
    const int wm = read.wholeInt("wm", 1), wn = read.wholeInt("wn", 1), bm = read.wholeInt("bm", 1), bn = read.wholeInt("bn", 1), bytes = read.wholeInt("element-bytes", 1);
    const model::MatmulSize size{read.whole("m", 1), read.whole("n", 1), read.whole("k", 1)};
    if (!read.errors().empty())
        return failure(read.errors());
    const auto warp = model::warpTile(*device, wm, wn, bytes);
    if (!warp)
        return failure(warp.error());
    const auto traffic = model::tileTraffic(*device, size, bm, bn, bytes);
    if (!traffic)
        return failure(traffic.error());
    Json json = gpuJson(*device);
    json.update(Json{{"warp_tile", {{"rows", wm}, {"columns", wn}, {"reuse", warp->reuse}, {"needed", warp->needed}, {"enough", warp->enough}, {"least_square", warp->leastSquare}, {"accumulators", warp->accumulators}}},
                     {"block_tile",
                      {{"rows", bm},
                       {"columns", bn},
                       {"bytes_read", traffic->bytesRead},
                       {"bytes_written", traffic->bytesWritten},
                       {"read_us", 1e6 * traffic->readSeconds},
                       {"total_us", 1e6 * traffic->totalSeconds},
                       {"arithmetic_us", 1e6 * traffic->arithmeticSeconds},
                       {"flop_per_byte", traffic->flopPerByte},
                       {"bandwidth_bound", traffic->isBandwidthBound}}},
                     {"explanations", explanationsJson({&warp->reuseExplanation, &warp->neededExplanation, &traffic->read, &traffic->arithmetic})}});
    return answerOf(json, fmt::format("{}\n"
                                      "warp      {} x {}: {:.4g} FMA per byte of shared memory, {:.4g} needed: {}; the smallest square is {} x {}; {} accumulators a thread\n"
                                      "block     {} x {} at {} x {} x {}: device memory reads {:.1f} us ({:.1f} us with the writes of C), the arithmetic takes {:.1f} us: {}\n",
                                      device->name, wm, wn, warp->reuse, warp->needed, warp->enough ? "enough" : "too few", warp->leastSquare, warp->leastSquare, warp->accumulators, bm, bn, size.m, size.n,
                                      size.k, 1e6 * traffic->readSeconds, 1e6 * traffic->totalSeconds, 1e6 * traffic->arithmeticSeconds,
                                      traffic->isBandwidthBound ? "device memory is the limit" : "the tensor cores are the limit"));
}

Result<ModelAnswer> pipelineAnswer(ModelReader& read) {
    const auto device = read.device();
    if (!device)
        return failure(device.error());
    model::StageInput input;
    input.rows = read.wholeInt("bm", 1);
    input.columns = read.wholeInt("bn", 1);
    input.depth = read.wholeInt("bk", 1);
    input.elementBytes = read.wholeInt("element-bytes", 1);
    input.latencySeconds = 1e-6 * read.number("latency-us");
    input.mostStages = read.wholeInt("stages", 1);
    input.tiles = read.whole("tiles", 0, 1 << 20);
    if (!read.errors().empty())
        return failure(read.errors());
    const auto s = model::stages(*device, input);
    if (!s)
        return failure(s.error());
    Json json = gpuJson(*device);
    json.update(Json{{"cycles_per_stage", s->cycles},
                     {"us_per_stage", 1e6 * s->seconds},
                     {"bytes_per_stage", s->bytes},
                     {"stages_needed", s->needed},
                     {"stages_that_fit", s->fit},
                     {"gb_per_s_per_sm", 1e-9 * s->bytesPerSecond},
                     {"busy", s->busy},
                     {"explanations", explanationsJson({&s->cyclesExplanation, &s->neededExplanation, &s->fitExplanation, &s->busyExplanation})}});
    std::string text = fmt::format("{}\n"
                                   "a stage   {} x {} x {}: {:.0f} cycles, {:.3g} us, {} bytes\n"
                                   "stages    {} needed for a latency of {:.3g} us, {} fit into shared memory; an SM must receive {:.1f} GB/s\n"
                                   "busy     ",
                                   device->name, input.rows, input.columns, input.depth, s->cycles, 1e6 * s->seconds, s->bytes, s->needed, 1e6 * input.latencySeconds, s->fit, 1e-9 * s->bytesPerSecond);
    for (std::size_t i = 0; i < s->busy.size(); ++i)
        text += fmt::format(" {}: {:.0f}%", i + 1, 100 * s->busy[i]);
    return answerOf(json, text + "\n");
}

/// "m16n8k16".
std::optional<tensor::Shape> shapeOf(std::string_view text) {
    std::array<int, 3> size{};
    for (std::size_t i = 0; i < size.size(); ++i) {
        if (text.empty() || text.front() != "mnk"[i])
            return std::nullopt;
        text.remove_prefix(1);
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size[i]);
        if (error != std::errc{} || size[i] < 1 || size[i] > 512)
            return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    if (!text.empty())
        return std::nullopt;
    return tensor::Shape{static_cast<std::uint16_t>(size[0]), static_cast<std::uint16_t>(size[1]), static_cast<std::uint16_t>(size[2])};
}

std::optional<tensor::Element> elementOf(std::string_view text) {
    for (int i = 0; i <= static_cast<int>(tensor::Element::B1); ++i)
        if (tensor::name(static_cast<tensor::Element>(i)) == text)
            return static_cast<tensor::Element>(i);
    return std::nullopt;
}

Json placeJson(const tensor::FragmentMap& map, const tensor::Place& place) {
    const tensor::Position at = map.at(place);
    return {{"lane", place.lane}, {"register", place.reg}, {"element", place.element}, {"index", place.reg * map.elementsPerRegister() + place.element}, {"row", at.row}, {"column", at.column}, {"tile", at.tile}};
}

/// Every element is held exactly once, by the registers that are no copies.
bool isBijection(const tensor::FragmentMap& map) {
    std::set<int> seen;
    int places = 0;
    for (int reg = 0; reg < map.distinctRegisters(); ++reg)
        for (int element = 0; element < map.elementsPerRegister(); ++element)
            for (int lane = 0; lane < map.lanes(); ++lane, ++places) {
                const tensor::Position at = map.at({static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(element), static_cast<std::uint16_t>(reg)});
                seen.insert((at.tile * map.rows() + at.row) * map.columns() + at.column);
            }
    return places == static_cast<int>(seen.size()) && places == map.rows() * map.columns() * map.tiles();
}

/// The same lanes hold the same places of C as of the first columns of A, in the same order.
bool isLeftPartOfA(const tensor::FragmentMap& c, const tensor::FragmentMap& a) {
    if (c.rows() != a.rows() || c.columns() > a.columns() || c.lanes() != a.lanes())
        return false;
    for (int row = 0; row < c.rows(); ++row)
        for (int column = 0; column < c.columns(); ++column) {
            const tensor::Position at{static_cast<std::uint16_t>(row), static_cast<std::uint16_t>(column), 0};
            if (c.places(at).front().lane != a.places(at).front().lane)
                return false;
        }
    return true;
}

Result<ModelAnswer> fragmentAnswer(ModelReader& read) {
    const std::string familyName = read.text("family"), shapeName = read.text("shape"), operandName = read.text("operand"), typeName = read.text("type");
    static constexpr std::array<std::string_view, 3> families{"mma", "wmma", "wgmma"};
    const auto family = std::find(families.begin(), families.end(), familyName);
    const auto shape = shapeOf(shapeName);
    const auto element = elementOf(typeName);
    if (family == families.end())
        read.add(fmt::format("--family '{}' is not known", familyName), "give mma, wmma or wgmma");
    if (!shape)
        read.add(fmt::format("--shape '{}' is no shape", shapeName), "write it as m16n8k16");
    if (operandName != "a" && operandName != "b" && operandName != "c")
        read.add(fmt::format("--operand '{}' is not known", operandName), "give a, b or c (d lies as c does)");
    if (!element)
        read.add(fmt::format("--type '{}' is not known", typeName), "give f64, f32, tf32, f16, bf16, e4m3, e5m2, s32, s8, u8, s4, u4 or b1");
    const int lane = static_cast<int>(read.whole("lane", 0, 127)), row = read.wholeInt("row", 0), column = read.wholeInt("column", 0);
    if (!read.errors().empty())
        return failure(read.errors());
    const auto which = static_cast<tensor::Family>(family - families.begin());
    const auto operand = operandName == "a" ? tensor::Operand::A : operandName == "b" ? tensor::Operand::B : tensor::Operand::C;
    const auto map = tensor::findFragment(which, *shape, operand, *element, operand == tensor::Operand::B);
    if (!map) {
        std::string known;
        for (const tensor::ProductKind& kind : tensor::productKinds())
            if (kind.family == which && known.find(tensor::toString(kind.shape) + " ") == std::string::npos)
                known += tensor::toString(kind.shape) + " ";
        return failure("argument", fmt::format("{} {} has no {} of {}", familyName, shapeName, operandName, typeName), {},
                       known.empty() ? std::string("wgmma has m64nNk16 for f16: A and C in registers") : fmt::format("shapes of {} are {}", familyName, known));
    }
    if (lane >= map->lanes() || row >= map->rows() || column >= map->columns())
        return failure("argument", fmt::format("lane {}, row {}, column {} is outside the fragment of {} lanes and {} x {} elements", lane, row, column, map->lanes(), map->rows(), map->columns()), {},
                       "all are numbered from 0");
    Json elements = Json::array(), places = Json::array();
    std::string held, where;
    for (int reg = 0; reg < map->registers(); ++reg)
        for (int part = 0; part < map->elementsPerRegister(); ++part) {
            const tensor::Place place{static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(part), static_cast<std::uint16_t>(reg)};
            const tensor::Position at = map->at(place);
            elements.push_back(placeJson(*map, place));
            held += fmt::format(" {}{}=[{}][{}]", operandName, reg * map->elementsPerRegister() + part, at.row, at.column);
        }
    for (const tensor::Place& place : map->places({static_cast<std::uint16_t>(row), static_cast<std::uint16_t>(column), 0})) {
        places.push_back(placeJson(*map, place));
        where += fmt::format(" lane {}, register {}, element {} of it;", place.lane, place.reg, place.element);
    }
    const auto a = tensor::findFragment(which, *shape, tensor::Operand::A, tensor::Element::F16, false);
    model::Explanation rule{"element of a lane", static_cast<double>(map->registers() * map->elementsPerRegister()), "elements",
                            fmt::format("bits of the lane are [{}], of the register [{}], of the element in it [{}]: r and c number bits of row and column, from the lowest", map->bits().lane, map->bits().reg,
                                        map->bits().element),
                            {model::inputOf("lanes", map->lanes(), "lanes", "PTX ISA 9.0, Warp Level Matrix Multiply-Accumulate Instructions; wmma: read from ptxas 13.0's code for sm_90")},
                            {}};
    const Json json{{"family", familyName},
                    {"shape", shapeName},
                    {"operand", operandName},
                    {"type", typeName},
                    {"rows", map->rows()},
                    {"columns", map->columns()},
                    {"lanes", map->lanes()},
                    {"registers", map->registers()},
                    {"distinct_registers", map->distinctRegisters()},
                    {"elements_per_register", map->elementsPerRegister()},
                    {"elements_per_lane", map->registers() * map->elementsPerRegister()},
                    {"products", static_cast<int>(shape->m) * shape->n * shape->k},
                    {"bijection", isBijection(*map)},
                    {"left_part_of_a", operand == tensor::Operand::C && a != nullptr && isLeftPartOfA(*map, *a)},
                    {"of_lane", elements},
                    {"of_element", places},
                    {"explanations", explanationsJson({&rule})}};
    return answerOf(json, fmt::format("{} {}, {} of {}: {} x {} elements, {} a lane in {} registers{}\n"
                                      "lane {}  {}\n"
                                      "[{}][{}] {}\n",
                                      familyName, shapeName, operandName, typeName, map->rows(), map->columns(), map->registers() * map->elementsPerRegister(), map->registers(),
                                      isBijection(*map) ? ", every element held once" : "", lane, held, row, column, where));
}

/// A product of 2^large and so many of 2^small, summed by a tensor core of the GPU.
Result<ModelAnswer> dotAnswer(ModelReader& read) {
    const auto device = read.device();
    if (!device)
        return failure(device.error());
    const auto large = static_cast<int>(read.whole("large", -14, 15)), small = static_cast<int>(read.whole("small", -24, 15)), count = static_cast<int>(read.whole("count", 0, 15));
    if (!read.errors().empty())
        return failure(read.errors());
    const auto half = [](int exponent) { return exponent >= -14 ? std::uint64_t(exponent + 15) << 10 : std::uint64_t{1} << (exponent + 24); };
    tensor::Product product;
    product.shape = {16, 8, 16};
    std::vector<std::uint64_t> a(product.shape.k, 0), b(product.shape.k, half(0));
    a[0] = half(large);
    std::fill_n(a.begin() + 1, count, half(small));
    const tensor::Generation generation = tensor::generationOf(*device);
    const tensor::ProductSteps steps = tensor::Multiplier(product, generation).steps(a, b, 0);
    const double exact = std::ldexp(1.0, large) + count * std::ldexp(1.0, small);
    double kept = 0;
    for (const tensor::ProductGroup& group : steps.groups)
        for (const tensor::ProductTerm& term : group.terms)
            kept += term.k > 0 ? term.kept : 0.0;
    model::Explanation rule{"sum of a tensor core", steps.result, "", "products aligned to the largest exponent of their group, cut after so many bits, added exactly, cut to f32",
                            {model::inputOf("bits kept after the point", generation.fractionBits, "bits", "engine/tensor/product.h: measured on an H200; other generations by MMA-Sim (arXiv 2511.10909) and Fasi et al. 2021")},
                            {}};
    const Json json{{"gpu", device->id}, {"gpu_name", device->name}, {"fraction_bits", generation.fractionBits}, {"groups", steps.groups.size()}, {"result", steps.result}, {"exact", exact}, {"lost", exact - steps.result},
                    {"small_products_kept", kept}, {"is_exact", steps.result == exact}, {"explanations", explanationsJson({&rule})}};
    return answerOf(json, fmt::format("{}: 2^{} + {} x 2^{} in one m16n8k16: {:.9g}, exactly {:.9g}; {} bits are kept after the point, k is added in {} group{}\n", device->name, large, count, small, steps.result, exact,
                                      generation.fractionBits, steps.groups.size(), steps.groups.size() == 1 ? "" : "s"));
}

} // namespace

const std::vector<ModelEntry>& tensorModels() {
    static const std::vector<ModelEntry> all = {
        {{"swizzle",
          "A tile in shared memory in order, padded and XOR-swizzled <B, M, S>: banks, wavefronts, where an element lies",
          "lanescope swizzle --rows 64 --row-bytes 128 --b 3 --m 4 --s 3 --row 3 --column 8\n"
          "  lanescope swizzle --rows 64 --row-bytes 64 --search --json",
          {{"rows", "64", false, "rows of the tile"},
           {"row-bytes", "128", false, "bytes of a row"},
           {"element-bytes", "2", false, "bytes of an element"},
           {"pad", "0", false, "bytes added to each row"},
           {"b", "3", false, "B: bits that are XORed"},
           {"m", "4", false, "M: the lowest of them, as a bit of an offset in units of --unit-bytes"},
           {"s", "3", false, "S: they are XORed with the bits S above them"},
           {"unit-bytes", "1", false, "bytes that M counts in: 1, or the bytes of an element"},
           {"pattern", "ldmatrix", false, "ldmatrix, ldmatrix.trans, stmatrix, copy, fragment, row or column", Kind::Text},
           {"row", "0", false, "row of an element to locate"},
           {"column", "0", false, "its column"},
           {"search", "0", false, "all <B, M, S> without conflicts, the smallest first", Kind::Flag}}},
         swizzleAnswer},
        {{"feeding",
          "What it takes to feed tensor cores: reuse of a warp's tile, traffic of a block's tile",
          "lanescope feeding --gpu h100 --wm 64 --wn 64 --bm 128 --bn 256",
          {{"gpu", "", true, "a GPU (see `lanescope devices`)", Kind::Text},
           {"wm", "64", false, "rows of a warp's tile, W_M"},
           {"wn", "64", false, "columns of a warp's tile, W_N"},
           {"bm", "128", false, "rows of a block's tile, B_M"},
           {"bn", "128", false, "columns of a block's tile, B_N"},
           {"m", "4096", false, "rows of C"},
           {"n", "4096", false, "columns of C"},
           {"k", "4096", false, "columns of A"},
           {"element-bytes", "2", false, "bytes of an element: 1 int8, 2 f16, 4 tf32, 8 f64"}}},
         feedingAnswer},
        {{"pipeline",
          "How many stages of input tiles a pipeline needs, how many fit, how busy the tensor cores are",
          "lanescope pipeline --gpu h100 --bm 128 --bn 256 --bk 64 --latency-us 1",
          {{"gpu", "", true, "a GPU (see `lanescope devices`)", Kind::Text},
           {"bm", "128", false, "rows of the tile of A"},
           {"bn", "256", false, "columns of the tile of B"},
           {"bk", "64", false, "depth of both"},
           {"latency-us", "1", false, "us from asking for a stage until it is there"},
           {"stages", "6", false, "the most stages of the curve"},
           {"tiles", "0", false, "stages to work through in all; 0: the steady state"},
           {"element-bytes", "2", false, "bytes of an element"}}},
         pipelineAnswer},
        {{"fragment",
          "Which lane holds which element of a matrix instruction's operand, in which register",
          "lanescope fragment --shape m16n8k16 --operand a --type f16 --lane 13 --row 3 --column 2",
          {{"family", "mma", false, "mma, wmma or wgmma", Kind::Text},
           {"shape", "m16n8k16", false, "the shape of the product", Kind::Text},
           {"operand", "a", false, "a, b or c (d lies as c does)", Kind::Text},
           {"type", "f16", false, "its elements: f16, f32, s8, ...", Kind::Text},
           {"lane", "0", false, "a lane: what it holds"},
           {"row", "0", false, "row of an element: who holds it"},
           {"column", "0", false, "its column"}}},
         fragmentAnswer},
        {{"dot",
          "What a tensor core makes of one large product and several small ones, bit for bit",
          "lanescope dot --gpu v100 --large 0 --small -24 --count 2",
          {{"gpu", "", true, "a GPU (see `lanescope devices`)", Kind::Text},
           {"large", "0", false, "exponent of the large product"},
           {"small", "-24", false, "exponent of the small ones"},
           {"count", "2", false, "how many small ones"}}},
         dotAnswer},
    };
    return all;
}

} // namespace lanescope::session
