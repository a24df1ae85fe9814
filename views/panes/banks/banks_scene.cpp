// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/banks/banks_scene.h"

#include <algorithm>
#include <map>

#include "views/export/canvas.h"

namespace lanescope::views {
namespace {

using session::AccessView;
using session::Snapshot;

constexpr double kLeastRow = 11, kRow = 16, kLabelWidth = 116, kNumberWidth = 64;

QString verb(const AccessView& access) {
    return access.isAtomic  ? QStringLiteral("atomic")
           : access.isStore ? QStringLiteral("store")
                            : QStringLiteral("load");
}

void collect(const session::FrameView& frame, BankScene& scene) {
    std::map<QString, int> count, seen;
    const auto nameOf = [](const AccessView& a) {
        return (a.array.empty() ? QStringLiteral("shared") : QString::fromStdString(a.array)) +
               ' ' + verb(a);
    };
    for (const AccessView& a : frame.accesses)
        if (a.space == ptx::Space::Shared)
            ++count[nameOf(a)];
    for (std::size_t i = 0; i < frame.accesses.size(); ++i) {
        const AccessView& a = frame.accesses[i];
        if (a.space != ptx::Space::Shared)
            continue;
        QString name = nameOf(a);
        if (count[name] > 1)
            name += ' ' + QString::number(++seen[name]);
        scene.accesses.push_back({int(i), name});
    }
}

void describeEmpty(const Snapshot* snapshot, BankScene& scene) {
    if (snapshot == nullptr || !snapshot->program) {
        scene.emptyTitle = QStringLiteral("No kernel is open");
        return;
    }
    if (!snapshot->trace) {
        scene.emptyTitle = QStringLiteral("The kernel does not run yet");
        return;
    }
    scene.emptyTitle = QStringLiteral("This step touches no shared memory");
    const session::LaunchView* launch = snapshot->run ? &snapshot->run->launch : nullptr;
    if (launch != nullptr && launch->sharedBytes + launch->staticSharedBytes == 0)
        scene.emptyText = QStringLiteral("This kernel uses none.");
    else
        scene.emptyText = QStringLiteral("Step to a line that reads or writes a __shared__ array.");
}

/// Leaves out wavefronts that do not fit, keeping the first ones and the selected lane's.
void foldRows(BankScene& scene, std::vector<BankRow> all, int capacity) {
    if (int(all.size()) <= capacity) {
        scene.rows = std::move(all);
        return;
    }
    const auto fold = [&](std::size_t from, std::size_t to) {
        if (from >= to)
            return;
        BankRow row = all[from];
        row.folded = int(to - from);
        for (std::size_t i = from; i < to; ++i)
            row.lanes |= all[i].lanes;
        row.cells = {};
        scene.rows.push_back(row);
    };
    std::size_t mine = 0;
    while (mine < all.size() && !hasLane(all[mine].lanes, scene.lane))
        ++mine;
    std::size_t shown = std::size_t(std::max(1, capacity - 1));
    if (mine >= shown && mine < all.size()) // its row, a fold before it and one after it
        shown = std::size_t(std::max(1, capacity - 3));
    scene.rows.assign(all.begin(), all.begin() + std::ptrdiff_t(shown));
    if (mine < shown || mine == all.size()) {
        fold(shown, all.size());
        return;
    }
    fold(shown, mine);
    scene.rows.push_back(all[mine]);
    fold(mine + 1, all.size());
}

void describe(BankScene& scene) {
    const int excess = std::max(0, scene.wavefronts - scene.passes);
    scene.verdict = excess == 0 ? QStringLiteral("conflict-free")
                                : QStringLiteral("%1-way conflict").arg(scene.degree);
    scene.sum = QStringLiteral("%1 = %2 minimum + %3 excess")
                    .arg(counted(scene.wavefronts, QStringLiteral("wavefront")))
                    .arg(scene.passes)
                    .arg(excess);
}

} // namespace

std::vector<BankRow> wavefrontsOf(const AccessView& access) {
    std::vector<BankRow> rows;
    for (std::size_t pass = 0; pass < access.passes.size(); ++pass) {
        // Words of each bank in the order of the lowest lane that wants them.
        std::array<std::vector<BankCell>, memory::kBanks> words;
        forEachLane(access.passes[pass], [&](int lane) {
            const std::uint64_t start = access.addresses[std::size_t(lane)];
            const std::uint64_t end = start + std::uint64_t(std::max(1, access.bytesPerLane));
            for (std::uint64_t word = start / 4 * 4; word < end; word += 4) {
                auto& list = words[word / memory::kBankBytes % memory::kBanks];
                const auto at = std::find_if(list.begin(), list.end(),
                                             [&](const BankCell& c) { return c.word == word; });
                if (at != list.end())
                    at->lanes |= 1u << lane;
                else
                    list.push_back({1u << lane, word});
            }
        });
        std::size_t most = 0;
        for (const auto& list : words)
            most = std::max(most, list.size());
        for (std::size_t k = 0; k < most; ++k) {
            BankRow row;
            row.pass = int(pass);
            row.inPass = int(k);
            row.number = int(rows.size()) + 1;
            for (std::size_t bank = 0; bank < words.size(); ++bank)
                if (k < words[bank].size()) {
                    row.cells[bank] = words[bank][k];
                    row.lanes |= words[bank][k].lanes;
                }
            rows.push_back(row);
        }
    }
    return rows;
}

BankScene makeBankScene(const Snapshot* snapshot, int chosen, const QRectF& rect) {
    BankScene scene;
    scene.rect = rect;
    if (snapshot != nullptr && snapshot->program && snapshot->trace)
        collect(snapshot->frame, scene);
    if (scene.accesses.empty()) {
        describeEmpty(snapshot, scene);
        return scene;
    }
    scene.lane = std::clamp(snapshot->selection.lane, 0, kWarpSize - 1);
    scene.access = 0;
    for (std::size_t i = 0; i < scene.accesses.size(); ++i)
        if (chosen >= 0 ? int(i) == chosen
                        : scene.accesses[i].source == snapshot->frame.currentAccess)
            scene.access = int(i);
    const AccessView& access =
        snapshot->frame.accesses[std::size_t(scene.accesses[std::size_t(scene.access)].source)];
    scene.wavefronts = access.shared.wavefronts;
    scene.passes = access.shared.passes;
    std::vector<BankRow> rows = wavefrontsOf(access);
    scene.degree = 1;
    for (const BankRow& row : rows) {
        scene.degree = std::max(scene.degree, row.inPass + 1);
        for (std::size_t bank = 0; bank < row.cells.size(); ++bank) {
            scene.hits[bank] += row.cells[bank].lanes != 0;
            scene.sharedWords += laneCount(row.cells[bank].lanes) > 1;
        }
    }
    describe(scene);

    const bool hasRail = rect.width() >= 760;
    double right = rect.right() - 8;
    if (hasRail) {
        scene.rail = QRectF(rect.right() - 190, rect.top(), 190, rect.height());
        right = scene.rail.left() - 4;
    }
    scene.gridX = rect.left() + 18 + kLabelWidth;
    scene.cellWidth = std::clamp((right - scene.gridX - kNumberWidth) / memory::kBanks, 6.0, 20.0);
    scene.gridY = rect.top() + 50;
    const double room = rect.bottom() - 46 - scene.gridY;
    scene.rowHeight = std::clamp(room / std::max<double>(1, double(rows.size())), kLeastRow, kRow);
    foldRows(scene, std::move(rows), std::max(3, int(room / scene.rowHeight)));
    double y = scene.gridY;
    for (BankRow& row : scene.rows) {
        row.y = y;
        y += scene.rowHeight;
    }
    return scene;
}

QStringList bankDetails(const BankScene& scene, const session::FrameView& frame, int lane) {
    if (scene.accesses.empty())
        return {};
    const AccessView& access =
        frame.accesses[std::size_t(scene.accesses[std::size_t(scene.access)].source)];
    if (!hasLane(access.active, lane))
        return {QStringLiteral("Lane %1 is not active").arg(lane)};
    const std::uint64_t offset = access.addresses[std::size_t(lane)];
    QStringList lines;
    const std::string& value = access.values[std::size_t(lane)];
    lines += QStringLiteral("%1 + %2 bytes")
                 .arg(QString::fromStdString(access.array.empty() ? "shared" : access.array))
                 .arg(offset - access.arrayBase) +
             (value.empty() ? QString() : QStringLiteral(" = ") + QString::fromStdString(value));
    lines += QStringLiteral("bank %1, word %2")
                 .arg(offset / memory::kBankBytes % memory::kBanks)
                 .arg(offset / memory::kBankBytes);
    for (const BankRow& row : wavefrontsOf(access))
        for (const BankCell& cell : row.cells)
            if (hasLane(cell.lanes, lane) && cell.word == offset / memory::kBankBytes * memory::kBankBytes)
                lines += QStringLiteral("wavefront %1 of %2, ").arg(row.number).arg(scene.wavefronts) +
                         (laneCount(cell.lanes) > 1
                              ? QStringLiteral("word shared by lanes %1").arg(laneRanges(cell.lanes))
                              : QStringLiteral("alone on its word"));
    return lines;
}

QString bankDistanceText(const BankScene& scene, const session::FrameView& frame, int first,
                         int second) {
    if (scene.accesses.empty())
        return {};
    const AccessView& access =
        frame.accesses[std::size_t(scene.accesses[std::size_t(scene.access)].source)];
    if (!hasLane(access.active, first) || !hasLane(access.active, second))
        return {};
    const std::uint64_t a = access.addresses[std::size_t(first)] / memory::kBankBytes,
                        b = access.addresses[std::size_t(second)] / memory::kBankBytes;
    if (a == b)
        return QStringLiteral("one word, served together");
    if (a % memory::kBanks != b % memory::kBanks)
        return QStringLiteral("other banks");
    const bool isOnePass = std::any_of(
        access.passes.begin(), access.passes.end(),
        [&](LaneMask pass) { return hasLane(pass, first) && hasLane(pass, second); });
    return isOnePass ? QStringLiteral("one bank, other words: a conflict")
                     : QStringLiteral("one bank, other passes");
}

int BankScene::laneAt(QPointF at) const {
    for (const BankRow& row : rows) {
        if (at.y() < row.y || at.y() >= row.y + rowHeight || row.folded != 0)
            continue;
        const int bank = int((at.x() - gridX) / cellWidth);
        if (at.x() < gridX || bank >= memory::kBanks)
            return -1;
        const LaneMask lanes = row.cells[std::size_t(bank)].lanes;
        return lanes == 0 ? -1 : hasLane(lanes, lane) ? lane : firstLane(lanes);
    }
    return -1;
}

} // namespace lanescope::views
