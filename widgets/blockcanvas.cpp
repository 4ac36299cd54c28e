// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/blockcanvas.h"

#include "widgets/formatting.h"
#include "widgets/theme.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ql {

namespace {

struct KindColor {
    std::string_view kind;
    QRgb light;
    QRgb dark;
};

// Told apart by people with colour-blindness by lightness as well; the texts say the names too.
constexpr KindColor KindColors[] = {
    {"d", 0xff2f6fde, 0xff6ea2ff},     {"dmin", 0xff7a4fb5, 0xffb79aec},
    {"scale", 0xff0f7f86, 0xff4cc0c4}, {"min", 0xffb06a00, 0xffe0a94a},
    {"quant", 0xff3d7d2c, 0xff86c46c}, {"grid", 0xff3d7d2c, 0xff86c46c},
    {"sign", 0xffb03a62, 0xfff08bb0},  {"delta", 0xffb06a00, 0xffe0a94a},
    {"value", 0xff3d7d2c, 0xff86c46c}, {"sum", 0xff7b8694, 0xff7b8694},
};

QColor faded(QColor color, double alpha)
{
    color.setAlphaF(static_cast<float>(alpha));
    return color;
}

int longest(const QStringList &texts)
{
    qsizetype length = 1;
    for (const QString &text : texts)
        length = std::max(length, text.size());
    return static_cast<int>(length);
}

} // namespace

QColor blockKindColor(std::string_view kind, const Theme &theme)
{
    const auto row = std::ranges::find(KindColors, kind, &KindColor::kind);
    if (row == std::end(KindColors))
        return theme.muted;
    return QColor(theme.dark ? row->dark : row->light);
}

BlockCanvas::BlockCanvas(QWidget *parent) : QAbstractScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setCornerWidget(new QWidget(this)); // or Fusion draws a box between the bars
    viewport()->setAutoFillBackground(false); // the card behind shows through
    viewport()->setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Block: bytes, fields and weights"));
}

void BlockCanvas::setBlock(BlockViewPtr block)
{
    m_block = std::move(block);
    m_pointed = {};
    m_selected.reset();
    m_fieldTexts.clear();
    m_weightTexts.clear();
    m_links = m_block ? BlockLinks(m_block->fields, m_block->bytes.size()) : BlockLinks();
    if (m_block) {
        for (const BlockField &field : m_block->fields.fields)
            m_fieldTexts << shortText(field);
        for (const BlockWeight &weight : m_block->fields.weights)
            m_weightTexts << formatNumber(static_cast<double>(weight.value), locale());
    }
    arrange();
    relight();
}

void BlockCanvas::setSelectedWeight(std::optional<std::uint32_t> weight)
{
    if (m_selected == weight)
        return;
    m_selected = weight;
    relight();
}

void BlockCanvas::setPointed(const BlockTarget &target)
{
    if (m_pointed == target)
        return;
    m_pointed = target;
    relight();
}

BlockTarget BlockCanvas::litTarget() const
{
    if (!m_pointed.isNone() || !m_selected)
        return m_pointed;
    return {BlockTarget::Kind::Weight, *m_selected};
}

void BlockCanvas::relight()
{
    m_lit = m_links.highlight(litTarget());
    viewport()->update();
}

void BlockCanvas::arrange()
{
    m_geometry = {};
    if (m_block) {
        const QFontMetrics metrics(Theme::fixedFont());
        const BlockMetrics measures{metrics.horizontalAdvance(QLatin1Char('0')), metrics.height(),
                                    longest(m_weightTexts)};
        // Always as if the scroll bar was there, or it could come and go for ever.
        const int bar = verticalScrollBar()->sizeHint().width();
        const int available = width() - bar - 2 * Margin;
        m_geometry = BlockGeometry(m_block->fields, m_block->bytes.size(), available, measures);
    }
    updateScrollBars();
    viewport()->update();
}

void BlockCanvas::updateScrollBars()
{
    const QSize page =
        viewport()->size() - QSize(2 * Margin, 2 * Margin + m_geometry.stripHeight());
    const QSize content = m_geometry.size() - QSize(0, m_geometry.stripHeight());
    verticalScrollBar()->setRange(0, std::max(0, content.height() - page.height()));
    verticalScrollBar()->setPageStep(page.height());
    verticalScrollBar()->setSingleStep(20);
    horizontalScrollBar()->setRange(0, std::max(0, content.width() - page.width()));
    horizontalScrollBar()->setPageStep(page.width());
    horizontalScrollBar()->setSingleStep(20);
}

