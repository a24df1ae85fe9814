// SPDX-License-Identifier: GPL-3.0-or-later
// Which instructions the loader takes. The two lists of whole instructions were put to ptxas 13.0
// one by one: it assembles the first and rejects the second.
#include <catch2/catch.hpp>

#include "engine/ptx/instruction_forms.h"
#include "engine/ptx/instruction_set.h"
#include "tests/ptx/ptx_support.h"

using namespace lanescope;
using namespace lanescope::ptx;

namespace {

constexpr std::string_view kAssembled[] = {
    R"(mov.u64 %rd1,gv+4;)",
    R"(mov.u32 %r1,sv;)",
    R"(cvta.shared.u64 %rd1,sv;)",
    R"(ld.global.u32 %r1,[gv+8];)",
    R"(ld.global.u32 %r1,gv[2];)",
    R"(ld.global.u32 %r1,[gv];)",
    R"(ld.volatile.global.u32 %r1,[gv];)",
    R"(atom.add.s32 %r1,[%rd1],1;)",
    R"(atom.global.add.noftz.f16 %h1,[gv],%h2;)",
    R"(setp.eq.f16x2 %p1,%r1,%r2;)",
    R"(shr.b32 %r1,%r2,%r3;)",
    R"(cvt.ftz.f32.f16 %f1,%h1;)",
    R"(cvt.rn.ftz.f32.s32 %f1,%r1;)",
    R"(cvt.f64.f32 %d1,%f1;)",
    R"(cvt.rn.f64.s32 %d1,%r1;)",
    R"(cvt.rn.bf16.f64 %h1,%d1;)",
    R"(cvt.f64.bf16 %d1,%h1;)",
    R"(cvt.rzi.s32.bf16 %r1,%h1;)",
    R"(cvt.rn.f16.bf16 %h1,%h2;)",
    R"(cvt.f32.f32 %f1,%f2;)",
    R"(cvt.rn.sat.f32.u32 %f1,%r1;)",
    R"(cvt.rn.f16x2.f32 %r1,%f1,%f2;)",
    R"(cvt.rn.f16x2.e4m3x2 %r1,%h1;)",
    R"(cvt.rs.f16x2.f32 %r1,%f1,%f2,%r2;)",
    R"(cvt.rna.tf32.f32 %r1,%f1;)",
    R"(mad.rn.f32 %f1,%f1,%f2,%f3;)",
    R"(mov.b16 %x1,%x2;)",
    R"(ld.global.b16 %x1,[gv];)",
    R"(mov.b128 %q1,{%rd1,%rd2};)",
    R"(mov.v4.f32 %v,%v;)",
    R"(ld.global.v4.f32 %v,[gv];)",
    R"(mov.f32 %f1,%v.x;)",
    R"(setp.nan.f32 %p1,%f1,%f2;)",
    R"(min.u16x2 %r1,%r2,%r3;)",
    R"(max.relu.s32 %r1,%r2,%r3;)",
    R"(min.NaN.xorsign.abs.f32 %f1,%f2,%f3;)",
    R"(add.f32x2 %rd1,%rd2,%rd3;)",
    R"(mul.wide.s16 %r1,%h1,%h2;)",
    R"(mov.b32 %r1,-1;)",
    R"(st.global.u8 [gv],%r1;)",
    R"(st.global.u8 [gv],5;)",
    R"(slct.f32.s32 %f1,%f2,%f3,%r1;)",
    R"(slct.f32.f32 %f1,%f2,%f3,%f1;)",
    R"(set.gt.u32.f32 %r1,%f1,%f2;)",
    R"(set.gt.f16x2.f16x2 %r1,%r2,%r3;)",
    R"(set.gt.and.u32.f32 %r1,%f1,%f2,%p1;)",
    R"(lop3.or.b32 %r1|%p1,%r1,%r2,%r3,0x40,%p2;)",
    R"(lop3.or.b32 _|%p1,%r1,%r2,%r3,0x40,%p2;)",
    R"(bar.sync %r1;)",
    R"(bar.sync 0,%r1;)",
    R"(bar.cta.sync 0;)",
    R"(bar.red.popc.u32 %r1,0,%p1;)",
    R"(bar.red.popc.u32 %r1,0,64,!%p1;)",
    R"(fence.acquire.gpu;)",
    R"(membar.gl;)",
    R"(createpolicy.fractional.L2::evict_last.b64 %rd1;)",
    R"(createpolicy.fractional.L2::evict_last.b64 %rd1, 0.5;)",
    R"(ld.global.L1::no_allocate.L2::cache_hint.v4.f32 {%f1,%f2,%f3,%f4},[gv],%rd1;)",
    R"(prefetch.global.L2 [gv];)",
    R"(activemask.b32 %r1;)",
    R"(match.all.sync.b32 %r1|%p1,%r2,-1;)",
    R"(match.any.sync.b64 %r1,%rd2,-1;)",
    R"(elect.sync %r1|%p1,-1;)",
    R"(elect.sync _|%p1,-1;)",
    R"(redux.sync.min.abs.NaN.f32 %f1,%f2,-1;)",
    R"(ex2.approx.ftz.bf16 %h1,%h2;)",
    R"(bmsk.clamp.b32 %r1,%r2,%r3;)",
    R"(szext.wrap.s32 %r1,%r2,%r3;)",
    R"(fns.b32 %r1,%r2,%r3,%r4;)",
    R"(dp4a.u32.s32 %r1,%r2,%r3,%r4;)",
    R"(copysign.f32 %f1,%f2,1.0;)",
    R"(shf.l.wrap.b32 %r1,%r2,%r3,4;)",
    R"(prmt.b32 %r1,%r2,%r3,0x1234;)",
    R"(nanosleep.u32 40;)",
    R"(isspacep.shared %p1,%rd1;)",
    R"(isspacep.const %p1,%rd1;)",
    R"(mov.u32 %r1, WARP_SZ;)",
    R"(mov.u64 %rd1, k;)",
    R"(not.pred %p1,%p2;)",
    R"(mul.hi.u64 %rd1,%rd2,%rd3;)",
    R"(sad.u64 %rd1,%rd2,%rd3,%rd1;)",
    R"(sub.cc.u64 %rd1,%rd2,%rd3;)",
    R"(trap;)",
    R"(brkpt;)",
    R"(pmevent 1;)",
    R"(griddepcontrol.wait;)",
    R"(ld.global.b8 %r1,[gv];)",
    R"(ld.global.v8.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8},[%rd1];)",
    R"(ld.global.nc.L1::evict_last.b32 %r1,[gv];)",
    R"(setp.gt.and.f32 %p1|%p2,%f1,%f2,%p3;)",
    R"(setp.ne.or.s32 %p1|_,%r1,%r2,1;)",
    R"(mov.u32 %r1,%pm0;)",
    R"(mov.b32 %r1,%envreg3;)",
    R"(mov.u64 %rd1,%globaltimer;)",
    R"(mov.u32 %r1,%lanemask_lt;)",
    R"(fma.rn.relu.f16 %h1,%h2,%h3,%h1;)",
    R"(barrier.sync.aligned 0;)",
    R"(barrier.cta.sync 1,64;)",
    R"(barrier.cluster.arrive;)",
    R"(barrier.cluster.arrive.release.aligned;)",
    R"(testp.normal.f64 %p1,%d1;)",
    R"(mov.u32 %r1,%ctaid.w;)",
    R"(mov.b32 %r1, 0f3f800000;)",
    R"(mov.b32 %f1, 5;)",
    R"(add.f64 %d1,%d2,0f3f800000;)",
    R"(add.f32 %f1,%f2,0d3ff0000000000000;)",
    R"(add.f32 %f1,%f2,%r1;)",
    R"(mov.b32 %u1,%f1;)",
    R"(and.b32 %f1,%f2,%f3;)",
    R"(mov.pred %p1, 1;)",
    R"(and.pred %p1,%p1,1;)",
    R"(mov.u32 %r1, 4*2+1;)",
    R"(st.global.f32 [%rd1], 1.0;)",
    R"(st.global.b32 [%rd1], %d1;)",
    R"(st.global.u32 [%rd1], %rd2;)",
    R"(ld.global.u8 %rd1,[%rd2];)",
    R"(ld.global.f32 %r1,[%rd2];)",
    R"(cvt.u8.u32 %r1,%r2;)",
    R"(cvt.u32.u8 %r1,%h1;)",
    R"(cvt.u32.u8 %r1,%rd1;)",
    R"(mul.wide.u32 %rd1,%r1,-1;)",
    R"(selp.b32 %f1,%f2,0,%p1;)",
    R"(selp.f32 %f1,%f2,1.0,!%p1;)",
    R"(setp.lt.s32.and %p1,%r1,%r2,!%p2;)",
    R"(shfl.sync.idx.b32 %r1,%r2,%r3,31,-1;)",
    R"(atom.global.add.u32 _,[%rd1],%r2;)",
    R"(ld.global.v2.u32 {%r1,_},[%rd1];)",
    R"(mov.u16 %h1,%tid.x;)",
    R"(cvt.u64.u32 %rd1,%tid.x;)",
    R"(mov.u64 %rd1,%gridid;)",
    R"(mov.u32 %r1,%gridid;)",
    R"(mov.b64 {%r1,_},%rd1;)",
    R"(mov.b64 %rd1,{%r1,0};)",
    R"(mov.b64 %rd1,{%f1,%r1};)",
    R"(mov.b32 %r1,{%h1,%h2};)",
    R"(add.s32 %r1,%r2,0x1FFFFFFFF;)",
    R"(atom.gpu.global.relaxed.add.u32 %r1,[%rd1],%r2;)",
    R"(ld.f32.global %f1,[%rd1];)",
    R"(add.sat.ftz.rn.f32 %f1,%f1,%f2;)",
    R"(mul.f32.rn %f1,%f1,%f2;)",
    R"(ld.v4.global.f32 {%f1,%f2,%f3,%f4},[%rd1];)",
    R"(min.bf16x2 %r1,%r2,%r3;)",
    R"(add.bf16 %h1,%h2,%h3;)",
    R"(fma.rn.f32 %f1,%f2,0fbf800000,-1.0;)"};

constexpr std::string_view kRejected[] = {R"(add.u64 %rd1,gv,4;)",
                                          R"(st.global.u64 [%rd1],gv;)",
                                          R"(ld.relaxed.global.u32 %r1,[gv];)",
                                          R"(atom.global.add.s64 %rd1,[gv],%rd2;)",
                                          R"(atom.global.exch.u32 %r1,[gv],%r2;)",
                                          R"(atom.global.cas.u32 %r1,[gv],%r2,%r3;)",
                                          R"(atom.global.and.u32 %r1,[gv],%r2;)",
                                          R"(red.global.add.f16x2 [gv],%r1;)",
                                          R"(setp.lo.s32 %p1,%r1,%r2;)",
                                          R"(setp.lt.b32 %p1,%r1,%r2;)",
                                          R"(selp.pred %p1,%p2,%p3,%p1;)",
                                          R"(cvt.f64.s32 %d1,%r1;)",
                                          R"(cvt.rn.f32.f32 %f1,%f2;)",
                                          R"(cvt.sat.f32.u32 %f1,%r1;)",
                                          R"(cvt.s32.f32 %r1,%f1;)",
                                          R"(mad.f32 %f1,%f1,%f2,%f3;)",
                                          R"(mov.f16 %x1,%x2;)",
                                          R"(ld.global.f16 %x1,[gv];)",
                                          R"(lop3.b32 %r1,%r1,%r2,%r3,%r4;)",
                                          R"(fence.sc;)",
                                          R"(abs.u32 %r1,%r2;)",
                                          R"(neg.u32 %r1,%r2;)",
                                          R"(add.sat.u32 %r1,%r2,%r3;)",
                                          R"(add.s32 %r1,%r2,%r3)",
                                          R"(add.rn.f32 %f1, %f2, 0f3f80;)",
                                          R"(add.f32 %f1,%f2,1;)",
                                          R"(mov.f32 %f1, 1;)",
                                          R"(mov.u32 %r1, 0f3f800000;)",
                                          R"(mov.b32 %r1, 1.0;)",
                                          R"(add.f16 %h1,%h2,0x3c00;)",
                                          R"(add.f64 %d1,%d2,1;)",
                                          R"(add.f32 %f1,%f2,%u1;)",
                                          R"(mov.f32 %f1,%u1;)",
                                          R"(mov.u32 %r1,%f1;)",
                                          R"(add.s32 %r1,%r2,-%r3;)",
                                          R"(st.global.f32 [%rd1], 0;)",
                                          R"(ld.global.f32 %d1,[%rd2];)",
                                          R"(ld.global.f32 %u1,[%rd2];)",
                                          R"(ld.global.u32 %f1,[%rd2];)",
                                          R"(cvt.rn.f32.s32 %f1,%f2;)",
                                          R"(add.u32 %rd1,%rd2,%rd3;)",
                                          R"(setp.eq.f32 %p1,%f1,0;)",
                                          R"(shl.b64 %rd1,%rd2,%rd3;)",
                                          R"(add.f16x2 %r1,%r2,0x3c003c00;)",
                                          R"(selp.f32 %f1,%f2,0,%p1;)",
                                          R"(shfl.sync.idx.b32 _,%r2,%r3,31,-1;)",
                                          R"(add.s32 _,%r1,%r2;)",
                                          R"(ld.global.u32 _,[%rd1];)",
                                          R"(mov.u32 %r1,%tid;)",
                                          R"(mov.u64 %rd1,%tid.x;)",
                                          R"(add.s32 %r1,%r2,5.0;)",
                                          R"(div.rn.f32 %f1,%f2,2;)",
                                          R"(add.bf16 %x1,%x2,%x3;)",
                                          R"(frobnicate.u32 %r1;)",
                                          R"(add.nc.u32 %r1,%r2,%r3;)",
                                          R"(add.u32 %r1,%r2;)",
                                          R"(add.u32 %r1,%r2,%r3,%r4;)",
                                          R"(mov.u32 %nosuch, 1;)",
                                          R"(bra nowhere;)",
                                          R"(mul.u32 %r1,%r2,%r3;)",
                                          R"(ld.global.v3.f32 {%f1,%f2,%f3},[%rd1];)",
                                          R"(add.f8 %r1,%r1,%r1;)",
                                          R"(setp.lt.f32 %r1,%f1,%f2;)",
                                          R"(@%r1 ret;)"};

constexpr std::string_view kUnsupported[] = {
    R"(shfl.idx.b32 %r1,%r2,%r3,31;)",
    R"(vote.ballot.b32 %r1,%p1;)",
    R"(tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}];)",
    R"(mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r2},{%r3,%r4},{%f1,%f2,%f3,%f4},%r5,0;)",
    R"(tensormap.replace.tile.rank.global.b1024.b32 [%rd1], 3;)",
    R"(cvt.rn.satfinite.e2m1x2.f32 %h1,%f1,%f2;)",
    R"(max.f32 %f1,%f2,%f3,%f4;)",
    R"(add.rn.f32.f16 %f1,%h1,%f2;)",
    R"(ld.mmio.relaxed.sys.global.u32 %r1,[%rd1];)",
    R"(vadd.s32.s32.s32 %r1,%r2,%r3;)",
    R"(wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %r1, 0, %p1, 1, 1, 0, 0;)"};

/// Mnemonics that 120 public CUDA sources compile to.
constexpr std::string_view kInTheWild[] = {"cp.async.cg.shared.global.L2::128B",
                                           "cp.async.commit_group",
                                           "cp.async.wait_group",
                                           "cp.async.ca.shared.global",
                                           "mov.u32",
                                           "mov.u64",
                                           "mov.f32",
                                           "mov.b32",
                                           "mov.f64",
                                           "mov.pred",
                                           "mov.u16",
                                           "mov.b64",
                                           "add.s64",
                                           "add.s32",
                                           "add.f32",
                                           "add.f16",
                                           "add.u64",
                                           "add.f64",
                                           "add.f16x2",
                                           "add.rn.f64",
                                           "add.s16",
                                           "cvta.to.global.u64",
                                           "cvta.global.u64",
                                           "cvta.local.u64",
                                           "cvta.to.local.u64",
                                           "ld.param.u64",
                                           "ld.param.u32",
                                           "ld.global.f32",
                                           "ld.shared.f32",
                                           "ld.global.u32",
                                           "ld.param.f32",
                                           "ld.shared.v4.u32",
                                           "ld.global.u16",
                                           "ld.param.u16",
                                           "ld.global.v4.u32",
                                           "ld.global.f64",
                                           "ld.global.v4.f32",
                                           "ld.param.f64",
                                           "ld.shared.u32",
                                           "ld.shared.f64",
                                           "ld.shared.u16",
                                           "ld.shared.v4.f32",
                                           "ld.global.cs.v4.s32",
                                           "ld.global.cs.f32",
                                           "ld.local.v4.u32",
                                           "ld.global.nc.v4.u32",
                                           "ld.param.b32",
                                           "ld.global.nc.f32",
                                           "ld.global.nc.u32",
                                           "ld.local.u32",
                                           "ld.global.u64",
                                           "ld.global.v2.f64",
                                           "ld.global.v2.u32",
                                           "ld.local.v4.f32",
                                           "ld.shared.v2.f64",
                                           "ld.global.cs.b16",
                                           "ld.global.s32",
                                           "ld.local.v2.f64",
                                           "ld.param.s8",
                                           "ld.acquire.gpu.u32",
                                           "ld.const.f32",
                                           "ld.global.cg.b32",
                                           "ld.global.cg.v4.s32",
                                           "ld.global.cs.v4.f32",
                                           "ld.global.nc.u16",
                                           "ld.global.nc.v2.u64",
                                           "ld.global.u8",
                                           "ld.local.f32",
                                           "ld.local.u64",
                                           "ld.param.s16",
                                           "ld.param.s32",
                                           "ld.param.u8",
                                           "ld.shared.u64",
                                           "ld.shared.u8",
                                           "ld.shared.v2.u16",
                                           "ld.volatile.shared.u32",
                                           "mad.lo.s32",
                                           "mad.wide.u32",
                                           "shl.b32",
                                           "shl.b64",
                                           "shl.b16",
                                           "and.b32",
                                           "and.b64",
                                           "and.b16",
                                           "and.pred",
                                           "cvt.u64.u32",
                                           "cvt.u32.u64",
                                           "cvt.s64.s32",
                                           "cvt.rn.f32.s32",
                                           "cvt.rn.f16.s32",
                                           "cvt.rn.f32.u32",
                                           "cvt.sat.f32.f32",
                                           "cvt.rn.f32.f64",
                                           "cvt.f64.f32",
                                           "cvt.u16.u32",
                                           "cvt.rn.f64.s64",
                                           "cvt.rn.f64.u64",
                                           "cvt.rni.s32.f32",
                                           "cvt.rzi.f32.f32",
                                           "cvt.rzi.s32.f32",
                                           "cvt.rzi.u32.f32",
                                           "cvt.rn.f32.u16",
                                           "cvt.s32.s16",
                                           "cvt.u32.u16",
                                           "cvt.rn.bf16.s32",
                                           "cvt.rn.f16.f32",
                                           "cvt.rn.f32.s16",
                                           "cvt.rn.f64.u32",
                                           "cvt.rni.f64.f64",
                                           "cvt.rzi.f64.f64",
                                           "cvt.rzi.s64.f64",
                                           "cvt.s32.s8",
                                           "mul.wide.u32",
                                           "mul.wide.s32",
                                           "mul.f32",
                                           "mul.lo.s32",
                                           "mul.lo.s64",
                                           "mul.f64",
                                           "mul.f16",
                                           "mul.rn.f32",
                                           "mul.wide.u16",
                                           "mul.f16x2",
                                           "mul.hi.s32",
                                           "mul.lo.s16",
                                           "mul.rn.f64",
                                           "st.global.f32",
                                           "st.shared.f32",
                                           "st.global.v4.u32",
                                           "st.shared.u32",
                                           "st.global.u32",
                                           "st.shared.v4.u32",
                                           "st.global.u16",
                                           "st.param.b64",
                                           "st.local.u32",
                                           "st.shared.u16",
                                           "st.global.f64",
                                           "st.param.b32",
                                           "st.shared.f64",
                                           "st.global.cs.f32",
                                           "st.global.u64",
                                           "st.local.u16",
                                           "st.local.v4.u32",
                                           "st.global.v4.f32",
                                           "st.local.v4.f32",
                                           "st.local.u64",
                                           "st.global.u8",
                                           "st.local.v2.f64",
                                           "st.local.v2.u32",
                                           "st.global.cs.v4.s32",
                                           "st.global.v2.f64",
                                           "st.global.v2.u32",
                                           "st.global.cg.v4.s32",
                                           "st.global.cs.b16",
                                           "st.global.v4.u8",
                                           "st.local.f32",
                                           "st.param.f32",
                                           "st.shared.u64",
                                           "st.shared.u8",
                                           "st.shared.v2.u16",
                                           "st.shared.v4.f32",
                                           "st.volatile.shared.u32",
                                           "shr.u32",
                                           "shr.u64",
                                           "shr.s32",
                                           "shr.s64",
                                           "shr.u16",
                                           "shr.s16",
                                           "bar.sync",
                                           "bar.warp.sync",
                                           "bra.uni",
                                           "or.pred",
                                           "or.b32",
                                           "or.b64",
                                           "fma.rn.f32",
                                           "fma.rn.f64",
                                           "fma.rm.f32",
                                           "fma.rn.f16x2",
                                           "setp.ge.s32",
                                           "setp.ne.s32",
                                           "setp.lt.u64",
                                           "setp.eq.s64",
                                           "setp.eq.s32",
                                           "setp.lt.s32",
                                           "setp.lt.u32",
                                           "setp.ne.s64",
                                           "setp.ge.u32",
                                           "setp.ge.u64",
                                           "setp.gt.s32",
                                           "setp.le.u64",
                                           "setp.gt.u32",
                                           "setp.eq.b32",
                                           "setp.gt.u64",
                                           "setp.lt.f32",
                                           "setp.eq.f32",
                                           "setp.le.s32",
                                           "setp.gt.f32",
                                           "setp.le.u32",
                                           "setp.lt.f64",
                                           "setp.ge.f32",
                                           "setp.ge.s64",
                                           "setp.geu.f32",
                                           "setp.lt.s64",
                                           "setp.ltu.f32",
                                           "setp.gt.s16",
                                           "setp.eq.b64",
                                           "setp.eq.s16",
                                           "setp.leu.f32",
                                           "setp.lt.s16",
                                           "setp.neu.f64",
                                           "sub.s32",
                                           "sub.f32",
                                           "sub.s64",
                                           "sub.f64",
                                           "xor.b32",
                                           "xor.pred",
                                           "xor.b64",
                                           "not.pred",
                                           "not.b32",
                                           "not.b64",
                                           "barrier.sync",
                                           "bfi.b64",
                                           "bfi.b32",
                                           "selp.u64",
                                           "selp.f32",
                                           "selp.b32",
                                           "selp.u32",
                                           "selp.b64",
                                           "selp.b16",
                                           "selp.f64",
                                           "selp.u16",
                                           "div.rn.f32",
                                           "div.u32",
                                           "div.s32",
                                           "div.approx.ftz.f32",
                                           "div.rn.f64",
                                           "div.s64",
                                           "neg.f32",
                                           "neg.s32",
                                           "neg.s64",
                                           "neg.f64",
                                           "rem.s32",
                                           "rem.u32",
                                           "shfl.sync.bfly.b32",
                                           "shfl.sync.down.b32",
                                           "shfl.sync.idx.b32",
                                           "rcp.rn.f32",
                                           "rcp.approx.ftz.f32",
                                           "rcp.approx.ftz.f64",
                                           "rcp.rn.f64",
                                           "sqrt.rn.f32",
                                           "sqrt.rn.f64",
                                           "ex2.approx.ftz.f32",
                                           "ex2.approx.f32",
                                           "max.f32",
                                           "max.s32",
                                           "max.u32",
                                           "max.f64",
                                           "abs.f32",
                                           "abs.s32",
                                           "atom.global.add.f32",
                                           "atom.shared.add.f32",
                                           "atom.global.add.u32",
                                           "atom.global.cas.b32",
                                           "atom.global.inc.u32",
                                           "atom.shared.add.u32",
                                           "atom.add.release.gpu.u32",
                                           "atom.global.and.b32",
                                           "atom.global.dec.u32",
                                           "atom.global.exch.b32",
                                           "atom.global.max.s32",
                                           "atom.global.min.s32",
                                           "atom.global.or.b32",
                                           "atom.global.sys.add.u32",
                                           "atom.global.sys.and.b32",
                                           "atom.global.sys.cas.b32",
                                           "atom.global.sys.dec.u32",
                                           "atom.global.sys.exch.b32",
                                           "atom.global.sys.inc.u32",
                                           "atom.global.sys.max.s32",
                                           "atom.global.sys.min.s32",
                                           "atom.global.sys.or.b32",
                                           "atom.global.sys.xor.b32",
                                           "atom.global.xor.b32",
                                           "atom.shared.exch.b32",
                                           "copysign.f32",
                                           "rsqrt.approx.f32",
                                           "min.u32",
                                           "min.f32",
                                           "min.s32",
                                           "nanosleep.u32",
                                           "bfind.shiftamt.u32",
                                           "brev.b32",
                                           "clz.b32",
                                           "clz.b64",
                                           "cos.approx.f32",
                                           "membar.gl",
                                           "popc.b32",
                                           "redux.sync.add.s32",
                                           "sin.approx.f32",
                                           "vote.sync.all.pred",
                                           "vote.sync.any.pred",
                                           "ldmatrix.sync.aligned.x2.m8n8.shared.b16",
                                           "ldmatrix.sync.aligned.x4.m8n8.shared.b16",
                                           "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
                                           "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16",
                                           "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16",
                                           "wmma.load.b.sync.aligned.col.m16n16k16.shared.f16",
                                           "wmma.store.d.sync.aligned.row.m16n16k16.shared.f16",
                                           "wmma.store.d.sync.aligned.row.m16n16k16.global.f16",
                                           "wmma.load.a.sync.aligned.col.m16n16k16.shared.f16",
                                           "wmma.load.b.sync.aligned.row.m16n16k16.shared.f16",
                                           "wmma.load.c.sync.aligned.row.m16n16k16.global.f16",
                                           "wmma.mma.sync.aligned.col.row.m16n16k16.f16.f16",
                                           "wmma.load.a.sync.aligned.row.m16n16k16.global.f16",
                                           "wmma.load.b.sync.aligned.col.m16n16k16.global.f16",
                                           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
                                           "mbarrier.init.shared.b64",
                                           "mbarrier.try_wait.shared.b64",
                                           "mbarrier.expect_tx.relaxed.cta.shared::cta.b64",
                                           "cp.async.mbarrier.arrive.shared.b64"};

constexpr std::string_view kInTheWildUnsupported[] = {
    "tex.2d.v4.f32.f32",
    "tex.2d.v4.u32.f32",
    "tex.3d.v4.f32.f32",
    "tex.a2d.v4.f32.f32",
    "tex.cube.v4.f32.f32",
    "sust.b.2d.b32.trap"};

MatchedMnemonic match(std::string_view text) {
    std::vector<std::string_view> tokens;
    const int opcode = findOpcode(text.substr(0, text.find('.')));
    REQUIRE(opcode >= 0);
    for (std::size_t at = text.find('.'); at != std::string_view::npos;) {
        const std::size_t end = text.find('.', at + 1);
        tokens.push_back(text.substr(at + 1, end == std::string_view::npos ? end : end - at - 1));
        at = end;
    }
    return matchMnemonic(static_cast<Opcode>(opcode), tokens);
}

} // namespace

