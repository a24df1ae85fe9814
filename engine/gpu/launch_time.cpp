// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/launch_time.h"

#include <algorithm>

#include "engine/base/median.h"
#include "engine/gpu/handles.h"

namespace lanescope::gpu {

namespace {

double quantile(const std::vector<double>& sorted, double share) {
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto lower = static_cast<std::size_t>(at);
    const std::size_t upper = std::min(lower + 1, sorted.size() - 1);
    return sorted[lower] + (at - static_cast<double>(lower)) * (sorted[upper] - sorted[lower]);
}

class Timer {
public:
    Timer(const Gpu& gpu, const std::function<Result<void>()>& launch) : m_gpu(gpu), m_api(gpu.api()), m_launch(launch), m_begin(m_api), m_end(m_api) {}

    Result<KernelTime> run(const TimeOptions& options) {
        double one = 0;
        for (int i = 0; i < std::max(options.warmUp, 1); ++i) {
            const Result<double> seconds = between(1);
            if (!seconds)
                return failure(seconds.error());
            one = *seconds;
        }
        // The first launch after an event waits for the host, some microseconds (cuBLAS more): several launches between two events hide that
        // (measured on an H200: single launches of 0.21 ms took 0.5% to 10% longer). After a flush each is on its own, and waits for the flush.
        constexpr double kLongEnough = 2e-3;
        m_out.launchesPerRepeat = options.l2 == L2::Flushed ? 1 : std::clamp(static_cast<int>(kLongEnough / std::max(one, 1e-7)), 1, 1000);
        Buffer flush(m_api);
        const std::size_t flushBytes = 2 * static_cast<std::size_t>(std::max(m_gpu.info().l2Bytes, 1 << 20));
        if (options.l2 == L2::Flushed)
            if (Result<void> ok = m_gpu.check(m_api.memoryAllocate(&flush.address, flushBytes), "no memory to flush the L2 with"); !ok)
                return failure(ok.error());
        m_out.clockMhz.clear();
        double total = 0;
        for (int i = 0; i < options.mostRepeats && (i < options.leastRepeats || total < options.seconds); ++i) {
            if (options.l2 == L2::Flushed)
                m_api.fillBytes(flush.address, static_cast<unsigned char>(i), flushBytes);
            const Result<double> seconds = between(m_out.launchesPerRepeat);
            if (!seconds)
                return failure(seconds.error());
            m_out.seconds.push_back(*seconds);
            total += *seconds * m_out.launchesPerRepeat;
        }
        std::vector<double> sorted = m_out.seconds;
        std::sort(sorted.begin(), sorted.end());
        m_out.least = sorted.front();
        m_out.most = sorted.back();
        m_out.median = quantile(sorted, 0.5);
        m_out.lowerQuartile = quantile(sorted, 0.25);
        m_out.upperQuartile = quantile(sorted, 0.75);
        return std::move(m_out);
    }

private:
    /// Seconds of one launch of `count`, between two events.
    Result<double> between(int count) {
        m_api.eventRecord(m_begin.handle, nullptr);
        for (int i = 0; i < count; ++i)
            if (Result<void> ok = m_launch(); !ok)
                return failure(ok.error());
        m_api.eventRecord(m_end.handle, nullptr);
        if (m_out.clockMhz.size() < 256)
            if (const std::optional<double> mhz = m_gpu.smClockMhz())
                m_out.clockMhz.push_back(*mhz);
        float ms = 0;
        if (Result<void> ok = m_gpu.check(m_api.eventSynchronize(m_end.handle), "the kernel faulted while it was timed"); !ok)
            return failure(ok.error());
        m_api.eventElapsed(&ms, m_begin.handle, m_end.handle);
        return static_cast<double>(ms) * 1e-3 / count;
    }

    const Gpu& m_gpu;
    const DriverApi& m_api;
    const std::function<Result<void>()>& m_launch;
    const Event m_begin, m_end;
    KernelTime m_out;
};

} // namespace

std::optional<double> KernelTime::medianClockMhz() const { return clockMhz.empty() ? std::nullopt : std::optional(lanescope::median(clockMhz)); }

Result<KernelTime> timeLaunches(const Gpu& gpu, const TimeOptions& options, const std::function<Result<void>()>& launch) {
    return Timer(gpu, launch).run(options);
}

} // namespace lanescope::gpu
