// SPDX-License-Identifier: GPL-3.0-or-later
// Forms of the asynchronous instructions of sm_90: mbarrier, bulk copies, tensor copies, fences between proxies, clusters. The two lists were
// put to ptxas 13.0 for sm_90a one by one: it assembles the first and rejects the second.
#include <catch2/catch.hpp>

#include "engine/ptx/instruction_forms.h"
#include "engine/ptx/instruction_set.h"
#include "tests/ptx/ptx_support.h"

using namespace lanescope;
using namespace lanescope::ptx;

namespace {

constexpr std::string_view kAssembled[] = {
    R"(mbarrier.init.b64 [%rd1], 1;)",
    R"(mbarrier.arrive.b64 %rd2, [%rd1];)",
    R"(mbarrier.arrive.b64 _, [%rd1];)",
    R"(mbarrier.arrive.shared.b64 %rd2, [%r1], 3;)",
    R"(mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1], 3;)",
    R"(mbarrier.arrive.relaxed.cta.shared::cta.b64 %rd2, [%r1];)",
    R"(mbarrier.arrive.shared::cluster.b64 _, [%r1];)",
    R"(mbarrier.arrive.expect_tx.shared::cluster.b64 _, [%r1], 16;)",
    R"(mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd2, [%r1], %r2;)",
    R"(mbarrier.arrive.expect_tx.relaxed.cluster.b64 %rd2, [%rd1], %r2;)",
    R"(mbarrier.arrive.noComplete.shared.b64 %rd2, [%r1], 2;)",
    R"(mbarrier.arrive.noComplete.release.cta.shared.b64 %rd2, [%r1], 2;)",
    R"(mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%r1];)",
    R"(mbarrier.arrive_drop.expect_tx.shared.b64 %rd2, [%r1], 16;)",
    R"(mbarrier.arrive_drop.noComplete.shared.b64 %rd2, [%r1], 2;)",
    R"(mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 16;)",
    R"(mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r1], 16;)",
    R"(mbarrier.expect_tx.shared.b64 [%r1], 16;)",
    R"(mbarrier.complete_tx.relaxed.cta.shared.b64 [%r1], 16;)",
    R"(mbarrier.complete_tx.shared::cluster.b64 [%r1], %r2;)",
    R"(mbarrier.test_wait.shared.b64 %p1, [%r1], %rd2;)",
    R"(mbarrier.test_wait.acquire.cta.shared::cta.b64 %p1, [%r1], %rd2;)",
    R"(mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r1], %r2;)",
    R"(mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2, 0x989680;)",
    R"(mbarrier.try_wait.acquire.cta.shared::cta.b64 %p1, [%r1], %rd2, %r2;)",
    R"(mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2;)",
    R"(mbarrier.pending_count.b64 %r2, %rd1;)",
    R"(cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];)",
    R"(cp.async.mbarrier.arrive.b64 [%rd1];)",
    R"(cp.async.mbarrier.arrive.shared::cta.b64 [%r1];)",
    R"(cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 16, [%r2];)",
    R"(cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 16, [%r2];)",
    R"(cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r1], [%rd1], %r3, [%r2], %rd3;)",
    R"(cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1], 16, [%r2], %h1;)",
    R"(cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%r1], [%rd1], 16, [%r2], %h1, %rd3;)",
    R"(cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], 16, [%r3];)",
    R"(cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16;)",
    R"(cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%rd1], [%r1], 16, %rd3;)",
    R"(cp.async.bulk.prefetch.L2.global [%rd1], 16;)",
    R"(cp.async.bulk.prefetch.L2.global.L2::cache_hint [%rd1], 16, %rd3;)",
    R"(cp.async.bulk.commit_group;)",
    R"(cp.async.bulk.wait_group 0;)",
    R"(cp.async.bulk.wait_group.read 1;)",
    R"(cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r1], [%r2], 16, [%r3];)",
    R"(cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.s32 [%r1], [%r2], 16, [%r3];)",
    R"(cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u64 [%r1], [%r2], 16, [%r3];)",
    R"(cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.inc.u32 [%r1], [%r2], 16, [%r3];)",
    R"(cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.dec.u32 [%r1], [%r2], 16, [%r3];)",
    R"(cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.s32 [%r1], [%r2], 16, [%r3];)",
    R"(cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.and.b32 [%r1], [%r2], 16, [%r3];)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f16 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.max.bf16 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s64 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.min.u64 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u32 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.dec.u32 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.and.b32 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b64 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b32 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.xor.b32 [%rd1], [%r2], 16, %rd3;)",
    R"(cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2}], [%r3];)",
    R"(cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2,%r2}], [%r3];)",
    R"(cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2,4}], [%r3];)",
    R"(cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r1], [%rd1, {%r2,4}], [%r3], %rd3;)",
    R"(cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1, {%r2,4}], [%r3], %h1;)",
    R"(cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%r1], [%rd1, {%r2,4,%r1,%r1,%r1}], [%r3], %h1, %rd3;)",
    R"(cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r2,%r2}], [%r1];)",
    R"(cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint [%rd1, {%r2,%r2}], [%r1], %rd3;)",
    R"(cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%rd1, {%r2,%r2}], [%r1];)",
    R"(cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd1, {%r2,%r2}], [%r1];)",
    R"(cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.tile.bulk_group.L2::cache_hint [%rd1, {%r2,%r2}], [%r1], %rd3;)",
    R"(cp.reduce.async.bulk.tensor.1d.global.shared::cta.inc.bulk_group [%rd1, {%r2}], [%r1];)",
    R"(cp.async.bulk.prefetch.tensor.2d.L2.global [%rd1, {%r2,%r2}];)",
    R"(cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd1, {%r2,%r2}];)",
    R"(cp.async.bulk.prefetch.tensor.2d.L2.global.L2::cache_hint [%rd1, {%r2,%r2}], %rd3;)",
    R"(fence.proxy.alias;)",
    R"(fence.proxy.async;)",
    R"(fence.proxy.async.global;)",
    R"(fence.proxy.async.shared::cta;)",
    R"(fence.proxy.async.shared::cluster;)",
    R"(fence.proxy.tensormap::generic.release.gpu;)",
    R"(fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;)",
    R"(fence.mbarrier_init.release.cluster;)",
    R"(fence.cta;)",
    R"(fence.gpu;)",
    R"(fence.acq_rel.cluster;)",
    R"(fence.sc.cluster;)",
    R"(fence.acquire.cluster;)",
    R"(fence.release.gpu;)",
    R"(fence.acquire.sync_restrict::shared::cluster.cluster;)",
    R"(fence.release.sync_restrict::shared::cta.cluster;)",
    R"(fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;)",
    R"(fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;)",
    R"(membar.proxy.alias;)",
    R"(setmaxnreg.inc.sync.aligned.u32 240;)",
    R"(setmaxnreg.dec.sync.aligned.u32 40;)",
    R"(mapa.u64 %rd1, %rd2, %r1;)",
    R"(mapa.shared::cluster.u32 %r2, %r3, %r1;)",
    R"(mapa.shared::cluster.u32 %r2, sv, %r1;)",
    R"(mapa.shared::cluster.u64 %rd2, sv, 0;)",
    R"(getctarank.u32 %r1, %r2;)",
    R"(getctarank.u64 %r1, %rd2;)",
    R"(getctarank.shared::cluster.u32 %r1, %r2;)",
    R"(getctarank.shared::cluster.u32 %r1, sv;)",
    R"(getctarank.shared::cluster.u64 %r1, %rd2;)",
    R"(st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];)",
    R"(st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r1], {%r2,%r2,%r2,%r2}, [%r3];)",
    R"(st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f64 [%r1], {%d1,%d1}, [%r3];)",
    R"(st.async.mbarrier::complete_tx::bytes.u32 [%rd1], %r2, [%rd3];)",
    R"(red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r3];)",
    R"(red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.s32 [%r1], %r2, [%r3];)",
    R"(red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r1], %rd2, [%r3];)",
    R"(red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%r1], %r2, [%r3];)",
    R"(red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.dec.u32 [%r1], %r2, [%r3];)",
    R"(red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [%r1], %r2, [%r3];)",
    R"(red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [%r1], %r2, [%r3];)",
    R"(red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.and.b32 [%r1], %r2, [%r3];)",
    R"(red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [%r1], %r2, [%r3];)",
    R"(ld.shared::cluster.u32 %r1, [%r2];)",
    R"(st.shared::cluster.v2.u32 [%r2], {%r1,%r1};)",
    R"(atom.shared::cluster.add.u32 %r1, [%r2], 1;)",
    R"(atom.acq_rel.cluster.shared::cluster.cas.b32 %r1, [%r2], 1, 2;)",
    R"(red.relaxed.cluster.shared::cluster.add.u32 [%r2], 1;)",
    R"(cvta.shared::cluster.u64 %rd1, sv;)",
    R"(cvta.to.shared::cluster.u64 %rd1, %rd2;)",
    R"(isspacep.shared::cluster %p1, %rd1;)",
    R"(isspacep.shared::cta %p1, %rd1;)",
    R"(barrier.cluster.arrive;)",
    R"(barrier.cluster.arrive.aligned;)",
    R"(barrier.cluster.arrive.release;)",
    R"(barrier.cluster.arrive.relaxed.aligned;)",
    R"(barrier.cluster.wait;)",
    R"(barrier.cluster.wait.acquire.aligned;)",
    R"(prefetch.tensormap [%rd1];)",
    R"(prefetch.param.tensormap [a];)",
    R"(prefetch.const.tensormap [%rd1];)",
    R"(griddepcontrol.wait;)",
    R"(griddepcontrol.launch_dependents;)",
    R"(elect.sync %r1|%p1, -1;)",
    R"(elect.sync _|%p1, 0xffffffff;)",
    R"(mov.pred %p1, %is_explicit_cluster;)",
    R"(mov.u32 %r1, %cluster_ctaid.x;)",
    R"(mov.u32 %r1, %cluster_nctarank;)",
    R"(mov.u32 %r1, %clusterid.x;)"};

constexpr std::string_view kRejected[] = {
    R"(mbarrier.test_wait.relaxed.cluster.parity.shared.b64 %p1, [%r1], 1;)",
    R"(mbarrier.test_wait.parity.shared::cluster.b64 %p1, [%r1], %r2;)",
    R"(cp.async.bulk.shared::cta.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], 16, [%r3];)",
    R"(cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.s64 [%r1], [%r2], 16, [%r3];)",
    R"(cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max.u64 [%r1], [%r2], 16, [%r3];)",
    R"(cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.and.b64 [%r1], [%r2], 16, [%r3];)",
    R"(cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.f32 [%r1], [%r2], 16, [%r3];)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f32 [%rd1], [%r2], 16;)",
    R"(cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u64 [%rd1], [%r2], 16;)",
    R"(cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, %r2], [%r3];)",
    R"(membar.proxy.async;)",
    R"(membar.proxy.async.global;)",
    R"(st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.s64 [%r1], {%rd1,%rd1,%rd1,%rd1}, [%r3];)",
    R"(red.async.relaxed.cluster.global.mbarrier::complete_tx::bytes.add.u32 [%rd1], %r2, [%r3];)"};

constexpr std::string_view kNotExecuted[] = {
    R"(cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2,%r2,%r2}], [%r3], {%h1};)",
    R"(tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2;)",
    R"(tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r1], %rd2;)",
    R"(tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r1], 128;)",
    R"(multimem.ld_reduce.global.add.u32 %r1, [%rd1];)"};

} // namespace

