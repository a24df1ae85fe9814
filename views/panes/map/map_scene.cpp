// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/map/map_scene.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "views/export/canvas.h"

namespace lanescope::views {
namespace {

using session::AccessView;
using session::FrameView;
using session::Snapshot;

constexpr int kMostRows = 33;
constexpr double kLeastHeight = 8, kGap = 2, kAccessGap = 9, kFoldedHeight = 24;

bool isMapped(const AccessView& access) {
    return access.space != ptx::Space::Shared;
}

QString verb(const AccessView& access) {
    return access.isAtomic  ? QStringLiteral("atomic")
           : access.isStore ? QStringLiteral("store")
                            : QStringLiteral("load");
}

QString arrayName(const AccessView& access) {
    if (!access.array.empty())
        return QString::fromStdString(access.array);
    return access.space == ptx::Space::Local ? QStringLiteral("local") : QStringLiteral("memory");
}

bool isUniform(const AccessView& access) {
    if (laneCount(access.active) < 2)
        return false;
    const std::uint64_t first = access.addresses[std::size_t(firstLane(access.active))];
    bool same = true;
    forEachLane(access.active,
                [&](int lane) { same = same && access.addresses[std::size_t(lane)] == first; });
    return same;
}

void collectAccesses(const FrameView& frame, MapScene& scene) {
    std::map<QString, int> count, seen;
    for (const AccessView& access : frame.accesses)
        ++count[arrayName(access) + ' ' + verb(access)];
    for (std::size_t i = 0; i < frame.accesses.size(); ++i) {
        const AccessView& access = frame.accesses[i];
        QString name = arrayName(access) + ' ' + verb(access);
        if (count[name] > 1)
            name += ' ' + QString::number(++seen[name]);
        if (!isMapped(access)) {
            scene.shared += name;
            continue;
        }
        MapAccess a;
        a.source = int(i);
        a.name = name;
        a.array = arrayName(access);
        a.colour = int(scene.accesses.size());
        a.isUniform = isUniform(access);
        a.sectors = access.global.sectors;
        a.lines = access.global.lines;
        a.bytes = access.global.bytes;
        scene.accesses.push_back(std::move(a));
    }
}

/// One row per line that the access touches, ascending.
std::vector<MapRow> rowsOf(const AccessView& access, int index) {
    std::map<std::uint64_t, MapRow> byLine;
    forEachLane(access.active, [&](int lane) {
        const std::uint64_t start = access.addresses[std::size_t(lane)];
        for (int b = 0; b < access.bytesPerLane; ++b) {
            const std::uint64_t byte = start + std::uint64_t(b);
            MapRow& row = byLine[byte / kLineBytes * kLineBytes];
            row.used.set(byte % kLineBytes);
            row.sectors |= 1u << (byte % kLineBytes / kSectorBytes);
            row.lanes |= 1u << lane;
        }
    });
    std::vector<MapRow> rows;
    for (auto& [line, row] : byLine) {
        row.access = index;
        row.line = row.lastLine = line;
        rows.push_back(row);
    }
    return rows;
}

MapRow folded(const std::vector<MapRow>& rows, std::size_t from, std::size_t to) {
    MapRow all = rows[from];
    all.stride = to - from > 1 ? std::int64_t(rows[from + 1].line - rows[from].line) : 0;
    for (std::size_t i = from + 1; i < to; ++i) {
        all.used |= rows[i].used;
        all.sectors |= rows[i].sectors;
        all.lanes |= rows[i].lanes;
        all.lastLine = rows[i].lastLine;
        if (std::int64_t(rows[i].line - rows[i - 1].line) != all.stride)
            all.stride = 0;
    }
    all.count = int(to - from);
    return all;
}

/// Folds runs of three or more rows, never the selected lane's. equalStride: only lines at equal
/// distances with as many lanes each.
std::vector<MapRow> fold(const std::vector<MapRow>& rows, int lane, bool equalStride) {
    std::vector<MapRow> result;
    for (std::size_t i = 0; i < rows.size();) {
        std::size_t end = i + 1;
        if (!hasLane(rows[i].lanes, lane)) {
            while (end < rows.size() && !hasLane(rows[end].lanes, lane) &&
                   (!equalStride ||
                    (rows[end].line - rows[end - 1].line == rows[i + 1].line - rows[i].line &&
                     laneCount(rows[end].lanes) == laneCount(rows[i].lanes))))
                ++end;
        }
        if (end - i >= 3) {
            result.push_back(folded(rows, i, end));
            i = end;
        } else {
            result.push_back(rows[i++]);
        }
    }
    return result;
}

double heightOf(const MapRow& row, double height) {
    return row.count > 1 ? std::max(height, kFoldedHeight) : height;
}

double gapBefore(const std::vector<MapRow>& rows, std::size_t i) {
    return i == 0 ? 0 : rows[i].access != rows[i - 1].access ? kAccessGap : kGap;
}

double needed(const std::vector<MapRow>& rows, double height) {
    double sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
        sum += gapBefore(rows, i) + heightOf(rows[i], height);
    return sum;
}

std::vector<MapRow> chooseRows(const Snapshot& snapshot, MapScene& scene) {
    struct Part {
        int index;
        std::vector<MapRow> rows;
    };
    std::vector<Part> parts;
    std::size_t total = 0;
    const auto lines = [&](int index) {
        const int source = scene.accesses[std::size_t(index)].source;
        return rowsOf(snapshot.frame.accesses[std::size_t(source)], index);
    };
    // Buses at the bottom, so that the connectors of the others stay short.
    std::vector<int> order = scene.shown;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return scene.accesses[std::size_t(a)].isUniform < scene.accesses[std::size_t(b)].isUniform;
    });
    for (const int index : order) {
        parts.push_back({index, lines(index)});
        total += parts.back().rows.size();
    }
    const auto joined = [&] {
        std::vector<MapRow> rows;
        for (const Part& part : parts)
            rows.insert(rows.end(), part.rows.begin(), part.rows.end());
        return rows;
    };
    const double room = scene.bottom - scene.top;
    std::vector<MapRow> rows = joined();
    for (const bool equalStride : {true, false}) {
        if (total <= kMostRows && needed(rows, kLeastHeight) <= room)
            return rows;
        total = 0;
        for (Part& part : parts) { // from the lines themselves: folding twice would nest
            part.rows = fold(lines(part.index), scene.lane, equalStride);
            total += part.rows.size();
        }
        rows = joined();
    }
    std::size_t dropped = 0;
    while (rows.size() > 1 && needed(rows, kLeastHeight) > room) {
        rows.pop_back();
        ++dropped;
    }
    if (dropped != 0)
        scene.note = QStringLiteral("%1 more %2: pick an access").arg(dropped).arg(dropped == 1 ? QStringLiteral("row") : QStringLiteral("rows"));
    return rows;
}

