// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/ncu_report.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/csv.h"
#include "engine/base/file.h"
#include "engine/base/symbol.h"

namespace lanescope::session {

namespace {

constexpr const char* kHint = "make one with: ncu --csv --page raw PROGRAM > FILE.csv, or of a report: ncu --import FILE.ncu-rep --csv --page raw > FILE.csv";
constexpr std::string_view kKernel = "Kernel Name", kMetricName = "Metric Name", kMetricUnit = "Metric Unit", kMetricValue = "Metric Value";

/// Labels of --page details for what this program compares, and the metrics behind them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kDetails{{
    {"Registers Per Thread", "launch__registers_per_thread"},
    {"Block Limit Registers", "launch__occupancy_limit_registers"},
    {"Block Limit Shared Mem", "launch__occupancy_limit_shared_mem"},
    {"Block Limit Warps", "launch__occupancy_limit_warps"},
    {"Block Limit SM", "launch__occupancy_limit_blocks"},
    {"Theoretical Occupancy", "sm__maximum_warps_per_active_cycle_pct"},
    {"Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"Waves Per SM", "launch__waves_per_multiprocessor"},
    {"Duration", "gpu__time_duration.sum"},
    {"Static Shared Memory Per Block", "launch__shared_mem_per_block_static"},
    {"Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic"},
    {"# SMs", "device__attribute_multiprocessor_count"},
    {"Executed Instructions", "smsp__inst_executed.sum"},
}};

std::string_view trimmed(std::string_view text) {
    const auto isSpace = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    while (!text.empty() && isSpace(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && isSpace(text.back()))
        text.remove_suffix(1);
    return text;
}

/// Digits with their marks: without an instance list behind them, and without spaces and apostrophes, which only group.
std::string plainNumber(std::string_view text) {
    text = text.substr(0, text.find(" ("));
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        // U+00A0 and U+202F, by which French groups.
        if (text.substr(i, 2) == "\xc2\xa0")
            ++i;
        else if (text.substr(i, 3) == "\xe2\x80\xaf")
            i += 2;
        else if (text[i] != ' ' && text[i] != '\'')
            out += text[i];
    }
    return out;
}

bool isNumber(std::string_view plain) {
    return !plain.empty() && plain.find_first_not_of("0123456789.,+-eE") == std::string_view::npos && plain.find_first_of("0123456789") != std::string_view::npos &&
           std::isalpha(static_cast<unsigned char>(plain[0])) == 0;
}

/// 1 when the number can only be read with a decimal comma, -1 with a decimal point, 0 when both would do.
int evidence(std::string_view plain) {
    const auto points = std::count(plain.begin(), plain.end(), '.'), commas = std::count(plain.begin(), plain.end(), ',');
    const std::size_t point = plain.rfind('.'), comma = plain.rfind(',');
    if (points > 0 && commas > 0)
        return comma > point ? 1 : -1;
    if (points + commas == 0)
        return 0;
    const bool isComma = commas > 0;
    if (points + commas > 1)
        return isComma ? -1 : 1; // several of them group
    const std::size_t end = std::min(plain.find_first_of("eE"), plain.size()), at = isComma ? comma : point;
    const bool groups = end - at - 1 == 3 && at > 0 && plain.substr(0, at).find_first_not_of("+-0") != std::string_view::npos;
    return groups ? 0 : isComma ? 1 : -1;
}

struct Scale {
    double factor = 1;
    std::string unit;
};

/// "Kbyte/block" is 1,000 "byte/block" (ncu's prefixes are decimal); "us" and "usecond" are 1e-6 "s".
Scale scaleOf(std::string_view printed) {
    const std::string_view text = trimmed(printed);
    const std::size_t slash = std::min(text.find('/'), text.size());
    const std::string_view head = text.substr(0, slash), rest = text.substr(slash);
    const auto baseOf = [](std::string_view word) -> std::string_view {
        if (word == "s" || word == "second" || word == "sec")
            return "s";
        if (word == "hz" || word == "Hz")
            return "Hz";
        for (const std::string_view known : {"byte", "inst", "sector", "request", "cycle", "wavefront", "warp", "thread", "block", "conflict"})
            if (word == known)
                return known;
        return {};
    };
    if (const std::string_view base = baseOf(head); !base.empty())
        return {1, std::string(base) + std::string(rest)};
    constexpr std::pair<char, double> kPrefixes[] = {{'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}, {'K', 1e3}, {'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
    if (!head.empty())
        for (const auto& [letter, factor] : kPrefixes)
            if (head[0] == letter)
                if (const std::string_view base = baseOf(head.substr(1)); !base.empty())
                    return {factor, std::string(base) + std::string(rest)};
    return {1, std::string(text)};
}

std::optional<NcuValue> valueOf(std::string_view text, std::string_view unit, bool hasDecimalComma) {
    std::string plain = plainNumber(text);
    if (!isNumber(plain))
        return std::nullopt;
    std::erase(plain, hasDecimalComma ? '.' : ',');
    std::replace(plain.begin(), plain.end(), ',', '.');
    const std::size_t sign = plain[0] == '+' ? 1 : 0;
    double value = 0;
    const auto [end, error] = std::from_chars(plain.data() + sign, plain.data() + plain.size(), value);
    if (error != std::errc{} || end != plain.data() + plain.size() || !std::isfinite(value))
        return std::nullopt;
    const std::size_t point = plain.find('.'), exponent = std::min(plain.find_first_of("eE"), plain.size());
    const std::size_t decimals = point < exponent ? exponent - point - 1 : 0;
    double power = 0;
    if (exponent < plain.size())
        power = std::atof(plain.c_str() + exponent + 1);
    Scale scale = scaleOf(unit);
    const bool isExact = decimals == 0 && scale.factor == 1 && exponent == plain.size();
    return NcuValue{value * scale.factor, isExact ? 0 : 0.5 * std::pow(10, power - static_cast<double>(decimals)) * scale.factor, std::move(scale.unit)};
}

/// "(32, 8, 1)", "32, 8, 1" or "32x8x1".
std::optional<Dim3> extentsOf(std::string_view text) {
    std::vector<std::uint32_t> numbers;
    for (std::size_t i = 0; i < text.size();) {
        if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) {
            ++i;
            continue;
        }
        std::uint32_t n = 0;
        const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), n);
        if (error != std::errc{})
            return std::nullopt;
        numbers.push_back(n);
        i = static_cast<std::size_t>(end - text.data());
    }
    return numbers.size() == 3 ? std::optional(Dim3{numbers[0], numbers[1], numbers[2]}) : std::nullopt;
}

