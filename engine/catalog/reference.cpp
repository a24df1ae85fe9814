// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalog/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/catalog/expression.h"
#include "engine/catalog/kernel.h"
#include "engine/tensor/element.h"

namespace lanescope::catalog {
namespace {

using Bytes = std::span<const std::byte>;

constexpr double kUnit = 0x1p-24; // unit roundoff of f32
constexpr std::uint64_t kWorkLimit = std::uint64_t{1} << 27;

/// An array of one of the element types, as doubles.
class Elements {
public:
    Elements(Bytes bytes, std::string_view type)
        : m_isFloat32(type.empty() || type == "f32"), m_fractionBits(type == "f16" ? 10 : type == "bf16" ? 7 : 0), m_leastExponent(type == "f16" ? -14 : -126) {
        if (type == "f64")
            convert<double>(bytes);
        else if (type == "i32")
            convert<std::int32_t>(bytes);
        else if (type == "u32")
            convert<std::uint32_t>(bytes);
        else if (type == "u8")
            convert<std::uint8_t>(bytes);
        else if (type == "f16")
            convertHalves(bytes, tensor::Element::F16);
        else if (type == "bf16")
            convertHalves(bytes, tensor::Element::BF16);
        else
            convert<float>(bytes);
    }
    std::uint64_t count() const { return m_values.size(); }
    bool isFloat32() const { return m_isFloat32; }
    /// What rounding to f16 or bf16 may add to an error, 0 for other types: half a unit in the last place.
    double roundingOf(double value, double error) const {
        const double most = std::fabs(value) + error;
        if (m_fractionBits == 0 || !std::isfinite(most))
            return 0;
        return std::ldexp(1.0, std::max(most > 0 ? std::ilogb(most) : m_leastExponent, m_leastExponent) - m_fractionBits - 1);
    }
    double operator[](std::uint64_t index) const { return m_values[index]; }
    const double* data() const { return m_values.data(); }
    /// The array read as rows x columns becomes columns x rows.
    void transpose(std::uint64_t rows, std::uint64_t columns) {
        std::vector<double> out(m_values.size());
        for (std::uint64_t r = 0; r < rows; ++r)
            for (std::uint64_t c = 0; c < columns; ++c)
                out[c * rows + r] = m_values[r * columns + c];
        m_values = std::move(out);
    }

private:
    template <class T>
    void convert(Bytes bytes) {
        m_values.resize(bytes.size() / sizeof(T));
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            T value;
            std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
            m_values[i] = static_cast<double>(value);
        }
    }
    void convertHalves(Bytes bytes, tensor::Element element) {
        convert<std::uint16_t>(bytes);
        for (double& value : m_values)
            value = tensor::toDouble(element, static_cast<std::uint64_t>(value));
    }
    std::vector<double> m_values;
    bool m_isFloat32;
    int m_fractionBits, m_leastExponent; ///< of f16 and bf16
};

struct Expectation {
    double value = 0, tolerance = 0;
};

/// A reference ready to be asked for elements.
struct Plan {
    std::uint64_t elements = 0;       ///< of each output
    std::uint64_t workPerElement = 1; ///< multiply-adds
    std::vector<std::uint64_t> inputElements;
    std::string rule = "exact";
    std::function<Expectation(const std::vector<Elements>&, std::uint64_t)> expect;
    /// Puts the inputs into the order in which expect reads them; may be empty.
    std::function<void(std::vector<Elements>&)> arrange = {};
    bool isRoundedToOutput = false; ///< the tolerance is of an f32 result, which an output of halves rounds once more
};

struct Kind {
    std::string_view name;
    std::vector<std::string_view> sizes;
    std::optional<std::size_t> inputs = 1; ///< nothing: any number
    Result<Plan> (*plan)(const ResolvedReference& reference);
};

/// Allowed error of a sum of k f32 terms (or products), over the sum of their magnitudes; see
/// reference.h.
double sumTolerance(std::uint64_t k) {
    const double terms = static_cast<double>(k);
    return std::min(terms + 1, 6 * std::sqrt(terms) + 2) * kUnit;
}

std::uint64_t sizeOf(const ResolvedReference& reference, const char* name) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(reference.sizes.at(name), 0));
}

