// SPDX-License-Identifier: GPL-3.0-or-later
// More of CUDA's intrinsics for clang: arithmetic and conversions in every rounding direction, bit operations, packed integers, and
// the math functions that lanescope_cuda_math.h lacks.
#pragma once

#ifndef INFINITY
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#endif

// ---- one PTX instruction each, by rounding direction ----
LS_BINARY(__fadd_rd, float, "f", "add.rm.f32")
LS_BINARY(__fadd_ru, float, "f", "add.rp.f32")
LS_BINARY(__fsub_rz, float, "f", "sub.rz.f32")
LS_BINARY(__fsub_rd, float, "f", "sub.rm.f32")
LS_BINARY(__fsub_ru, float, "f", "sub.rp.f32")
LS_BINARY(__fmul_rd, float, "f", "mul.rm.f32")
LS_BINARY(__fmul_ru, float, "f", "mul.rp.f32")
LS_BINARY(__dsub_rn, double, "d", "sub.rn.f64")
LS_BINARY(__fdiv_rz, float, "f", "div.rz.f32")
LS_BINARY(__fdiv_rd, float, "f", "div.rm.f32")
LS_BINARY(__fdiv_ru, float, "f", "div.rp.f32")
LS_UNARY(__fsqrt_rz, float, "f", "sqrt.rz.f32")
LS_UNARY(__fsqrt_rd, float, "f", "sqrt.rm.f32")
LS_UNARY(__fsqrt_ru, float, "f", "sqrt.rp.f32")
LS_UNARY(__frcp_rz, float, "f", "rcp.rz.f32")
LS_UNARY(__frcp_rd, float, "f", "rcp.rm.f32")
LS_UNARY(__frcp_ru, float, "f", "rcp.rp.f32")
#define LS_TERNARY(name, T, c, op)                                                                 \
    LS_FUNCTION T name(T x, T y, T z) {                                                            \
        T r;                                                                                       \
        asm(op " %0, %1, %2, %3;" : "=" c(r) : c(x), c(y), c(z));                                  \
        return r;                                                                                  \
    }
