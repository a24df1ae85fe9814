// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA's arithmetic, conversion and math functions for clang without libdevice. Correctly rounded where PTX has an
// instruction for it; the rest is our own: float functions are computed so that they are within 2 ulp (sin, cos and tan
// for |x| < 2^30), double exp, log and pow to a few ulp.
#pragma once

// ---- one PTX instruction each ----
#define LS_UNARY(name, T, c, op)                                                                   \
    LS_FUNCTION T name(T x) {                                                                      \
        T r;                                                                                       \
        asm(op " %0, %1;" : "=" c(r) : c(x));                                                      \
        return r;                                                                                  \
    }
#define LS_BINARY(name, T, c, op)                                                                  \
    LS_FUNCTION T name(T x, T y) {                                                                 \
        T r;                                                                                       \
        asm(op " %0, %1, %2;" : "=" c(r) : c(x), c(y));                                            \
        return r;                                                                                  \
    }
#define LS_CONVERT(name, To, cTo, From, cFrom, op)                                                 \
    LS_FUNCTION To name(From x) {                                                                  \
        To r;                                                                                      \
        asm(op " %0, %1;" : "=" cTo(r) : cFrom(x));                                                \
        return r;                                                                                  \
    }
LS_UNARY(sqrtf, float, "f", "sqrt.rn.f32")
LS_UNARY(sqrt, double, "d", "sqrt.rn.f64")
LS_UNARY(sqrt, float, "f", "sqrt.rn.f32")
LS_UNARY(__fsqrt_rn, float, "f", "sqrt.rn.f32")
LS_UNARY(__frcp_rn, float, "f", "rcp.rn.f32")
LS_UNARY(rsqrtf, float, "f", "rsqrt.approx.f32")
LS_UNARY(__frsqrt_rn, float, "f", "rsqrt.approx.f32")
LS_UNARY(ls_ex2, float, "f", "ex2.approx.f32")
LS_UNARY(ls_lg2, float, "f", "lg2.approx.f32")
LS_UNARY(__sinf, float, "f", "sin.approx.f32")
LS_UNARY(__cosf, float, "f", "cos.approx.f32")
LS_UNARY(__saturatef, float, "f", "cvt.sat.f32.f32")
LS_BINARY(__fdividef, float, "f", "div.approx.f32")
LS_BINARY(__fdiv_rn, float, "f", "div.rn.f32")
LS_BINARY(__fadd_rn, float, "f", "add.rn.f32")
LS_BINARY(__fadd_rz, float, "f", "add.rz.f32")
LS_BINARY(__fsub_rn, float, "f", "sub.rn.f32")
LS_BINARY(__fmul_rn, float, "f", "mul.rn.f32")
LS_BINARY(__fmul_rz, float, "f", "mul.rz.f32")
LS_BINARY(__dadd_rn, double, "d", "add.rn.f64")
LS_BINARY(__dmul_rn, double, "d", "mul.rn.f64")
LS_BINARY(__mulhi, int, "r", "mul.hi.s32")
LS_BINARY(__umulhi, unsigned, "r", "mul.hi.u32")
LS_BINARY(__umul64hi, unsigned long long, "l", "mul.hi.u64")
LS_UNARY(__brev, unsigned, "r", "brev.b32")
LS_CONVERT(__popc, int, "r", unsigned, "r", "popc.b32")
LS_CONVERT(__popcll, int, "r", unsigned long long, "l", "popc.b64")
LS_CONVERT(__clz, int, "r", int, "r", "clz.b32")
LS_CONVERT(__clzll, int, "r", long long, "l", "clz.b64")
LS_CONVERT(__float2int_rn, int, "r", float, "f", "cvt.rni.s32.f32")
LS_CONVERT(__float2int_rz, int, "r", float, "f", "cvt.rzi.s32.f32")
LS_CONVERT(__float2int_rd, int, "r", float, "f", "cvt.rmi.s32.f32")
LS_CONVERT(__float2int_ru, int, "r", float, "f", "cvt.rpi.s32.f32")
LS_CONVERT(__float2uint_rn, unsigned, "r", float, "f", "cvt.rni.u32.f32")
LS_CONVERT(__float2uint_rz, unsigned, "r", float, "f", "cvt.rzi.u32.f32")
LS_CONVERT(__int2float_rn, float, "f", int, "r", "cvt.rn.f32.s32")
LS_CONVERT(__uint2float_rn, float, "f", unsigned, "r", "cvt.rn.f32.u32")
LS_CONVERT(__double2float_rn, float, "f", double, "d", "cvt.rn.f32.f64")
LS_CONVERT(__float_as_int, int, "r", float, "f", "mov.b32")
LS_CONVERT(__float_as_uint, unsigned, "r", float, "f", "mov.b32")
LS_CONVERT(__int_as_float, float, "f", int, "r", "mov.b32")
LS_CONVERT(__uint_as_float, float, "f", unsigned, "r", "mov.b32")
LS_CONVERT(__double_as_longlong, long long, "l", double, "d", "mov.b64")
LS_CONVERT(__longlong_as_double, double, "d", long long, "l", "mov.b64")
LS_FUNCTION int __ffs(int x) { return x ? __clz(static_cast<int>(__brev(static_cast<unsigned>(x)))) + 1 : 0; }
LS_FUNCTION int __ffsll(long long x) { return __builtin_ffsll(x); }
LS_FUNCTION float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
LS_FUNCTION float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
LS_FUNCTION double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
LS_FUNCTION float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
LS_FUNCTION int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
LS_FUNCTION unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    unsigned r;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(selector));
    return r;
}
LS_FUNCTION unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
    unsigned r;
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(n));
    return r;
}
LS_FUNCTION unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
    unsigned r;
    asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(n));
    return r;
}
LS_FUNCTION int __dp4a(int a, int b, int c) {
    int r;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}

