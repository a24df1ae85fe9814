// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/banks/matrix_scene.h"

#include <algorithm>
#include <map>

#include "engine/model/swizzle.h"
#include "views/export/canvas.h"

namespace lanescope::views {
namespace {

using Addresses = std::array<std::uint64_t, kWarpSize>;

constexpr double kLabelWidth = 96, kNumberWidth = 60, kLeastTwo = 720;

MatrixSide sideOf(const QString& title, const Addresses& addresses, LaneMask active, int matrix, bool isPresent) {
    MatrixSide side;
    side.title = title;
    side.isPresent = isPresent;
    const memory::SharedCost cost = memory::sharedCost(addresses, active, 16, memory::SharedKind::Matrix);
    side.wavefronts = cost.wavefronts;
    side.passes = cost.passes;
    std::map<int, std::vector<std::uint64_t>> served; // by first bank: rows in order
    for (int i = 0; i < 8; ++i) {
        MatrixRow& row = side.rows[std::size_t(i)];
        row.lane = 8 * matrix + i;
        row.address = addresses[std::size_t(row.lane)];
        row.bank = int(row.address / memory::kBankBytes % memory::kBanks) / 4 * 4;
        auto& rows = served[row.bank];
        auto at = std::find(rows.begin(), rows.end(), row.address);
        if (at == rows.end()) {
            rows.push_back(row.address);
            at = rows.end() - 1;
            for (int b = row.bank; b < row.bank + 4; ++b)
                ++side.hits[std::size_t(b)];
        }
        row.wavefront = int(at - rows.begin()) + 1;
        side.degree = std::max(side.degree, row.wavefront);
    }
    side.verdict = side.degree > 1 ? QStringLiteral("%1-way conflict").arg(side.degree) : QStringLiteral("conflict-free");
    side.sum = QStringLiteral("%1 = %2 minimum + %3 excess").arg(counted(side.wavefronts, QStringLiteral("wavefront"))).arg(side.passes).arg(std::max(0, side.wavefronts - side.passes));
    return side;
}

void place(MatrixScene& scene) {
    const QRectF& r = scene.rect;
    const double half = r.width() / double(scene.sides.size());
    scene.cellWidth = std::clamp((half - 24 - kLabelWidth - kNumberWidth) / memory::kBanks, 5.0, 16.0);
    scene.gridY = r.top() + 50;
    scene.rowHeight = std::clamp((r.bottom() - 46 - scene.gridY) / 8, 11.0, 20.0);
    for (std::size_t i = 0; i < scene.sides.size(); ++i) {
        MatrixSide& side = scene.sides[i];
        side.rect = {r.left() + double(i) * half, r.top(), half, r.height()};
        side.gridX = side.rect.left() + 16 + kLabelWidth;
    }
}

} // namespace

MatrixScene makeMatrixScene(const session::AccessView& access, int lane, int matrix, const QRectF& rect) {
    MatrixScene scene;
    scene.rect = rect;
    scene.lane = lane;
    scene.matrices = std::max(1, laneCount(access.active) / 8);
    scene.matrix = std::clamp(matrix >= 0 ? matrix : lane / 8, 0, scene.matrices - 1);
    const auto found = model::findLayout(access.addresses, access.active);
    MatrixSide present = sideOf(QStringLiteral("As the kernel has it"), access.addresses, access.active, scene.matrix, true);
    std::vector<MatrixSide> sides;
    if (!found) {
        scene.layout = QStringLiteral("no regular layout");
        sides.push_back(present);
    } else {
        Addresses other = found->linear;
        const std::uint64_t base = access.arrayBase;
        const auto pitch = std::uint64_t(found->pitch);
        if (found->swizzle.bits > 0) {
            scene.layout = QStringLiteral("rows %1 bytes apart, XOR swizzle %2").arg(found->pitch).arg(QString::fromStdString(model::toString(found->swizzle)));
            present.title = QStringLiteral("XOR swizzle");
            sides = {sideOf(QStringLiteral("In order"), other, access.active, scene.matrix, false), present};
        } else if (found->unpaddedPitch() != found->pitch && found->pitch % 128 <= 64) {
            scene.layout = QStringLiteral("rows %1 bytes apart: %2 and %3 of padding").arg(found->pitch).arg(found->unpaddedPitch()).arg(found->pitch - found->unpaddedPitch());
            present.title = QStringLiteral("Padded");
            for (std::uint64_t& address : other)
                address = base + (address - base) / pitch * std::uint64_t(found->unpaddedPitch()) + (address - base) % pitch;
            sides = {sideOf(QStringLiteral("Without padding"), other, access.active, scene.matrix, false), present};
        } else {
            scene.layout = QStringLiteral("rows %1 bytes apart, in order").arg(found->pitch);
            present.title = QStringLiteral("In order");
            sides.push_back(present);
            model::TileLayout tile;
            tile.rowBytes = found->pitch;
            if (present.wavefronts > present.passes && found->pitch <= 1024)
                if (const auto swizzles = model::conflictFreeSwizzles(tile, {model::TileAccess::Ldmatrix}); !swizzles.empty()) {
                    for (std::uint64_t& address : other)
                        address = base + swizzles.front().apply(address - base);
                    sides.push_back(sideOf(QStringLiteral("With XOR swizzle %1").arg(QString::fromStdString(model::toString(swizzles.front()))), other, access.active, scene.matrix, false));
                }
        }
        for (MatrixSide& side : sides)
            for (MatrixRow& row : side.rows)
                row.tileRow = int((found->linear[std::size_t(row.lane)] - base) / pitch);
    }
    if (rect.width() < kLeastTwo && sides.size() > 1)
        sides = {*std::find_if(sides.begin(), sides.end(), [](const MatrixSide& side) { return side.isPresent; })};
    scene.sides = std::move(sides);
    place(scene);
    return scene;
}

int MatrixScene::laneAt(QPointF at) const {
    for (const MatrixSide& side : sides)
        for (int i = 0; i < 8; ++i)
            if (rowRect(side, i).adjusted(-kLabelWidth, 0, kNumberWidth, 0).contains(at))
                return side.rows[std::size_t(i)].lane;
    return -1;
}

} // namespace lanescope::views