/// Row centres as near as possible to the lanes they belong to, in order and without overlap:
/// isotonic regression (pool adjacent violators) of the wishes minus the least distances.
void placeRows(MapScene& scene) {
    std::vector<MapRow>& rows = scene.rows;
    if (rows.empty())
        return;
    const double room = scene.bottom - scene.top;
    double height = kLeastHeight;
    const double most = rows.size() > 24 ? 10 : 20; // lanes and rows side by side keep one pitch
    while (height < most && needed(rows, height + 1) <= room)
        ++height;
    struct Pool {
        double sum;
        int count;
    };
    std::vector<double> offset(rows.size());
    std::vector<Pool> pools;
    double at = scene.top;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        MapRow& row = rows[i];
        row.height = heightOf(row, height);
        at += gapBefore(rows, i) + row.height / 2;
        offset[i] = at;
        at += row.height / 2;
        double wish = 0;
        forEachLane(row.lanes, [&](int lane) { wish += scene.lanes[std::size_t(lane)].y; });
        wish /= std::max(1, laneCount(row.lanes));
        if (scene.accesses[std::size_t(row.access)].isUniform)
            wish = scene.bottom;
        pools.push_back({wish - offset[i], 1});
        while (pools.size() > 1 && pools[pools.size() - 2].sum / pools[pools.size() - 2].count >
                                       pools.back().sum / pools.back().count) {
            pools[pools.size() - 2].sum += pools.back().sum;
            pools[pools.size() - 2].count += pools.back().count;
            pools.pop_back();
        }
    }
    const double slack = std::max(0.0, scene.bottom - at);
    std::size_t i = 0;
    for (const Pool& pool : pools)
        for (int k = 0; k < pool.count; ++k, ++i)
            rows[i].y = offset[i] + std::clamp(pool.sum / pool.count, 0.0, slack);
}