struct Header {
    std::vector<std::string> names;
    char separator = ',';
    std::size_t offset = 0; ///< of its line in the text
    std::uint32_t line = 0;

    std::optional<std::size_t> column(std::string_view name) const {
        const auto at = std::find(names.begin(), names.end(), name);
        return at == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - names.begin()));
    }
};

/// The line with the names of the columns: programs and ncu itself print before it.
std::optional<Header> findHeader(std::string_view text) {
    std::uint32_t line = 1;
    for (std::size_t at = 0; at < text.size(); ++line) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view whole = text.substr(at, end - at);
        if (whole.find(kKernel) != std::string_view::npos)
            for (const char separator : {',', ';', '\t'}) {
                const std::vector<CsvRecord> records = csvRecords(whole, separator);
                if (records.empty() || records[0].fields.size() < 2)
                    continue;
                Header header{{}, separator, at, line};
                for (const std::string& field : records[0].fields)
                    header.names.emplace_back(trimmed(field));
                if (header.column(kKernel))
                    return header;
            }
        at = end + 1;
    }
    return std::nullopt;
}

/// What ncu says it could not do: "==ERROR== ERR_NVGPUCTRPERM - ...".
std::string errorOf(std::string_view text) {
    const std::size_t at = text.find("==ERROR==");
    if (at == std::string_view::npos)
        return {};
    return std::string(trimmed(text.substr(at + 9, text.find('\n', at) - at - 9)));
}

class Reader {
public:
    Reader(Header header, const std::vector<CsvRecord>& records) : m_header(std::move(header)), m_records(records) {
        for (const std::string_view name : {"ID", "Kernel Name", "Block Size", "Grid Size", "CC"})
            m_common.push_back(m_header.column(name));
    }

