// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/output/bytesink.h"
#include "core/output/json.h"
#include "core/parallel/progress.h"

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

namespace ql::cli {

/// Standard output and standard error of one run. Output for scripts goes to the first, words for
/// people and progress to the second.
class Console
{
public:
    Console();

    /// Results. The first failure is kept (see outputProblem) and ends all further writing.
    void print(std::string_view text);
    void printJson(const Json &json) { print(dumpJson(json)); }
    /// The sink behind print(), for `-o -`.
    ByteSink &output() { return m_out; }
    const std::optional<Error> &outputProblem() const { return m_problem; }

    /// A line for people.
    void message(std::string_view text);
    /// A line that only someone who watches wants: nothing unless standard error is a terminal.
    void note(std::string_view text);

    /// Progress of a named piece of work, for scans: drawn at most ten times a second, only if standard
    /// error is a terminal. Thread-safe.
    ProgressFn progress(std::string what, std::string unit);
    void clearProgress();

private:
    void draw(const std::string &what, const std::string &unit, const Progress &progress,
              std::chrono::steady_clock::time_point began);

    DescriptorSink m_out;
    DescriptorSink m_err;
    std::optional<Error> m_problem;
    std::mutex m_mutex;
    std::chrono::steady_clock::time_point m_drawn{};
    bool m_terminal = false;
    bool m_lineShown = false;
};

} // namespace ql::cli
