// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for the CUDA Toolkit's header of this name: bfloat16, one PTX instruction an operation. Used by clang, and by
// NVRTC where no Toolkit is installed.
#pragma once
#ifdef __clang__
#include "lanescope_cuda.h"
#define LS_HALF LS_FUNCTION
#define LS_MEMBER __attribute__((always_inline, nodebug, device))
#else
#ifndef LS_HALF
#define LS_HALF static __forceinline__ __device__
#define LS_MEMBER __forceinline__ __device__
#endif
#endif

struct __nv_bfloat16;
LS_HALF __nv_bfloat16 __float2bfloat16(float v);
LS_HALF float __bfloat162float(__nv_bfloat16 v);

struct __attribute__((aligned(2))) __nv_bfloat16 {
    unsigned short bits;
    __nv_bfloat16() = default;
    LS_MEMBER __nv_bfloat16(float v) { *this = __float2bfloat16(v); }
    LS_MEMBER __nv_bfloat16(double v) { *this = __float2bfloat16(static_cast<float>(v)); }
    LS_MEMBER __nv_bfloat16(int v) { *this = __float2bfloat16(static_cast<float>(v)); }
    LS_MEMBER operator float() const { return __bfloat162float(*this); }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    LS_MEMBER __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

LS_HALF __nv_bfloat16 ls_bf16(unsigned short bits) {
    __nv_bfloat16 r;
    r.bits = bits;
    return r;
}
LS_HALF unsigned ls_bf16_word(__nv_bfloat162 v) { return v.x.bits | (static_cast<unsigned>(v.y.bits) << 16); }
LS_HALF __nv_bfloat162 ls_bf16_pair(unsigned word) {
    return __nv_bfloat162(ls_bf16(static_cast<unsigned short>(word)), ls_bf16(static_cast<unsigned short>(word >> 16)));
}
LS_HALF __nv_bfloat16 __float2bfloat16(float v) {
    unsigned short r;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(v));
    return ls_bf16(r);
}
LS_HALF float __bfloat162float(__nv_bfloat16 v) { return __uint_as_float(static_cast<unsigned>(v.bits) << 16); }
LS_HALF __nv_bfloat16 __float2bfloat16_rn(float v) { return __float2bfloat16(v); }
LS_HALF __nv_bfloat162 __float2bfloat162_rn(float v) { return __nv_bfloat162(__float2bfloat16(v), __float2bfloat16(v)); }
LS_HALF __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(__float2bfloat16(a), __float2bfloat16(b)); }
LS_HALF __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 v) { return __nv_bfloat162(v, v); }
LS_HALF float2 __bfloat1622float2(__nv_bfloat162 v) { return make_float2(__bfloat162float(v.x), __bfloat162float(v.y)); }
LS_HALF __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
LS_HALF __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
LS_HALF float __low2float(__nv_bfloat162 v) { return __bfloat162float(v.x); }
LS_HALF float __high2float(__nv_bfloat162 v) { return __bfloat162float(v.y); }
LS_HALF unsigned short __bfloat16_as_ushort(__nv_bfloat16 v) { return v.bits; }
LS_HALF __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) { return ls_bf16(v); }
LS_HALF __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }

// ---- arithmetic: a scalar form and a form on pairs ----
LS_HALF __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
    unsigned short r;
    asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return ls_bf16(r);
}
LS_HALF __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
    unsigned r;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(ls_bf16_word(a)), "r"(ls_bf16_word(b)), "r"(ls_bf16_word(c)));
    return ls_bf16_pair(r);
}
LS_HALF __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, ls_bf16(0x3f80), b); }
LS_HALF __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(b, ls_bf16(0xbf80), a); }
LS_HALF __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, b, ls_bf16(0x8000)); }
LS_HALF __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(a, ls_bf16_pair(0x3f803f80u), b); }
LS_HALF __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(b, ls_bf16_pair(0xbf80bf80u), a); }
LS_HALF __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(a, b, ls_bf16_pair(0x80008000u)); }
#define LS_HALF_MIN_MAX(name, op)                                                                  \
    LS_HALF __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) {                                                           \
        unsigned short r;                                                                          \
        asm(op ".bf16 %0, %1, %2;" : "=h"(r) : "h"(a.bits), "h"(b.bits));                            \
        return ls_bf16(r);                                                                          \
    }