void placeLanes(MapScene& scene, LaneMask active) {
    // The pitch of a row for each lane and one for a bus: whole pixels, as placeRows has them.
    const double pitch =
        std::clamp(std::floor((scene.bottom - scene.top - kAccessGap + 2 * kGap) / (kWarpSize + 1)), 4.0, 12.0);
    scene.lanes.resize(kWarpSize);
    for (int lane = 0; lane < kWarpSize; ++lane) {
        MapLane& l = scene.lanes[std::size_t(lane)];
        l.y = scene.top + pitch * lane + std::clamp(pitch - kGap, 2.0, 10.0) / 2;
        const double height = std::min(10.0, pitch - 1);
        l.chip = QRectF(scene.laneX, l.y - height / 2, scene.laneWidth, height);
        l.active = hasLane(active, lane);
        // Where chips are lower than a digit, every fourth lane has its number.
        l.labelled = pitch >= 11 || lane == scene.lane ||
                     (lane % 4 == 0 && std::abs(lane - scene.lane) * pitch >= 12);
    }
}

void placeColumns(const Snapshot& snapshot, MapScene& scene) {
    scene.laneX = scene.body.left() + 40;
    scene.portX = scene.laneX + scene.laneWidth;
    double widest = 0;
    const QFont font = Theme::mono(10, QFont::Bold);
    for (const int index : scene.shown) {
        const AccessView& access =
            snapshot.frame.accesses[std::size_t(scene.accesses[std::size_t(index)].source)];
        forEachLane(access.active, [&](int lane) {
            const std::uint64_t line =
                access.addresses[std::size_t(lane)] / kLineBytes * kLineBytes;
            widest = std::max(widest, Canvas::width(addressText(access, line, scene.index), font));
        });
    }
    const double labelWidth = std::max(widest, 48.0) + 22;
    const double space = scene.body.right() - 16 - scene.portX;
    // Connectors get a third of the rest, memory at least 1.2 pixels a byte.
    const double gutter = std::clamp(space - labelWidth - 3.5 * kLineBytes - 12, 56.0, 132.0);
    scene.addressX = scene.portX + gutter;
    scene.memoryX = scene.addressX + labelWidth;
    scene.sectorGap = space > 420 ? 4 : 2;
    scene.bytePx = std::clamp(
        (scene.body.right() - 16 - scene.memoryX - 3 * scene.sectorGap) / kLineBytes, 0.8, 4.5);
}

void labelRows(const Snapshot& snapshot, MapScene& scene) {
    for (MapRow& row : scene.rows) {
        const AccessView& access =
            snapshot.frame.accesses[std::size_t(scene.accesses[std::size_t(row.access)].source)];
        row.label = addressText(access, row.line, scene.index);
        if (row.count > 1)
            row.label2 = row.stride != 0 ? QStringLiteral("%1 × %2").arg(row.count).arg(
                                               bytesText(double(std::abs(row.stride))))
                                         : counted(row.count, QStringLiteral("line"));
        row.selected = hasLane(row.lanes, scene.lane);
    }
}

QString captionOf(const MapScene& scene) {
    int lanes = 0, lines = 0, accesses = 0;
    for (const int index : scene.shown) {
        const MapAccess& access = scene.accesses[std::size_t(index)];
        if (access.isUniform)
            continue;
        ++accesses;
        LaneMask mask = 0;
        lines = 0;
        for (const MapRow& row : scene.rows)
            if (row.access == index) {
                mask |= row.lanes;
                lines += row.count;
            }
        lanes = laneCount(mask);
    }
    if (accesses != 1 || lanes == 0)
        return {};
    if (lines == 1)
        return lanes == 1 ? QStringLiteral("to one line") : QStringLiteral("all to one line");
    if (lines == lanes)
        return QStringLiteral("each to its own line");
    return QStringLiteral("%1 to %2")
        .arg(counted(lanes, QStringLiteral("lane")), counted(lines, QStringLiteral("line")));
}