TEST_CASE("instructions that ptxas assembles load, verify and print") {
    for (const std::string_view text : kAssembled) {
        const auto module = parse(test::moduleWith(text));
        INFO(text << (module ? std::string() : toString(module.error())));
        REQUIRE(module);
        const Function& function = module->functions[0];
        CHECK(verify(function, function.instructions[0], text).has_value());
        const auto again = parse(print(*module));
        INFO((again ? std::string() : toString(again.error())));
        REQUIRE(again);
        CHECK(test::isSame(*module, *again));
    }
}

TEST_CASE("instructions that ptxas rejects are syntax errors with a place") {
    for (const std::string_view text : kRejected) {
        INFO(text);
        const auto module = parse(test::moduleWith(text));
        REQUIRE_FALSE(module);
        CHECK(module.error().front().code == "syntax");
        CHECK(module.error().front().where.line >= 8);
        CHECK(module.error().front().where.column >= 1);
    }
}

TEST_CASE("valid PTX that is not executed is unsupported, with the instruction's text") {
    for (const std::string_view text : kUnsupported) {
        INFO(text);
        const auto module = parse(test::moduleWith(text));
        REQUIRE_FALSE(module);
        REQUIRE(module.error().size() == 1);
        CHECK(module.error().front().code == "unsupported");
        CHECK(module.error().front().where.line == 8);
        CHECK(module.error().front().message.find(text.substr(0, text.find(';'))) !=
              std::string::npos);
    }
}

