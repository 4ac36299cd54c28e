// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/mailbox.h"

#include <QCoreApplication>
#include <QEvent>

#include <memory>
#include <utility>

namespace ql {

void Mailbox::post(std::function<void()> function)
{
    auto event = std::make_unique<QEvent>(QEvent::User);
    put(std::move(function));
    QCoreApplication::postEvent(this, event.release());
}

void Mailbox::customEvent(QEvent *)
{
    const auto function = take();
    function();
}

void Mailbox::put(std::function<void()> function)
{
    const std::lock_guard lock(m_mutex);
    m_waiting.push_back(std::move(function));
}

std::function<void()> Mailbox::take()
{
    const std::lock_guard lock(m_mutex);
    auto function = std::move(m_waiting.front());
    m_waiting.pop_front();
    return function;
}

} // namespace ql
