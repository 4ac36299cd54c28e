// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/blockpanel.h"

#include "widgets/blockcanvas.h"
#include "widgets/blockside.h"
#include "widgets/blocktext.h"
#include "widgets/card.h"
#include "widgets/stateplaceholder.h"
#include "widgets/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace ql {

namespace {

/// The weight of a block that stands in this row and column of the tensor.
std::optional<std::uint32_t> weightAt(const BlockViewData &block, const Selection &selection)
{
    if (!selection.row || !selection.column || *selection.row != block.row)
        return std::nullopt;
    const std::uint64_t weight = *selection.column - block.firstColumn;
    if (*selection.column < block.firstColumn || weight >= block.fields.weights.size())
        return std::nullopt;
    return static_cast<std::uint32_t>(weight);
}

/// Which of its blocks lies over the weights of one of the other file's; "" where that is the only one.
QString shareOf(const BlockSide &side, const BlockSide &other)
{
    if (!side.block() || !other.block() || side.block()->row != other.block()->row)
        return {};
    const std::uint64_t mine = side.block()->fields.weights.size();
    const std::uint64_t its = other.block()->fields.weights.size();
    const std::uint64_t start = other.block()->firstColumn;
    if (mine >= its || side.block()->firstColumn < start || side.block()->firstColumn >= start + its)
        return {};
    return BlockPanel::tr("%1 of %2 over the same weights")
        .arg((side.block()->firstColumn - start) / mine + 1)
        .arg((its + mine - 1) / mine);
}

/// The weights [first, last] that a target lights; nothing where it lights none, or some here and some there.
std::optional<std::pair<std::uint64_t, std::uint64_t>> litWeights(const BlockSide &side, const BlockTarget &target)
{
    const std::vector<bool> lit = side.canvas()->links().highlight(target).weights;
    const auto first = std::ranges::find(lit, true);
    if (first == lit.end())
        return std::nullopt;
    const auto end = std::find(first, lit.end(), false);
    if (std::find(end, lit.end(), true) != lit.end())
        return std::nullopt;
    return std::pair(static_cast<std::uint64_t>(first - lit.begin()),
                     static_cast<std::uint64_t>(end - lit.begin() - 1));
}

/// What belongs to a target of one file's block in the other's: the same place of the same type, else
/// everything over the same weights.
BlockTarget counterpart(const BlockSide &side, const BlockViewData &its, const BlockTarget &target)
{
    const BlockViewData &mine = *side.block();
    if (its.fields.type == mine.fields.type && its.row == mine.row && its.firstColumn == mine.firstColumn)
        return target;
    const auto lit = litWeights(side, target);
    if (!lit || its.row != mine.row)
        return {};
    const std::uint64_t end = its.firstColumn + its.fields.weights.size();
    const std::uint64_t first = std::max(mine.firstColumn + lit->first, its.firstColumn);
    const std::uint64_t last = std::min(mine.firstColumn + lit->second + 1, end);
    if (first >= last)
        return {};
    const auto index = static_cast<std::uint32_t>(first - its.firstColumn);
    if (target.kind == BlockTarget::Kind::Weight)
        return {BlockTarget::Kind::Weight, index};
    return {BlockTarget::Kind::Weights, index, static_cast<std::uint32_t>(last - first)};
}

} // namespace

BlockPanel::BlockPanel(QWidget *parent)
    : QWidget(parent)
    , m_a(new BlockSide(QStringLiteral("A"), this))
    , m_b(new BlockSide(QStringLiteral("B"), this))
    , m_detail(new QLabel(this))
    , m_content(new Card({}, this))
    , m_state(new StatePlaceholder(this))
{
    setObjectName(QStringLiteral("blockPanel"));
    setAccessibleName(tr("Block"));
    m_detail->setObjectName(QStringLiteral("blockDetail"));
    m_detail->setAccessibleName(tr("What is pointed at"));
    m_detail->setFont(Theme::fixedFont());
    m_detail->setWordWrap(true);
    m_detail->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_detail->setMinimumHeight(2 * m_detail->fontMetrics().height() + 2);
    m_detail->setTextInteractionFlags(Qt::TextSelectableByMouse);

    auto *sides = new QHBoxLayout;
    sides->setSpacing(24);
    sides->addWidget(m_a, 1);
    sides->addWidget(m_b, 1);
    auto *body = static_cast<Card *>(m_content)->body();
    body->addLayout(sides, 1);
    body->addWidget(m_detail);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_content);
    layout->addWidget(m_state);
    connectSide(m_a, m_b);
    connectSide(m_b, m_a);
    updateState();
}

void BlockPanel::connectSide(BlockSide *side, BlockSide *other)
{
    connect(side, &BlockSide::blockRequested, this, &BlockPanel::blockRequested);
    connect(side->canvas(), &BlockCanvas::weightActivated, this,
            [this, side](std::uint32_t weight) {
                const std::uint64_t column = side->block()->firstColumn + weight;
                showDetail(side, side->canvas()->litTarget());
                emit weightSelected(side->block()->row, column);
            });
    connect(side->canvas(), &BlockCanvas::targetPointed, this,
            [this, side, other](const BlockTarget &target) {
                showDetail(side, side->canvas()->litTarget());
                if (other->block())
                    other->canvas()->setPointed(counterpart(*side, *other->block(), target));
            });
}

void BlockPanel::showDetail(const BlockSide *side, const BlockTarget &target)
{
    const QString hint = tr("Point at a bit, byte, field or weight to see what it is made of.");
    m_detail->setText(target.isNone() || !side->block()
                          ? hint
                          : blockTargetText(*side->block(), side->canvas()->links(), target));
    m_detail->setForegroundRole(target.isNone() ? QPalette::PlaceholderText : QPalette::WindowText);
}

void BlockPanel::lightSelection(BlockSide *side) const
{
    side->selectWeight(side->block() ? weightAt(*side->block(), m_selection) : std::nullopt);
}

void BlockPanel::setBlock(BlockViewPtr block)
{
    m_error.clear();
    m_a->setBlock(std::move(block));
    lightSelection(m_a);
    updateState();
}

void BlockPanel::setBlockB(BlockViewPtr block)
{
    m_b->setBlock(std::move(block));
    lightSelection(m_b);
    updateState();
}

void BlockPanel::setError(const QString &what)
{
    m_error = what;
    updateState();
}

void BlockPanel::setSelection(const Selection &selection)
{
    m_selection = selection;
    lightSelection(m_a);
    lightSelection(m_b);
    showDetail(m_a, m_a->canvas()->litTarget());
}

void BlockPanel::updateState()
{
    const bool isShown = m_error.isEmpty() && m_a->block();
    const bool isComparing = isShown && m_b->block();
    m_content->setVisible(isShown);
    m_state->setVisible(!isShown);
    m_b->setVisible(isComparing);
    m_a->setLetterShown(isComparing);
    m_b->setLetterShown(isComparing);
    m_a->setShare(isComparing ? shareOf(*m_a, *m_b) : QString());
    m_b->setShare(isComparing ? shareOf(*m_b, *m_a) : QString());
    if (!m_error.isEmpty())
        m_state->showError(tr("This block can't be shown"), m_error);
    else if (!isShown)
        m_state->showEmpty(tr("No block selected"),
                           tr("Click into the heat map or the values to take a block apart."));
    showDetail(m_a, m_a->canvas()->litTarget());
}

BlockCanvas *BlockPanel::canvas() const
{
    return m_a->canvas();
}

BlockCanvas *BlockPanel::canvasB() const
{
    return m_b->canvas();
}

} // namespace ql