TEST_CASE("mnemonics in the wild") {
    for (const std::string_view text : kInTheWild) {
        const auto matched = match(text);
        INFO(text << ": " << matched.problem);
        REQUIRE_FALSE(matched.forms.empty());
        CHECK(matched.forms.front()->executed);
    }
    for (const std::string_view text : kInTheWildUnsupported) {
        const int opcode = findOpcode(text.substr(0, text.find('.')));
        REQUIRE(opcode >= 0);
        CHECK((family(static_cast<Opcode>(opcode)) == Family::Unsupported || !match(text).supported));
    }
}

TEST_CASE("every executed opcode has a form, and every form's mnemonic reads back as itself") {
    for (int i = 0; i <= static_cast<int>(Opcode::Vset4); ++i) {
        const auto opcode = static_cast<Opcode>(i);
        INFO(mnemonic(opcode));
        CHECK(forms(opcode).empty() == (family(opcode) == Family::Unsupported));
        for (const Form& form : forms(opcode)) {
            Instruction instruction;
            instruction.opcode = opcode;
            instruction.modifiers = defaultModifiers(opcode);
            for (const ModifierGroup& group : form.groups)
                CHECK(applyToken(group.field, group.tokens.back(), instruction.modifiers));
            Type* slots[kTypeSlots] = {&instruction.type, &instruction.type2, &instruction.type3, &instruction.type4};
            for (std::size_t slot = 0; slot < form.types.size(); ++slot)
                for (int type = 1; type <= static_cast<int>(Type::B1); ++type)
                    if ((form.types[slot] >> type & 1) != 0)
                        *slots[slot] = static_cast<Type>(type);
            const std::string text = fullMnemonic(instruction, form);
            const auto matched = match(text);
            INFO(text << ": " << matched.problem);
            REQUIRE_FALSE(matched.forms.empty());
            CHECK(matched.modifiers == instruction.modifiers);
        }
    }
}