// ---- compiler built-ins that become instructions ----
#define LS_BUILTIN1(name)                                                                          \
    LS_FUNCTION float name##f(float x) { return __builtin_##name##f(x); }                          \
    LS_FUNCTION float name(float x) { return __builtin_##name##f(x); }                             \
    LS_FUNCTION double name(double x) { return __builtin_##name(x); }
LS_BUILTIN1(fabs)
LS_BUILTIN1(floor)
LS_BUILTIN1(ceil)
LS_BUILTIN1(trunc)
LS_BUILTIN1(rint)
#define LS_BUILTIN2(name)                                                                          \
    LS_FUNCTION float name##f(float x, float y) { return __builtin_##name##f(x, y); }              \
    LS_FUNCTION float name(float x, float y) { return __builtin_##name##f(x, y); }                 \
    LS_FUNCTION double name(double x, double y) { return __builtin_##name(x, y); }
LS_BUILTIN2(fmin)
LS_BUILTIN2(fmax)
LS_BUILTIN2(copysign)
LS_FUNCTION float nearbyintf(float x) { return __builtin_rintf(x); }
LS_FUNCTION float roundf(float x) {
    const float t = truncf(x);
    return fabsf(x - t) >= 0.5f ? t + copysignf(1.0f, x) : copysignf(t, x);
}
LS_FUNCTION double round(double x) {
    const double t = trunc(x);
    return fabs(x - t) >= 0.5 ? t + copysign(1.0, x) : copysign(t, x);
}
LS_FUNCTION int abs(int x) { return x < 0 ? -x : x; }
LS_FUNCTION float abs(float x) { return fabsf(x); }
LS_FUNCTION double abs(double x) { return fabs(x); }
LS_FUNCTION bool isnan(float x) { return x != x; }
LS_FUNCTION bool isnan(double x) { return x != x; }
LS_FUNCTION bool isinf(float x) { return fabsf(x) == __builtin_inff(); }
LS_FUNCTION bool isinf(double x) { return fabs(x) == __builtin_inf(); }
LS_FUNCTION bool isfinite(float x) { return fabsf(x) < __builtin_inff(); }
LS_FUNCTION bool isfinite(double x) { return fabs(x) < __builtin_inf(); }
#define LS_MIN_MAX(T)                                                                              \
    LS_FUNCTION T min(T a, T b) { return b < a ? b : a; }                                          \
    LS_FUNCTION T max(T a, T b) { return a < b ? b : a; }
LS_MIN_MAX(int)
LS_MIN_MAX(unsigned)
LS_MIN_MAX(long)
LS_MIN_MAX(unsigned long)
LS_MIN_MAX(long long)
LS_MIN_MAX(unsigned long long)
LS_FUNCTION float min(float a, float b) { return fminf(a, b); }
LS_FUNCTION float max(float a, float b) { return fmaxf(a, b); }
LS_FUNCTION double min(double a, double b) { return fmin(a, b); }
LS_FUNCTION double max(double a, double b) { return fmax(a, b); }

// ---- intrinsics with few correct bits, as CUDA defines them ----
LS_FUNCTION float __exp2f(float x) { return ls_ex2(x); }
LS_FUNCTION float __expf(float x) { return ls_ex2(x * 1.4426950408889634f); }
LS_FUNCTION float __exp10f(float x) { return ls_ex2(x * 3.3219280948873623f); }
LS_FUNCTION float __log2f(float x) { return ls_lg2(x); }
LS_FUNCTION float __logf(float x) { return ls_lg2(x) * 0.6931471805599453f; }
LS_FUNCTION float __log10f(float x) { return ls_lg2(x) * 0.3010299956639812f; }
LS_FUNCTION float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
LS_FUNCTION float __powf(float x, float y) { return ls_ex2(y * ls_lg2(x)); }

// ---- exponential and logarithm in double; the float forms round these once ----
/// 2^k for -1074 <= k <= 1023, in two factors so that the subnormal results round once.
LS_FUNCTION double ls_scale(double m, int k) {
    const int half = k / 2;
    const double a = __longlong_as_double(static_cast<long long>(1023 + half) << 52);
    const double b = __longlong_as_double(static_cast<long long>(1023 + k - half) << 52);
    return m * a * b;
}
LS_FUNCTION double exp(double x) {
    if (!(x < 710.0))
        return x != x ? x : __builtin_inf();
    if (x < -746.0)
        return 0.0;
    const double k = rint(x * 1.4426950408889634074);
    const double r = fma(k, -1.9082149292705877e-10, fma(k, -6.93147180369123816490e-01, x));
    double p = 1.0 / 6227020800.0; // Taylor: |r| <= 0.347, so the first term left out is below 5e-18
    double inverse[12] = {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                          1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0};
#pragma unroll
    for (int i = 0; i < 12; ++i)
        p = fma(p, r, inverse[i]);
    return ls_scale(fma(p, r, 1.0), static_cast<int>(k));
}
LS_FUNCTION double log(double x) {
    if (!(x > 0.0))
        return x == 0.0 ? -__builtin_inf() : __builtin_nan("");
    if (x == __builtin_inf())
        return x;
    int e = 0;
    if (x < 2.2250738585072014e-308) {
        x *= 18014398509481984.0;
        e = -54;
    }
    long long bits = __double_as_longlong(x);
    e += static_cast<int>(bits >> 52) - 1023;
    double m = __longlong_as_double((bits & 0xfffffffffffffLL) | (1023LL << 52));
    if (m > 1.4142135623730951) {
        m *= 0.5;
        ++e;
    }
    const double f = (m - 1.0) / (m + 1.0), f2 = f * f; // log m = 2 atanh f, |f| <= 0.172
    double s = 0.0;
#pragma unroll
    for (int n = 23; n >= 3; n -= 2)
        s = fma(s, f2, 1.0 / n);
    return fma(static_cast<double>(e), 6.93147180369123816490e-01,
               fma(static_cast<double>(e), 1.9082149292705877e-10, 2.0 * fma(f * f2, s, f)));
}
LS_FUNCTION double exp2(double x) { return exp(x * 0.69314718055994530942); }
LS_FUNCTION double log2(double x) { return log(x) * 1.4426950408889634074; }
LS_FUNCTION double log10(double x) { return log(x) * 0.43429448190325182765; }
LS_FUNCTION double ls_power(double x, double y) {
    if (y == 0.0 || x == 1.0)
        return 1.0;
    const bool whole = trunc(y) == y, odd = whole && trunc(y * 0.5) != y * 0.5;
    if (x < 0.0 && !whole)
        return __builtin_nan("");
    const double r = x == 0.0 ? (y < 0.0 ? __builtin_inf() : 0.0) : exp(y * log(fabs(x)));
    return x < 0.0 && odd ? -r : r;
}
LS_FUNCTION double pow(double x, double y) { return ls_power(x, y); }
LS_FUNCTION double tanh(double x) {
    return fabs(x) < 1e-5 ? x - x * x * x / 3.0 : copysign(1.0 - 2.0 / (exp(2.0 * fabs(x)) + 1.0), x);
}
/// erf by 2/sqrt(pi) exp(-x^2) sum 2^n x^(2n+1)/(2n+1)!!: every term has one sign, so nothing cancels.
LS_FUNCTION double erf(double x) {
    if (fabs(x) > 6.0)
        return copysign(1.0, x);
    double term = x, sum = x;
    for (int n = 1; n < 160 && fabs(term) > 1e-17 * fabs(sum); ++n) {
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        sum += term;
    }
    return x != x ? x : 1.1283791670955126 * exp(-x * x) * sum;
}
/// sin (quarter 0) or cos (quarter 1) of x, |x| < 2^30.
LS_FUNCTION double ls_circular(double x, int quarter) {
    const double k = rint(x * 0.63661977236758134308);
    const double r = fma(k, -6.123233995736766e-17, fma(k, -1.5707963267948965580, x)), r2 = r * r;
    const int q = (static_cast<int>(static_cast<long long>(k) & 3) + quarter) & 3;
    double s = 0.0;
    if (q & 1) {
#pragma unroll
        for (int n = 16; n >= 0; n -= 2)
            s = n == 16 ? 1.0 : fma(s * r2, -1.0 / ((n + 1.0) * (n + 2.0)), 1.0);
    } else {
#pragma unroll
        for (int n = 17; n >= 1; n -= 2)
            s = n == 17 ? 1.0 : fma(s * r2, -1.0 / ((n + 1.0) * (n + 2.0)), 1.0);
        s *= r;
    }
    return q & 2 ? -s : s;
}
LS_FUNCTION double sin(double x) { return ls_circular(x, 0); }
LS_FUNCTION double cos(double x) { return ls_circular(x, 1); }
LS_FUNCTION double tan(double x) { return sin(x) / cos(x); }
LS_FUNCTION double sinh(double x) { return fabs(x) < 1e-5 ? x : 0.5 * (exp(x) - exp(-x)); }
LS_FUNCTION double cosh(double x) { return 0.5 * (exp(x) + exp(-x)); }
LS_FUNCTION double fmod(double x, double y) { return fma(-trunc(x / y), y, x); }
LS_FUNCTION double hypot(double x, double y) { return sqrt(x * x + y * y); }
LS_FUNCTION double cbrt(double x) { return x == 0.0 ? x : copysign(exp(log(fabs(x)) / 3.0), x); }
LS_FUNCTION double expm1(double x) { return fabs(x) < 1e-5 ? x + 0.5 * x * x : exp(x) - 1.0; }
LS_FUNCTION double log1p(double x) { return fabs(x) < 1e-5 ? x - 0.5 * x * x : log(1.0 + x); }

#define LS_FLOAT1(name)                                                                            \
    LS_FUNCTION float name##f(float x) { return static_cast<float>(name(static_cast<double>(x))); } \
    LS_FUNCTION float name(float x) { return name##f(x); }
LS_FLOAT1(exp)
LS_FLOAT1(log)
LS_FLOAT1(exp2)
LS_FLOAT1(log2)
LS_FLOAT1(log10)
LS_FLOAT1(tanh)
LS_FLOAT1(erf)
LS_FLOAT1(sin)
LS_FLOAT1(cos)
LS_FLOAT1(tan)
LS_FLOAT1(sinh)
LS_FLOAT1(cosh)
LS_FLOAT1(cbrt)
LS_FLOAT1(expm1)
LS_FLOAT1(log1p)
#define LS_FLOAT2(name)                                                                            \
    LS_FUNCTION float name##f(float x, float y) {                                                  \
        return static_cast<float>(name(static_cast<double>(x), static_cast<double>(y)));           \
    }                                                                                              \
    LS_FUNCTION float name(float x, float y) { return name##f(x, y); }
LS_FLOAT2(pow)
LS_FLOAT2(fmod)
LS_FLOAT2(hypot)
LS_FUNCTION void sincosf(float x, float* s, float* c) {
    *s = sinf(x);
    *c = cosf(x);
}