TEST_CASE("asynchronous instructions that ptxas assembles load, verify and print") {
    for (const std::string_view text : kAssembled) {
        const auto module = parse(test::moduleWith(text));
        INFO(text << (module ? std::string() : toString(module.error())));
        REQUIRE(module);
        const Function& function = module->functions[0];
        CHECK(verify(function, function.instructions[0], text).has_value());
        const auto again = parse(print(*module));
        INFO(print(*module));
        INFO((again ? std::string() : toString(again.error())));
        REQUIRE(again);
        CHECK(test::isSame(*module, *again));
    }
}

TEST_CASE("asynchronous instructions that ptxas rejects are errors") {
    for (const std::string_view text : kRejected) {
        INFO(text);
        const auto module = parse(test::moduleWith(text));
        REQUIRE_FALSE(module);
        CHECK(module.error().front().where.line >= 8);
    }
}

TEST_CASE("asynchronous instructions that are not simulated are said by their text") {
    for (const std::string_view text : kNotExecuted) {
        INFO(text);
        const auto module = parse(test::moduleWith(text));
        REQUIRE_FALSE(module);
        CHECK(module.error().front().code == "unsupported");
        CHECK(module.error().front().message.find(text.substr(0, text.find(' '))) != std::string::npos);
    }
}

TEST_CASE("the coordinates of a box are as many as its dimensions") {
    const auto module = parse(test::moduleWith("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%rd1, {%r1, %r2}], [%r3];"));
    REQUIRE_FALSE(module);
    CHECK(module.error().front().message.find("3 coordinates, not 2") != std::string::npos);
}