TEST_CASE("modifiers are stored") {
    auto i = test::firstInstruction("add.rz.ftz.sat.f32 %f1, %f2, %f3;");
    CHECK((i.modifiers.rounding == Rounding::Rz && i.modifiers.ftz && i.modifiers.sat &&
           i.type == Type::F32));
    i = test::firstInstruction("ld.acquire.gpu.global.v2.u32 {%r1, %r2}, [%rd1+-8];");
    CHECK((i.modifiers.ordering == Ordering::Acquire && i.modifiers.scope == Scope::Gpu &&
           i.modifiers.vector == 2));
    CHECK((i.modifiers.space == Space::Global && i.operands[1].offset == -8));
    i = test::firstInstruction("setp.hi.xor.u64 %p1|%p2, %rd1, %rd2, !%p3;");
    CHECK((i.modifiers.compare == Compare::Hi && i.modifiers.boolOp == BoolOp::Xor &&
           !i.modifiers.hi));
    CHECK((i.operands[0].kind == OperandKind::PredicatePair && i.operands[3].negated));
    i = test::firstInstruction("atom.shared.cas.b64 %rd1, [sv], %rd2, 5;");
    CHECK((i.modifiers.atomicOp == AtomicOp::Cas && i.modifiers.ordering == Ordering::Relaxed));
    i = test::firstInstruction("lop3.b32 %r1, %r2, %r3, %r4, 0x96;");
    CHECK((i.immediate == 0x96 && i.operands.size() == 4));
    i = test::firstInstruction("ld.global.nc.L1::no_allocate.L2::128B.f32 %f1, [%rd1];");
    CHECK(i.modifiers.nonCoherent);
    i = test::firstInstruction("bar.red.and.pred %p1, 1, 64, !%p2;");
    CHECK((i.modifiers.barrier == BarrierMode::RedAnd && i.modifiers.aligned &&
           i.operands.size() == 4));
    i = test::firstInstruction("min.NaN.xorsign.abs.f32 %f1, %f2, %f3;");
    CHECK((i.modifiers.nan && i.modifiers.xorsignAbs && !i.modifiers.abs));
    i = test::firstInstruction("match.all.sync.b32 %r1|%p1, %r2, -1;");
    CHECK((i.modifiers.matchAll && i.operands[2].bits == 0xffffffffu));
    i = test::firstInstruction("membar.gl;");
    CHECK((i.modifiers.scope == Scope::Gpu && i.modifiers.ordering == Ordering::SeqCst));
    i = test::firstInstruction("shf.l.clamp.b32 %r1, %r2, %r3, %r4;");
    CHECK((i.modifiers.left && i.modifiers.clamp));
}