void describeEmpty(const Snapshot* snapshot, MapScene& scene) {
    if (snapshot == nullptr || !snapshot->program) {
        scene.emptyTitle = QStringLiteral("No kernel is open");
        scene.emptyText = QStringLiteral("Open a lesson, a kernel or a file.");
        return;
    }
    if (!snapshot->trace) {
        scene.emptyTitle = snapshot->busy ? QString::fromStdString(snapshot->activity)
                                          : QStringLiteral("The kernel does not run yet");
        scene.emptyText =
            snapshot->busy || snapshot->program->diagnostics.empty()
                ? QStringLiteral("The map appears when it has been simulated.")
                : QString::fromStdString(snapshot->program->diagnostics.front().message);
        return;
    }
    const FrameView& frame = snapshot->frame;
    if (!frame.hasStep) {
        scene.emptyTitle = QStringLiteral("Warp %1 has not started").arg(frame.warp);
        scene.emptyText = QStringLiteral("Step to its first load or store.");
        return;
    }
    if (!scene.shared.isEmpty()) {
        scene.emptyTitle = QStringLiteral("This line uses shared memory: ") +
                           scene.shared.join(QStringLiteral(", "));
        scene.emptyText = QStringLiteral("The bank view shows these accesses.");
        return;
    }
    scene.emptyTitle = QStringLiteral("This step touches no global memory");
    if (frame.pc < snapshot->program->instructions.size())
        scene.emptyText =
            QString::fromStdString(snapshot->program->instructions[frame.pc].text).trimmed();
}

} // namespace

QString addressText(const AccessView& access, std::uint64_t address, bool index) {
    if (access.array.empty())
        return QStringLiteral("0x") + QString::number(address, 16).toUpper();
    const QString name = QString::fromStdString(access.array);
    const std::int64_t offset = std::int64_t(address - access.arrayBase);
    if (index && access.elementBytes > 0) {
        // Rounded down, also in front of the array.
        const std::int64_t size = access.elementBytes;
        const std::int64_t element = offset >= 0 ? offset / size : -((-offset + size - 1) / size);
        return QStringLiteral("%1[%2]").arg(name).arg(element);
    }
    const std::uint64_t size = std::uint64_t(offset < 0 ? -offset : offset);
    const int digits = access.arrayBytes > 0x10000 ? 6 : 4;
    return name + (offset < 0 ? QStringLiteral("-0x") : QStringLiteral("+0x")) +
           QString::number(size, 16).toUpper().rightJustified(digits, '0');
}

QStringList laneDetails(const MapScene& scene, const FrameView& frame, int lane) {
    QStringList lines;
    for (const int index : scene.shown) {
        const AccessView& access =
            frame.accesses[std::size_t(scene.accesses[std::size_t(index)].source)];
        if (lane < 0 || !hasLane(access.active, lane))
            continue;
        const std::uint64_t address = access.addresses[std::size_t(lane)];
        QString head = addressText(access, address, true);
        if (access.array.empty())
            head = scene.accesses[std::size_t(index)].name;
        const std::string& value = access.values[std::size_t(lane)];
        if (!value.empty())
            head += QStringLiteral(" = ") + QString::fromStdString(value);
        const int from = int(address % kSectorBytes);
        lines += head;
        lines += addressText(access, address, false);
        lines += access.bytesPerLane == 1 ? QStringLiteral("sector %1, byte %2")
                                                .arg(address % kLineBytes / kSectorBytes)
                                                .arg(from)
                                          : QStringLiteral("sector %1, bytes %2–%3")
                                                .arg(address % kLineBytes / kSectorBytes)
                                                .arg(from)
                                                .arg(from + access.bytesPerLane - 1);
    }
    if (lines.isEmpty())
        lines += QStringLiteral("Lane %1 is not active").arg(lane);
    return lines;
}