#define LS_DOUBLE_ROUNDINGS(suffix, mode)                                                          \
    LS_BINARY(__ddiv_##suffix, double, "d", "div." mode ".f64")                                    \
    LS_UNARY(__dsqrt_##suffix, double, "d", "sqrt." mode ".f64")                                   \
    LS_UNARY(__drcp_##suffix, double, "d", "rcp." mode ".f64")                                     \
    LS_TERNARY(__fma_##suffix, double, "d", "fma." mode ".f64")
LS_DOUBLE_ROUNDINGS(rn, "rn")
LS_DOUBLE_ROUNDINGS(rz, "rz")
LS_DOUBLE_ROUNDINGS(rd, "rm")
LS_DOUBLE_ROUNDINGS(ru, "rp")
#define LS_DIRECTED(suffix, mode)                                                                  \
    LS_BINARY(__dadd_##suffix, double, "d", "add." mode ".f64")                                    \
    LS_BINARY(__dsub_##suffix, double, "d", "sub." mode ".f64")                                    \
    LS_BINARY(__dmul_##suffix, double, "d", "mul." mode ".f64")                                    \
    LS_TERNARY(__fmaf_##suffix, float, "f", "fma." mode ".f32")
LS_DIRECTED(rz, "rz")
LS_DIRECTED(rd, "rm")
LS_DIRECTED(ru, "rp")

// ---- conversions ----
#define LS_TO_INTEGER(suffix, mode)                                                                \
    LS_CONVERT(__float2ll_##suffix, long long, "l", float, "f", "cvt." mode ".s64.f32")            \
    LS_CONVERT(__float2ull_##suffix, unsigned long long, "l", float, "f", "cvt." mode ".u64.f32")  \
    LS_CONVERT(__double2int_##suffix, int, "r", double, "d", "cvt." mode ".s32.f64")               \
    LS_CONVERT(__double2uint_##suffix, unsigned, "r", double, "d", "cvt." mode ".u32.f64")         \
    LS_CONVERT(__double2ll_##suffix, long long, "l", double, "d", "cvt." mode ".s64.f64")          \
    LS_CONVERT(__double2ull_##suffix, unsigned long long, "l", double, "d", "cvt." mode ".u64.f64")
LS_TO_INTEGER(rn, "rni")
LS_TO_INTEGER(rz, "rzi")
LS_TO_INTEGER(rd, "rmi")
LS_TO_INTEGER(ru, "rpi")
LS_CONVERT(__float2uint_rd, unsigned, "r", float, "f", "cvt.rmi.u32.f32")
LS_CONVERT(__float2uint_ru, unsigned, "r", float, "f", "cvt.rpi.u32.f32")
#define LS_FROM_INTEGER(suffix, mode)                                                              \
    LS_CONVERT(__ll2float_##suffix, float, "f", long long, "l", "cvt." mode ".f32.s64")            \
    LS_CONVERT(__ull2float_##suffix, float, "f", unsigned long long, "l", "cvt." mode ".f32.u64")  \
    LS_CONVERT(__ll2double_##suffix, double, "d", long long, "l", "cvt." mode ".f64.s64")          \
    LS_CONVERT(__ull2double_##suffix, double, "d", unsigned long long, "l", "cvt." mode ".f64.u64")
LS_FROM_INTEGER(rn, "rn")
LS_FROM_INTEGER(rz, "rz")
LS_FROM_INTEGER(rd, "rm")
LS_FROM_INTEGER(ru, "rp")
#define LS_NARROW(suffix, mode)                                                                    \
    LS_CONVERT(__double2float_##suffix, float, "f", double, "d", "cvt." mode ".f32.f64")           \
    LS_CONVERT(__int2float_##suffix, float, "f", int, "r", "cvt." mode ".f32.s32")                 \
    LS_CONVERT(__uint2float_##suffix, float, "f", unsigned, "r", "cvt." mode ".f32.u32")
LS_NARROW(rz, "rz")
LS_NARROW(rd, "rm")
LS_NARROW(ru, "rp")
LS_FUNCTION double __int2double_rn(int x) { return static_cast<double>(x); }
LS_FUNCTION double __uint2double_rn(unsigned x) { return static_cast<double>(x); }
LS_FUNCTION int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
LS_FUNCTION int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
LS_FUNCTION double __hiloint2double(int hi, int lo) {
    return __longlong_as_double(static_cast<long long>(hi) << 32 | static_cast<unsigned>(lo));
}

// ---- bits and integers ----
LS_UNARY(__brevll, unsigned long long, "l", "brev.b64")
LS_BINARY(__mul64hi, long long, "l", "mul.hi.s64")
LS_BINARY(__umul24, unsigned, "r", "mul24.lo.u32")
LS_FUNCTION unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) {
    unsigned r;
    asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(n));
    return r;
}
LS_FUNCTION unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) {
    unsigned r;
    asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(n));
    return r;
}
LS_FUNCTION unsigned __sad(int a, int b, unsigned c) {
    unsigned r;
    asm("sad.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
LS_TERNARY(__usad, unsigned, "r", "sad.u32")
LS_TERNARY(__dp4a, unsigned, "r", "dp4a.u32.u32")
LS_TERNARY(__dp2a_lo, int, "r", "dp2a.lo.s32.s32")
LS_TERNARY(__dp2a_lo, unsigned, "r", "dp2a.lo.u32.u32")
LS_TERNARY(__dp2a_hi, int, "r", "dp2a.hi.s32.s32")
LS_TERNARY(__dp2a_hi, unsigned, "r", "dp2a.hi.u32.u32")
LS_TERNARY(__fns, unsigned, "r", "fns.b32")
LS_FUNCTION int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
LS_FUNCTION int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
LS_FUNCTION unsigned __uhadd(unsigned a, unsigned b) { return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1); }
LS_FUNCTION unsigned __urhadd(unsigned a, unsigned b) { return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1); }

// ---- packed bytes and half words: `Lane` is the type of one, `expression` uses a and b ----
#define LS_PACKED(name, Lane, count, expression)                                                   \
    LS_FUNCTION unsigned name(unsigned va, unsigned vb) {                                          \
        unsigned r = 0;                                                                            \
        for (int i = 0; i < count; ++i) {                                                          \
            const int a = static_cast<Lane>(va >> (i * 32 / count)), b = static_cast<Lane>(vb >> (i * 32 / count)); \
            r |= (static_cast<unsigned>(expression) & (0xffffffffu >> (32 - 32 / count))) << (i * 32 / count); \
        }                                                                                          \
        return r;                                                                                  \
    }
#define LS_PACKED_FAMILY(count, Signed, Unsigned)                                                  \
    LS_PACKED(__vadd##count, Unsigned, count, a + b)                                               \
    LS_PACKED(__vsub##count, Unsigned, count, a - b)                                               \
    LS_PACKED(__vmaxs##count, Signed, count, a > b ? a : b)                                        \
    LS_PACKED(__vmaxu##count, Unsigned, count, a > b ? a : b)                                      \
    LS_PACKED(__vmins##count, Signed, count, a < b ? a : b)                                        \
    LS_PACKED(__vminu##count, Unsigned, count, a < b ? a : b)                                      \
    LS_PACKED(__vabsdiffs##count, Signed, count, a > b ? a - b : b - a)                            \
    LS_PACKED(__vabsdiffu##count, Unsigned, count, a > b ? a - b : b - a)                          \
    LS_PACKED(__vavgu##count, Unsigned, count, (a + b + 1) >> 1)                                   \
    LS_PACKED(__vcmpeq##count, Unsigned, count, a == b ? -1 : 0)                                   \
    LS_PACKED(__vcmpne##count, Unsigned, count, a != b ? -1 : 0)                                   \
    LS_PACKED(__vcmpgtu##count, Unsigned, count, a > b ? -1 : 0)                                   \
    LS_PACKED(__vcmpgts##count, Signed, count, a > b ? -1 : 0)                                     \
    LS_PACKED(__vcmpltu##count, Unsigned, count, a < b ? -1 : 0)                                   \
    LS_PACKED(__vcmplts##count, Signed, count, a < b ? -1 : 0)                                     \
    LS_PACKED(__vcmpgeu##count, Unsigned, count, a >= b ? -1 : 0)                                  \
    LS_PACKED(__vcmples##count, Signed, count, a <= b ? -1 : 0)
LS_PACKED_FAMILY(4, signed char, unsigned char)
LS_PACKED_FAMILY(2, short, unsigned short)

// ---- math functions: in double, by way of those of lanescope_cuda_math.h; the float forms round once ----
/// Argument halved twice by atan x = 2 atan(x / (1 + sqrt(1 + x^2))), then the series.
LS_FUNCTION double atan(double x) {
    const double a = fabs(x);
    double y = a > 1.0 ? 1.0 / a : a;
    y = y / (1.0 + sqrt(1.0 + y * y));
    y = y / (1.0 + sqrt(1.0 + y * y));
    const double y2 = y * y; // |y| <= 0.199
    double s = 0.0;
#pragma unroll
    for (int n = 25; n >= 1; n -= 2)
        s = fma(s, -y2, 1.0 / n);
    s = 4.0 * y * s;
    return x != x ? x : copysign(a > 1.0 ? 1.5707963267948966 - s : s, x);
}
LS_FUNCTION double atan2(double y, double x) {
    if (x == 0.0 && y == 0.0)
        return copysign(copysign(1.0, x) < 0.0 ? 3.14159265358979323846 : 0.0, y);
    const double a = atan(fabs(y / x));
    return copysign(copysign(1.0, x) < 0.0 ? 3.14159265358979323846 - a : a, y);
}
LS_FUNCTION double asin(double x) { return atan(x / sqrt((1.0 - x) * (1.0 + x))); }
LS_FUNCTION double acos(double x) { return 1.5707963267948966 - asin(x); }
LS_FUNCTION double asinh(double x) { return copysign(log1p(fabs(x) + x * x / (1.0 + sqrt(x * x + 1.0))), x); }
LS_FUNCTION double acosh(double x) { return log(x + sqrt(x * x - 1.0)); }
LS_FUNCTION double atanh(double x) { return 0.5 * log1p(2.0 * x / (1.0 - x)); }
LS_FUNCTION double exp10(double x) { return exp(x * 2.30258509299404568402); }
LS_FUNCTION double erfc(double x) { return 1.0 - erf(x); }
LS_FUNCTION double rsqrt(double x) { return 1.0 / sqrt(x); }
LS_FLOAT1(atan)
LS_FLOAT1(asin)
LS_FLOAT1(acos)
LS_FLOAT1(asinh)
LS_FLOAT1(acosh)
LS_FLOAT1(atanh)
LS_FLOAT1(exp10)
LS_FLOAT1(erfc)
LS_FLOAT2(atan2)
LS_FUNCTION double nearbyint(double x) { return rint(x); }
LS_FUNCTION float remainderf(float x, float y) {
    return static_cast<float>(fma(-rint(static_cast<double>(x) / y), static_cast<double>(y), static_cast<double>(x)));
}
LS_FUNCTION float fdimf(float x, float y) { return x > y ? x - y : 0.0f; }
LS_FUNCTION float fdividef(float x, float y) { return x / y; }
LS_FUNCTION float rnorm3df(float x, float y, float z) { return rsqrtf(x * x + y * y + z * z); }
LS_FUNCTION float norm3df(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }
LS_FUNCTION float ldexpf(float x, int e) { return static_cast<float>(ls_scale(static_cast<double>(x), e < -1000 ? -1000 : e > 1000 ? 1000 : e)); }
LS_FUNCTION double ldexp(double x, int e) { return ls_scale(x, e < -1074 ? -1074 : e > 1023 ? 1023 : e); }
LS_FUNCTION float sinpif(float x) { return sinf(3.14159265f * x); }
LS_FUNCTION float cospif(float x) { return cosf(3.14159265f * x); }
LS_FUNCTION int lrintf(float x) { return __float2int_rn(x); }
LS_FUNCTION bool signbit(float x) { return __float_as_int(x) < 0; }
LS_FUNCTION bool signbit(double x) { return __double_as_longlong(x) < 0; }
LS_FUNCTION void sincos(double x, double* s, double* c) {
    *s = sin(x);
    *c = cos(x);
}
LS_FUNCTION void __sincosf(float x, float* s, float* c) {
    *s = __sinf(x);
    *c = __cosf(x);
}
LS_FUNCTION long long llabs(long long x) { return x < 0 ? -x : x; }
LS_FUNCTION long labs(long x) { return x < 0 ? -x : x; }