TEST_CASE("immediates have the instruction's type") {
    CHECK(test::firstInstruction("add.f32 %f1, %f2, 0.1;").operands[2].bits == 0x3dcccccd);
    CHECK(test::firstInstruction("add.f64 %d1, %d2, 0f3F800000;").operands[2].bits ==
          0x3ff0000000000000u);
    CHECK(test::firstInstruction("mov.b32 %f1, 0f7FC00001;").operands[1].bits == 0x7fc00001);
    CHECK(test::firstInstruction("add.s32 %r1, %r2, -1;").operands[2].bits == 0xffffffffu);
    CHECK(test::firstInstruction("add.s16 %h1, %h2, 0xFFFFF;").operands[2].bits == 0xffff);
    CHECK(test::firstInstruction("mul.wide.u32 %rd1, %r1, -1;").operands[2].bits == 0xffffffffu);
    CHECK(test::firstInstruction("mov.u64 %rd1, 0xFFFFFFFFFFFFFFFFU;").operands[1].bits ==
          ~std::uint64_t{0});
    CHECK(test::firstInstruction("mov.pred %p1, -1;").operands[1].bits == 1);
    CHECK(test::firstInstruction("mov.u32 %r1, WARP_SZ;").operands[1].bits == 32);
    CHECK(test::firstInstruction("mov.u32 %r1, (0b101 | 010) * 3 - 7 / 2 + (1 << 4);")
              .operands[1]
              .bits == 52);
    CHECK(test::firstInstruction("mov.u32 %r1, 1 ? 7 : 8;").operands[1].bits == 7);
    CHECK(test::firstInstruction("mov.f32 %f1, -1.5e1;").operands[1].bits == 0xc1700000);
}

