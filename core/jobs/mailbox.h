// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <deque>
#include <functional>
#include <mutex>

namespace ql {

/// Runs functions that any thread posts on the thread it lives on, in the order of posting, one for
/// each turn of the event loop; what they hold is let go there too, never on the posting thread.
/// What is still waiting when the mailbox goes is dropped.
class Mailbox final : public QObject
{
public:
    /// Any thread.
    void post(std::function<void()> function);

protected:
    void customEvent(QEvent *event) override;

private:
    void put(std::function<void()> function);
    std::function<void()> take();

    std::mutex m_mutex;
    std::deque<std::function<void()>> m_waiting; ///< under m_mutex
};

} // namespace ql
