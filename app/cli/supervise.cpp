// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/supervise.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"

namespace lanescope::cli {

namespace {

using nlohmann::json;

std::string packed(const Result<std::string>& result) {
    const nlohmann::ordered_json out =
        result ? nlohmann::ordered_json{{"text", *result}} : nlohmann::ordered_json{{"errors", errorsJson(result.error())}};
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<std::string> unpacked(const std::string& bytes) {
    const json in = json::parse(bytes, nullptr, false);
    if (in.is_object() && in.contains("text"))
        return in["text"].get<std::string>();
    return failure(errorsFrom(bytes));
}

void writeAll(int file, const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t n = write(file, bytes.data() + at, bytes.size() - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        at += static_cast<std::size_t>(n);
    }
}

} // namespace

Diagnostics errorsFrom(const std::string& text) {
    const json in = json::parse(text, nullptr, false);
    Diagnostics errors;
    if (in.is_object() && in.contains("errors"))
        for (const json& e : in["errors"])
            errors.push_back({Severity::Error, e["code"], e["message"], {e["file"], e["line"], e["column"]}, e["hint"]});
    if (errors.empty())
        errors.push_back({Severity::Error, "gpu", "the process that ran the kernel ended without a result", {}, {}});
    return errors;
}

Result<std::string> supervised(const std::function<Result<std::string>()>& work, double limitSeconds) {
    int ends[2];
    if (pipe(ends) != 0)
        return failure("gpu", fmt::format("no pipe to another process: {}", std::strerror(errno)));
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0)
        return failure("gpu", fmt::format("no process to run the kernel in: {}", std::strerror(errno)));
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // who cancels this program means the kernel, too
        close(ends[0]);
        std::string out;
        try {
            out = packed(work());
        } catch (const std::exception& e) {
            out = packed(failure("gpu", e.what()));
        }
        writeAll(ends[1], out);
        _exit(0);
    }
    close(ends[1]);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(limitSeconds);
    std::string bytes;
    bool late = false;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
        pollfd readable{ends[0], POLLIN, 0};
        if (left <= 0 || poll(&readable, 1, static_cast<int>(std::min<std::int64_t>(left, 1000))) < 0) {
            late = left <= 0;
            if (late || errno != EINTR)
                break;
            continue;
        }
        if (readable.revents == 0)
            continue;
        char buffer[65536];
        const ssize_t n = read(ends[0], buffer, sizeof buffer);
        if (n <= 0)
            break;
        bytes.append(buffer, static_cast<std::size_t>(n));
    }
    close(ends[0]);
    if (late)
        kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (late)
        return failure("gpu", fmt::format("the kernel did not end within {:g} s and was stopped", limitSeconds), {},
                       "simulate it: an endless kernel is stopped at its budget with the line it is at; or allow more with --time-limit");
    if (WIFSIGNALED(status))
        return failure("gpu", fmt::format("the process that ran the kernel died ({})", strsignal(WTERMSIG(status))), {}, "simulate the kernel: findings name what is wrong");
    return unpacked(bytes);
}

} // namespace lanescope::cli
