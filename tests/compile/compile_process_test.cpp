// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>

#include <functional>
#include <thread>

#include "engine/compile/process.h"
#include "tests/compile/support.h"

using namespace lanescope;
using namespace lanescope::compile;
using namespace std::chrono_literals;

namespace {
ProcessRequest shell(const std::string& script) {
    ProcessRequest request;
    request.program = "/bin/sh";
    request.arguments = {"-c", script};
    request.environment = {"PATH=/usr/bin:/bin"};
    return request;
}
double secondsOf(const std::function<void()>& action) {
    const auto begin = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}
} // namespace

TEST_CASE("a process gives its status and both streams, and gets its arguments as they are") {
    auto output = runProcess(shell("echo out; echo err >&2; exit 3"));
    REQUIRE(output);
    CHECK(output->exitStatus == 3);
    CHECK(output->standardOutput == "out\n");
    CHECK(output->standardError == "err\n");

    ProcessRequest request = shell("");
    request.program = "/usr/bin/printf";
    request.arguments = {"%s|", "a b", "$(id)", "; exit 9", "'\""};
    output = runProcess(request);
    REQUIRE(output);
    CHECK(output->standardOutput == "a b|$(id)|; exit 9|'\"|");
}

TEST_CASE(
    "a process runs in its folder with only its environment, and much output does not block it") {
    const test::TemporaryFolder folder;
    ProcessRequest request =
        shell("pwd; env | grep -c HOME; head -c 3000000 /dev/zero | tr '\\0' x >&2");
    request.workingDir = std::filesystem::canonical(folder.path());
    auto output = runProcess(request);
    REQUIRE(output);
    CHECK(output->standardOutput == request.workingDir.string() + "\n0\n");
    CHECK(output->standardError.size() == 3000000);
}

TEST_CASE("a signal, a missing program, a time limit, a cancellation") {
    auto output = runProcess(shell("kill -9 $$"));
    REQUIRE(output);
    CHECK(output->exitStatus == 128 + 9);

    ProcessRequest missing = shell("");
    missing.program = "/nonexistent/compiler";
    output = runProcess(missing);
    REQUIRE_FALSE(output);
    CHECK(output.error().front().code == "compiler");

    // The child's own child holds the pipe open: both must go.
    ProcessRequest slow = shell("sleep 30 & sleep 30");
    slow.timeLimit = 200ms;
    const double late = secondsOf([&] { output = runProcess(slow); });
    REQUIRE_FALSE(output);
    CHECK(output.error().front().code == "timeout");
    CHECK(late < 10);

    std::stop_source source;
    ProcessRequest cancelled = shell("sleep 30");
    cancelled.stop = source.get_token();
    std::jthread canceller([&source] {
        std::this_thread::sleep_for(100ms);
        source.request_stop();
    });
    const double early = secondsOf([&] { output = runProcess(cancelled); });
    REQUIRE_FALSE(output);
    CHECK(output.error().front().code == "cancelled");
    CHECK(early < 10);
}