    std::vector<NcuLaunch> read() {
        const bool isLong = m_header.column(kMetricName) && m_header.column(kMetricValue);
        int votes = 0;
        for (const CsvRecord& record : m_records)
            for (const std::size_t column : valueColumns(isLong))
                if (column < record.fields.size())
                    if (const std::string plain = plainNumber(record.fields[column]); isNumber(plain))
                        votes += evidence(plain);
        m_hasDecimalComma = votes > 0;
        isLong ? readLong() : readWide();
        return std::move(m_launches);
    }

private:
    /// Only whole rows: what a program prints in between is none.
    bool isRow(const CsvRecord& record) const { return !record.isCut && record.fields.size() == m_header.names.size() && !record.fields[0].starts_with("=="); }

    std::string common(const CsvRecord& record, std::size_t which) const {
        return m_common[which] && *m_common[which] < record.fields.size() ? std::string(trimmed(record.fields[*m_common[which]])) : std::string();
    }

    std::vector<std::size_t> valueColumns(bool isLong) const {
        if (isLong)
            return {*m_header.column(kMetricValue)};
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < m_header.names.size(); ++i)
            if (m_header.names[i].find("__") != std::string::npos)
                out.push_back(i);
        return out;
    }

    NcuLaunch launchOf(const CsvRecord& record) const {
        NcuLaunch out;
        out.id = common(record, 0);
        out.kernel = common(record, 1);
        out.function = bareFunctionName(out.kernel);
        out.block = extentsOf(common(record, 2));
        out.grid = extentsOf(common(record, 3));
        out.capability = common(record, 4);
        return out;
    }

    void readWide() {
        std::vector<std::string> units(m_header.names.size());
        const std::vector<std::size_t> columns = valueColumns(false);
        for (const CsvRecord& record : m_records) {
            if (!isRow(record))
                continue;
            if (common(record, 1).empty()) { // the row of units names no kernel
                units = record.fields;
                continue;
            }
            NcuLaunch launch = launchOf(record);
            for (const std::size_t column : columns)
                if (std::optional<NcuValue> value = valueOf(record.fields[column], units[column], m_hasDecimalComma))
                    launch.metrics.try_emplace(m_header.names[column], std::move(*value));
            takeExtents(launch);
            m_launches.push_back(std::move(launch));
        }
    }

    void readLong() {
        const std::size_t name = *m_header.column(kMetricName), value = *m_header.column(kMetricValue);
        const std::optional<std::size_t> unit = m_header.column(kMetricUnit);
        for (const CsvRecord& record : m_records) {
            if (!isRow(record) || common(record, 1).empty())
                continue;
            NcuLaunch launch = launchOf(record);
            const auto same = [&](const NcuLaunch& l) { return l.id == launch.id && l.kernel == launch.kernel && l.grid == launch.grid && l.block == launch.block; };
            auto at = std::find_if(m_launches.rbegin(), m_launches.rend(), same);
            if (at == m_launches.rend()) {
                m_launches.push_back(std::move(launch));
                at = m_launches.rbegin();
            }
            std::string_view metric = trimmed(record.fields[name]);
            for (const auto& [label, known] : kDetails)
                if (metric == label)
                    metric = known;
            if (std::optional<NcuValue> read = valueOf(record.fields[value], unit ? record.fields[*unit] : std::string(), m_hasDecimalComma); read && !metric.empty())
                at->metrics.try_emplace(std::string(metric), std::move(*read));
        }
        for (NcuLaunch& launch : m_launches)
            takeExtents(launch);
    }

    /// Older versions have no columns for them, but metrics.
    static void takeExtents(NcuLaunch& launch) {
        for (const auto& [extents, what] : {std::pair{&launch.grid, "grid"}, std::pair{&launch.block, "block"}}) {
            if (*extents)
                continue;
            std::array<std::uint32_t, 3> all{};
            bool isWhole = true;
            for (std::size_t i = 0; i < 3; ++i) {
                const auto at = launch.metrics.find(fmt::format("launch__{}_dim_{}", what, "xyz"[i]));
                isWhole = isWhole && at != launch.metrics.end() && at->second.value >= 1 && at->second.value <= 4294967295.0;
                if (isWhole)
                    all[i] = static_cast<std::uint32_t>(at->second.value);
            }
            if (isWhole)
                *extents = Dim3{all[0], all[1], all[2]};
        }
    }

    Header m_header;
    const std::vector<CsvRecord>& m_records;
    std::vector<std::optional<std::size_t>> m_common;
    bool m_hasDecimalComma = false;
    std::vector<NcuLaunch> m_launches;
};