QPoint BlockCanvas::scrolled() const
{
    return {horizontalScrollBar()->value(), verticalScrollBar()->value()};
}

QPoint BlockCanvas::toViewport(QPoint p) const
{
    const bool isInStrip = p.y() < m_geometry.stripHeight();
    return p + QPoint(Margin, Margin) - (isInStrip ? QPoint() : scrolled());
}

QPoint BlockCanvas::fromViewport(QPoint p) const
{
    const QPoint inside = p - QPoint(Margin, Margin);
    return inside.y() < m_geometry.stripHeight() ? inside : inside + scrolled();
}

void BlockCanvas::ensureVisible(const QRect &rect)
{
    const auto scroll = [](QScrollBar *bar, int first, int last, int page) {
        if (first < bar->value())
            bar->setValue(first);
        else if (last > bar->value() + page)
            bar->setValue(last - page);
    };
    const int top = m_geometry.stripHeight();
    scroll(verticalScrollBar(), rect.top() - top, rect.bottom() + 2 - top,
           verticalScrollBar()->pageStep());
    scroll(horizontalScrollBar(), rect.left(), rect.right() + 2, horizontalScrollBar()->pageStep());
}

void BlockCanvas::resizeEvent(QResizeEvent *)
{
    arrange();
}

void BlockCanvas::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        viewport()->update();
    QAbstractScrollArea::changeEvent(event);
}

void BlockCanvas::point(const BlockTarget &target)
{
    if (m_pointed == target)
        return;
    setPointed(target);
    emit targetPointed(target);
}

void BlockCanvas::mouseMoveEvent(QMouseEvent *event)
{
    point(m_geometry.targetAt(fromViewport(event->pos())));
}

void BlockCanvas::leaveEvent(QEvent *)
{
    point({});
}

void BlockCanvas::mousePressEvent(QMouseEvent *event)
{
    const BlockTarget target = m_geometry.targetAt(fromViewport(event->pos()));
    if (event->button() != Qt::LeftButton || target.kind != BlockTarget::Kind::Weight)
        return;
    setSelectedWeight(target.index);
    emit weightActivated(target.index);
}

bool BlockCanvas::stepSelection(int by)
{
    const auto count = static_cast<int>(m_weightTexts.size());
    if (count == 0)
        return false;
    const int next = m_selected ? static_cast<int>(*m_selected) + by : 0;
    if (next >= 0 && next < count) {
        setPointed({});
        setSelectedWeight(static_cast<std::uint32_t>(next));
        ensureVisible(m_geometry.weightRect(*m_selected));
        emit weightActivated(static_cast<std::uint32_t>(next));
    }
    return true;
}

void BlockCanvas::keyPressEvent(QKeyEvent *event)
{
    const std::pair<int, int> steps[] = {{Qt::Key_Left, -1},
                                         {Qt::Key_Right, 1},
                                         {Qt::Key_Up, -m_geometry.weights().columns},
                                         {Qt::Key_Down, m_geometry.weights().columns}};
    const auto step = std::ranges::find(steps, event->key(), &std::pair<int, int>::first);
    if (step != std::end(steps) && stepSelection(step->second))
        return;
    if (event->key() == Qt::Key_PageDown || event->key() == Qt::Key_PageUp)
        emit pageStepped(event->key() == Qt::Key_PageDown ? 1 : -1);
    else
        QAbstractScrollArea::keyPressEvent(event);
}

void BlockCanvas::paintEvent(QPaintEvent *)
{
    if (!m_block)
        return;
    const Theme theme = themeOf(this);
    QPainter painter(viewport());
    painter.translate(Margin, Margin);
    painter.setFont(Theme::fixedFont());
    paintParts(painter, theme);
    if (m_pointed.kind == BlockTarget::Kind::Part)
        paintOutline(painter, m_pointed, QPen(theme.text, 1));
    painter.setClipRect(0, m_geometry.stripHeight() - 2, viewport()->width(), viewport()->height());
    painter.translate(-scrolled());
    paintBytes(painter, theme);
    paintFields(painter, theme);
    paintWeights(painter, theme);
    paintFocus(painter, theme);
}

