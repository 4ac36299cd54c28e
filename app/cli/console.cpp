// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/console.h"

#include "app/cli/humantext.h"
#include "core/model/tensorname.h"

#include <unistd.h>

namespace ql::cli {

using Clock = std::chrono::steady_clock;

namespace {

/// What a terminal may be shown. Names from files are escaped already: backslashes stay.
std::string printable(std::string_view text)
{
    std::string shown;
    while (true) {
        const auto backslash = text.find('\\');
        shown += escapeText(text.substr(0, backslash));
        if (backslash == text.npos)
            return shown;
        shown += '\\';
        text.remove_prefix(backslash + 1);
    }
}

} // namespace

Console::Console()
    : m_out(STDOUT_FILENO, "standard output"), m_err(STDERR_FILENO, "standard error"),
      m_terminal(::isatty(STDERR_FILENO) == 1)
{
}

void Console::print(std::string_view text)
{
    if (m_problem)
        return;
    clearProgress();
    if (auto written = m_out.write(text); !written)
        m_problem = written.error();
}

void Console::message(std::string_view text)
{
    clearProgress();
    // Nobody can be told that the place for messages is gone.
    (void)m_err.write(printable(text) + "\n");
}

void Console::note(std::string_view text)
{
    if (m_terminal)
        message(text);
}

ProgressFn Console::progress(std::string what, std::string unit)
{
    if (!m_terminal)
        return {};
    return [this, what = std::move(what), unit = std::move(unit), began = Clock::now()](const Progress &p) {
        draw(what, unit, p, began);
    };
}

void Console::draw(const std::string &what, const std::string &unit, const Progress &progress,
                   Clock::time_point began)
{
    const std::unique_lock lock(m_mutex, std::try_to_lock);
    const auto now = Clock::now();
    if (!lock.owns_lock() || now - m_drawn < std::chrono::milliseconds(100))
        return;
    m_drawn = now;
    const double seconds = std::chrono::duration<double>(now - began).count();
    const double percent = progress.total ? 100.0 * static_cast<double>(progress.done) / static_cast<double>(progress.total) : 0;
    const double rate = seconds > 0 ? static_cast<double>(progress.done) / seconds : 0;
    (void)m_err.write("\r" + printable(what) + "  " + significant(percent, 3) + " %  " + scaled(rate) + unit + "/s\x1b[K");
    m_lineShown = true;
}

void Console::clearProgress()
{
    const std::scoped_lock lock(m_mutex);
    if (m_lineShown)
        (void)m_err.write("\r\x1b[K");
    m_lineShown = false;
}

} // namespace ql::cli
