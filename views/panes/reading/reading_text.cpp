// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/reading/reading_text.h"

#include <algorithm>
#include <cmath>

#include "views/export/canvas.h"

namespace lanescope::views {
namespace {

QString str(const std::string& s) {
    return QString::fromStdString(s);
}

/// "Issue slots" -> "issue slots", but "FP32", "L1 lines" as they are.
QString inSentence(const std::string& roof) {
    QString text = str(roof);
    if (text.size() > 1 && text[1].isLower())
        text[0] = text[0].toLower();
    return text == QStringLiteral("shared") ? QStringLiteral("shared memory") : text;
}

QString seconds(double s) {
    return s >= 1      ? shortNumber(s) + QStringLiteral(" s")
           : s >= 1e-3 ? shortNumber(s * 1e3) + QStringLiteral(" ms")
                       : shortNumber(s * 1e6) + QStringLiteral(" µs");
}

/// What a kernel's arithmetic runs into: the tensor cores when it uses them. Null: the device has no figure.
const ComputeRoof* computeRoof(const Performance& performance, const KernelEntry& k) {
    const bool isTensor = std::any_of(k.point.parts.begin(), k.point.parts.end(), [](const auto& part) { return part.roof == "Tensor" && part.seconds > 0; });
    const RooflineData& roofs = performance.roofline;
    const ComputeRoof* roof = isTensor ? &roofs.tensor : roofs.compute.empty() ? nullptr : &roofs.compute.front();
    return roof && roof->flopsPerSecond > 0 ? roof : nullptr;
}

QString nameOf(const ComputeRoof& roof) { return roof.label.starts_with("Tensor") ? QStringLiteral("tensor cores") : str(roof.label); }

void bound(const Performance& performance, const KernelEntry& k, std::vector<Remark>& out) {
    const KernelPoint& p = k.point;
    if (p.parts.empty() || p.seconds <= 0)
        return;
    Remark r;
    r.title = QStringLiteral("Bound by ") + inSentence(p.parts.front().roof);
    r.text = QStringLiteral("This roof alone needs %1.").arg(seconds(p.parts.front().seconds));
    if (p.parts.size() > 1 && p.parts[1].seconds > 0)
        r.text += QStringLiteral(" Next is %1 with %2, %3 of it.")
                      .arg(inSentence(p.parts[1].roof), seconds(p.parts[1].seconds),
                           percent(p.parts[1].seconds / p.parts[0].seconds));
    if (const ComputeRoof* peak = computeRoof(performance, k); peak && p.flopsPerSecond > 0) {
        const double share = p.flopsPerSecond / peak->flopsPerSecond;
        r.text += QStringLiteral(" The kernel reaches at most %1 TFLOP/s, %2 of the peak of %3.")
                      .arg(shortNumber(p.flopsPerSecond / 1e12), percent(share), nameOf(*peak));
        r.kind = share > 0.8 ? Remark::Kind::Good : Remark::Kind::Fact;
    }
    out.push_back(r);
}

void measured(const KernelEntry& k, std::vector<Remark>& out) {
    const KernelPoint& p = k.point;
    if (!p.measuredFlopsPerSecond || !p.modelError())
        return;
    Remark r;
    const double error = *p.modelError();
    r.kind = !p.measuredNote.empty() ? Remark::Kind::Warning : std::abs(error) <= 0.15 ? Remark::Kind::Good : Remark::Kind::Fact;
    r.title = !p.measuredNote.empty()         ? QStringLiteral("Measured above its roof")
              : r.kind == Remark::Kind::Good ? QStringLiteral("The model is close")
                                             : QStringLiteral("The model is fast");
    r.text = QStringLiteral("%1 TFLOP/s measured, %2 modelled: off by %3.").arg(shortNumber(*p.measuredFlopsPerSecond / 1e12), shortNumber(p.flopsPerSecond / 1e12), signedPercent(error));
    if (!p.measuredNote.empty())
        r.text += QLatin1Char(' ') + str(p.measuredNote);
    else if (r.kind == Remark::Kind::Fact)
        r.text += QStringLiteral(" A roof takes all work as overlapped: latency and the last wave are not in it.");
    const OccupancyData& o = k.occupancy;
    if (o.driverRegisters && o.driverBlocksPerSm)
        r.text += QStringLiteral(" The driver gave %1 registers a thread and %2 an SM; the model has %3 and %4.")
                      .arg(*o.driverRegisters)
                      .arg(counted(*o.driverBlocksPerSm, QStringLiteral("block")))
                      .arg(o.registers)
                      .arg(o.blocksPerSm);
    out.push_back(r);
}

void waves(const Performance& performance, const KernelEntry& k, std::vector<Remark>& out) {
    const WavesData& w = k.waves;
    if (w.waves == 0)
        return;
    const ComputeRoof* peak = computeRoof(performance, k);
    Remark r;
    if (w.waves == 1 && w.blocks < w.sms) {
        r.kind = Remark::Kind::Warning;
        r.title = QStringLiteral("The grid does not fill the GPU");
        r.text = QStringLiteral("%1 leave %2 of %3 SMs idle.")
                     .arg(counted(w.blocks, QStringLiteral("block")), grouped(w.sms - w.blocks),
                          grouped(w.sms));
    } else if (w.tailBlocks > 0 && w.slotsUsed < 0.9) {
        r.kind = Remark::Kind::Warning;
        const double full = double(w.tailBlocks) / double(w.capacity);
        r.title = full < 0.25 ? QStringLiteral("The last wave is almost empty")
                              : QStringLiteral("The last wave is not full");
        r.text = QStringLiteral("%1 in %2: the last has %3 of %4. %5 of all slots are used")
                     .arg(counted(w.blocks, QStringLiteral("block")),
                          counted(w.waves, QStringLiteral("wave")), grouped(w.tailBlocks),
                          grouped(w.capacity), percent(w.slotsUsed));
        r.text += peak ? QStringLiteral(", so %1 can reach %2 TFLOP/s at this size.")
                             .arg(nameOf(*peak), shortNumber(peak->flopsPerSecond * w.slotsUsed / 1e12))
                       : QStringLiteral(".");
    } else {
        r.kind = Remark::Kind::Good;
        r.title = QStringLiteral("The waves are well filled");
        r.text = QStringLiteral("%1 in %2 use %3 of the slots.")
                     .arg(counted(w.blocks, QStringLiteral("block")),
                          counted(w.waves, QStringLiteral("wave")), percent(w.slotsUsed));
    }
    out.push_back(r);
}

/// The largest x on the curve, below the current one, at which more blocks fit.
QString relief(const OccupancyData& o, int curve) {
    const OccupancyCurveData& c = o.curves[std::size_t(curve)];
    for (std::size_t i = c.x.size(); i-- > 0;)
        if (c.x[i] < c.currentX && c.blocks[i] > o.blocksPerSm)
            return QStringLiteral(" At %1 %2, %3 fit.")
                .arg(shortNumber(c.x[i]), str(c.unit),
                     counted(c.blocks[i], QStringLiteral("block")));
    return {};
}

void occupancy(const KernelEntry& k, std::vector<Remark>& out) {
    const OccupancyData& o = k.occupancy;
    Remark r;
    if (!o.problem.empty()) {
        r.kind = Remark::Kind::Warning;
        r.title = QStringLiteral("The launch does not fit this GPU");
        r.text = str(o.problem);
        out.push_back(r);
        return;
    }
    QStringList names;
    QString text;
    for (const OccupancyLimit& limit : o.limits) {
        if (!limit.isLimiter)
            continue;
        names += str(limit.name);
        if (limit.name == "Registers")
            text += QStringLiteral(" %1 a thread, %2.").arg(o.registers).arg(str(limit.detail)) +
                    relief(o, 0);
        else if (limit.name == "Shared memory")
            text += QStringLiteral(" %1.").arg(str(limit.detail)) + relief(o, 1);
    }
    if (names.isEmpty())
        return;
    r.kind = o.occupancy < 0.5 ? Remark::Kind::Warning : Remark::Kind::Fact;
    r.title = QStringLiteral("%1 %2 it to %3 per SM")
                  .arg(names.join(QStringLiteral(" and ")),
                       names.size() > 1 || names.front().endsWith('s') ? QStringLiteral("hold")
                                                                       : QStringLiteral("holds"),
                       counted(o.blocksPerSm, QStringLiteral("block")));
    r.text = QStringLiteral("%1 of %2 warps, %3 occupancy.")
                 .arg(o.warpsPerSm)
                 .arg(o.maxWarps)
                 .arg(percent(o.occupancy)) +
             text;
    out.push_back(r);
}

void reuse(const KernelEntry& k, std::vector<Remark>& out) {
    const auto& i = k.point.intensity;
    const auto times = [](const std::optional<double>& inner, const std::optional<double>& outer) {
        return inner && outer && *inner > 0 ? *outer / *inner : 0;
    };
    const double l1 = times(i[0], i[1]), l2 = times(i[1], i[2]);
    if (l2 > 1.05) {
        Remark r;
        r.title = QStringLiteral("L2 serves each byte %1 times").arg(shortNumber(l2));
        r.text = QStringLiteral("%1 FLOP per byte at L2, %2 per byte that must come from DRAM.")
                     .arg(shortNumber(*i[1]), shortNumber(*i[2]));
        if (l1 > 1.05)
            r.text += QStringLiteral(" L1 and shared memory move %1 times as much as L2.")
                          .arg(shortNumber(l1));
        out.push_back(r);
    }
}

} // namespace

std::vector<Remark> remarksOn(const Performance& performance, const KernelEntry& kernel) {
    std::vector<Remark> remarks;
    measured(kernel, remarks);
    bound(performance, kernel, remarks);
    waves(performance, kernel, remarks);
    occupancy(kernel, remarks);
    reuse(kernel, remarks);
    std::stable_sort(remarks.begin(), remarks.end(), [](const Remark& a, const Remark& b) {
        return (a.kind == Remark::Kind::Warning) > (b.kind == Remark::Kind::Warning);
    });
    return remarks;
}

} // namespace lanescope::views