QColor BlockCanvas::bitColor(std::uint32_t bit, const Theme &theme) const
{
    const auto &owners = m_links.fieldsOfBit(bit);
    if (owners.empty())
        return theme.muted;
    // Of several owners the lit one counts.
    const auto lit = std::ranges::find_if(owners, [&](std::uint32_t f) { return m_lit.fields[f]; });
    const std::uint32_t field = lit != owners.end() ? *lit : owners.front();
    return blockKindColor(m_block->fields.fields[field].kind, theme);
}

void BlockCanvas::paintParts(QPainter &painter, const Theme &theme) const
{
    const auto parts = blockLayout(m_block->fields.type);
    const bool anyLit = !litTarget().isNone();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const QRect rect = m_geometry.parts()[i];
        const QRectF map = m_geometry.partBits(i);
        painter.setPen(theme.text);
        painter.drawText(
            rect.adjusted(1, 0, 0, 0), Qt::AlignLeft | Qt::AlignTop,
            QString::fromUtf8(parts[i].name.data(), static_cast<qsizetype>(parts[i].name.size())));
        painter.setPen(theme.muted);
        painter.drawText(m_geometry.partWhat(i), Qt::AlignLeft | Qt::AlignVCenter,
                         elidedWhat(parts[i].what, i));
        const double byteWidth = map.width() / parts[i].bytes;
        for (std::uint32_t bit = 0; bit < 8 * parts[i].bytes; ++bit) {
            const std::uint32_t at = 8 * parts[i].firstByte + bit;
            const double alpha = !anyLit ? 0.45 : m_lit.bits[at] ? 1.0 : 0.16;
            const double gap = byteWidth >= 4 ? 1 : 0;
            painter.fillRect(QRectF(map.left() + bit / 8 * byteWidth,
                                    map.top() + (7 - bit % 8) * BlockGeometry::BitHeight,
                                    byteWidth - gap, BlockGeometry::BitHeight),
                             faded(bitColor(at, theme), alpha));
        }
    }
}

QString BlockCanvas::elidedWhat(std::string_view what, std::size_t part) const
{
    const QFontMetrics metrics(Theme::fixedFont());
    const int width = m_geometry.partWhat(part).width();
    const QString text = QString::fromUtf8(what.data(), static_cast<qsizetype>(what.size()));
    // A few letters and dots say nothing: pointing at the part tells all of it.
    const bool isReadable = width > 12 * metrics.horizontalAdvance(QLatin1Char('0'));
    return isReadable ? metrics.elidedText(text, Qt::ElideRight, width) : QString();
}

void BlockCanvas::paintTitle(QPainter &painter, const Theme &theme, QPoint at,
                             const QString &text) const
{
    painter.save();
    painter.setFont(Theme::textFont(Theme::SmallPx));
    painter.setPen(theme.muted);
    painter.drawText(QRect(at, QSize(400, m_geometry.titleHeight())), Qt::AlignLeft | Qt::AlignVCenter,
                     text);
    painter.restore();
}

void BlockCanvas::paintBits(QPainter &painter, const Theme &theme, std::uint32_t byte) const
{
    const auto value = std::to_integer<unsigned>(m_block->bytes[byte]);
    for (std::uint32_t bit = 8 * byte; bit < 8 * byte + 8; ++bit) {
        const bool isSet = value >> (bit % 8) & 1u;
        const QRect rect = m_geometry.bitRect(bit).adjusted(0, 0, -1, 0);
        if (m_lit.bits[bit])
            painter.fillRect(rect, bitColor(bit, theme));
        else
            painter.fillRect(rect, isSet ? faded(theme.muted, 0.65) : theme.grid);
    }
}

