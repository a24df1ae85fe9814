// SPDX-License-Identifier: GPL-3.0-or-later
// A stand-in for cuBLAS on machines without a GPU (with fake_driver.cpp, whose device memory is the host's): products computed plainly.
// FAKE_CUBLAS names what goes wrong: refuses, wrong.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

bool is(const char* mode) {
    const char* set = std::getenv("FAKE_CUBLAS");
    return set != nullptr && std::string(set) == mode;
}

float fromHalf(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    const double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    return static_cast<float>((bits & 0x8000) != 0 ? -value : value);
}

/// To nearest, by search: slow and plain.
std::uint16_t toHalf(float value) {
    std::uint16_t below = 0; // the largest magnitude not above the value's
    for (int bit = 1 << 14; bit != 0; bit >>= 1)
        if ((below | bit) < 0x7c00 && fromHalf(static_cast<std::uint16_t>(below | bit)) <= std::fabs(value))
            below = static_cast<std::uint16_t>(below | bit);
    const double low = fromHalf(below), high = fromHalf(static_cast<std::uint16_t>(below + 1)), size = std::fabs(value);
    const bool up = size - low > high - size || (size - low == high - size && below % 2 != 0);
    return static_cast<std::uint16_t>((below + (up ? 1 : 0)) | (std::signbit(value) ? 0x8000 : 0));
}

float fromBfloat(std::uint16_t bits) {
    const std::uint32_t wide = std::uint32_t{bits} << 16;
    float value = 0;
    std::memcpy(&value, &wide, sizeof value);
    return value;
}
std::uint16_t toBfloat(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Stored by columns, not transposed.
template <class T, class Read, class Write>
int multiply(int m, int n, int k, const T* a, int lda, const T* b, int ldb, T* c, int ldc, Read read, Write write) {
    for (int column = 0; column < n; ++column)
        for (int row = 0; row < m; ++row) {
            float sum = 0;
            for (int i = 0; i < k; ++i)
                sum += read(a[row + static_cast<std::ptrdiff_t>(i) * lda]) * read(b[i + static_cast<std::ptrdiff_t>(column) * ldb]);
            c[row + static_cast<std::ptrdiff_t>(column) * ldc] = write(is("wrong") ? sum + 1 : sum);
        }
    return 0;
}

int g_handle = 0, g_math = -1;

} // namespace

extern "C" {

int cublasCreate_v2(void** handle) {
    *handle = &g_handle;
    return is("refuses") ? 1 : 0;
}
int cublasDestroy_v2(void*) { return 0; }
int cublasGetVersion_v2(void*, int* version) {
    *version = 130002;
    return 0;
}
int cublasSetMathMode(void*, int mode) {
    g_math = mode;
    return 0;
}
int cublasSgemm_v2(void*, int, int, int m, int n, int k, const float*, const float* a, int lda, const float* b, int ldb, const float*, float* c, int ldc) {
    if (g_math != 0) // nobody asked for plain f32
        return 7;
    return multiply(m, n, k, a, lda, b, ldb, c, ldc, [](float x) { return x; }, [](float x) { return x; });
}
int cublasGemmEx(void*, int, int, int m, int n, int k, const void*, const void* a, int typeA, int lda, const void* b, int typeB, int ldb, const void*, void* c, int typeC, int ldc, int compute,
                 int) {
    if ((typeA != 2 && typeA != 14) || typeB != typeA || typeC != typeA || compute != 68)
        return 15;
    const auto *halvesA = static_cast<const std::uint16_t*>(a), *halvesB = static_cast<const std::uint16_t*>(b);
    auto* halvesC = static_cast<std::uint16_t*>(c);
    return typeA == 2 ? multiply(m, n, k, halvesA, lda, halvesB, ldb, halvesC, ldc, fromHalf, toHalf)
                      : multiply(m, n, k, halvesA, lda, halvesB, ldb, halvesC, ldc, fromBfloat, toBfloat);
}
}
