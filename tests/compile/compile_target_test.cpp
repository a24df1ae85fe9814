// SPDX-License-Identifier: GPL-3.0-or-later
// The architecture that a compiler's PTX names is raised to what its inline instructions need.
#include <catch2/catch.hpp>

#include "engine/compile/target.h"

using namespace lanescope::compile;

namespace {

std::string raised(const std::string& version, const std::string& target, const std::string& instruction) {
    std::string ptx = "//\n.version " + version + "\n.target " + target + "\n.address_size 64\n" + instruction + "\n";
    raiseTarget(ptx);
    return ptx;
}

std::string head(const std::string& version, const std::string& target, const std::string& instruction) {
    return "//\n.version " + version + "\n.target " + target + "\n.address_size 64\n" + instruction + "\n";
}

} // namespace

TEST_CASE("inline wgmma makes a module of sm_90a, whatever compiled it", "[compile]") {
    const std::string wgmma = "wgmma.fence.sync.aligned;", tma = "cp.async.bulk.commit_group;", add = "add.u32 %r1, %r1, 1;";
    CHECK(raised("7.4", "sm_86", wgmma) == head("8.0", "sm_90a", wgmma));
    CHECK(raised("9.0", "sm_90", wgmma) == head("9.0", "sm_90a", wgmma));
    CHECK(raised("9.0", "sm_90a", wgmma) == head("9.0", "sm_90a", wgmma));
    CHECK(raised("9.0", "sm_90, texmode_independent", wgmma) == head("9.0", "sm_90a, texmode_independent", wgmma));
    CHECK(raised("9.0", "sm_100", wgmma) == head("9.0", "sm_100", wgmma)); // which has no wgmma: the loader says so
    CHECK(raised("7.4", "sm_80", tma) == head("8.0", "sm_90", tma));
    CHECK(raised("8.6", "sm_90", tma) == head("8.6", "sm_90", tma));
    CHECK(raised("7.4", "sm_80", add) == head("7.4", "sm_80", add));
}
