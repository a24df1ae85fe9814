// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cli/run_program.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace lanescope::test {

namespace fs = std::filesystem;

namespace {

constexpr auto kTimeLimit = std::chrono::seconds(60);

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& t : texts)
        out.push_back(t.data());
    out.push_back(nullptr);
    return out;
}

std::string contents(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TemporaryFolder::TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "lanescope-cli-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr)
        m_path = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ec;
    if (!m_path.empty())
        fs::remove_all(m_path, ec);
}

RunningProgram::RunningProgram(const std::vector<std::string>& arguments,
                               const std::vector<std::string>& environment,
                               const fs::path& workingFolder, const fs::path& scratch) {
    std::string name = (scratch / "output-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        return;
    m_out = fs::path(name) / "out";
    m_err = fs::path(name) / "err";
    std::vector<std::string> argv{LANESCOPE_PROGRAM};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    std::vector<std::string> variables = environment;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, m_out.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, m_err.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addchdir_np(&actions, workingFolder.c_str());
    pid_t pid = -1;
    if (::posix_spawn(&pid, LANESCOPE_PROGRAM, &actions, nullptr, pointers(argv).data(),
                      pointers(variables).data()) == 0)
        m_pid = pid;
    posix_spawn_file_actions_destroy(&actions);
}

ProgramRun RunningProgram::finish() {
    ProgramRun run;
    if (m_pid < 0)
        return run;
    const auto deadline = std::chrono::steady_clock::now() + kTimeLimit;
    int status = 0;
    bool timedOut = false;
    while (::waitpid(m_pid, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > deadline) {
            timedOut = true;
            ::kill(m_pid, SIGKILL);
            ::waitpid(m_pid, &status, 0);
            break;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    run.status = timedOut ? -2 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    run.out = contents(m_out);
    run.err = contents(m_err);
    return run;
}

ProgramRun runProgram(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment, const fs::path& workingFolder,
                      const fs::path& scratch) {
    return RunningProgram(arguments, environment, workingFolder, scratch).finish();
}

std::vector<std::string> environmentWith(const std::map<std::string, std::string>& changes,
                                         const fs::path& scratch) {
    std::map<std::string, std::string> all{{"XDG_CACHE_HOME", (scratch / "cache").string()}};
    all.insert(changes.begin(), changes.end());
    std::vector<std::string> out;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string text = *variable;
        if (all.count(text.substr(0, text.find('='))) == 0)
            out.push_back(text);
    }
    for (const auto& [name, value] : all)
        out.push_back(name + "=" + value);
    return out;
}

} // namespace lanescope::test