Result<Plan> planVectorAdd(const ResolvedReference& reference) {
    const std::uint64_t n = sizeOf(reference, "n");
    Plan plan{n, 1, {n, n}, "exact: one rounded addition", {}};
    plan.expect = [](const std::vector<Elements>& in, std::uint64_t i) {
        const double sum =
            in[0][i] + in[1][i]; // of two floats, exact enough in double to round once more
        return Expectation{in[0].isFloat32() ? static_cast<double>(static_cast<float>(sum)) : sum,
                           0};
    };
    return plan;
}

Result<Plan> planMatmul(const ResolvedReference& reference) {
    const std::uint64_t m = sizeOf(reference, "M"), n = sizeOf(reference, "N"), k = sizeOf(reference, "K");
    Plan plan{m * n, std::max<std::uint64_t>(k, 1), {m * k, k * n}, {}, {}};
    plan.rule = fmt::format("|error| <= min(K + 1, 6 sqrt(K) + 2) 2^-24 sum|a b|, K = {}", k);
    plan.expect = [n, k](const std::vector<Elements>& in, std::uint64_t i) {
        const std::uint64_t row = i / n, column = i % n;
        const double* a = in[0].data() + row * k;
        const double* b = in[1].data() + column * k; // transposed
        // Four sums side by side: one alone waits for its own addition each time.
        double sums[4] = {}, magnitudes[4] = {};
        std::uint64_t p = 0;
        for (; p + 4 <= k; p += 4)
            for (std::uint64_t j = 0; j < 4; ++j) {
                const double product = a[p + j] * b[p + j];
                sums[j] += product;
                magnitudes[j] += std::fabs(product);
            }
        for (; p < k; ++p) {
            sums[0] += a[p] * b[p];
            magnitudes[0] += std::fabs(a[p] * b[p]);
        }
        const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        const double magnitude = (magnitudes[0] + magnitudes[1]) + (magnitudes[2] + magnitudes[3]);
        return Expectation{sum, sumTolerance(k) * magnitude};
    };
    plan.isRoundedToOutput = true;
    plan.arrange = [n, k](std::vector<Elements>& in) { in[1].transpose(k, n); };
    return plan;
}

Result<Plan> planCopy(const ResolvedReference& reference) {
    const std::uint64_t n = sizeOf(reference, "n");
    Plan plan{n, 1, {n}, "exact", {}};
    plan.expect = [](const std::vector<Elements>& in, std::uint64_t i) {
        return Expectation{in[0][i], 0};
    };
    return plan;
}

Result<Plan> planTranspose(const ResolvedReference& reference) {
    const std::uint64_t m = sizeOf(reference, "M"), n = sizeOf(reference, "N");
    Plan plan{m * n, 1, {m * n}, "exact", {}};
    plan.expect = [m, n](const std::vector<Elements>& in, std::uint64_t i) {
        return Expectation{in[0][(i % m) * n + i / m], 0};
    };
    return plan;
}

Result<Plan> planSum(const ResolvedReference& reference) {
    const std::uint64_t n = sizeOf(reference, "n");
    Plan plan{
        1, n, {n}, fmt::format("|error| <= min(n + 1, 6 sqrt(n) + 2) 2^-24 sum|x|, n = {}", n), {}};
    plan.expect = [n](const std::vector<Elements>& in, std::uint64_t) {
        double sum = 0, magnitude = 0;
        for (std::uint64_t i = 0; i < n; ++i) {
            sum += in[0][i];
            magnitude += std::fabs(in[0][i]);
        }
        return Expectation{sum, sumTolerance(n) * magnitude};
    };
    return plan;
}