void BlockCanvas::paintBytes(QPainter &painter, const Theme &theme) const
{
    const CellGrid &grid = m_geometry.bytes();
    paintTitle(painter, theme, m_geometry.bytesTitle(),
               tr("%1 bytes").arg(formatCount(m_block->bytes.size())));
    for (int i = 0; i < grid.count; ++i) {
        const QRect cell = grid.rectOf(i);
        const QRect text(cell.left(), cell.top(), cell.width(), m_geometry.titleHeight() - 6);
        if (i % grid.columns == 0) {
            painter.setPen(theme.muted);
            painter.drawText(QRect(0, cell.top(),
                                   m_geometry.bytesTitle().x() + m_geometry.offsetWidth() - 8,
                                   text.height()),
                             Qt::AlignRight | Qt::AlignVCenter, QString::number(i));
        }
        const auto first = m_lit.bits.begin() + 8 * i;
        const bool isLit = std::any_of(first, first + 8, [](bool b) { return b; });
        if (isLit)
            painter.fillRect(cell.adjusted(1, 0, -1, -1), theme.selection);
        painter.setPen(isLit || litTarget().isNone() ? theme.text : theme.muted);
        const auto value = std::to_integer<unsigned>(m_block->bytes[static_cast<std::size_t>(i)]);
        painter.drawText(text, Qt::AlignCenter,
                         QStringLiteral("%1").arg(value, 2, 16, QLatin1Char('0')));
        paintBits(painter, theme, static_cast<std::uint32_t>(i));
    }
}

void BlockCanvas::paintFields(QPainter &painter, const Theme &theme) const
{
    paintTitle(painter, theme, m_geometry.fieldsTitle(), tr("Fields"));
    for (const FieldGroup &group : m_geometry.groups()) {
        const QColor color = blockKindColor(group.kind, theme);
        painter.setPen(color);
        const QString count = group.fields.size() > 1
                                  ? QStringLiteral(" \u00d7 %1").arg(group.fields.size())
                                  : QString();
        painter.drawText(group.title, Qt::AlignLeft | Qt::AlignVCenter, group.name + count);
        for (int i = 0; i < group.cells.count; ++i) {
            const std::uint32_t field = group.fields[static_cast<std::size_t>(i)];
            const QRect cell = group.cells.rectOf(i);
            if (m_lit.fields[field])
                painter.fillRect(cell.adjusted(1, 1, 0, 0), faded(color, theme.dark ? 0.38 : 0.24));
            painter.setPen(m_lit.fields[field] || litTarget().isNone() ? theme.text : theme.muted);
            const auto align = group.cells.count > 1 ? Qt::AlignRight : Qt::AlignLeft;
            painter.drawText(cell.adjusted(4, 0, -4, 0), align | Qt::AlignVCenter,
                             m_fieldTexts[static_cast<int>(field)]);
        }
    }
}

void BlockCanvas::paintWeights(QPainter &painter, const Theme &theme) const
{
    const CellGrid &grid = m_geometry.weights();
    paintTitle(painter, theme, m_geometry.weightsTitle(),
               formatWeightCount(m_block->fields.weights.size()));
    for (int i = 0; i < grid.count; ++i) {
        const auto w = static_cast<std::size_t>(i);
        const bool isLit = m_lit.weights[w];
        const QRect cell = grid.rectOf(i);
        if (isLit)
            painter.fillRect(cell.adjusted(1, 1, 0, 0), theme.selection);
        const bool isFinite = std::isfinite(m_block->fields.weights[w].value);
        const QColor color = isLit || litTarget().isNone() ? theme.text : theme.muted;
        painter.setPen(isFinite ? color : theme.danger);
        painter.drawText(cell.adjusted(0, 0, -4, 0), Qt::AlignRight | Qt::AlignVCenter,
                         m_weightTexts[i]);
    }
}

QRect BlockCanvas::targetRect(const BlockTarget &target) const
{
    using Kind = BlockTarget::Kind;
    switch (target.kind) {
    case Kind::Part: return m_geometry.parts()[target.index];
    case Kind::Byte: return m_geometry.bytes().rectOf(static_cast<int>(target.index));
    case Kind::Bit: return m_geometry.bitRect(target.index);
    case Kind::Field: return m_geometry.fieldRect(target.index);
    case Kind::Weight: return m_geometry.weightRect(target.index);
    case Kind::Weights: // pointed at in the other block alone
    case Kind::None: break;
    }
    return {};
}

void BlockCanvas::paintFocus(QPainter &painter, const Theme &theme) const
{
    if (m_selected)
        paintOutline(painter, {BlockTarget::Kind::Weight, *m_selected}, QPen(theme.accent, 1.5));
    if (!m_pointed.isNone() && m_pointed.kind != BlockTarget::Kind::Part)
        paintOutline(painter, m_pointed, QPen(theme.text, 1));
}

void BlockCanvas::paintOutline(QPainter &painter, const BlockTarget &target, const QPen &pen) const
{
    painter.setPen(pen);
    painter.drawRoundedRect(QRectF(targetRect(target)).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
}

} // namespace ql
