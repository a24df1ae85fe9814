// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/argument_spec.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "engine/base/file.h"

namespace lanescope::session {

int typeBytes(std::string_view type) {
    if (type == "f64")
        return 8;
    if (type == "f32" || type == "i32" || type == "u32")
        return 4;
    if (type == "f16" || type == "bf16")
        return 2;
    return type == "i8" || type == "u8" ? 1 : 0;
}

namespace {

constexpr std::string_view kForms =
    "the forms are i32:V u32:V i64:V u64:V f32:V f64:V, zeros:BYTES, iota:TYPE:COUNT, random:TYPE:COUNT[:SEED], file:PATH[:OFFSET[:BYTES]], "
    "tensormap:type=T,size=COLSxROWS,box=COLSxROWS,data=SPEC (or of=ARGUMENT)[,swizzle=0|32|64|128][,stride=BYTES][,estride=1x1][,oob=zero|nan][,offset=BYTES]";

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    std::size_t at = 0;
    for (;;) {
        const std::size_t next = text.find(separator, at);
        parts.emplace_back(text.substr(at, next == std::string_view::npos ? next : next - at));
        if (next == std::string_view::npos)
            return parts;
        at = next + 1;
    }
}

template <class T>
std::optional<T> whole(const std::string& text) {
    T value{};
    const char* begin = text.c_str();
    const char* end = begin + text.size();
    int base = 10;
    bool negative = false;
    if (*begin == '-' && std::is_signed_v<T>) {
        negative = true;
        ++begin;
    }
    if (end - begin > 2 && begin[0] == '0' && (begin[1] == 'x' || begin[1] == 'X')) {
        base = 16;
        begin += 2;
    }
    // Parsed with its sign, so that the smallest value fits.
    const std::string digits = (negative ? "-" : "") + std::string(begin, end);
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (digits.empty() || result.ec != std::errc{} || result.ptr != digits.data() + digits.size())
        return std::nullopt;
    return value;
}

std::optional<double> real(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return text.empty() || *end != '\0' ? std::nullopt : std::optional(value);
}

template <class T>
void append(std::vector<std::uint8_t>& bytes, T value) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// splitmix64 (Steele, Lea and Flood 2014): one stream per seed.
std::uint64_t nextRandom(std::uint64_t& state) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

std::uint16_t halfBits(double value) {
    // Round to nearest even by scaling: exact in double for every half.
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double a = std::fabs(value);
    if (!(a < 65520.0))
        return static_cast<std::uint16_t>(sign | (std::isnan(value) ? 0x7fff : 0x7c00));
    int exponent = a == 0 ? -15 : std::ilogb(a);
    exponent = exponent < -14 ? -14 : exponent;
    const double ulp = std::ldexp(1.0, exponent - 10);
    const auto steps = static_cast<std::uint32_t>(std::nearbyint(a / ulp)); // 0 .. 2048
    return static_cast<std::uint16_t>(sign | (static_cast<std::uint32_t>(exponent + 14) * 1024 + steps));
}

std::uint16_t bfloatBits(float value) {
    std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    bits += 0x7fff + ((bits >> 16) & 1);
    return static_cast<std::uint16_t>(bits >> 16);
}

void appendReal(std::vector<std::uint8_t>& bytes, std::string_view type, double value) {
    if (type == "f64")
        append(bytes, value);
    else if (type == "f32")
        append(bytes, static_cast<float>(value));
    else if (type == "f16")
        append(bytes, halfBits(value));
    else if (type == "bf16")
        append(bytes, bfloatBits(static_cast<float>(value)));
    else if (type == "i32" || type == "u32")
        append(bytes, static_cast<std::uint32_t>(static_cast<std::int64_t>(value)));
    else
        append(bytes, static_cast<std::uint8_t>(static_cast<std::int64_t>(value)));
}

/// In [-1, 1) with 24 bits, exact in a float.
double randomUnit(std::uint64_t& state) { return static_cast<double>(nextRandom(state) >> 40) * 0x1p-23 - 1.0; }

double randomValue(std::string_view type, std::uint64_t& state) {
    if (type == "f32" || type == "f16" || type == "bf16")
        return randomUnit(state);
    const std::uint64_t r = nextRandom(state);
    if (type == "f64")
        return static_cast<double>(r >> 11) * 0x1p-52 - 1.0;
    if (type == "i32")
        return static_cast<double>(r % 2001) - 1000;
    if (type == "u32")
        return static_cast<double>(r % 1001);
    return static_cast<double>(r % 256) - (type == "i8" ? 128 : 0);
}

/// 0, 1, 2, ..., or random values when there is a seed.
void fill(std::vector<std::uint8_t>& bytes, std::string_view type, std::uint64_t count, std::optional<std::uint64_t> seed) {
    if (type == "f32") { // most buffers: values straight into their place
        bytes.resize(count * sizeof(float));
        for (std::uint64_t i = 0; i < count; ++i) {
            const float value = seed ? static_cast<float>(randomUnit(*seed)) : static_cast<float>(i);
            std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
        }
        return;
    }
    bytes.reserve(count * static_cast<unsigned>(typeBytes(type)));
    for (std::uint64_t i = 0; i < count; ++i)
        appendReal(bytes, type, seed ? randomValue(type, *seed) : static_cast<double>(i));
}

} // namespace