QString laneDistanceText(const MapScene& scene, const FrameView& frame, int first, int second) {
    QStringList parts;
    for (const int index : scene.shown) {
        const AccessView& access =
            frame.accesses[std::size_t(scene.accesses[std::size_t(index)].source)];
        if (!hasLane(access.active, first) || !hasLane(access.active, second))
            continue;
        const std::uint64_t a = access.addresses[std::size_t(first)],
                            b = access.addresses[std::size_t(second)];
        const std::uint64_t apart = a < b ? b - a : a - b;
        const QString where = a / kSectorBytes == b / kSectorBytes ? QStringLiteral("one sector")
                              : a / kLineBytes == b / kLineBytes
                                  ? QStringLiteral("one line, other sectors")
                                  : QStringLiteral("other lines");
        const QString text =
            apart == 0 ? QStringLiteral("the same address")
                       : QStringLiteral("%1 apart, %2")
                             .arg(counted(qint64(apart), QStringLiteral("byte")), where);
        parts += scene.shown.size() > 1
                     ? scene.accesses[std::size_t(index)].array + QStringLiteral(": ") + text
                     : text;
    }
    return parts.join(QStringLiteral("; "));
}

int MapScene::laneAt(QPointF at, const FrameView& frame) const {
    if (!emptyTitle.isEmpty() || !body.contains(at))
        return -1;
    if (at.x() >= memoryX - 2) {
        for (const MapRow& row : rows) {
            if (!rowRect(row).adjusted(-2, -1.5, 2, 1.5).contains(at) || row.lanes == 0)
                continue;
            if (hasLane(row.lanes, lane) && laneCount(row.lanes) == 1)
                return lane;
            int best = -1;
            double nearest = 1e9;
            const AccessView& access =
                frame.accesses[std::size_t(accesses[std::size_t(row.access)].source)];
            forEachLane(row.lanes, [&](int l) {
                const double start = double(access.addresses[std::size_t(l)] % kLineBytes);
                const double middle = byteX(start) + access.bytesPerLane * bytePx / 2;
                const double off = std::abs(at.x() - middle);
                if (off < nearest - 0.01 || (off < nearest + 0.01 && l == lane)) {
                    nearest = off;
                    best = l;
                }
            });
            return best;
        }
        return -1;
    }
    int best = -1;
    double nearest = 7;
    for (int l = 0; l < int(lanes.size()); ++l)
        if (const double off = std::abs(lanes[std::size_t(l)].y - at.y()); off < nearest) {
            nearest = off;
            best = l;
        }
    return best;
}

MapScene makeMapScene(const Snapshot* snapshot, const MapOptions& options, const QRectF& rect) {
    MapScene scene;
    scene.rect = rect;
    scene.body = rect;
    scene.index = options.index;
    scene.compared = options.compared;
    if (rect.width() >= 600) {
        scene.rail = QRectF(rect.right() - 206, rect.top(), 206, rect.height());
        scene.body.setRight(scene.rail.left());
    }
    scene.headerY = scene.body.top() + 27;
    scene.top = scene.body.top() + 37;
    scene.bottom = std::max(scene.top + 40, scene.body.bottom() - 24);
    if (snapshot != nullptr && snapshot->program && snapshot->trace)
        collectAccesses(snapshot->frame, scene);
    if (scene.accesses.empty()) {
        describeEmpty(snapshot, scene);
        return scene;
    }
    scene.lane = std::clamp(snapshot->selection.lane, 0, kWarpSize - 1);
    for (int i = 0; i < int(scene.accesses.size()); ++i)
        if (options.access < 0 || options.access >= int(scene.accesses.size()) ||
            options.access == i)
            scene.shown.push_back(i);
    LaneMask active = 0;
    for (const int index : scene.shown) {
        const MapAccess& access = scene.accesses[std::size_t(index)];
        active |= snapshot->frame.accesses[std::size_t(access.source)].active;
        scene.sectors += access.sectors;
        scene.lines += access.lines;
        scene.bytes += access.bytes;
    }
    placeColumns(*snapshot, scene);
    placeLanes(scene, active);
    scene.rows = chooseRows(*snapshot, scene);
    placeRows(scene);
    labelRows(*snapshot, scene);
    scene.caption = captionOf(scene);
    return scene;
}

} // namespace lanescope::views
