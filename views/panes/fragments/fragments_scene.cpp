// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/fragments/fragments_scene.h"

#include <algorithm>
#include <cmath>

#include "engine/session/product_view.h"
#include "views/export/canvas.h"

namespace lanescope::views {
namespace {

using session::FragmentView;
using session::Snapshot;

constexpr double kLabel = 28, kMargin = 14;
constexpr double kLow = 340; ///< below this height the legend goes and the walk takes one line

QString elementTypeName(const FragmentView& view) { return QString::fromLatin1(tensor::name(view.element).data(), qsizetype(tensor::name(view.element).size())); }

/// Memory order of an operand, where the instruction says one.
QString orderOf(QChar matrix, const session::ProductView* product) {
    if (product == nullptr || matrix == 'C' || matrix == 'D')
        return {};
    const bool isColumnMajor = matrix == 'A' ? product->product.columnMajorA : product->product.columnMajorB;
    return isColumnMajor ? QStringLiteral(", col-major") : QStringLiteral(", row-major");
}

FragmentGrid gridOf(const FragmentView& view, const session::ProductView* product, int warpRank) {
    const tensor::FragmentMap& map = *view.map;
    FragmentGrid grid;
    grid.matrix = QLatin1Char(view.matrix);
    grid.title = grid.matrix;
    grid.view = &view;
    grid.tileRows = map.rows();
    grid.rows = map.rows() * map.tiles();
    grid.columns = map.columns();
    const int perLane = map.distinctRegisters() * map.elementsPerRegister();
    grid.detail = QStringLiteral("%1%2 × %3 %4%5: %6 per lane")
                      .arg(map.tiles() > 1 ? QStringLiteral("%1 of ").arg(map.tiles()) : QString())
                      .arg(map.rows())
                      .arg(map.columns())
                      .arg(elementTypeName(view), orderOf(grid.matrix, product))
                      .arg(perLane);
    if (product != nullptr && product->isWarpgroup && grid.matrix != 'B') {
        grid.firstRow = warpRank * grid.tileRows;
        grid.countsRows = true;
        grid.detail = QStringLiteral("rows %1–%2 of 64 × %3 %4: %5 per lane").arg(grid.firstRow).arg(grid.firstRow + grid.tileRows - 1).arg(grid.columns).arg(elementTypeName(view)).arg(perLane);
    }
    if (product != nullptr) {
        grid.rowAxis = grid.matrix == 'B' ? QStringLiteral("k") : QStringLiteral("m");
        grid.columnAxis = grid.matrix == 'A' ? QStringLiteral("k") : QStringLiteral("n");
    }
    grid.cells.resize(std::size_t(grid.rows * grid.columns));
    const auto indices = map.indices();
    // Copies come last: the first place stays.
    for (std::size_t i = std::min(indices.size(), view.values.size()); i-- > 0;) {
        const int lane = int(i) % map.lanes(), rest = int(i) / map.lanes();
        FragmentCell& cell = grid.cells[indices[i]];
        cell.lane = lane;
        cell.part = rest % map.elementsPerRegister();
        cell.reg = rest / map.elementsPerRegister();
        cell.index = rest;
        cell.raw = view.values[i];
    }
    return grid;
}

/// ldmatrix, stmatrix, movmatrix: each 8x8 matrix beside the others.
void splitMatrices(std::vector<FragmentGrid>& grids) {
    std::vector<FragmentGrid> out;
    for (FragmentGrid& grid : grids) {
        const int matrices = grid.rows / 8;
        for (int m = 0; m < matrices; ++m) {
            FragmentGrid one = grid;
            one.firstRow = 8 * m;
            one.rows = one.tileRows = 8;
            one.cells.assign(grid.cells.begin() + 64 * m, grid.cells.begin() + 64 * (m + 1));
            one.title = matrices > 1 ? QStringLiteral("Matrix %1").arg(m) : grids.size() > 1 ? (grid.matrix == 'A' ? QStringLiteral("Before") : QStringLiteral("After")) : QStringLiteral("Matrix");
            one.detail = QStringLiteral("register %1, 2 per lane").arg(QString::fromStdString(grid.view->registers.size() > std::size_t(m) ? grid.view->registers[std::size_t(m)] : std::string()));
            out.push_back(std::move(one));
        }
    }
    grids = std::move(out);
}

QString sumOrder(const tensor::ProductSteps& steps, int terms) {
    using Rule = tensor::ProductSteps::Rule;
    switch (steps.rule) {
    case Rule::Fused:
        return steps.groups.size() == 1 ? QStringLiteral("all %1 products and c: aligned, cut, added at once").arg(terms)
                                        : QStringLiteral("%1 groups, one after the other: aligned, cut, added at once").arg(steps.groups.size());
    case Rule::FusedThenAdd: return QStringLiteral("%1 groups from zero, then c").arg(steps.groups.size());
    case Rule::Chain: return QStringLiteral("fused multiply-adds, one after the other");
    case Rule::Integer: return QStringLiteral("exact");
    }
    return {};
}

QString number(double value) { return QString::number(value, 'g', 9); }

FragmentWalk walkThrough(const tensor::ProductSteps& steps, int step, const QString& element) {
    FragmentWalk walk;
    int terms = 0;
    for (const tensor::ProductGroup& group : steps.groups)
        terms += int(group.terms.size());
    walk.rule = sumOrder(steps, terms);
    walk.steps = terms + int(steps.groups.size()) + (steps.startsAtZero ? 1 : 0);
    walk.step = std::clamp(step, 0, walk.steps);
    const double start = steps.startsAtZero ? 0.0 : steps.addend;
    walk.text = QStringLiteral("%1 starts at %2").arg(element, steps.startsAtZero ? QStringLiteral("0; c = %1 comes last").arg(number(steps.addend)) : QStringLiteral("c = %1").arg(number(start)));
    int left = walk.step;
    for (const tensor::ProductGroup& group : steps.groups) {
        double sum = group.beforeKept;
        for (const tensor::ProductTerm& term : group.terms) {
            if (left == 0)
                return walk;
            sum += term.kept;
            walk.k = term.k;
            walk.done.push_back(term.k);
            walk.text = QStringLiteral("k = %1: %2 × %3 = %4%5, sum %6")
                            .arg(term.k)
                            .arg(number(term.a), number(term.b), number(term.product), term.kept != term.product ? QStringLiteral(", of which %1 is kept").arg(number(term.kept)) : QString(), number(sum));
            --left;
        }
        if (left == 0)
            return walk;
        --left;
        walk.k = -1;
        walk.text = group.result == sum ? QStringLiteral("sum %1 is the result of these products").arg(number(sum)) : QStringLiteral("sum %1 is cut to %2").arg(number(sum), number(group.result));
    }
    if (steps.startsAtZero && left > 0)
        walk.text = QStringLiteral("c = %1 is added: %2").arg(number(steps.addend), number(steps.result));
    return walk;
}

void addWalk(FragmentScene& scene, const Snapshot& snapshot, int step) {
    const session::ProductView* product = snapshot.frame.product.get();
    const int a = scene.gridOf('A'), b = scene.gridOf('B'), c = scene.gridOf('C');
    if (product == nullptr || a < 0 || b < 0 || c < 0 || scene.chosen.grid < 0)
        return;
    const FragmentGrid &ga = scene.grids[std::size_t(a)], &gb = scene.grids[std::size_t(b)], &gc = scene.grids[std::size_t(c)];
    const int tile = scene.chosen.row / gc.tileRows;
    std::vector<std::uint64_t> row, column;
    for (int k = 0; k < ga.columns; ++k) {
        const FragmentCell &x = ga.cell(scene.chosen.row, k), &y = gb.cell(tile * gb.tileRows + k, scene.chosen.column);
        row.push_back(x.raw);
        column.push_back(y.raw);
        scene.lanesOfRow |= 1u << (x.lane % kWarpSize);
        scene.lanesOfColumn |= 1u << (y.lane % kWarpSize);
    }
    // Once the instruction has been executed D may stand where C stood; the frame keeps C's bits.
    const std::uint64_t addend = gc.cell(scene.chosen.row, scene.chosen.column).raw;
    const tensor::ProductSteps steps = tensor::Multiplier(product->product, product->generation).steps(row, column, addend);
    scene.walk = walkThrough(steps, step, gc.elementName(scene.chosen.row, scene.chosen.column));
    scene.hasWalk = true;
}

/// Bytes of shared memory as ranges, those that follow each other as one; of many the first ones.
QString rangesOf(const std::vector<std::uint64_t>& addresses, std::uint64_t bytes) {
    constexpr int kMost = 3;
    QStringList parts;
    int ranges = 0;
    for (std::size_t i = 0; i < addresses.size();) {
        std::size_t end = i + 1;
        while (end < addresses.size() && addresses[end] == addresses[end - 1] + bytes)
            ++end;
        const std::uint64_t last = addresses[end - 1] + bytes - 1;
        if (++ranges <= kMost)
            parts += last == addresses[i] ? grouped(qint64(last)) : QStringLiteral("%1–%2").arg(grouped(qint64(addresses[i])), grouped(qint64(last)));
        i = end;
    }
    if (ranges > kMost)
        parts += QStringLiteral("… %1 places").arg(ranges);
    return parts.join(QStringLiteral(", "));
}

QStringList sharedLines(const FragmentScene& scene, const session::ProductView& product) {
    QStringList lines, made;
    const bool isChosen = scene.chosen.grid >= 0;
    for (const session::SharedOperandView& operand : product.shared) {
        const auto bytes = std::uint64_t(std::max(1, tensor::bits(operand.element) / 8));
        std::uint64_t first = ~std::uint64_t{0}, last = 0;
        for (int row = 0; row < operand.rows; ++row)
            for (int column = 0; column < operand.columns; ++column) {
                const std::uint64_t at = operand.addressOf(row, column);
                first = std::min(first, at);
                last = std::max(last, at + bytes - 1);
            }
        const tensor::MatrixDescriptor& d = operand.descriptor;
        const std::string_view swizzle = tensor::name(d.swizzle);
        lines += QStringLiteral("%1: %2 × %3, %4-major, in bytes %5–%6 of shared memory · descriptor: start %7, leading %8, stride %9, ")
                     .arg(QLatin1Char(operand.matrix))
                     .arg(operand.rows)
                     .arg(operand.columns)
                     .arg(operand.isMnMajor ? (operand.matrix == 'A' ? QStringLiteral("M") : QStringLiteral("N")) : QStringLiteral("K"))
                     .arg(grouped(qint64(first)), grouped(qint64(last)), grouped(d.start), grouped(d.leadingBytes), grouped(d.strideBytes)) +
                 QString::fromLatin1(swizzle.data(), qsizetype(swizzle.size())) + QStringLiteral(" swizzle");
        if (!isChosen)
            continue;
        std::vector<std::uint64_t> places;
        for (int k = 0; k < product.product.shape.k; ++k)
            places.push_back(operand.matrix == 'A' ? operand.addressOf(scene.chosen.row, k) : operand.addressOf(k, scene.chosen.column));
        made += operand.matrix == 'A' ? QStringLiteral("A[%1][k] at %2").arg(operand.firstRow + scene.chosen.row).arg(rangesOf(places, bytes))
                                      : QStringLiteral("B[k][%1] at %2").arg(scene.chosen.column).arg(rangesOf(places, bytes));
    }
    if (isChosen && !made.isEmpty())
        lines += QStringLiteral("%1 is made of %2").arg(scene.grids[std::size_t(scene.chosen.grid)].elementName(scene.chosen.row, scene.chosen.column), made.join(QStringLiteral(" and ")));
    return lines;
}

void describe(FragmentScene& scene, const Snapshot& snapshot) {
    const session::FrameView& frame = snapshot.frame;
    scene.instruction = QString::fromStdString(snapshot.program->instructions[frame.fragmentPc].text).section(' ', 0, 0);
    const auto& mine = snapshot.trace->eventsOfWarp[std::size_t(frame.warp)];
    const auto executed = std::lower_bound(mine.begin(), mine.end(), frame.index) - mine.begin();
    const auto at = std::lower_bound(mine.begin(), mine.end(), frame.fragmentEvent) - mine.begin();
    if (frame.fragmentsOf == session::FragmentsOf::Earlier)
        scene.note = QStringLiteral("%1 ago in this warp; values as the registers are now").arg(counted(executed - 1 - at, QStringLiteral("instruction")));
    else if (frame.fragmentsOf == session::FragmentsOf::Later)
        scene.note = QStringLiteral("comes in %1 of this warp; values as the registers are now").arg(counted(at - executed + 1, QStringLiteral("instruction")));
}

QString emptyTextOf(const Snapshot* snapshot) {
    if (snapshot == nullptr || !snapshot->program)
        return QStringLiteral("No kernel is open.");
    if (!snapshot->trace)
        return QStringLiteral("The kernel does not run yet.");
    const auto& instructions = snapshot->program->instructions;
    if (std::any_of(instructions.begin(), instructions.end(), [](const auto& in) { return in.cls == ptx::InstructionClass::Tensor; }))
        return QStringLiteral("Warp %1 executes no matrix instruction; other warps of this kernel do.").arg(snapshot->frame.warp);
    return QStringLiteral("Warp %1 executes no matrix instruction: open t2_mma or a lesson of Tensor cores to see who holds what.").arg(snapshot->frame.warp);
}

double leastCellWidth(FragmentMode mode, int lanes, int perLane) {
    switch (mode) {
    case FragmentMode::Lanes: return lanes > 100 || perLane > 100 ? 24 : perLane > 10 ? 20 : 17;
    case FragmentMode::Registers: return perLane > 100 ? 27 : perLane > 10 ? 20 : 17;
    case FragmentMode::Values: return 30;
    }
    return 17;
}

void place(FragmentScene& scene, const FragmentChoice& choice) {
    int columns = 0, rows = 0, lanes = 0, perLane = 0;
    for (const FragmentGrid& grid : scene.grids) {
        columns += grid.columns;
        rows = std::max(rows, grid.rows);
        lanes = std::max(lanes, grid.view->map->lanes());
        perLane = std::max(perLane, grid.view->map->registers() * grid.view->map->elementsPerRegister());
    }
    const auto count = double(scene.grids.size());
    const bool isLow = scene.rect.height() < kLow;
    const double gap = scene.rect.width() < 860 ? 22 : 34, top = isLow ? 36 : 42, walk = scene.hasWalk ? (isLow ? 30.0 : 58.0) : scene.shared.isEmpty() ? 0.0 : 12.0 + 16.0 * double(scene.shared.size());
    scene.hasLegend = !isLow;
    const double legend = isLow ? 2 : 24;
    const double besides = 2 * kMargin + count * kLabel + (count - 1) * gap;
    const double below = walk + legend;
    const double leastWidth = leastCellWidth(scene.mode, lanes, perLane), leastHeight = isLow ? 11 : 13;
    scene.wanted = {besides + columns * leastWidth, top + rows * leastHeight + below + 6};
    const double room = scene.rect.width() - besides;
    double cellWidth = room / columns, cellHeight = (scene.rect.height() - top - below - 6) / rows;
    scene.cellWidth = std::min(cellWidth, scene.mode == FragmentMode::Values ? 52.0 : 30.0);
    scene.cellHeight = std::min(cellHeight, 20.0);
    if (!choice.fit) {
        scene.cellWidth = std::max(scene.cellWidth, leastWidth);
        scene.cellHeight = std::max(scene.cellHeight, leastHeight);
    }
    scene.cellWidth = std::floor(scene.cellWidth * 4) / 4;
    const double used = besides + columns * scene.cellWidth;
    double x = scene.rect.left() + kMargin + std::max(0.0, (scene.rect.width() - used) / 2) - choice.scroll.x();
    for (FragmentGrid& grid : scene.grids) {
        grid.x = x + kLabel;
        grid.y = scene.rect.top() + top - choice.scroll.y();
        x = grid.x + grid.columns * scene.cellWidth + gap;
    }
    // Legend and walk stay where they are when the grids scroll.
    scene.walkTop = scene.rect.bottom() - walk;
    scene.legendTop = scene.walkTop - legend;
}

} // namespace

QString FragmentGrid::elementName(int row, int column) const {
    const int tile = row / tileRows;
    const QString name = rows > tileRows ? QStringLiteral("%1%2").arg(matrix).arg(tile) : QString(matrix);
    return QStringLiteral("%1[%2][%3]").arg(name).arg(firstRow + row % tileRows).arg(column);
}

int FragmentScene::gridOf(QChar matrix) const {
    for (std::size_t i = 0; i < grids.size(); ++i)
        if (grids[i].matrix == matrix)
            return int(i);
    return -1;
}

FragmentElement FragmentScene::elementAt(QPointF at) const {
    for (std::size_t i = 0; i < grids.size(); ++i) {
        const FragmentGrid& grid = grids[i];
        const int column = int(std::floor((at.x() - grid.x) / cellWidth)), row = int(std::floor((at.y() - grid.y) / cellHeight));
        if (at.y() < legendTop && column >= 0 && column < grid.columns && row >= 0 && row < grid.rows)
            return {int(i), row, column};
    }
    return {};
}

std::vector<FragmentElement> FragmentScene::elementsOf(int which, int ofLane) const {
    const FragmentGrid& grid = grids[std::size_t(which)];
    std::vector<FragmentElement> out;
    for (int row = 0; row < grid.rows; ++row)
        for (int column = 0; column < grid.columns; ++column)
            if (grid.cell(row, column).lane == ofLane)
                out.push_back({which, row, column});
    std::sort(out.begin(), out.end(), [&](const FragmentElement& a, const FragmentElement& b) { return grid.cell(a.row, a.column).index < grid.cell(b.row, b.column).index; });
    return out;
}

FragmentScene makeFragmentScene(const Snapshot* snapshot, const FragmentChoice& choice, const QRectF& rect) {
    FragmentScene scene;
    scene.rect = rect;
    scene.mode = choice.mode;
    if (snapshot == nullptr || !snapshot->program || !snapshot->trace || snapshot->frame.fragments.empty()) {
        scene.emptyText = emptyTextOf(snapshot);
        return scene;
    }
    const session::FrameView& frame = snapshot->frame;
    describe(scene, *snapshot);
    // D of a product stands where C stood; a wgmma's are the same registers.
    const bool isWarpgroup = frame.product && frame.product->isWarpgroup;
    const char leftOut = isWarpgroup ? 'C' : 'D';
    for (const char matrix : {'A', 'B', 'C', 'D'})
        for (const FragmentView& view : frame.fragments)
            if (view.matrix == matrix && (!frame.product || matrix != leftOut))
                scene.grids.push_back(gridOf(view, frame.product.get(), frame.warp % int(kWarpsPerGroup)));
    const bool isOfMatrices = scene.instruction.startsWith(QLatin1String("ldmatrix")) || scene.instruction.startsWith(QLatin1String("stmatrix")) ||
                              scene.instruction.startsWith(QLatin1String("movmatrix"));
    if (isOfMatrices)
        splitMatrices(scene.grids);
    const int lanes = scene.grids.front().view->map->lanes();
    scene.lane = lanes > kWarpSize ? frame.warp % int(kWarpsPerGroup) * kWarpSize + snapshot->selection.lane : std::clamp(snapshot->selection.lane, 0, kWarpSize - 1);
    const int c = std::max(0, scene.gridOf(isWarpgroup ? 'D' : 'C'));
    const auto isInGrid = [&](const FragmentElement& e) {
        return e.grid >= 0 && e.grid < int(scene.grids.size()) && e.row < scene.grids[std::size_t(e.grid)].rows && e.column < scene.grids[std::size_t(e.grid)].columns;
    };
    if (isInGrid(choice.chosen) && choice.chosen.grid == c && scene.grids[std::size_t(c)].cell(choice.chosen.row, choice.chosen.column).lane == scene.lane)
        scene.chosen = choice.chosen;
    else if (const auto mine = scene.elementsOf(c, scene.lane); !mine.empty())
        scene.chosen = mine.front();
    addWalk(scene, *snapshot, choice.walkStep);
    if (isWarpgroup)
        scene.shared = sharedLines(scene, *frame.product);
    place(scene, choice);
    return scene;
}

std::vector<QStringList> laneRows(const FragmentScene& scene, int lane) {
    std::vector<QStringList> rows;
    for (std::size_t g = 0; g < scene.grids.size(); ++g) {
        const FragmentGrid& grid = scene.grids[g];
        for (const FragmentElement& e : scene.elementsOf(int(g), lane)) {
            const FragmentCell& cell = grid.cell(e.row, e.column);
            const auto& names = grid.view->registers;
            QString reg = std::size_t(cell.reg) < names.size() ? QString::fromStdString(names[std::size_t(cell.reg)]) : QString();
            if (grid.view->map->elementsPerRegister() > 1)
                reg += QStringLiteral(" [%1]").arg(cell.part);
            rows.push_back({QStringLiteral("%1%2").arg(grid.matrix.toLower()).arg(cell.index), grid.elementName(e.row, e.column), reg, elementText(grid.view->element, cell.raw)});
        }
    }
    return rows;
}

QString elementText(tensor::Element element, std::uint64_t raw, int most) {
    const double value = tensor::toDouble(element, raw);
    if (!std::isfinite(value))
        return std::isnan(value) ? QStringLiteral("NaN") : value < 0 ? QStringLiteral("-inf") : QStringLiteral("inf");
    if (most <= 0)
        return QString::number(value, 'g', element == tensor::Element::F64 ? 15 : element == tensor::Element::F32 ? 9 : 6);
    for (int digits = 6; digits > 0; --digits) {
        QString text = QString::number(value, 'g', digits);
        text.replace(QLatin1String("e-0"), QLatin1String("e-")).replace(QLatin1String("e+0"), QLatin1String("e")).replace(QLatin1String("e+"), QLatin1String("e"));
        if (std::abs(value) < 1)
            text.replace(QLatin1String("0."), QLatin1String("."));
        if (text.size() <= most)
            return text;
    }
    return QStringLiteral("…");
}

} // namespace lanescope::views
