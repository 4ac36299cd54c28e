// SPDX-License-Identifier: GPL-3.0-or-later
// What ValuesView copies: the chosen rectangle, put together in slices; what it does else is in valuesview.cpp.
#include "widgets/formatting.h"
#include "widgets/valuesview.h"

#include <QClipboard>
#include <QGuiApplication>

#include <algorithm>

namespace ql {

namespace {

constexpr std::uint64_t CopySliceCells = 8192;

std::uint64_t cellsOf(const ValuesWindow &window) { return window.rows * window.columns; }

bool isTooMuch(const ValuesWindow &window)
{
    return window.rows > ValuesPage::MaxCells || window.columns > ValuesPage::MaxCells
           || cellsOf(window) > ValuesPage::MaxCells;
}

/// A line a weight: row, column, and what each page has there.
QString asList(const std::vector<ValuesPagePtr> &pages, const ValuesWindow &part)
{
    std::string text;
    for (std::uint64_t row = part.firstRow; row < part.firstRow + part.rows; ++row) {
        for (std::uint64_t column = part.firstColumn; column < part.firstColumn + part.columns; ++column) {
            text += std::to_string(row) + '\t' + std::to_string(column);
            for (const ValuesPagePtr &page : pages)
                text += '\t' + page->text(row, column);
            text += '\n';
        }
    }
    return QString::fromStdString(text);
}

} // namespace

void ValuesView::stopCopy()
{
    m_copyTimer.stop();
    m_copy.reset();
}

bool ValuesView::findCopyPages()
{
    std::vector<ValuesPagePtr> pages;
    for (const ValuesOf of : shownLayers())
        pages.push_back(covering(m_copy->window, of));
    if (std::ranges::find(pages, nullptr) != pages.end())
        return false;
    m_copy->pages = std::move(pages);
    return true;
}

void ValuesView::copySelection()
{
    if (!m_current)
        return;
    const ValuesWindow window = selection();
    if (isTooMuch(window)) {
        emit reported(tr("%1 \u00d7 %2 cells are too many to copy; at most %3 at once")
                          .arg(formatCount(window.rows), formatCount(window.columns),
                               formatCount(ValuesPage::MaxCells)));
        return;
    }
    m_copy = Copy{window, {}, window.firstRow, {}};
    if (m_shown == ValuesShown::All)
        m_copy->text = QStringLiteral("row\tcolumn\tA\tB\tA-B\n");
    if (!findCopyPages())
        return emitRequest(window);
    if (cellsOf(window) <= CopySliceCells)
        continueCopy();
    else
        m_copyTimer.start();
}

QString ValuesView::copyText(const ValuesWindow &part) const
{
    if (m_copy->pages.size() > 1)
        return asList(m_copy->pages, part);
    return QString::fromStdString(valuesAsTsv(*m_copy->pages.front(), part));
}

void ValuesView::continueCopy()
{
    const ValuesWindow &all = m_copy->window;
    const std::uint64_t end = all.firstRow + all.rows;
    const std::uint64_t rows =
        std::clamp<std::uint64_t>(CopySliceCells / all.columns, 1, end - m_copy->nextRow);
    m_copy->text += copyText({m_copy->nextRow, rows, all.firstColumn, all.columns});
    m_copy->nextRow += rows;
    if (m_copy->nextRow == end)
        finishCopy(m_copy->text);
}

void ValuesView::finishCopy(const QString &text)
{
    // One cell is more often pasted into a line than into a table.
    const std::uint64_t cells = cellsOf(m_copy->window);
    QGuiApplication::clipboard()->setText(cells == 1 ? text.trimmed() : text);
    stopCopy();
    emit reported(tr("Copied %1").arg(formatWeightCount(cells)));
}

} // namespace ql