TEST_CASE("classes and floating-point operations") {
    CHECK(classify(test::firstInstruction("fma.rn.f32 %f1, %f2, %f3, %f4;")) ==
          InstructionClass::Float32);
    CHECK(floatingPointOperations(test::firstInstruction("fma.rn.f32 %f1, %f2, %f3, %f4;")) == 2);
    CHECK(floatingPointOperations(test::firstInstruction("fma.rn.f16x2 %r1, %r2, %r3, %r4;")) == 4);
    CHECK(floatingPointOperations(test::firstInstruction("add.s32 %r1, %r2, %r3;")) == 0);
    CHECK(floatingPointOperations(test::firstInstruction("mad.lo.s32 %r1, %r2, %r3, %r4;")) == 0);
    CHECK(floatingPointOperations(test::firstInstruction("mul.f64 %d1, %d2, %d3;")) == 1);
    CHECK(classify(test::firstInstruction("mad.lo.s32 %r1, %r2, %r3, %r4;")) ==
          InstructionClass::Integer);
    CHECK(classify(test::firstInstruction("ld.shared.f32 %f1, [sv];")) ==
          InstructionClass::LoadShared);
    CHECK(classify(test::firstInstruction("st.u32 [%rd1], %r1;")) == InstructionClass::StoreGlobal);
    CHECK(classify(test::firstInstruction("red.shared.add.u32 [sv], 1;")) ==
          InstructionClass::AtomicShared);
    CHECK(classify(test::firstInstruction("ex2.approx.f32 %f1, %f2;")) ==
          InstructionClass::Special);
    CHECK(classify(test::firstInstruction("bar.sync 0;")) == InstructionClass::Barrier);
    CHECK(name(InstructionClass::LoadGlobal) == "load_global");
}
