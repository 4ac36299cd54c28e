// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/valuesview.h"

#include "widgets/formatting.h"
#include "widgets/theme.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace ql {

namespace {

// Requests within this time become one; the first page still comes well before it is missed.
constexpr int RequestDelayMs = 20;
constexpr int LeastTextLength = 9;
constexpr int MostTextLength = 24;

std::uint64_t back(std::uint64_t from, std::uint64_t by) { return from > by ? from - by : 0; }

} // namespace

ValuesView::ValuesView(QWidget *parent) : QAbstractScrollArea(parent)
{
    setObjectName(QStringLiteral("valuesView"));
    setAccessibleName(tr("Values"));
    setFrameShape(QFrame::NoFrame);
    setCornerWidget(new QWidget(this)); // or Fusion draws a box between the bars
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setAutoFillBackground(false);
    m_requestTimer.setSingleShot(true);
    m_requestTimer.setInterval(RequestDelayMs);
    m_copyTimer.setInterval(0);
    connect(&m_requestTimer, &QTimer::timeout, this, &ValuesView::requestMissing);
    connect(&m_copyTimer, &QTimer::timeout, this, &ValuesView::continueCopy);
    measure();
}

void ValuesView::setShape(std::uint64_t rows, std::uint64_t columns)
{
    m_geometry.rows = rows;
    m_geometry.columns = columns;
    m_geometry.top = m_geometry.left = 0;
    m_layers = {};
    m_pending.reset();
    stopCopy();
    m_textLength = LeastTextLength;
    m_anchor = {};
    m_current = m_geometry.isEmpty() ? std::nullopt : std::optional(CellPlace{});
    measure();
    scrollChanged();
}

void ValuesView::measure()
{
    const QFontMetrics metrics(Theme::fixedFont());
    const int character = metrics.horizontalAdvance(QLatin1Char('0'));
    const auto digits = std::max<qsizetype>(formatCount(back(m_geometry.rows, 1)).size(), 3);
    const int lines = static_cast<int>(shownLayers().size());
    m_geometry.cell = {m_textLength * character + 16, lines * metrics.height() + 5};
    m_geometry.header = {static_cast<int>(digits) * character + 20, metrics.height() + 10};
    m_geometry.viewport = viewport()->size();
    m_geometry.clampScroll();
}

void ValuesView::widenFor(const ValuesPage &page)
{
    constexpr std::uint64_t Looked = 2048; // enough to know; the rest is elided
    std::size_t length = static_cast<std::size_t>(m_textLength);
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(page.values.size(), Looked); ++i) {
        const std::uint64_t row = page.window.firstRow + i / page.window.columns;
        length = std::max(length,
                          page.text(row, page.window.firstColumn + i % page.window.columns).size());
    }
    m_textLength = std::min(static_cast<int>(length), MostTextLength);
    measure();
    updateScrollBars();
}

std::vector<ValuesOf> ValuesView::shownLayers() const
{
    if (m_shown == ValuesShown::All)
        return {ValuesOf::A, ValuesOf::B, ValuesOf::Difference};
    return {static_cast<ValuesOf>(m_shown)};
}

void ValuesView::setShown(ValuesShown shown)
{
    if (m_shown == shown)
        return;
    m_shown = shown;
    stopCopy();
    m_pending.reset();
    measure();
    if (m_current)
        m_geometry.ensureVisible(*m_current);
    scrollChanged();
}

void ValuesView::forgetB()
{
    m_layers[static_cast<std::size_t>(ValuesOf::B)] = {};
    m_layers[static_cast<std::size_t>(ValuesOf::Difference)] = {};
    m_pending.reset();
    stopCopy();
    scrollChanged();
}

void ValuesView::addPage(ValuesPagePtr page, ValuesOf of)
{
    Layer &layer = m_layers[static_cast<std::size_t>(of)];
    for (const double value : page->values)
        if (std::isfinite(value))
            layer.largest = std::max(layer.largest, std::abs(value));
    if (of != ValuesOf::Difference) // which is shown with fewer digits
        widenFor(*page);
    layer.pages.push_front(std::move(page));
    if (layer.pages.size() > MaxPages)
        layer.pages.pop_back();
}