Result<Plan> planBlockSum(const ResolvedReference& reference) {
    const std::uint64_t n = sizeOf(reference, "n");
    const std::uint64_t per = std::max<std::uint64_t>(sizeOf(reference, "per"), 1);
    Plan plan{(n + per - 1) / per, per, {n}, {}, {}};
    plan.rule = fmt::format("|error| <= min(n + 1, 6 sqrt(n) + 2) 2^-24 sum|x| of {} elements", per);
    plan.expect = [n, per](const std::vector<Elements>& in, std::uint64_t block) {
        double sum = 0, magnitude = 0;
        for (std::uint64_t i = block * per; i < std::min(n, (block + 1) * per); ++i) {
            sum += in[0][i];
            magnitude += std::fabs(in[0][i]);
        }
        return Expectation{sum, sumTolerance(per) * magnitude};
    };
    return plan;
}

Result<Plan> planMap(const ResolvedReference& reference) {
    constexpr std::uint64_t kWorkPerElement = 64; // an expression takes that much longer
    std::vector<std::string> variables;
    std::vector<Formula> indices; // of each input
    for (const ReferenceArgument& input : reference.inputs) {
        const auto given = reference.index.find(input.name);
        const std::vector<std::string> element{"i"};
        auto index = Formula::make(given == reference.index.end() ? "i" : given->second,
                                   reference.parameters, element);
        if (!index)
            return failure(std::move(index.error()));
        indices.push_back(std::move(*index));
        variables.push_back(input.name);
    }
    variables.emplace_back("i");
    auto value = Formula::make(reference.value, reference.parameters, variables);
    if (!value)
        return failure(std::move(value.error()));
    Plan plan{sizeOf(reference, "n"), kWorkPerElement,
              std::vector<std::uint64_t>(reference.inputs.size()), "exact: " + reference.value, {}};
    const auto formulas = std::make_shared<std::pair<std::vector<Formula>, Formula>>(
        std::move(indices), std::move(*value));
    plan.expect = [formulas](const std::vector<Elements>& in, std::uint64_t i) {
        constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
        const double position = static_cast<double>(i);
        std::vector<double> values;
        for (std::size_t k = 0; k < in.size(); ++k) {
            const double at = formulas->first[k](std::span(&position, 1));
            const bool isThere = at >= 0 && at < static_cast<double>(in[k].count());
            values.push_back(isThere ? in[k][static_cast<std::uint64_t>(at)] : kNothing);
        }
        values.push_back(position);
        const double expected = formulas->second(values);
        const bool isRounded = !in.empty() && in[0].isFloat32();
        return Expectation{isRounded ? static_cast<double>(static_cast<float>(expected)) : expected, 0};
    };
    return plan;
}

const Kind* findKind(std::string_view name) {
    static const std::array<Kind, 7> kKinds{{{"vector_add", {"n"}, 2, planVectorAdd},
                                             {"matmul", {"M", "N", "K"}, 2, planMatmul},
                                             {"copy", {"n"}, 1, planCopy},
                                             {"transpose", {"M", "N"}, 1, planTranspose},
                                             {"sum", {"n"}, 1, planSum},
                                             {"block_sum", {"n", "per"}, 1, planBlockSum},
                                             {"map", {"n"}, std::nullopt, planMap}}};
    for (const Kind& kind : kKinds)
        if (kind.name == name)
            return &kind;
    return nullptr;
}

/// Steps through the elements so that a sample is spread over all of them: an odd step near the
/// golden ratio of the count, made coprime to it.
std::uint64_t sampleStep(std::uint64_t count) {
    std::uint64_t step =
        static_cast<std::uint64_t>(static_cast<double>(count) * 0.6180339887498949) | 1;
    while (std::gcd(step, count) != 1)
        step += 2;
    return step;
}

struct Mismatch {
    std::uint64_t index;
    double got;
    Expectation expected;
};

