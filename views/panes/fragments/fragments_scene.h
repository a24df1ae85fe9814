// SPDX-License-Identifier: GPL-3.0-or-later
// The operands of a matrix instruction, placed: which lane holds which element in which register, with what value.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <QPointF>
#include <QRectF>
#include <QString>
#include <QStringList>

#include "engine/session/snapshot.h"
#include "engine/tensor/product_steps.h"

namespace lanescope::views {

enum class FragmentMode : std::uint8_t { Lanes, Registers, Values };

/// An element of a matrix: tiles lie below each other.
struct FragmentElement {
    int grid = -1; ///< index into FragmentScene::grids
    int row = 0, column = 0;
    bool operator==(const FragmentElement&) const = default;
};

struct FragmentCell {
    int lane = 0, reg = 0, part = 0;
    int index = 0; ///< among the elements that the lane holds: a0, a1, ...
    std::uint64_t raw = 0;
};

struct FragmentGrid {
    QChar matrix;                 ///< 'A', 'B', 'C', 'D'
    QString title, detail;        ///< "A", "16 × 16 f16, row-major: 8 per lane"
    QString rowAxis, columnAxis;  ///< "m", "k"; empty: none
    int rows = 0, columns = 0, tileRows = 0; ///< all tiles; of one
    int firstRow = 0;             ///< of the map, where a grid shows one 8x8 matrix of several; of a wgmma the warp's, in the 64 of its warpgroup
    bool countsRows = false;      ///< its rows are numbered from firstRow
    const session::FragmentView* view = nullptr;
    std::vector<FragmentCell> cells; ///< row by row
    double x = 0, y = 0;          ///< of the first cell
    const FragmentCell& cell(int row, int column) const { return cells[std::size_t(row * columns + column)]; }
    QString elementName(int row, int column) const; ///< "A[3][2]", of tiles "A1[3][2]"
};

/// Where the walk through one element of C stands.
struct FragmentWalk {
    QString text;      ///< the present step in one line
    QString rule;      ///< how the hardware adds
    int step = 0, steps = 0;
    int k = -1;        ///< of the present term; -1: none
    std::vector<int> done; ///< k of the terms that are in the sum
};

struct FragmentScene {
    QRectF rect;
    QString emptyText;
    QString instruction;  ///< its text
    QString note;         ///< that it is not the step's own
    FragmentMode mode = FragmentMode::Lanes;
    std::vector<FragmentGrid> grids;
    int lane = 0;         ///< selected, as the map counts (0-127 for wgmma)
    FragmentElement chosen; ///< of C (or of the only matrix): framed; its row of A and column of B are outlined
    double cellWidth = 25, cellHeight = 18;
    QSizeF wanted;        ///< that the grids need at the least readable size: more than rect scrolls
    FragmentWalk walk;
    bool hasWalk = false;
    /// Of a wgmma: what its descriptors name, and where what the chosen element is made of lies.
    QStringList shared;
    double walkTop = 0, legendTop = 0; ///< walkTop: also of the lines of `shared`
    bool hasLegend = true;

    QRectF cellRect(const FragmentGrid& grid, int row, int column) const {
        return {grid.x + column * cellWidth, grid.y + row * cellHeight, cellWidth, cellHeight};
    }
    FragmentElement elementAt(QPointF at) const; ///< grid -1: none
    int gridOf(QChar matrix) const;              ///< -1: none
    /// The grid's cells of a lane, in the order of its registers.
    std::vector<FragmentElement> elementsOf(int grid, int lane) const;
    /// Lanes that hold the chosen element's row of A and column of B.
    LaneMask lanesOfRow = 0, lanesOfColumn = 0;
};

struct FragmentChoice {
    FragmentMode mode = FragmentMode::Lanes;
    FragmentElement chosen; ///< grid -1: the selected lane's first element of C
    int walkStep = 0;
    QPointF scroll;
    bool fit = false; ///< everything in the rectangle, however small the cells become
};

FragmentScene makeFragmentScene(const session::Snapshot* snapshot, const FragmentChoice& choice, const QRectF& rect);

/// Rows of the table of a lane: name, element, register, value.
std::vector<QStringList> laneRows(const FragmentScene& scene, int lane);
/// Value of raw bits as text of at most so many characters; 0: any length.
QString elementText(tensor::Element element, std::uint64_t raw, int most = 0);

} // namespace lanescope::views