std::string extentsText(const std::optional<Dim3>& d) { return d ? fmt::format("{} x {} x {}", d->x, d->y, d->z) : "?"; }

/// "0 mm_naive (8 x 8 x 1 blocks of 32 x 32 x 1)", at most eight of them.
std::string listOf(const NcuReport& report) {
    std::vector<std::string> all;
    for (const NcuLaunch& l : report.launches)
        all.push_back(fmt::format("{} {} ({} blocks of {})", l.id.empty() ? "-" : l.id, l.function, extentsText(l.grid), extentsText(l.block)));
    constexpr std::size_t kMost = 8;
    const std::size_t left = all.size() > kMost ? all.size() - kMost : 0;
    all.resize(all.size() - left);
    return fmt::format("{}{}", fmt::join(all, ", "), left > 0 ? fmt::format(" and {} more", left) : "");
}

} // namespace

std::string bareFunctionName(const std::string& kernel) {
    if (kernel.starts_with("_Z"))
        return sourceName(kernel);
    std::string name = kernel;
    constexpr std::string_view kAnonymous = "(anonymous namespace)::";
    for (std::size_t at = name.find(kAnonymous); at != std::string::npos; at = name.find(kAnonymous))
        name.erase(at, kAnonymous.size());
    int depth = 0;
    std::size_t begin = 0, end = name.size();
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        if (c == '<' && depth++ == 0)
            end = i;
        else if (c == '>')
            depth = std::max(depth - 1, 0);
        else if (depth == 0 && (c == ' ' || c == '*' || c == '&' || c == ':')) {
            begin = i + 1;
            end = name.size();
        } else if (depth == 0 && c == '(') {
            end = std::min(end, i);
            break;
        }
    }
    return name.substr(begin, end - begin);
}

Result<NcuReport> parseNcuCsv(std::string_view text, const std::string& path) {
    const auto wrong = [&](std::string what, std::uint32_t line = 0) { return failure("ncu", std::move(what), {path, line, 0}, kHint); };
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3);
    if (trimmed(text).empty())
        return wrong("the file is empty");
    if (text.starts_with("NVR"))
        return wrong("this is a report of Nsight Compute, not its CSV");
    const std::string error = errorOf(text);
    std::optional<Header> header = findHeader(text);
    if (!header)
        return wrong(error.empty() ? "this is no CSV of Nsight Compute: no line has a column \"Kernel Name\"" : fmt::format("ncu measured nothing: {}", error));
    const std::size_t body = text.find('\n', header->offset);
    const std::uint32_t line = header->line;
    const char separator = header->separator;
    const std::vector<CsvRecord> records = body == std::string_view::npos ? std::vector<CsvRecord>() : csvRecords(text.substr(body + 1), separator);
    NcuReport report{path, Reader(std::move(*header), records).read()};
    if (report.launches.empty())
        return wrong(error.empty() ? "no launch of a kernel follows the names of the columns" : fmt::format("ncu measured nothing: {}", error), line);
    if (std::all_of(report.launches.begin(), report.launches.end(), [](const NcuLaunch& l) { return l.metrics.empty(); }))
        return wrong("no launch has a metric", line);
    return report;
}

Result<NcuReport> readNcuCsv(const std::string& path) {
    const Result<std::string> text = readFile(path, std::uintmax_t{256} << 20);
    if (!text)
        return failure(text.error());
    return parseNcuCsv(*text, path);
}

Result<const NcuLaunch*> chooseLaunch(const NcuReport& report, const std::string& function, const Dim3& grid, const Dim3& block, const std::string& id) {
    if (!id.empty()) {
        const auto at = std::find_if(report.launches.begin(), report.launches.end(), [&](const NcuLaunch& l) { return l.id == id; });
        if (at == report.launches.end())
            return failure("ncu", fmt::format("there is no launch {}", id), {report.path, 0, 0}, fmt::format("there are {}", listOf(report)));
        return &*at;
    }
    const NcuLaunch* first = nullptr;
    for (const NcuLaunch& l : report.launches) {
        if (l.function != function)
            continue;
        if (l.grid == grid && l.block == block)
            return &l;
        first = first != nullptr ? first : &l;
    }
    if (first == nullptr)
        return failure("ncu", fmt::format("no launch is of {}", function), {report.path, 0, 0}, fmt::format("there are {}: name one by its number", listOf(report)));
    return first;
}

} // namespace lanescope::session