LS_HALF_MIN_MAX(__hmin, "min")
LS_HALF_MIN_MAX(__hmax, "max")
#undef LS_HALF_MIN_MAX
LS_HALF __nv_bfloat16 __hneg(__nv_bfloat16 v) { return ls_bf16(v.bits ^ 0x8000); }
LS_HALF __nv_bfloat16 __habs(__nv_bfloat16 v) { return ls_bf16(v.bits & 0x7fff); }
LS_HALF __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return __float2bfloat16(__bfloat162float(a) / __bfloat162float(b)); }
LS_HALF __nv_bfloat16 hexp(__nv_bfloat16 v) { return __float2bfloat16(expf(__bfloat162float(v))); }
LS_HALF __nv_bfloat16 hlog(__nv_bfloat16 v) { return __float2bfloat16(logf(__bfloat162float(v))); }
LS_HALF __nv_bfloat16 hsqrt(__nv_bfloat16 v) { return __float2bfloat16(sqrtf(__bfloat162float(v))); }
LS_HALF __nv_bfloat16 hrcp(__nv_bfloat16 v) { return __float2bfloat16(1.0f / __bfloat162float(v)); }

LS_HALF __nv_bfloat16 operator+(__nv_bfloat16 a, __nv_bfloat16 b) { return __hadd(a, b); }
LS_HALF __nv_bfloat16& operator+=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = __hadd(a, b); }
LS_HALF __nv_bfloat162 operator+(__nv_bfloat162 a, __nv_bfloat162 b) { return __hadd2(a, b); }
LS_HALF __nv_bfloat16 operator-(__nv_bfloat16 a, __nv_bfloat16 b) { return __hsub(a, b); }
LS_HALF __nv_bfloat16& operator-=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = __hsub(a, b); }
LS_HALF __nv_bfloat162 operator-(__nv_bfloat162 a, __nv_bfloat162 b) { return __hsub2(a, b); }
LS_HALF __nv_bfloat16 operator*(__nv_bfloat16 a, __nv_bfloat16 b) { return __hmul(a, b); }
LS_HALF __nv_bfloat16& operator*=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = __hmul(a, b); }
LS_HALF __nv_bfloat162 operator*(__nv_bfloat162 a, __nv_bfloat162 b) { return __hmul2(a, b); }
LS_HALF __nv_bfloat16 operator/(__nv_bfloat16 a, __nv_bfloat16 b) { return __hdiv(a, b); }
LS_HALF __nv_bfloat16& operator/=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = __hdiv(a, b); }
LS_HALF __nv_bfloat16 operator-(__nv_bfloat16 v) { return __hneg(v); }
LS_HALF bool operator<(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) < __bfloat162float(b); }
LS_HALF bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { return a < b; }
LS_HALF bool operator<=(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) <= __bfloat162float(b); }
LS_HALF bool __hle(__nv_bfloat16 a, __nv_bfloat16 b) { return a <= b; }
LS_HALF bool operator>(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) > __bfloat162float(b); }
LS_HALF bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) { return a > b; }
LS_HALF bool operator>=(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) >= __bfloat162float(b); }
LS_HALF bool __hge(__nv_bfloat16 a, __nv_bfloat16 b) { return a >= b; }
LS_HALF bool operator==(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) == __bfloat162float(b); }
LS_HALF bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) { return a == b; }
LS_HALF bool operator!=(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) != __bfloat162float(b); }
LS_HALF bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) { return a != b; }
LS_HALF bool __hisnan(__nv_bfloat16 v) { return __bfloat162float(v) != __bfloat162float(v); }
