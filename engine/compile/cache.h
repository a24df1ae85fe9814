// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled PTX on disk: one file an entry, written atomically, checked when read, oldest removed
// above a size. Nothing here fails: an unreadable, damaged or unwritable cache only means that the
// compiler runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::compile {

/// 128-bit FNV-1a over parts; the length of each part is hashed too, so that "ab","c" differs from
/// "a","bc".
class KeyHasher {
public:
    void add(std::string_view part);
    /// 32 hexadecimal digits.
    std::string digest() const;

private:
    void addBytes(std::string_view bytes);
    std::uint64_t m_high = 0x6c62272e07bb0142,
                  m_low = 0x62b821756295c58d; // FNV's offset basis for 128 bits
};

class Cache {
public:
    /// folder empty: nothing is kept.
    Cache(std::filesystem::path folder, std::uintmax_t limitBytes);
    std::optional<std::string> find(const std::string& key) const;
    void store(const std::string& key, std::string_view bytes) const;

private:
    void trim() const;
    std::filesystem::path m_folder;
    std::uintmax_t m_limitBytes;
};

} // namespace lanescope::compile
