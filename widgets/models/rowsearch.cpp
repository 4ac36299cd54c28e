// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/rowsearch.h"

#include <QElapsedTimer>

namespace ql {

namespace {

constexpr std::uint32_t Stride = 256; ///< rows between two looks at the clock

} // namespace

RowSearch::RowSearch(QObject *parent) : QObject(parent)
{
    m_next.setSingleShot(true);
    m_next.setInterval(0);
    connect(&m_next, &QTimer::timeout, this, &RowSearch::runSlice);
}

void RowSearch::search(std::uint32_t size, Wanted wanted)
{
    m_next.stop();
    m_wanted = std::move(wanted);
    m_size = size;
    m_at = 0;
    m_rows = std::make_shared<std::vector<std::uint32_t>>();
    runSlice();
}

void RowSearch::runSlice()
{
    QElapsedTimer clock;
    clock.start();
    while (m_at < m_size && clock.elapsed() < SliceMs) {
        const std::uint32_t end = std::min(m_size, m_at + Stride);
        for (; m_at < end; ++m_at) {
            if (m_wanted(m_at))
                m_rows->push_back(m_at);
        }
    }
    if (m_at < m_size)
        m_next.start();
    else
        emit found(RowSet(std::move(m_rows)));
}

} // namespace ql
