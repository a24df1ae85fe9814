// SPDX-License-Identifier: GPL-3.0-or-later
// What the thread-to-address map shows, placed: a pure function of a snapshot, the options and the
// rectangle. Painting and hit testing use the same value.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include <QRectF>
#include <QString>
#include <QStringList>

#include "engine/session/comparison.h"

namespace lanescope::views {

inline constexpr int kLineBytes = 128;
inline constexpr int kSectorBytes = 32;

/// What a source line cost when the warp was there: the rail sets it beside the present one.
struct MapLine {
    std::uint32_t line = 0; ///< of the CUDA text
    session::StepFigures figures;
};

struct MapOptions {
    int access = -1;    ///< which access of the step, -1: all
    bool index = false; ///< addresses as element indices instead of hexadecimal offsets
    /// The line that the warp was on before and the present one, by line number.
    std::optional<std::array<MapLine, 2>> compared;
};

/// One access of the step to global (or local) memory.
struct MapAccess {
    int source = 0;         ///< index into FrameView::accesses
    QString name;           ///< "A load", unique within the step
    QString array;          ///< "A", or "memory" when unknown
    int colour = 0;         ///< index of its colour in this step
    bool isUniform = false; ///< all active lanes (two or more) use one address: drawn as a bus
    int sectors = 0, lines = 0, bytes = 0;
    double used() const { return sectors == 0 ? 0 : double(bytes) / (sectors * kSectorBytes); }
};

/// One 128-byte line of memory as a row, or several folded into one.
struct MapRow {
    int access = 0;                       ///< index into MapScene::accesses
    std::uint64_t line = 0, lastLine = 0; ///< addresses of the first and the last line
    int count = 1;                        ///< lines in this row
    std::int64_t stride = 0;              ///< bytes between folded lines, 0: they differ
    std::bitset<kLineBytes> used;         ///< bytes asked for (union over folded lines)
    unsigned sectors = 0;                 ///< touched sectors, bit 0 the first
    LaneMask lanes = 0;
    QString label, label2;
    double y = 0, height = 0; ///< centre and height
    bool selected = false;
};

struct MapLane {
    QRectF chip;
    double y = 0;
    bool active = false;
    bool labelled = true;
};

struct MapScene {
    QRectF rect, body, rail;
    /// Set when there is no map to draw: what the step was, and what to do.
    QString emptyTitle, emptyText;
    QStringList shared;              ///< names of accesses to shared memory, shown by the bank view
    std::vector<MapAccess> accesses; ///< all of the step
    std::vector<int> shown;          ///< indices into accesses
    std::vector<MapRow> rows;
    std::vector<MapLane> lanes;
    int lane = 0;                          ///< selected
    QString caption;                       ///< over the connectors: "each to its own line"
    QString note;                          ///< rows that found no room
    int sectors = 0, lines = 0, bytes = 0; ///< of the accesses shown
    bool index = false;
    std::optional<std::array<MapLine, 2>> compared;

    double laneX = 0, laneWidth = 24, portX = 0, addressX = 0, memoryX = 0, bytePx = 3.5;
    double sectorGap = 4, headerY = 0, top = 0, bottom = 0;

    double byteX(double byte) const {
        return memoryX + byte * bytePx + std::min(3, int(byte) / kSectorBytes) * sectorGap;
    }
    double memoryRight() const { return memoryX + kLineBytes * bytePx + 3 * sectorGap; }
    QRectF rowRect(const MapRow& row) const {
        return {memoryX, row.y - row.height / 2, memoryRight() - memoryX, row.height};
    }
    /// The lane at a position, -1: none. Its own row of chips and connectors, or the bytes it uses.
    int laneAt(QPointF at, const session::FrameView& frame) const;
};

MapScene makeMapScene(const session::Snapshot* snapshot, const MapOptions& options,
                      const QRectF& rect);

/// "A+0x0680" or "A[416]".
QString addressText(const session::AccessView& access, std::uint64_t address, bool index);
/// Tooltip lines of a lane: element, address, place in the line, value; one block per access shown.
QStringList laneDetails(const MapScene& scene, const session::FrameView& frame, int lane);
/// How far apart two lanes' addresses are: "128 bytes apart, in other lines"; per access shown, joined.
QString laneDistanceText(const MapScene& scene, const session::FrameView& frame, int first,
                         int second);

} // namespace lanescope::views
