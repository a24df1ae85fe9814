// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/file.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace lanescope {

namespace fs = std::filesystem;

Result<std::string> readFile(const fs::path& path, std::uintmax_t maxBytes) {
    std::error_code ec;
    const fs::file_status status = fs::status(path, ec);
    if (!fs::exists(status))
        return failure("file", "no such file", {path.string(), 0, 0}, "check the path");
    if (fs::is_directory(status))
        return failure("file", "this is a folder, not a file", {path.string(), 0, 0});
    std::ifstream in(path, std::ios::binary);
    if (!in)
        return failure("file", fmt::format("cannot be read: {}", std::strerror(errno)),
                       {path.string(), 0, 0});
    if (fs::is_regular_file(status)) {
        const std::uintmax_t size = fs::file_size(path, ec);
        if (!ec && size > maxBytes)
            return failure("file", fmt::format("is {} bytes, more than the {} that are read", size, maxBytes),
                           {path.string(), 0, 0});
    }
    std::string bytes;
    char buffer[1 << 16];
    while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
        bytes.append(buffer, static_cast<std::size_t>(in.gcount()));
        if (bytes.size() > maxBytes)
            return failure("file", fmt::format("is larger than the {} bytes that are read", maxBytes),
                           {path.string(), 0, 0});
    }
    if (in.bad())
        return failure("file", "reading failed", {path.string(), 0, 0});
    return bytes;
}

Result<void> writeFile(const fs::path& path, std::string_view bytes) {
    static std::atomic<unsigned> counter{0};
    std::error_code ec;
    const fs::file_status there = fs::status(path, ec);
    // A device or a pipe is written to; a file in its place would not be what was asked for.
    const bool isReplaced = !fs::exists(there) || fs::is_regular_file(there) || fs::is_directory(there);
    // A link stays: the file that it names is replaced.
    const fs::path target = isReplaced && fs::is_regular_file(there) ? fs::canonical(path, ec) : path;
    fs::path temporary = target;
    if (isReplaced)
        temporary += fmt::format(".{}-{}.part", ::getpid(), counter++);
    {
        std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
        if (!out)
            return failure("file", fmt::format("cannot be written: {}", std::strerror(errno)),
                           {path.string(), 0, 0}, "check that the folder exists and is writable");
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        out.close();
        if (!out) {
            if (isReplaced)
                fs::remove(temporary, ec);
            return failure("file", "writing failed", {path.string(), 0, 0}, "is the disk full?");
        }
    }
    if (!isReplaced)
        return {};
    fs::rename(temporary, target, ec);
    if (ec) {
        const std::string why = ec.message();
        fs::remove(temporary, ec);
        return failure("file", fmt::format("cannot be replaced: {}", why), {path.string(), 0, 0});
    }
    return {};
}

} // namespace lanescope
