// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for the CUDA Toolkit's header of this name: half precision, one PTX instruction an operation. Used by clang, and by
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

struct __half;
LS_HALF __half __float2half(float v);
LS_HALF float __half2float(__half v);

struct __attribute__((aligned(2))) __half {
    unsigned short bits;
    __half() = default;
    LS_MEMBER __half(float v) { *this = __float2half(v); }
    LS_MEMBER __half(double v) { *this = __float2half(static_cast<float>(v)); }
    LS_MEMBER __half(int v) { *this = __float2half(static_cast<float>(v)); }
    LS_MEMBER operator float() const { return __half2float(*this); }
};
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
    __half2() = default;
    LS_MEMBER __half2(__half a, __half b) : x(a), y(b) {}
};
typedef __half half;
typedef __half2 half2;

LS_HALF __half ls_f16(unsigned short bits) {
    __half r;
    r.bits = bits;
    return r;
}
LS_HALF unsigned ls_f16_word(__half2 v) { return v.x.bits | (static_cast<unsigned>(v.y.bits) << 16); }
LS_HALF __half2 ls_f16_pair(unsigned word) {
    return __half2(ls_f16(static_cast<unsigned short>(word)), ls_f16(static_cast<unsigned short>(word >> 16)));
}
LS_HALF __half __float2half(float v) {
    unsigned short r;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(v));
    return ls_f16(r);
}
LS_HALF float __half2float(__half v) {
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(v.bits));
    return r;
}
LS_HALF __half __float2half_rn(float v) { return __float2half(v); }
#define LS_HALF_FROM_FLOAT(suffix, mode)                                                           \
    LS_HALF __half __float2half_##suffix(float v) {                                                \
        unsigned short r;                                                                          \
        asm("cvt." mode ".f16.f32 %0, %1;" : "=h"(r) : "f"(v));                                     \
        return ls_f16(r);                                                                          \
    }
LS_HALF_FROM_FLOAT(rz, "rz")
LS_HALF_FROM_FLOAT(rd, "rm")
LS_HALF_FROM_FLOAT(ru, "rp")
#undef LS_HALF_FROM_FLOAT
LS_HALF __half2 __float2half2_rn(float v) { return __half2(__float2half(v), __float2half(v)); }
LS_HALF __half2 __floats2half2_rn(float a, float b) { return __half2(__float2half(a), __float2half(b)); }
LS_HALF __half2 __half2half2(__half v) { return __half2(v, v); }
LS_HALF __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
LS_HALF float2 __half22float2(__half2 v) { return make_float2(__half2float(v.x), __half2float(v.y)); }
LS_HALF __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
LS_HALF __half2 make_half2(__half a, __half b) { return __half2(a, b); }
LS_HALF __half __ushort_as_half(unsigned short v) { return ls_f16(v); }
LS_HALF unsigned short __half_as_ushort(__half v) { return v.bits; }
LS_HALF __half __short_as_half(short v) { return ls_f16(static_cast<unsigned short>(v)); }
LS_HALF short __half_as_short(__half v) { return static_cast<short>(v.bits); }
#define LS_HALF_TO_INT(suffix, mode)                                                               \
    LS_HALF int __half2int_##suffix(__half v) {                                                    \
        int r;                                                                                     \
        asm("cvt." mode ".s32.f16 %0, %1;" : "=r"(r) : "h"(v.bits));                                \
        return r;                                                                                  \
    }                                                                                              \
    LS_HALF unsigned __half2uint_##suffix(__half v) {                                              \
        unsigned r;                                                                                \
        asm("cvt." mode ".u32.f16 %0, %1;" : "=r"(r) : "h"(v.bits));                                \
        return r;                                                                                  \
    }
LS_HALF_TO_INT(rn, "rni")
LS_HALF_TO_INT(rz, "rzi")
LS_HALF_TO_INT(rd, "rmi")
LS_HALF_TO_INT(ru, "rpi")
#undef LS_HALF_TO_INT
LS_HALF __half __int2half_rn(int v) {
    unsigned short r;
    asm("cvt.rn.f16.s32 %0, %1;" : "=h"(r) : "r"(v));
    return ls_f16(r);
}
LS_HALF __half __uint2half_rn(unsigned v) {
    unsigned short r;
    asm("cvt.rn.f16.u32 %0, %1;" : "=h"(r) : "r"(v));
    return ls_f16(r);
}
LS_HALF float __low2float(__half2 v) { return __half2float(v.x); }
LS_HALF float __high2float(__half2 v) { return __half2float(v.y); }
LS_HALF __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
LS_HALF __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
LS_HALF __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
LS_HALF __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
LS_HALF __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
LS_HALF __half __low2half(__half2 v) { return v.x; }
LS_HALF __half __high2half(__half2 v) { return v.y; }

