// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/cublas.h"

#include <dlfcn.h>

#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "engine/gpu/handles.h"
#include "engine/sim/lanes/formats.h"

namespace lanescope::gpu {

namespace {

// cublasOperation_t, cublasMath_t, cudaDataType_t, cublasComputeType_t, cublasGemmAlgo_t
constexpr int kNotTransposed = 0, kDefaultMath = 0, kReal32 = 0, kReal16 = 2, kCompute32 = 68, kDefaultAlgorithm = -1;

struct CublasApi {
    int (*create)(void**) = nullptr;
    int (*destroy)(void*) = nullptr;
    int (*getVersion)(void*, int*) = nullptr;
    int (*setMathMode)(void*, int) = nullptr;
    int (*sgemm)(void*, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*, float*, int) = nullptr;
    int (*gemmEx)(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int, const void*, void*, int, int, int, int) = nullptr;
};

void* openLibrary(const std::vector<std::filesystem::path>& folders) {
    constexpr const char* kNames[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};
    for (const char* name : kNames)
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
            return library;
    for (const std::filesystem::path& folder : folders)
        for (const char* name : kNames)
            if (void* library = dlopen((folder / name).c_str(), RTLD_NOW | RTLD_LOCAL))
                return library;
    return nullptr;
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

/// Uniform in [-1, 1): multiples of 1/256, which f16 and f32 hold exactly.
class Random {
public:
    int next() {
        m_state = m_state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<int>(m_state >> 55) - 256;
    }

private:
    std::uint64_t m_state = 1;
};

class Product {
public:
    Product(const Gpu& gpu, const CublasApi& api, const CublasProduct& product)
        : m_gpu(gpu), m_driver(gpu.api()), m_api(api), m_product(product), m_a(m_driver), m_b(m_driver), m_c(m_driver) {}
    ~Product() {
        if (m_handle != nullptr)
            m_api.destroy(m_handle);
    }
    Product(const Product&) = delete;
    Product& operator=(const Product&) = delete;

    Result<CublasRun> run(const TimeOptions& options) {
        Result<void> done = prepare().and_then([&] { return launch(); }).and_then([&] { return m_gpu.check(m_driver.contextSynchronize(), "cuBLAS's kernel faulted"); }).and_then([&] {
            return check();
        });
        if (!done)
            return failure(done.error());
        Result<KernelTime> time = timeLaunches(m_gpu, options, [this] { return launch(); });
        if (!time)
            return failure(time.error());
        int version = 0;
        m_api.getVersion(m_handle, &version);
        // 13.0.2 is 130002, 12.1.3 is 120103.
        return CublasRun{fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100), std::move(*time)};
    }

private:
    bool isHalf() const { return m_product.type == CublasProduct::Type::F16SumsInF32; }
    Result<void> checked(int status, const char* what) const {
        if (status == 0)
            return {};
        return failure("cublas", fmt::format("cuBLAS {} (cublasStatus_t {})", what, status));
    }

    Result<void> prepare() {
        if (Result<void> ok = checked(m_api.create(&m_handle), "cannot be started"); !ok)
            return ok;
        // Not TF32, whatever the default may be: our kernels multiply in f32.
        if (Result<void> ok = checked(m_api.setMathMode(m_handle, kDefaultMath), "refuses its default arithmetic"); !ok)
            return ok;
        const auto &[type, m, n, k] = m_product;
        Random random;
        for (const auto& [buffer, elements, host] : {std::tuple{&m_a, m * k, &m_hostA}, std::tuple{&m_b, k * n, &m_hostB}}) {
            host->resize(static_cast<std::size_t>(elements));
            for (std::int16_t& element : *host)
                element = static_cast<std::int16_t>(random.next());
            std::vector<std::uint8_t> bytes(host->size() * (isHalf() ? 2 : 4));
            for (std::size_t i = 0; i < host->size(); ++i)
                if (const float value = static_cast<float>((*host)[i]) / 256; isHalf()) {
                    const auto bits = static_cast<std::uint16_t>(sim::lanes::floatToHalf(value));
                    std::memcpy(bytes.data() + 2 * i, &bits, sizeof bits);
                } else {
                    std::memcpy(bytes.data() + 4 * i, &value, sizeof value);
                }
            if (Result<void> ok = allocate(*buffer, bytes.size()); !ok)
                return ok;
            if (Result<void> ok = m_gpu.check(m_driver.copyToDevice(buffer->address, bytes.data(), bytes.size()), "the operands of cuBLAS cannot be copied to the GPU"); !ok)
                return ok;
        }
        const auto bytes = static_cast<std::size_t>(m * n) * sizeof(float);
        if (Result<void> ok = allocate(m_c, bytes); !ok)
            return ok;
        return m_gpu.check(m_driver.fillBytes(m_c.address, 0, bytes), "the result of cuBLAS cannot be cleared");
    }
    Result<void> allocate(Buffer& buffer, std::size_t bytes) { return m_gpu.check(m_driver.memoryAllocate(&buffer.address, bytes), fmt::format("no memory for {} bytes of cuBLAS", bytes)); }

    /// cuBLAS stores by columns: row by row, C = A B is the transpose of B' A'.
    Result<void> launch() {
        const float one = 1, zero = 0;
        const int m = static_cast<int>(m_product.m), n = static_cast<int>(m_product.n), k = static_cast<int>(m_product.k);
        const auto pointer = [](const Buffer& buffer) { return reinterpret_cast<void*>(buffer.address); };
        const int status = isHalf() ? m_api.gemmEx(m_handle, kNotTransposed, kNotTransposed, n, m, k, &one, pointer(m_b), kReal16, n, pointer(m_a), kReal16, k, &zero, pointer(m_c), kReal32, n,
                                                   kCompute32, kDefaultAlgorithm)
                                    : m_api.sgemm(m_handle, kNotTransposed, kNotTransposed, n, m, k, &one, static_cast<const float*>(pointer(m_b)), n, static_cast<const float*>(pointer(m_a)), k,
                                                  &zero, static_cast<float*>(pointer(m_c)), n);
        return checked(status, "refuses the product");
    }

    /// Elements spread over C against their sums in double.
    Result<void> check() {
        const auto m = static_cast<std::size_t>(m_product.m), n = static_cast<std::size_t>(m_product.n), k = static_cast<std::size_t>(m_product.k);
        std::vector<float> c(m * n);
        if (Result<void> ok = m_gpu.check(m_driver.copyToHost(c.data(), m_c.address, c.size() * sizeof(float)), "the result of cuBLAS cannot be read back"); !ok)
            return ok;
        constexpr std::size_t kSamples = 61;
        for (std::size_t s = 0; s < kSamples; ++s) {
            const std::size_t at = (c.size() - 1) * s / (kSamples - 1), row = at / n, column = at % n;
            double sum = 0, magnitude = 0;
            for (std::size_t i = 0; i < k; ++i) {
                const double product = static_cast<double>(m_hostA[row * k + i]) * m_hostB[i * n + column] / 65536.0;
                sum += product;
                magnitude += std::fabs(product);
            }
            // The bound of any order of f32 additions: (k + 1) 2^-24 of the sum of magnitudes; tensor cores truncate, which doubles it.
            if (!(std::fabs(static_cast<double>(c[at]) - sum) <= 2 * static_cast<double>(k + 1) * 0x1p-24 * magnitude))
                return failure("cublas", fmt::format("cuBLAS gives {} at row {}, column {}, where the sum is {}", c[at], row, column, sum));
        }
        return {};
    }

    const Gpu& m_gpu;
    const DriverApi& m_driver;
    const CublasApi& m_api;
    CublasProduct m_product;
    void* m_handle = nullptr;
    std::vector<std::int16_t> m_hostA, m_hostB; ///< in 256ths
    Buffer m_a, m_b, m_c;
};

} // namespace

Result<CublasRun> timeCublas(const Gpu& gpu, const CublasProduct& product, const TimeOptions& options, const std::vector<std::filesystem::path>& folders) {
    void* const library = openLibrary(folders); // stays open: it cannot be unloaded while its context lives
    if (library == nullptr)
        return failure("cublas", "there is no cuBLAS on this machine", {}, "ladders are shown without its bar");
    CublasApi api;
    if (!find(library, "cublasCreate_v2", api.create) || !find(library, "cublasDestroy_v2", api.destroy) || !find(library, "cublasGetVersion_v2", api.getVersion) ||
        !find(library, "cublasSetMathMode", api.setMathMode) || !find(library, "cublasSgemm_v2", api.sgemm) || !find(library, "cublasGemmEx", api.gemmEx))
        return failure("cublas", "the cuBLAS of this machine lacks functions", {}, "cuBLAS 11 or newer has them");
    return Product(gpu, api, product).run(options);
}

} // namespace lanescope::gpu