OutputCheck checkOutput(const Plan& plan, const std::vector<Elements>& inputs,
                        const Elements& output, std::string name) {
    OutputCheck check;
    check.name = std::move(name);
    check.checkedElements =
        std::min(plan.elements, std::max<std::uint64_t>(kWorkLimit / plan.workPerElement, 1));
    const bool all = check.checkedElements == plan.elements;
    const std::uint64_t step = all ? 1 : sampleStep(plan.elements);
    std::optional<Mismatch> first;
    for (std::uint64_t k = 0, index = 0; k < check.checkedElements;
         ++k, index = (index + step) % plan.elements) {
        Expectation expected = plan.expect(inputs, index);
        if (plan.isRoundedToOutput)
            expected.tolerance += output.roundingOf(expected.value, expected.tolerance);
        const double got = output[index];
        const bool same = got == expected.value || (std::isnan(got) && std::isnan(expected.value));
        double error = same ? 0 : std::fabs(got - expected.value);
        if (std::isnan(error))
            error = std::numeric_limits<double>::infinity();
        check.maxError = std::max(check.maxError, error);
        if (error <= expected.tolerance || same) {
            if (!first)
                check.tolerance = std::max(check.tolerance, expected.tolerance);
            continue;
        }
        ++check.mismatches;
        if (!first || index < first->index)
            first = Mismatch{index, got, expected};
    }
    if (first) {
        check.firstIndex = first->index;
        check.got = first->got;
        check.expected = first->expected.value;
        check.tolerance = first->expected.tolerance;
    }
    return check;
}

} // namespace

std::optional<std::string> problemOf(const Reference& reference) {
    const Kind* kind = findKind(reference.kind);
    if (kind == nullptr)
        return fmt::format("has the unknown kind '{}'", reference.kind);
    for (std::string_view size : kind->sizes)
        if (!reference.sizes.contains(std::string(size)))
            return fmt::format("of kind {} lacks the size {}", reference.kind, size);
    if (kind->inputs && reference.inputs.size() != *kind->inputs)
        return fmt::format("of kind {} needs {} input(s)", reference.kind, *kind->inputs);
    if (kind->plan == planMap && reference.value.empty())
        return std::string("of kind map lacks its value");
    if (reference.outputs.empty())
        return std::string("names no output");
    return std::nullopt;
}

Result<ReferenceReport> checkReference(const ResolvedReference& reference,
                                       std::span<const Bytes> before,
                                       std::span<const Bytes> after) {
    const Kind* kind = findKind(reference.kind);
    if (kind == nullptr)
        return failure("reference", fmt::format("unknown kind of reference '{}'", reference.kind));
    for (std::string_view size : kind->sizes)
        if (!reference.sizes.contains(std::string(size)))
            return failure("reference", fmt::format("a reference of kind {} lacks the size {}",
                                                    reference.kind, size));
    if (kind->inputs && reference.inputs.size() != *kind->inputs)
        return failure("reference", fmt::format("a reference of kind {} needs {} inputs",
                                                reference.kind, *kind->inputs));
    const Result<Plan> planned = kind->plan(reference);
    if (!planned)
        return failure(planned.error());
    const Plan& plan = *planned;

    std::vector<Elements> inputs;
    const auto elementsOf = [](std::span<const Bytes> arguments, const ReferenceArgument& argument,
                               std::uint64_t needed) -> Result<Elements> {
        if (argument.index >= arguments.size())
            return failure("reference", fmt::format("there is no argument {}", argument.index));
        Elements elements(arguments[argument.index], argument.type);
        if (elements.count() < needed)
            return failure("reference",
                           fmt::format("argument '{}' has {} elements, but {} are needed",
                                       argument.name, elements.count(), needed));
        return elements;
    };
    for (std::size_t i = 0; i < reference.inputs.size(); ++i) {
        auto elements = elementsOf(before, reference.inputs[i], plan.inputElements[i]);
        if (!elements)
            return failure(std::move(elements.error()));
        inputs.push_back(std::move(*elements));
    }
    if (plan.arrange)
        plan.arrange(inputs);
    ReferenceReport report;
    report.rule = plan.rule;
    for (const ReferenceArgument& argument : reference.outputs) {
        auto output = elementsOf(after, argument, plan.elements);
        if (!output)
            return failure(std::move(output.error()));
        report.outputs.push_back(checkOutput(plan, inputs, *output, argument.name));
        report.matches = report.matches && report.outputs.back().mismatches == 0;
    }
    return report;
}

} // namespace lanescope::catalog