/// The difference belongs to a window that has come of both sides.
void ValuesView::addDifference(const ValuesPage &page, ValuesOf of)
{
    const Layer &other = layer(of == ValuesOf::A ? ValuesOf::B : ValuesOf::A);
    const auto same = std::ranges::find(other.pages, page.window, [](const ValuesPagePtr &p) { return p->window; });
    if (same == other.pages.end())
        return;
    if (auto difference = of == ValuesOf::A ? differenceOf(page, **same) : differenceOf(**same, page))
        addPage(std::move(difference), ValuesOf::Difference);
}

void ValuesView::setPage(ValuesPagePtr page, ValuesOf of)
{
    if (!page || page->tensorRows != m_geometry.rows || page->tensorColumns != m_geometry.columns)
        return;
    addPage(page, of);
    addDifference(*page, of);
    if (m_pending && isCovered(*m_pending))
        m_pending.reset(); // until then the other side's page is on its way
    if (m_copy && m_copy->pages.empty() && findCopyPages())
        m_copyTimer.start();
    viewport()->update();
    m_requestTimer.start();
}

void ValuesView::setRequestFailed()
{
    stopCopy();
}

void ValuesView::setCurrent(const CellPlace &place)
{
    if (m_geometry.isEmpty() || place.row >= m_geometry.rows || place.column >= m_geometry.columns)
        return;
    m_current = m_anchor = place;
    m_geometry.ensureVisible(place);
    scrollChanged();
}

void ValuesView::selectCell(const CellPlace &place, bool extend)
{
    if (m_geometry.isEmpty() || m_current == place)
        return;
    const CellPlace anchor = extend ? m_anchor : place;
    setCurrent(place);
    m_anchor = anchor;
    emit cellSelected(place.row, place.column);
}

ValuesWindow ValuesView::selection() const
{
    return m_current ? windowBetween(m_anchor, *m_current) : ValuesWindow{};
}

void ValuesView::setColored(bool colored)
{
    m_colored = colored;
    viewport()->update();
}

void ValuesView::setColorRange(std::optional<double> magnitude)
{
    m_colorRange = magnitude;
    viewport()->update();
}

ValuesPagePtr ValuesView::covering(const ValuesWindow &window, ValuesOf of) const
{
    const auto &pages = layer(of).pages;
    const auto page =
        std::ranges::find_if(pages, [&](const ValuesPagePtr &p) { return isInside(window, p->window); });
    return page != pages.end() ? *page : nullptr;
}

const ValuesPage *ValuesView::pageOf(const CellPlace &place, ValuesOf of) const
{
    return covering({place.row, 1, place.column, 1}, of).get();
}

std::optional<QString> ValuesView::cellText(const CellPlace &place, ValuesOf of) const
{
    const ValuesPage *page = pageOf(place, of);
    if (!page)
        return std::nullopt;
    return QString::fromStdString(page->text(place.row, place.column));
}

std::optional<QString> ValuesView::cellText(const CellPlace &place) const
{
    return cellText(place, shownLayers().front());
}

bool ValuesView::isCovered(const ValuesWindow &window) const
{
    return std::ranges::all_of(shownLayers(), [&](ValuesOf of) { return covering(window, of) != nullptr; });
}

void ValuesView::updateScrollBars()
{
    m_movingBars = true;
    const ScrollScale vertical{m_geometry.lastTop()};
    const ScrollScale horizontal{m_geometry.lastLeft()};
    verticalScrollBar()->setRange(0, vertical.maximum());
    verticalScrollBar()->setPageStep(static_cast<int>(m_geometry.wholeRows()));
    verticalScrollBar()->setValue(vertical.toBar(m_geometry.top));
    horizontalScrollBar()->setRange(0, horizontal.maximum());
    horizontalScrollBar()->setPageStep(static_cast<int>(m_geometry.wholeColumns()));
    horizontalScrollBar()->setValue(horizontal.toBar(m_geometry.left));
    m_movingBars = false;
}

void ValuesView::scrollChanged()
{
    updateScrollBars();
    viewport()->update();
    if (!m_requestTimer.isActive())
        m_requestTimer.start();
}

