// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/swizzle.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include <fmt/format.h>

namespace lanescope::model {

namespace {

constexpr int kMostBits = 20; ///< of an offset that a swizzle touches: more than any shared memory
constexpr int kChunk = 16;
constexpr int kMatrixRows = 8;

int log2Of(int value) { return static_cast<int>(std::bit_width(static_cast<unsigned>(value))) - 1; }
std::uint64_t bitMask(int bits) { return (std::uint64_t{1} << bits) - 1; }

Diagnostic wrong(std::string message, std::string hint) { return {Severity::Error, "model", std::move(message), {}, std::move(hint)}; }

int bytesAtOnce(const TileLayout& layout, TileAccess access) {
    switch (access) {
    case TileAccess::Ldmatrix:
    case TileAccess::LdmatrixTransposed:
    case TileAccess::Stmatrix:
    case TileAccess::Copy: return kChunk;
    case TileAccess::Fragment: return 4;
    case TileAccess::Row:
    case TileAccess::Column: return layout.elementBytes;
    }
    return kChunk;
}

bool isMatrix(TileAccess access) {
    return access == TileAccess::Ldmatrix || access == TileAccess::LdmatrixTransposed || access == TileAccess::Stmatrix;
}

/// Matrices of an access: x4 where the tile divides into 16 rows x 32 bytes, else x1.
bool inFours(const TileLayout& layout) { return layout.rows % (2 * kMatrixRows) == 0 && layout.rowBytes % (2 * kChunk) == 0; }

int ceilDivide(int a, int b) { return (a + b - 1) / b; }

Result<void> checkAccess(const TileLayout& layout, TileAccess access) {
    if (auto checked = check(layout); !checked)
        return failure(checked.error());
    const int bytes = bytesAtOnce(layout, access);
    if (layout.pitch() % bytes != 0 || layout.rowBytes % bytes != 0)
        return failure("model", fmt::format("rows of {} bytes, {} apart, are no multiple of the {} bytes that {} takes at once", layout.rowBytes, layout.pitch(), bytes, id(access)),
                       {}, fmt::format("choose row and padding as multiples of {}", bytes));
    if ((isMatrix(access) || access == TileAccess::Fragment) && (layout.rows % kMatrixRows != 0 || layout.rowBytes % kChunk != 0))
        return failure("model", fmt::format("a tile of {} rows of {} bytes does not divide into matrices of 8 rows of 16 bytes", layout.rows, layout.rowBytes), {},
                       "choose rows as a multiple of 8 and row bytes as a multiple of 16");
    const Swizzle& s = layout.swizzle;
    if (s.bits > 0 && std::uint64_t{1} << std::min(s.base, s.base + s.shift) < static_cast<std::uint64_t>(bytes))
        return failure("model", fmt::format("the swizzle {} moves single parts of the {} bytes that {} takes at once", toString(s), bytes, id(access)), {},
                       fmt::format("M must be at least {}", log2Of(bytes)));
    return {};
}

/// Stops at the first conflict.
bool isFree(const TileLayout& layout, TileAccess access) {
    if (!checkAccess(layout, access))
        return false;
    for (int i = 0; i < accessCount(layout, access); ++i) {
        const WarpAccess a = accessAt(layout, access, i);
        const memory::SharedCost cost = memory::sharedCost(a.addresses, a.active, a.bytesPerLane, a.kind);
        if (cost.wavefronts > cost.passes)
            return false;
    }
    return true;
}

bool areFree(const TileLayout& layout, const std::vector<TileAccess>& accesses) {
    return std::all_of(accesses.begin(), accesses.end(), [&](TileAccess access) { return isFree(layout, access); });
}

} // namespace

std::uint64_t Swizzle::changedBits() const { return bitMask(bits) << base; }
std::uint64_t Swizzle::sourceBits() const { return shift >= 0 ? changedBits() << shift : changedBits() >> -shift; }

std::uint64_t Swizzle::apply(std::uint64_t byte) const {
    const std::uint64_t source = byte & sourceBits();
    return byte ^ (shift >= 0 ? source >> shift : source << -shift);
}

std::string toString(const Swizzle& s) { return fmt::format("<{}, {}, {}>", s.bits, s.base, s.shift); }

Result<Swizzle> makeSwizzle(int b, int m, int s, int unitBytes) {
    if (unitBytes < 1 || unitBytes > 16 || std::popcount(static_cast<unsigned>(unitBytes)) != 1)
        return failure(Diagnostics{wrong(fmt::format("a unit of {} bytes is not 1, 2, 4, 8 or 16", unitBytes), "give the bytes of an element, or 1 for offsets in bytes")});
    const int base = m + log2Of(unitBytes);
    Diagnostics errors;
    if (b < 0 || m < 0)
        errors.push_back(wrong(fmt::format("<{}, {}, {}>: B and M are numbers of bits and cannot be negative", b, m, s), "give 0 or more"));
    else if (b > 0 && std::abs(s) < b)
        errors.push_back(wrong(fmt::format("<{}, {}, {}>: the bits that change and those they are XORed with overlap", b, m, s), "S must be at least B, or at most -B"));
    else if (base + std::min(s, 0) < 0 || base + b + std::max(s, 0) > kMostBits)
        errors.push_back(wrong(fmt::format("<{}, {}, {}>: bits outside 0 to {}", b, m, s, kMostBits - 1), "M + B + S must stay within the offsets of shared memory"));
    if (!errors.empty())
        return failure(std::move(errors));
    return Swizzle{b, base, s};
}

std::string_view id(TileAccess access) {
    static constexpr std::array<std::string_view, kTileAccesses> ids{"ldmatrix", "ldmatrix.trans", "stmatrix", "copy", "fragment", "row", "column"};
    return ids[static_cast<std::size_t>(access)];
}

std::string_view description(TileAccess access) {
    switch (access) {
    case TileAccess::Ldmatrix: return "ldmatrix.x4: each lane gives the address of a 16-byte row of an 8x8 matrix";
    case TileAccess::LdmatrixTransposed: return "ldmatrix.x4.trans: the same rows, of which lanes get columns";
    case TileAccess::Stmatrix: return "stmatrix.x4: rows of 8x8 matrices written";
    case TileAccess::Copy: return "cp.async or 128-bit stores: chunks of 16 bytes in the order of the tile, one a lane";
    case TileAccess::Fragment: return "the fragment of an mma by 4-byte loads: lane i reads row i/4, word i%4 of a chunk";
    case TileAccess::Row: return "lane i reads element i of a row";
    case TileAccess::Column: return "lane i reads one column of row i";
    }
    return {};
}

std::optional<TileAccess> findTileAccess(std::string_view wanted) {
    for (int i = 0; i < kTileAccesses; ++i)
        if (id(static_cast<TileAccess>(i)) == wanted)
            return static_cast<TileAccess>(i);
    return std::nullopt;
}

std::uint64_t TileLayout::byteOf(int row, int byteInRow) const {
    return swizzle.apply(static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(pitch()) + static_cast<std::uint64_t>(byteInRow));
}

Result<void> check(const TileLayout& layout) {
    Diagnostics errors;
    const auto add = [&](std::string message, std::string hint) { errors.push_back(wrong(std::move(message), std::move(hint))); };
    if (layout.rows < 1 || layout.rows > 1024)
        add(fmt::format("{} rows are out of range", layout.rows), "give 1 to 1024");
    if (layout.rowBytes < 1 || layout.rowBytes > 1024)
        add(fmt::format("rows of {} bytes are out of range", layout.rowBytes), "give 1 to 1024");
    if (layout.elementBytes != 1 && layout.elementBytes != 2 && layout.elementBytes != 4 && layout.elementBytes != 8)
        add(fmt::format("elements of {} bytes", layout.elementBytes), "give 1, 2, 4 or 8");
    else if (layout.rowBytes % layout.elementBytes != 0)
        add(fmt::format("a row of {} bytes holds no whole number of elements of {}", layout.rowBytes, layout.elementBytes), "choose the row as a multiple");
    if (layout.padBytes < 0 || layout.padBytes > 1024)
        add(fmt::format("a padding of {} bytes is out of range", layout.padBytes), "give 0 to 1024");
    if (errors.empty() && layout.swizzle.bits > 0) {
        // Bytes move within blocks of 2^(M + B): a tile that ends in the middle of one can reach past its end.
        const std::uint64_t step = std::uint64_t{1} << std::min(layout.swizzle.base, layout.swizzle.base + layout.swizzle.shift);
        for (std::uint64_t byte = 0; byte < layout.bytes(); byte += step)
            if (layout.swizzle.apply(byte) >= layout.bytes()) {
                add(fmt::format("the swizzle {} moves byte {} to {}, past the tile's {} bytes", toString(layout.swizzle), byte, layout.swizzle.apply(byte), layout.bytes()),
                    "choose fewer bits or a larger tile");
                break;
            }
    }
    if (!errors.empty())
        return failure(std::move(errors));
    return {};
}

int accessCount(const TileLayout& layout, TileAccess access) {
    const int columns = layout.rowBytes / layout.elementBytes;
    switch (access) {
    case TileAccess::Ldmatrix:
    case TileAccess::LdmatrixTransposed:
    case TileAccess::Stmatrix: return layout.rows / kMatrixRows * (layout.rowBytes / kChunk) / (inFours(layout) ? 4 : 1);
    case TileAccess::Copy: return ceilDivide(layout.rows * (layout.rowBytes / kChunk), kWarpSize);
    case TileAccess::Fragment: return layout.rows / kMatrixRows * (layout.rowBytes / kChunk);
    case TileAccess::Row: return layout.rows * ceilDivide(columns, kWarpSize);
    case TileAccess::Column: return ceilDivide(layout.rows, kWarpSize) * columns;
    }
    return 0;
}

WarpAccess accessAt(const TileLayout& layout, TileAccess access, int index) {
    WarpAccess out;
    out.bytesPerLane = bytesAtOnce(layout, access);
    out.kind = isMatrix(access)              ? memory::SharedKind::Matrix
               : access == TileAccess::Copy ? memory::SharedKind::Store
                                            : memory::SharedKind::Load;
    const int chunks = layout.rowBytes / kChunk, columns = layout.rowBytes / layout.elementBytes;
    for (int lane = 0; lane < kWarpSize; ++lane) {
        int row = 0, byte = 0;
        bool isActive = true;
        switch (access) {
        case TileAccess::Ldmatrix:
        case TileAccess::LdmatrixTransposed:
        case TileAccess::Stmatrix:
            if (inFours(layout)) {
                row = index / (chunks / 2) * 16 + lane % 16;
                byte = (index % (chunks / 2) * 2 + lane / 16) * kChunk;
            } else {
                row = index / chunks * kMatrixRows + lane % kMatrixRows;
                byte = index % chunks * kChunk;
                isActive = lane < kMatrixRows;
            }
            break;
        case TileAccess::Copy: {
            const int chunk = index * kWarpSize + lane;
            row = chunk / chunks;
            byte = chunk % chunks * kChunk;
            break;
        }
        case TileAccess::Fragment:
            row = index / chunks * kMatrixRows + lane / 4;
            byte = index % chunks * kChunk + lane % 4 * 4;
            break;
        case TileAccess::Row: {
            const int parts = ceilDivide(columns, kWarpSize), column = index % parts * kWarpSize + lane;
            row = index / parts;
            byte = column * layout.elementBytes;
            isActive = column < columns;
            break;
        }
        case TileAccess::Column:
            row = index / columns * kWarpSize + lane;
            byte = index % columns * layout.elementBytes;
            break;
        }
        if (!isActive || row >= layout.rows)
            continue;
        const auto at = static_cast<std::size_t>(lane);
        out.active |= LaneMask{1} << lane;
        out.row[at] = row;
        out.byteInRow[at] = byte;
        out.addresses[at] = layout.byteOf(row, byte);
    }
    return out;
}

Result<TileCost> costOf(const TileLayout& layout, TileAccess access) {
    if (auto checked = checkAccess(layout, access); !checked)
        return failure(checked.error());
    TileCost total;
    total.accesses = accessCount(layout, access);
    for (int i = 0; i < total.accesses; ++i) {
        const WarpAccess a = accessAt(layout, access, i);
        const memory::SharedCost cost = memory::sharedCost(a.addresses, a.active, a.bytesPerLane, a.kind);
        total.wavefronts += cost.wavefronts;
        total.passes += cost.passes;
        for (const LaneMask pass : memory::sharedPasses(a.addresses, a.active, a.bytesPerLane, a.kind)) {
            // A pass alone: the wavefronts of its lanes, all of them in it.
            std::array<std::vector<std::uint64_t>, memory::kBanks> words;
            forEachLane(pass, [&](int lane) {
                const std::uint64_t first = a.addresses[static_cast<std::size_t>(lane)];
                for (std::uint64_t byte = first / 4 * 4; byte < first + static_cast<std::uint64_t>(a.bytesPerLane); byte += 4) {
                    auto& list = words[byte / memory::kBankBytes % memory::kBanks];
                    if (std::find(list.begin(), list.end(), byte) == list.end())
                        list.push_back(byte);
                }
            });
            for (const auto& list : words)
                if (static_cast<int>(list.size()) > total.degree) {
                    total.degree = static_cast<int>(list.size());
                    total.worst = i;
                }
        }
    }
    return total;
}

std::vector<Swizzle> conflictFreeSwizzles(const TileLayout& layout, const std::vector<TileAccess>& accesses) {
    std::vector<Swizzle> out;
    TileLayout tried = layout;
    const auto isFreeWith = [&](const Swizzle& swizzle) {
        tried.swizzle = swizzle;
        return areFree(tried, accesses);
    };
    if (isFreeWith(Swizzle{}))
        return {Swizzle{}};
    int least = 0;
    for (const TileAccess access : accesses)
        least = std::max(least, log2Of(bytesAtOnce(layout, access)));
    for (int b = 1; b <= 5; ++b)
        for (int m = least; m <= 6; ++m)
            for (int s = b; s <= 7; ++s)
                if (const Swizzle swizzle{b, m, s}; isFreeWith(swizzle))
                    out.push_back(swizzle);
    return out;
}

std::optional<int> conflictFreePadding(const TileLayout& layout, const std::vector<TileAccess>& accesses) {
    TileLayout tried = layout;
    tried.swizzle = {};
    int step = 4;
    for (const TileAccess access : accesses)
        step = std::max(step, bytesAtOnce(layout, access));
    for (int pad = 0; pad <= layout.rowBytes; pad += step) {
        tried.padBytes = pad;
        if (areFree(tried, accesses))
            return pad;
    }
    return std::nullopt;
}

int FoundLayout::unpaddedPitch() const { return pitch > 128 ? pitch / 128 * 128 : pitch; }

std::optional<FoundLayout> findLayout(const std::array<std::uint64_t, kWarpSize>& addresses, LaneMask active) {
    const auto follow = [&](const Swizzle& swizzle) -> std::optional<FoundLayout> {
        FoundLayout found;
        found.swizzle = swizzle;
        for (std::size_t lane = 0; lane < addresses.size(); ++lane)
            found.linear[lane] = swizzle.apply(addresses[lane]);
        for (unsigned first = 0; first < kWarpSize; first += kMatrixRows) {
            const LaneMask matrix = LaneMask{0xff} << first;
            if ((active & matrix) == 0)
                continue;
            if ((active & matrix) != matrix)
                return std::nullopt;
            for (unsigned i = first + 1; i < first + kMatrixRows; ++i) {
                const auto step = static_cast<std::int64_t>(found.linear[i] - found.linear[i - 1]);
                if (step < kChunk || (found.pitch != 0 && step != found.pitch))
                    return std::nullopt;
                found.pitch = static_cast<int>(step);
            }
        }
        return found.pitch == 0 ? std::nullopt : std::optional(found);
    };
    if (auto linear = follow({}))
        return linear;
    for (int b = 1; b <= 4; ++b)
        for (int s = b; s <= 7; ++s)
            if (auto found = follow(Swizzle{b, 4, s}))
                return found;
    return std::nullopt;
}

Explanation explainByte(const TileLayout& layout, int row, int column) {
    const int inRow = column * layout.elementBytes;
    Explanation e{"byte of the element", static_cast<double>(layout.byteOf(row, inRow)), "bytes", "row x pitch + column x element bytes", {}, {}};
    const auto input = [&](const char* name, int value, const char* unit) { e.inputs.push_back(inputOf(name, value, unit, "given")); };
    input("row", row, "");
    input("pitch", layout.pitch(), "bytes");
    input("column", column, "");
    input("element bytes", layout.elementBytes, "bytes");
    if (layout.swizzle.bits > 0) {
        e.formula = fmt::format("o XOR ((o AND 0x{:x}) {} {}), o = {}", layout.swizzle.sourceBits(), layout.swizzle.shift >= 0 ? ">>" : "<<",
                                std::abs(layout.swizzle.shift), e.formula);
        e.assumptions.push_back(fmt::format("the tile starts at a multiple of {} bytes", std::uint64_t{1} << std::bit_width(layout.swizzle.changedBits() | layout.swizzle.sourceBits())));
    }
    return e;
}

Explanation explainCost(const TileLayout& layout, TileAccess access, const TileCost& cost) {
    return {"wavefronts of the whole tile",
            static_cast<double>(cost.wavefronts),
            "wavefronts",
            "sum over accesses and passes of the most words that one bank has to serve",
            {inputOf("rows", layout.rows, "", "given"), inputOf("pitch", layout.pitch(), "bytes", "given"), inputOf("accesses", cost.accesses, "warp instructions", std::string(description(access))),
             inputOf("passes", cost.passes, "wavefronts", "the minimum: 8 lanes of 16 bytes, 16 of 8, 32 of 4 at a time")},
            {"32 banks of 4 bytes; lanes on one word share it"}};
}

} // namespace lanescope::model
