// SPDX-License-Identifier: GPL-3.0-or-later
// Two sessions in lock-step: each command goes to both, and a pair of snapshots comes back when both have done it. A step is the same
// unit in both; a position is the number of instructions that the selected warp has executed.
#pragma once

#include <QObject>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/session/comparison.h"
#include "views/bridge/backend.h"

namespace lanescope::views {

class Bridge;

enum class Side { Left, Right };
inline constexpr std::array<Side, 2> kSides{Side::Left, Side::Right};

class CompareModel : public QObject {
    Q_OBJECT
public:
    explicit CompareModel(const BackendFactory& factory, QObject* parent = nullptr);
    ~CompareModel() override;

    Bridge& bridge(Side side) const { return *m_bridges[index(side)]; }
    /// The latest of a side; never null.
    const SnapshotPtr& snapshot(Side side) const;
    /// Of the two launches; null while one of them is missing or at work.
    std::shared_ptr<const session::Comparison> comparison() const { return m_comparison; }
    void setCountBase(session::CountBase base);

    void open(Side side, const QString& kernelId, const Parameters& parameters = {});
    /// On both sides.
    void setDevice(const QString& id);
    void select(const session::Selection& selection);
    void step(session::StepUnit unit);
    void stepBack(session::StepUnit unit);
    /// Both selected warps have then executed `count` instructions, or all that they have.
    void seek(std::uint32_t count);

    /// Instructions that the selected warp has executed, and all of it in the trace.
    std::uint32_t position(Side side) const;
    std::uint32_t length(Side side) const;
    bool isIdle() const;
    bool canStep() const;

signals:
    /// Both sides have come to rest after a command, or one reports progress.
    void published();
    void idle();

private:
    static std::size_t index(Side side) { return static_cast<std::size_t>(side); }
    void onPublished();
    void recompare();

    std::array<Bridge*, 2> m_bridges;
    std::array<std::shared_ptr<const session::RunView>, 2> m_runs;
    std::shared_ptr<const session::Comparison> m_comparison;
    session::CountBase m_base = session::CountBase::Launch;
};

} // namespace lanescope::views
