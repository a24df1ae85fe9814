// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/swizzle/swizzle_scene.h"

#include <algorithm>
#include <bit>
#include <map>

#include "views/export/canvas.h"

namespace lanescope::views {
namespace {

PassPicture passOf(const QString& title, const model::TileLayout& layout, model::TileAccess access, const model::TileCost& cost, int worst) {
    PassPicture out;
    out.title = title;
    const model::WarpAccess warp = model::accessAt(layout, access, worst);
    const auto passes = memory::sharedPasses(warp.addresses, warp.active, warp.bytesPerLane, warp.kind);
    std::map<int, std::vector<std::uint64_t>> words;
    if (!passes.empty())
        forEachLane(passes.front(), [&](int lane) {
            const std::uint64_t address = warp.addresses[std::size_t(lane)];
            PassPicture::Lane one;
            one.lane = lane;
            one.row = warp.row[std::size_t(lane)];
            one.firstBank = int(address / memory::kBankBytes % memory::kBanks);
            one.banks = std::max(1, warp.bytesPerLane / memory::kBankBytes);
            auto& list = words[one.firstBank];
            const std::uint64_t word = address / memory::kBankBytes;
            auto at = std::find(list.begin(), list.end(), word);
            if (at == list.end())
                at = list.insert(list.end(), word);
            one.wavefront = int(at - list.begin()) + 1;
            out.degree = std::max(out.degree, one.wavefront);
            out.lanes.push_back(one);
        });
    for (PassPicture::Lane& lane : out.lanes)
        lane.isHot = words[lane.firstBank].size() > 1;
    out.verdict = cost.excess() == 0 ? QStringLiteral("conflict-free") : QStringLiteral("%1-way conflict").arg(cost.degree);
    out.sum = QStringLiteral("%1 = %2 minimum + %3 excess").arg(counted(cost.wavefronts, QStringLiteral("wavefront"))).arg(cost.passes).arg(cost.excess());
    return out;
}

} // namespace

SwizzlePicture makeSwizzlePicture(const SwizzleInput& input) {
    SwizzlePicture out;
    const auto fail = [&](const Diagnostics& errors) {
        const Diagnostic& first = errors.front();
        out.problem = QString::fromStdString(first.message + (first.hint.empty() ? "" : ": " + first.hint)) + '.';
        return out;
    };
    const auto swizzle = model::makeSwizzle(input.b, input.m, input.s, input.unitBytes);
    if (!swizzle)
        return fail(swizzle.error());
    out.swizzle = *swizzle;
    model::TileLayout linear = input.tile, moved = input.tile, padded = input.tile;
    linear.swizzle = padded.swizzle = {};
    linear.padBytes = moved.padBytes = 0;
    moved.swizzle = *swizzle;
    const auto before = model::costOf(linear, input.access);
    if (!before)
        return fail(before.error());
    const auto after = model::costOf(moved, input.access);
    if (!after)
        return fail(after.error());
    out.passes = {passOf(QStringLiteral("In order"), linear, input.access, *before, before->worst),
                  passOf(QStringLiteral("Swizzled"), moved, input.access, *after, after->excess() > 0 ? after->worst : before->worst)};
    const auto add = [&](const QString& name, const model::TileCost& cost, int wasted) { out.cases.push_back({name, cost.wavefronts, cost.passes, cost.excess(), cost.degree, wasted}); };
    add(QStringLiteral("in order"), *before, 0);
    add(QStringLiteral("swizzle %1").arg(QString::fromStdString(model::toString(*swizzle))), *after, 0);
    int pad = input.tile.padBytes;
    if (pad == 0)
        pad = model::conflictFreePadding(linear, {input.access}).value_or(0);
    padded.padBytes = pad;
    if (const auto cost = model::costOf(padded, input.access); cost && pad > 0)
        add(QStringLiteral("%1 bytes of padding a row").arg(pad), *cost, pad * input.tile.rows);
    out.found = model::conflictFreeSwizzles(linear, {input.access});
    out.offsetBits = std::clamp(int(std::bit_width(std::max({linear.bytes() - 1, swizzle->sourceBits(), swizzle->changedBits()}))), 8, 20);
    const int row = std::clamp(input.row, 0, input.tile.rows - 1), column = std::clamp(input.column, 0, input.tile.rowBytes / input.tile.elementBytes - 1);
    out.linearByte = linear.byteOf(row, column * input.tile.elementBytes);
    out.byte = moved.byteOf(row, column * input.tile.elementBytes);
    out.element = QStringLiteral("row %1, column %2: byte %3 in order, byte %4 swizzled, bank %5").arg(row).arg(column).arg(grouped(qint64(out.linearByte)), grouped(qint64(out.byte))).arg(out.byte / 4 % 32);
    out.units = swizzle->bits == 0 ? QStringLiteral("B = 0: nothing is moved")
                                   : QStringLiteral("byte offset: bits %1–%2 are XORed with bits %3–%4")
                                         .arg(swizzle->base)
                                         .arg(swizzle->base + swizzle->bits - 1)
                                         .arg(swizzle->base + swizzle->shift)
                                         .arg(swizzle->base + swizzle->shift + swizzle->bits - 1);
    if (input.tile.elementBytes > 1 && swizzle->bits > 0) {
        const int less = int(std::bit_width(unsigned(input.tile.elementBytes))) - 1;
        out.units += QStringLiteral("; in elements of %1 bytes it is <%2, %3, %4>").arg(input.tile.elementBytes).arg(swizzle->bits).arg(swizzle->base - less).arg(swizzle->shift);
    }
    return out;
}

} // namespace lanescope::views
