// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the built `lanescope` and takes what it prints.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lanescope::test {

/// A folder that is removed at the end.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

struct ProgramRun {
    /// Exit status; 128 + signal when a signal ended it, -1 when it could not be started, -2 when
    /// it ran past the time limit.
    int status = -1;
    std::string out, err;
};

/// A program that has been started. Outputs go to files below `scratch`.
class RunningProgram {
public:
    RunningProgram(const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment,
                   const std::filesystem::path& workingFolder,
                   const std::filesystem::path& scratch);
    /// Waits, at most 60 s.
    ProgramRun finish();

private:
    std::filesystem::path m_out, m_err;
    int m_pid = -1;
};

ProgramRun runProgram(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment,
                      const std::filesystem::path& workingFolder,
                      const std::filesystem::path& scratch);

/// This process's environment with some variables set, and the cache of compiled kernels below
/// `scratch`.
std::vector<std::string> environmentWith(const std::map<std::string, std::string>& changes,
                                         const std::filesystem::path& scratch);

} // namespace lanescope::test
