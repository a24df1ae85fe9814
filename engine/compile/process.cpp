// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/compile/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lanescope::compile {
namespace {

constexpr std::size_t kKeptBytes = std::size_t{16} << 20;
constexpr int kPollMilliseconds = 20;

/// A descriptor that closes itself.
class Descriptor {
public:
    Descriptor() = default;
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    void set(int descriptor) { m_descriptor = descriptor; }
    int get() const { return m_descriptor; }
    bool isOpen() const { return m_descriptor >= 0; }
    void close() {
        if (isOpen())
            ::close(m_descriptor);
        m_descriptor = -1;
    }

private:
    int m_descriptor = -1;
};

struct Pipe {
    Descriptor read, write;
    bool open() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0)
            return false;
        read.set(ends[0]);
        write.set(ends[1]);
        return true;
    }
};

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (std::string& text : strings)
        result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

/// The child's id, or 0 with errno's value in `error`.
pid_t start(const ProcessRequest& request, const Pipe& out, const Pipe& err, int& error) {
    std::vector<std::string> arguments{request.program.string()};
    arguments.insert(arguments.end(), request.arguments.begin(), request.arguments.end());
    std::vector<std::string> environment = request.environment;
    const std::vector<char*> argv = pointers(arguments), envp = pointers(environment);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out.write.get(), 1);
    posix_spawn_file_actions_adddup2(&actions, err.write.get(), 2);
    if (!request.workingDir.empty())
        posix_spawn_file_actions_addchdir_np(&actions, request.workingDir.c_str());
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // A group of its own, so that a compiler driver's children can be ended with it.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    pid_t child = 0;
    error = ::posix_spawn(&child, request.program.c_str(), &actions, &attributes, argv.data(),
                          envp.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0 ? child : 0;
}

/// Appends what can be read now; closes the descriptor at its end.
void drain(Descriptor& from, std::string& to) {
    std::array<char, 1 << 14> buffer;
    const ssize_t count = ::read(from.get(), buffer.data(), buffer.size());
    if (count > 0)
        to.append(buffer.data(), std::min(static_cast<std::size_t>(count), kKeptBytes - to.size()));
    else if (count == 0 || (errno != EINTR && errno != EAGAIN))
        from.close();
}

int waitFor(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

Result<ProcessOutput> runProcess(const ProcessRequest& request) {
    const std::string shown = request.program.string();
    Pipe out, err;
    if (!out.open() || !err.open())
        return failure("compiler", fmt::format("no pipe to {}: {}", shown, std::strerror(errno)));
    int error = 0;
    const pid_t child = start(request, out, err, error);
    if (child == 0)
        return failure("compiler",
                       fmt::format("{} cannot be started: {}", shown, std::strerror(error)));
    out.write.close();
    err.write.close();

    ProcessOutput output;
    const auto deadline = std::chrono::steady_clock::now() + request.timeLimit;
    while (out.read.isOpen() || err.read.isOpen()) {
        const bool late = std::chrono::steady_clock::now() >= deadline;
        if (late || request.stop.stop_requested()) {
            ::kill(-child, SIGKILL);
            waitFor(child);
            if (late)
                return failure(
                    "timeout",
                    fmt::format("{} took longer than {} ms", shown, request.timeLimit.count()), {},
                    "raise the time limit or simplify the text");
            return failure("cancelled", "the compilation was cancelled");
        }
        std::array<pollfd, 2> polled{{{out.read.get(), POLLIN, 0}, {err.read.get(), POLLIN, 0}}};
        if (::poll(polled.data(), polled.size(), kPollMilliseconds) <= 0)
            continue;
        if (polled[0].revents != 0)
            drain(out.read, output.standardOutput);
        if (polled[1].revents != 0)
            drain(err.read, output.standardError);
    }
    output.exitStatus = waitFor(child);
    return output;
}

} // namespace lanescope::compile