void ValuesView::scrollContentsBy(int dx, int dy)
{
    if (m_movingBars)
        return;
    // Only the bar that moved says something new: the other one may stand for many positions.
    if (dy != 0)
        m_geometry.top = ScrollScale{m_geometry.lastTop()}.fromBar(verticalScrollBar()->value());
    if (dx != 0)
        m_geometry.left =
            ScrollScale{m_geometry.lastLeft()}.fromBar(horizontalScrollBar()->value());
    scrollChanged();
}

void ValuesView::wheelEvent(QWheelEvent *event)
{
    constexpr int UnitsPerStep = 120;
    const bool sideways = event->modifiers() & Qt::ShiftModifier;
    m_wheelRest += sideways ? QPoint(event->angleDelta().y(), 0) : event->angleDelta();
    const QPoint steps = m_wheelRest / UnitsPerStep * (sideways ? 1 : 3);
    m_wheelRest = {m_wheelRest.x() % UnitsPerStep, m_wheelRest.y() % UnitsPerStep};
    const auto by = [](std::uint64_t from, int n) {
        return n > 0 ? back(from, static_cast<std::uint64_t>(n))
                     : from + static_cast<std::uint64_t>(-n);
    };
    m_geometry.top = by(m_geometry.top, steps.y());
    m_geometry.left = by(m_geometry.left, steps.x());
    m_geometry.clampScroll();
    scrollChanged();
    event->accept();
}

void ValuesView::resizeEvent(QResizeEvent *)
{
    measure();
    scrollChanged();
}

void ValuesView::showEvent(QShowEvent *event)
{
    QAbstractScrollArea::showEvent(event);
    m_requestTimer.start();
}

void ValuesView::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        viewport()->update();
    QAbstractScrollArea::changeEvent(event);
}

void ValuesView::requestMissing()
{
    if (m_geometry.isEmpty() || !isVisible() || (m_copy && m_copy->pages.empty()))
        return;
    if (!isCovered(m_geometry.visible()))
        emitRequest(m_geometry.wanted());
}

void ValuesView::emitRequest(const ValuesWindow &window)
{
    if (m_pending == window)
        return;
    m_pending = window;
    if (m_shown != ValuesShown::B)
        emit pageRequested(window);
    if (m_shown != ValuesShown::A)
        emit pageBRequested(window);
}

CellPlace ValuesView::moved(int key, bool control) const
{
    CellPlace at = *m_current;
    const CellPlace last{m_geometry.rows - 1, m_geometry.columns - 1};
    switch (key) {
    case Qt::Key_Left: at.column = back(at.column, 1); break;
    case Qt::Key_Right: at.column = std::min(at.column + 1, last.column); break;
    case Qt::Key_Up: at.row = back(at.row, 1); break;
    case Qt::Key_Down: at.row = std::min(at.row + 1, last.row); break;
    case Qt::Key_PageUp: at.row = back(at.row, m_geometry.wholeRows()); break;
    case Qt::Key_PageDown: at.row = std::min(at.row + m_geometry.wholeRows(), last.row); break;
    case Qt::Key_Home: at = control ? CellPlace{} : CellPlace{at.row, 0}; break;
    case Qt::Key_End: at = control ? last : CellPlace{at.row, last.column}; break;
    default: break;
    }
    return at;
}

void ValuesView::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy))
        return copySelection();
    if (!m_current)
        return QAbstractScrollArea::keyPressEvent(event);
    const CellPlace place = moved(event->key(), event->modifiers() & Qt::ControlModifier);
    if (place == *m_current)
        return QAbstractScrollArea::keyPressEvent(event);
    selectCell(place, event->modifiers() & Qt::ShiftModifier);
}

void ValuesView::mousePressEvent(QMouseEvent *event)
{
    const auto place = m_geometry.cellAt(event->pos());
    if (event->button() == Qt::LeftButton && place)
        selectCell(*place, event->modifiers() & Qt::ShiftModifier);
}

void ValuesView::mouseMoveEvent(QMouseEvent *event)
{
    if (event->buttons() & Qt::LeftButton && m_current)
        selectCell(m_geometry.nearestCell(event->pos()), true);
}

} // namespace ql