namespace {

/// "64x128": at most kMaxRank numbers.
std::optional<std::vector<std::uint64_t>> extents(const std::string& text) {
    std::vector<std::uint64_t> out;
    for (const std::string& part : split(text, 'x')) {
        const auto value = whole<std::uint64_t>(part);
        if (!value || out.size() == sim::TensorMap::kMaxRank)
            return std::nullopt;
        out.push_back(*value);
    }
    return out;
}

/// The part after "tensormap:". The error is what is wrong.
tl::expected<ArgumentValue, std::string> parseTensorMap(std::string_view text, std::size_t number) {
    ArgumentValue out;
    sim::TensorMapArgument argument;
    sim::TensorMap& map = argument.map;
    std::map<std::string, std::string> given;
    constexpr std::string_view kKeys[] = {"type", "size", "box", "data", "of", "offset", "stride", "estride", "swizzle", "oob"};
    for (const std::string& part : split(text, ',')) {
        const std::size_t equals = part.find('=');
        const std::string key = part.substr(0, equals);
        if (equals == std::string::npos || std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys))
            return tl::unexpected(fmt::format("'{}' is no property of a tensor map", part));
        given[key] = part.substr(equals + 1);
    }
    for (const char* key : {"type", "size", "box"})
        if (given.count(key) == 0)
            return tl::unexpected(fmt::format("{}= is missing", key));
    const auto type = sim::tensorType(given["type"]);
    if (!type)
        return tl::unexpected(fmt::format("'{}' is no type of a tensor's elements", given["type"]));
    map.type = *type;
    const auto size = extents(given["size"]), box = extents(given["box"]);
    if (!size || !box || size->size() != box->size())
        return tl::unexpected(fmt::format("size={} and box={} are to be 1 to 5 numbers each, as many as the other, joined by x", given["size"], given["box"]));
    map.rank = static_cast<int>(size->size());
    const auto rank = size->size();
    map.stride[0] = static_cast<unsigned>(map.elementBytes());
    for (std::size_t d = 0; d < rank; ++d) {
        map.size[d] = (*size)[d];
        map.box[d] = static_cast<std::uint32_t>(std::min<std::uint64_t>((*box)[d], UINT32_MAX));
        if (d > 0)
            map.stride[d] = map.stride[d - 1] * map.size[d - 1];
    }
    if (given.count("stride") != 0) {
        const auto stride = extents(given["stride"]);
        if (!stride || stride->size() + 1 != rank)
            return tl::unexpected(fmt::format("stride={} is to be {} numbers of bytes, of the dimensions after the first", given["stride"], rank - 1));
        std::copy(stride->begin(), stride->end(), map.stride.begin() + 1);
    }
    if (given.count("estride") != 0) {
        const auto stride = extents(given["estride"]);
        if (!stride || stride->size() != rank)
            return tl::unexpected(fmt::format("estride={} is to be {} numbers", given["estride"], rank));
        for (std::size_t d = 0; d < rank; ++d)
            map.elementStride[d] = static_cast<std::uint32_t>(std::min<std::uint64_t>((*stride)[d], UINT32_MAX));
    }
    if (const std::string& swizzle = given["swizzle"]; swizzle == "32" || swizzle == "64" || swizzle == "128")
        map.swizzleBytes = static_cast<std::uint32_t>(std::stoul(swizzle));
    else if (!swizzle.empty() && swizzle != "0")
        return tl::unexpected(fmt::format("swizzle={} is none of 0, 32, 64, 128", swizzle));
    if (const std::string& oob = given["oob"]; oob == "nan")
        map.fillsWithNan = true;
    else if (!oob.empty() && oob != "zero")
        return tl::unexpected(fmt::format("oob={} is neither zero nor nan", oob));
    if (!given["offset"].empty()) {
        const auto offset = whole<std::uint64_t>(given["offset"]);
        if (!offset)
            return tl::unexpected(fmt::format("offset={} is no number of bytes", given["offset"]));
        argument.offset = *offset;
    }
    if ((given.count("data") != 0) == (given.count("of") != 0))
        return tl::unexpected(std::string("either data= (the tensor's contents) or of= (a buffer's argument) is needed"));
    if (given.count("of") != 0) {
        const auto buffer = whole<std::uint32_t>(given["of"]);
        if (!buffer || *buffer > 4096)
            return tl::unexpected(fmt::format("of={} is no number of an argument", given["of"]));
        argument.buffer = static_cast<int>(*buffer);
    } else {
        ptx::Parameter pointer;
        pointer.type = ptx::Type::B64;
        pointer.sizeBytes = 8;
        Result<ArgumentValue> data = parseArgument(given["data"], number, pointer);
        if (!data)
            return tl::unexpected(fmt::format("data={}: {}", given["data"], data.error().front().message));
        if (!data->argument.isBuffer)
            return tl::unexpected(fmt::format("data={} is no buffer", given["data"]));
        out.argument.bytes = std::move(data->argument.bytes);
    }
    out.text = text;
    out.type = sim::name(map.type);
    out.elementBytes = map.elementBytes();
    out.argument.tensorMap = argument;
    return out;
}

} // namespace