// ---- arithmetic: a scalar form and a form on pairs ----
LS_HALF __half __hfma(__half a, __half b, __half c) {
    unsigned short r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return ls_f16(r);
}
LS_HALF __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    unsigned r;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(ls_f16_word(a)), "r"(ls_f16_word(b)), "r"(ls_f16_word(c)));
    return ls_f16_pair(r);
}
#define LS_HALF_BINARY(name, op)                                                                   \
    LS_HALF __half name(__half a, __half b) {                                                           \
        unsigned short r;                                                                          \
        asm(op ".f16 %0, %1, %2;" : "=h"(r) : "h"(a.bits), "h"(b.bits));                            \
        return ls_f16(r);                                                                          \
    }                                                                                              \
    LS_HALF __half2 name##2(__half2 a, __half2 b) {                                                     \
        unsigned r;                                                                                \
        asm(op ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(ls_f16_word(a)), "r"(ls_f16_word(b)));          \
        return ls_f16_pair(r);                                                                     \
    }
LS_HALF_BINARY(__hadd, "add.rn")
LS_HALF_BINARY(__hsub, "sub.rn")
LS_HALF_BINARY(__hmul, "mul.rn")
#undef LS_HALF_BINARY
#define LS_HALF_MIN_MAX(name, op)                                                                  \
    LS_HALF __half name(__half a, __half b) {                                                           \
        unsigned short r;                                                                          \
        asm(op ".f16 %0, %1, %2;" : "=h"(r) : "h"(a.bits), "h"(b.bits));                            \
        return ls_f16(r);                                                                          \
    }
LS_HALF_MIN_MAX(__hmin, "min")
LS_HALF_MIN_MAX(__hmax, "max")
#undef LS_HALF_MIN_MAX
LS_HALF __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
LS_HALF __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
LS_HALF __half2 __hneg2(__half2 v) { return ls_f16_pair(ls_f16_word(v) ^ 0x80008000u); }
LS_HALF __half2 __habs2(__half2 v) { return ls_f16_pair(ls_f16_word(v) & 0x7fff7fffu); }
LS_HALF __half __hneg(__half v) { return ls_f16(v.bits ^ 0x8000); }
LS_HALF __half __habs(__half v) { return ls_f16(v.bits & 0x7fff); }
LS_HALF __half __hdiv(__half a, __half b) { return __float2half(__half2float(a) / __half2float(b)); }
LS_HALF __half hexp(__half v) { return __float2half(expf(__half2float(v))); }
LS_HALF __half hlog(__half v) { return __float2half(logf(__half2float(v))); }
LS_HALF __half hsqrt(__half v) { return __float2half(sqrtf(__half2float(v))); }
LS_HALF __half hrcp(__half v) { return __float2half(1.0f / __half2float(v)); }

LS_HALF __half operator+(__half a, __half b) { return __hadd(a, b); }
LS_HALF __half& operator+=(__half& a, __half b) { return a = __hadd(a, b); }
LS_HALF __half2 operator+(__half2 a, __half2 b) { return __hadd2(a, b); }
LS_HALF __half operator-(__half a, __half b) { return __hsub(a, b); }
LS_HALF __half& operator-=(__half& a, __half b) { return a = __hsub(a, b); }
LS_HALF __half2 operator-(__half2 a, __half2 b) { return __hsub2(a, b); }
LS_HALF __half operator*(__half a, __half b) { return __hmul(a, b); }
LS_HALF __half& operator*=(__half& a, __half b) { return a = __hmul(a, b); }
LS_HALF __half2 operator*(__half2 a, __half2 b) { return __hmul2(a, b); }
LS_HALF __half operator/(__half a, __half b) { return __hdiv(a, b); }
LS_HALF __half& operator/=(__half& a, __half b) { return a = __hdiv(a, b); }
LS_HALF __half operator-(__half v) { return __hneg(v); }
LS_HALF bool operator<(__half a, __half b) { return __half2float(a) < __half2float(b); }
LS_HALF bool __hlt(__half a, __half b) { return a < b; }
LS_HALF bool operator<=(__half a, __half b) { return __half2float(a) <= __half2float(b); }
LS_HALF bool __hle(__half a, __half b) { return a <= b; }
LS_HALF bool operator>(__half a, __half b) { return __half2float(a) > __half2float(b); }
LS_HALF bool __hgt(__half a, __half b) { return a > b; }
LS_HALF bool operator>=(__half a, __half b) { return __half2float(a) >= __half2float(b); }
LS_HALF bool __hge(__half a, __half b) { return a >= b; }
LS_HALF bool operator==(__half a, __half b) { return __half2float(a) == __half2float(b); }
LS_HALF bool __heq(__half a, __half b) { return a == b; }
LS_HALF bool operator!=(__half a, __half b) { return __half2float(a) != __half2float(b); }
LS_HALF bool __hne(__half a, __half b) { return a != b; }
LS_HALF bool __hisnan(__half v) { return __half2float(v) != __half2float(v); }
LS_HALF __half atomicAdd(__half* p, __half v) {
    unsigned short r;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(r) : "l"(p), "h"(v.bits) : "memory");
    return ls_f16(r);
}
