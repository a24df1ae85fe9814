// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/stage_curve.h"

#include "engine/catalog/catalog.h"
#include "engine/session/timing.h"

namespace lanescope::session {

StagePoint stagePoint(const StageCurveRequest& request, int stages, const compile::Environment& compilers, const std::atomic<bool>* cancel) {
    StagePoint out;
    out.stages = stages;
    const auto failed = [&](const Diagnostics& errors) {
        out.problem = errors.empty() ? std::string("unknown") : errors.front().message;
        return out;
    };
    LoadRequest load;
    load.subject = request.kernel;
    for (const auto& [name, value] : request.parameters)
        if (name != request.parameter)
            load.defines.emplace_back(name, std::to_string(value));
    load.defines.emplace_back(request.parameter, std::to_string(stages));
    const auto device = device::findDevice(request.gpu);
    if (!device)
        return failed(device.error());
    const auto program = session::load(load, compilers);
    if (!program)
        return failed(program.error());
    const auto launch = prepare(*program, {}, *device);
    if (!launch)
        return failed(launch.error());
    TimingOptions options;
    options.cancel = cancel;
    const auto timed = timeLaunch(*program, *launch, *device, options);
    if (!timed)
        return failed(timed.error());
    out.busy = timed->pipeline.busy;
    out.cycles = timed->sm.cycles;
    return out;
}

bool hasStages(const std::string& kernel, const std::string& parameter) {
    const auto kernels = builtInKernels();
    const catalog::Kernel* found = kernels ? catalog::findKernel(**kernels, kernel) : nullptr;
    const catalog::Parameter* p = found == nullptr ? nullptr : found->findParameter(parameter);
    return p != nullptr && (p->choices.size() > 1 || p->max > p->min);
}

} // namespace lanescope::session
