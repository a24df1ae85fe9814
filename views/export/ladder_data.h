// SPDX-License-Identifier: GPL-3.0-or-later
// The matmul ladder: modelled beside measured, with the model's error for each rung.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/session/code_form.h"
#include "engine/session/measured.h"

class QPointF;
class QRectF;

namespace lanescope::session {
struct Ladder;
}

namespace lanescope::views {

class Canvas;

struct LadderEntry {
    std::string kernel, name;            ///< "k05_tile2d"; as the source calls it
    double measuredFlopsPerSecond = 0;   ///< 0: not measured
    std::optional<double> modelledFlopsPerSecond;
    double error = 0;                    ///< modelled / measured - 1
    bool isClose = false;                ///< within 15 per cent
    std::string agreement, reason, note; ///< "tail"; why the two differ; where our kernel differs
};

struct LadderData {
    std::string id = "sgemm", gpu, title, source;
    session::CodeForm form = session::CodeForm::Written; ///< of the kernels that were modelled
    std::string bestName; ///< "cuBLAS"
    double bestFlopsPerSecond = 0; ///< 0: not measured
    std::vector<LadderEntry> entries;
    std::string selected; ///< id of the highlighted kernel
    std::string problem;  ///< not empty: nothing to show, and why
    std::shared_ptr<const session::Ladder> model; ///< what it was made of
};

struct LadderTable {
    std::string gpu, title, id = "sgemm";
};
/// The measured tables that there are.
std::vector<LadderTable> ladderTables();
/// Ladders of tensor cores, which every GPU that has them can be modelled on: "tensor", "tensor-bf16".
std::vector<std::string> tensorLadders();

struct LadderRequest {
    std::string gpu, id = "sgemm";
    session::CodeForm form = session::CodeForm::Compiled;
    session::MeasuredPoints measured{}; ///< over the table's figures
    bool unmeasured = false;            ///< also a GPU of which nothing was measured
};
/// Models every rung. Errors: no table for this GPU; code "cancelled".
Result<LadderData> modelLadder(const LadderRequest& request, const std::atomic<bool>* cancel = nullptr,
                               const std::function<void(std::size_t, std::size_t)>& progress = {});
/// The same model beside other measurements.
LadderData withMeasured(const LadderData& data, const LadderRequest& request);

void paintLadder(Canvas& canvas, const QRectF& rect, const LadderData& data);
/// The rung at a position. Same geometry as paintLadder.
std::optional<std::size_t> ladderHit(const QRectF& rect, const LadderData& data, QPointF at);

} // namespace lanescope::views