Result<ArgumentValue> parseArgument(std::string_view spec, std::size_t number, const ptx::Parameter& parameter, Contents contents) {
    const auto wrong = [&](std::string what) {
        return failure("argument", fmt::format("argument {} '{}': {}", number, spec, what), {}, std::string(kForms));
    };
    if (constexpr std::string_view kMap = "tensormap:"; spec.starts_with(kMap)) {
        auto map = parseTensorMap(spec.substr(kMap.size()), number);
        if (!map)
            return wrong(map.error());
        return std::move(*map);
    }
    const std::vector<std::string> parts = split(spec, ':');
    const std::string& kind = parts[0];
    ArgumentValue out;
    out.type = kind;
    std::vector<std::uint8_t>& bytes = out.argument.bytes;
    // A pointer is a 64-bit number that is not declared as an array of bytes (a structure).
    const bool byValue = parameter.type == ptx::Type::B8 && parameter.sizeBytes != 1;
    out.argument.isBuffer = !byValue;
    const bool sizedOnly = contents == Contents::Sized && !byValue;

    if (kind == "i32" || kind == "u32" || kind == "i64" || kind == "u64" || kind == "f32" || kind == "f64") {
        if (parts.size() != 2)
            return wrong("one value is needed");
        out.argument.isBuffer = false;
        out.text = parts[1];
        out.elementBytes = typeBytes(kind == "i64" || kind == "u64" ? "f64" : kind);
        if (kind[0] == 'f') {
            const auto v = real(parts[1]);
            if (!v)
                return wrong(fmt::format("'{}' is not a number", parts[1]));
            appendReal(bytes, kind, *v);
            return out;
        }
        const bool isSigned = kind[0] == 'i';
        const auto s = isSigned ? whole<std::int64_t>(parts[1]) : std::nullopt;
        const auto u = isSigned ? std::nullopt : whole<std::uint64_t>(parts[1]);
        if (!s && !u)
            return wrong(fmt::format("'{}' is not a whole number of this type", parts[1]));
        const auto value = isSigned ? static_cast<std::uint64_t>(*s) : *u;
        std::uint64_t size = kind.substr(1) == "32" ? 4 : 8;
        if (size == 4 && parameter.sizeBytes < 4 && parameter.sizeBytes > 0)
            size = parameter.sizeBytes;
        const auto fits = [&] {
            if (size == 8)
                return true;
            const int bits = static_cast<int>(8 * size);
            if (isSigned)
                return *s >= -(std::int64_t{1} << (bits - 1)) && *s < (std::int64_t{1} << bits);
            return value < (std::uint64_t{1} << bits);
        };
        if (!fits() || (isSigned && size == 4 && *s > INT32_MAX))
            return wrong(fmt::format("'{}' does not fit into {} bytes", parts[1], size));
        bytes.resize(size);
        std::memcpy(bytes.data(), &value, size);
        return out;
    }
    if (kind == "zeros") {
        const auto size = parts.size() == 2 ? whole<std::uint64_t>(parts[1]) : std::nullopt;
        if (!size)
            return wrong("the number of bytes is needed");
        if (*size > kMaxBufferBytes)
            return wrong(fmt::format("more than the {} bytes that a buffer may have", kMaxBufferBytes));
        out.type = "bytes";
        if (sizedOnly)
            out.argument.unbackedBytes = *size;
        else
            bytes.assign(*size, 0);
        return out;
    }
    if (kind == "iota" || kind == "random") {
        if (parts.size() < 3 || parts.size() > (kind == "random" ? 4u : 3u))
            return wrong("a type and a count are needed");
        const int size = typeBytes(parts[1]);
        if (size == 0)
            return wrong(fmt::format("'{}' is not one of f32 f16 bf16 f64 i32 u32 i8 u8", parts[1]));
        const auto count = whole<std::uint64_t>(parts[2]);
        if (!count)
            return wrong(fmt::format("'{}' is not a count", parts[2]));
        if (*count > kMaxBufferBytes / static_cast<unsigned>(size))
            return wrong(fmt::format("more than the {} bytes that a buffer may have", kMaxBufferBytes));
        std::uint64_t seed = 0;
        if (parts.size() == 4) {
            const auto s = whole<std::uint64_t>(parts[3]);
            if (!s)
                return wrong(fmt::format("'{}' is not a seed", parts[3]));
            seed = *s;
        }
        out.type = parts[1];
        out.elementBytes = size;
        if (sizedOnly)
            out.argument.unbackedBytes = *count * static_cast<unsigned>(size);
        else
            fill(bytes, parts[1], *count, kind == "iota" ? std::nullopt : std::optional(seed));
        return out;
    }
    if (kind == "file") {
        if (parts.size() < 2)
            return wrong("a path is needed");
        // Up to two numbers at the end; colons before them belong to the path.
        std::vector<std::string> path = parts;
        path.erase(path.begin());
        std::vector<std::uint64_t> numbers;
        while (path.size() > 1 && numbers.size() < 2)
            if (const auto n = whole<std::uint64_t>(path.back())) {
                numbers.insert(numbers.begin(), *n);
                path.pop_back();
            } else {
                break;
            }
        std::string name = path[0];
        for (std::size_t i = 1; i < path.size(); ++i)
            name += ":" + path[i];
        Result<std::string> text = readFile(name, kMaxBufferBytes);
        if (!text)
            return wrong(toString(text.error()));
        const std::uint64_t offset = !numbers.empty() ? numbers[0] : 0;
        if (offset > text->size())
            return wrong(fmt::format("offset {} is past the end of the file's {} bytes", offset, text->size()));
        const std::uint64_t size = numbers.size() > 1 ? numbers[1] : text->size() - offset;
        if (size > text->size() - offset)
            return wrong(fmt::format("the file has only {} bytes from offset {} on, not {}", text->size() - offset, offset, size));
        out.type = "bytes";
        bytes.assign(text->begin() + static_cast<std::ptrdiff_t>(offset), text->begin() + static_cast<std::ptrdiff_t>(offset + size));
        return out;
    }
    return wrong(fmt::format("'{}' is not a kind of argument", kind));
}

} // namespace lanescope::session
