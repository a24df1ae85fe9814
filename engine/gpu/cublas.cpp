// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/cublas.h"

#include <dlfcn.h>

#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "engine/gpu/handles.h"
#include "engine/sim/lanes/formats.h"

namespace lanescope::gpu {

namespace {

// cublasOperation_t, cublasMath_t, cudaDataType_t, cublasComputeType_t, cublasGemmAlgo_t
constexpr int kNotTransposed = 0, kDefaultMath = 0, kReal32 = 0, kReal16 = 2, kRealB16 = 14, kCompute32 = 68, kDefaultAlgorithm = -1;

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

/// Uniform in [-1, 1), 24 bits.
class Random {
public:
    float next() {
        m_state = m_state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<float>(m_state >> 40) * 0x1p-23f - 1.0f;
    }

private:
    std::uint64_t m_state = 1;
};

/// One of the types that are multiplied: its size, cudaDataType_t, half the distance between its numbers from 1 to 2, and its bits.
struct Element {
    std::size_t bytes;
    int cudaType;
    double unit;
    std::uint32_t (*toBits)(float);
    float (*fromBits)(std::uint32_t);
};
Element elementOf(CublasProduct::Type type) {
    using Type = CublasProduct::Type;
    switch (type) {
    case Type::F16: return {2, kReal16, 0x1p-11, sim::lanes::floatToHalf, sim::lanes::halfToFloat};
    case Type::Bf16: return {2, kRealB16, 0x1p-8, sim::lanes::floatToBfloat, sim::lanes::bfloatToFloat};
    case Type::F32: break;
    }
    return {4, kReal32, 0x1p-24, [](float value) { return std::bit_cast<std::uint32_t>(value); }, [](std::uint32_t bits) { return std::bit_cast<float>(bits); }};
}

class Product {
public:
    Product(const Gpu& gpu, const CublasApi& api, const CublasProduct& product)
        : m_gpu(gpu), m_driver(gpu.api()), m_api(api), m_product(product), m_element(elementOf(product.type)), m_a(m_driver), m_b(m_driver), m_c(m_driver) {}
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
            std::vector<std::uint8_t> bytes(host->size() * m_element.bytes);
            for (std::size_t i = 0; i < host->size(); ++i) {
                const std::uint32_t bits = m_element.toBits(random.next());
                (*host)[i] = m_element.fromBits(bits);
                std::memcpy(bytes.data() + i * m_element.bytes, &bits, m_element.bytes); // little endian, as every host of a CUDA GPU
            }
            if (Result<void> ok = allocate(*buffer, bytes.size()); !ok)
                return ok;
            if (Result<void> ok = m_gpu.check(m_driver.copyToDevice(buffer->address, bytes.data(), bytes.size()), "the operands of cuBLAS cannot be copied to the GPU"); !ok)
                return ok;
        }
        const std::size_t bytes = static_cast<std::size_t>(m * n) * m_element.bytes;
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
        const int type = m_element.cudaType;
        const int status = m_product.type == CublasProduct::Type::F32
                               ? m_api.sgemm(m_handle, kNotTransposed, kNotTransposed, n, m, k, &one, static_cast<const float*>(pointer(m_b)), n, static_cast<const float*>(pointer(m_a)), k,
                                             &zero, static_cast<float*>(pointer(m_c)), n)
                               : m_api.gemmEx(m_handle, kNotTransposed, kNotTransposed, n, m, k, &one, pointer(m_b), type, n, pointer(m_a), type, k, &zero, pointer(m_c), type, n, kCompute32,
                                              kDefaultAlgorithm);
        return checked(status, "refuses the product");
    }

    /// Elements spread over C against their sums in double.
    Result<void> check() {
        const auto m = static_cast<std::size_t>(m_product.m), n = static_cast<std::size_t>(m_product.n), k = static_cast<std::size_t>(m_product.k);
        std::vector<std::uint8_t> c(m * n * m_element.bytes);
        if (Result<void> ok = m_gpu.check(m_driver.copyToHost(c.data(), m_c.address, c.size()), "the result of cuBLAS cannot be read back"); !ok)
            return ok;
        constexpr std::size_t kSamples = 61;
        for (std::size_t s = 0; s < kSamples; ++s) {
            const std::size_t at = (m * n - 1) * s / (kSamples - 1), row = at / n, column = at % n;
            double sum = 0, magnitude = 0;
            for (std::size_t i = 0; i < k; ++i) {
                const double product = static_cast<double>(m_hostA[row * k + i]) * m_hostB[i * n + column];
                sum += product;
                magnitude += std::fabs(product);
            }
            std::uint32_t bits = 0;
            std::memcpy(&bits, c.data() + at * m_element.bytes, m_element.bytes);
            const double got = m_element.fromBits(bits);
            // The bound of any order of f32 additions: (k + 1) 2^-24 of the sum of magnitudes; tensor cores truncate, which doubles it. And C is rounded.
            if (!(std::fabs(got - sum) <= 2 * static_cast<double>(k + 1) * 0x1p-24 * magnitude + m_element.unit * std::fabs(sum)))
                return failure("cublas", fmt::format("cuBLAS gives {} at row {}, column {}, where the sum is {}", got, row, column, sum));
        }
        return {};
    }

    const Gpu& m_gpu;
    const DriverApi& m_driver;
    const CublasApi& m_api;
    CublasProduct m_product;
    Element m_element;
    void* m_handle = nullptr;
    std::vector<float> m_hostA, m_hostB;
    Buffer m_a, m_b, m_c;
};

} // namespace

std::optional<CublasProduct::Type> cublasType(std::string_view point) {
    using Type = CublasProduct::Type;
    for (const auto& [name, type] : {std::pair{"cublas_sgemm", Type::F32}, std::pair{"cublas_gemm_f16", Type::F16}, std::pair{"cublas_gemm_bf16", Type::Bf16}})
        if (point == name)
            return type;
    return std::nullopt;
}

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
