// SPDX-License-Identifier: GPL-3.0-or-later
// What the model says about a kernel, in sentences. Every number comes from the model's values.
#pragma once

#include <vector>

#include <QString>

#include "views/export/chart_source.h"

namespace lanescope::views {

struct Remark {
    enum class Kind { Warning, Fact, Good } kind = Kind::Fact;
    QString title, text;
};

/// The most telling first.
std::vector<Remark> remarksOn(const Performance& performance, const KernelEntry& kernel);

} // namespace lanescope::views
