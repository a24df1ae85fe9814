// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/compile/cache.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "engine/base/file.h"

namespace lanescope::compile {
namespace {

namespace fs = std::filesystem;

__extension__ typedef unsigned __int128 Wide;

constexpr std::string_view kMagic = "lanescope-cache 1 ";
constexpr std::string_view kExtension = ".entry";
constexpr std::uintmax_t kLargestEntry = std::uintmax_t{64} << 20;

/// First line of an entry: a mark and the digest of what follows.
std::string headOf(std::string_view bytes) {
    KeyHasher hasher;
    hasher.add(bytes);
    return fmt::format("{}{}\n", kMagic, hasher.digest());
}

} // namespace

void KeyHasher::addBytes(std::string_view bytes) {
    constexpr Wide kPrime = (Wide{1} << 88) + 0x13b;
    Wide hash = (Wide{m_high} << 64) | m_low;
    for (char byte : bytes)
        hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
    m_high = static_cast<std::uint64_t>(hash >> 64);
    m_low = static_cast<std::uint64_t>(hash);
}

void KeyHasher::add(std::string_view part) {
    addBytes(fmt::format("{}:", part.size()));
    addBytes(part);
}

std::string KeyHasher::digest() const {
    return fmt::format("{:016x}{:016x}", m_high, m_low);
}

Cache::Cache(fs::path folder, std::uintmax_t limitBytes)
    : m_folder(std::move(folder)), m_limitBytes(limitBytes) {}

std::optional<std::string> Cache::find(const std::string& key) const {
    if (m_folder.empty())
        return std::nullopt;
    const fs::path path = m_folder / (key + std::string(kExtension));
    auto text = readFile(path, kLargestEntry);
    if (!text)
        return std::nullopt;
    const std::size_t end = text->find('\n');
    if (end == std::string::npos)
        return std::nullopt;
    std::string bytes = text->substr(end + 1);
    if (text->compare(0, end + 1, headOf(bytes)) != 0)
        return std::nullopt;
    std::error_code ec;
    fs::last_write_time(path, fs::file_time_type::clock::now(), ec); // the oldest by use go first
    return bytes;
}

void Cache::store(const std::string& key, std::string_view bytes) const {
    if (m_folder.empty() || bytes.size() > m_limitBytes || bytes.size() > kLargestEntry / 2)
        return;
    std::error_code ec;
    fs::create_directories(m_folder, ec);
    if (writeFile(m_folder / (key + std::string(kExtension)), headOf(bytes).append(bytes)))
        trim();
}

void Cache::trim() const {
    struct Entry {
        fs::path path;
        std::uintmax_t bytes;
        fs::file_time_type used;
    };
    std::vector<Entry> entries;
    std::uintmax_t total = 0;
    std::error_code ec;
    for (fs::directory_iterator it(m_folder, ec), end; !ec && it != end; it.increment(ec)) {
        if (it->path().extension() != kExtension)
            continue;
        std::error_code entryError;
        const std::uintmax_t bytes = it->file_size(entryError);
        const auto used = it->last_write_time(entryError);
        if (entryError)
            continue;
        entries.push_back({it->path(), bytes, used});
        total += bytes;
    }
    if (total <= m_limitBytes)
        return;
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.used < b.used; });
    for (const Entry& entry : entries) {
        if (total <= m_limitBytes)
            break;
        fs::remove(entry.path, ec);
        total -= entry.bytes;
    }
}

} // namespace lanescope::compile
