// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/blockside.h"

#include "widgets/blockcanvas.h"
#include "widgets/blocktext.h"
#include "widgets/card.h"
#include "widgets/chip.h"
#include "widgets/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ql {

namespace {

QLabel *fixedLabel(QWidget *parent, const char *name)
{
    auto *label = new QLabel(parent);
    label->setObjectName(QLatin1String(name));
    label->setFont(Theme::fixedFont());
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

} // namespace

BlockSide::BlockSide(const QString &letter, QWidget *parent)
    : QWidget(parent)
    , m_letter(new QLabel(letter, this))
    , m_name(fixedLabel(this, "blockTensor"))
    , m_chip(new ChipLabel(this))
    , m_place(Card::mutedLabel({}, this))
    , m_formula(fixedLabel(this, "blockFormula"))
    , m_canvas(new BlockCanvas(this))
{
    m_letter->setFont(Theme::strongFont());
    m_letter->setForegroundRole(letter == QLatin1String("B") ? Theme::TextOfB : Theme::TextOfA);
    m_place->setObjectName(QStringLiteral("blockPlace"));
    m_place->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_name->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_canvas->setObjectName(QStringLiteral("blockCanvas") + letter);

    auto *top = new QHBoxLayout;
    top->setSpacing(8);
    top->addWidget(m_letter);
    top->addWidget(m_chip);
    top->addWidget(m_name, 1);
    top->addWidget(addStep(QStringLiteral("\u2190"), QStringLiteral("previousBlock"),
                           tr("Previous block (Page Up)"), -1, 0));
    top->addWidget(addStep(QStringLiteral("\u2192"), QStringLiteral("nextBlock"),
                           tr("Next block (Page Down)"), 1, 0));
    top->addWidget(addStep(QStringLiteral("\u2191"), QStringLiteral("blockRowUp"),
                           tr("Same block of the row above"), 0, -1));
    top->addWidget(addStep(QStringLiteral("\u2193"), QStringLiteral("blockRowDown"),
                           tr("Same block of the row below"), 0, 1));

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addLayout(top);
    layout->addWidget(m_place);
    layout->addWidget(m_formula);
    layout->addWidget(m_canvas, 1);
    connect(m_canvas, &BlockCanvas::pageStepped, this, [this](int blocks) { step(blocks, 0); });
    setLetterShown(false);
    updateButtons();
}

QToolButton *BlockSide::addStep(const QString &text, const QString &name, const QString &hint,
                                int blocks, int rows)
{
    auto *button = new QToolButton(this);
    button->setText(text);
    button->setObjectName(name);
    button->setAccessibleName(hint);
    button->setToolTip(hint);
    button->setAutoRaise(true);
    connect(button, &QToolButton::clicked, this, [this, blocks, rows] { step(blocks, rows); });
    m_steps.push_back({button, blocks, rows});
    return button;
}

void BlockSide::setBlock(BlockViewPtr block)
{
    m_canvas->setBlock(block);
    updateButtons();
    if (!block)
        return;
    m_name->setText(QString::fromStdString(block->tensorName));
    m_chip->setType(static_cast<std::uint32_t>(block->fields.type));
    showPlace();
    m_formula->setText(QString::fromUtf8(block->fields.formula.data(),
                                         static_cast<qsizetype>(block->fields.formula.size())));
}

void BlockSide::setShare(const QString &text)
{
    m_share = text;
    showPlace();
}

void BlockSide::showPlace()
{
    if (!block())
        return;
    const QString place = blockPlaceText(*block());
    // The share first: the line is cut at its end where the view is narrow.
    m_place->setText(m_share.isEmpty() ? place : m_share + QStringLiteral(" \u00b7 ") + place);
    m_place->setToolTip(m_place->text());
}

const BlockViewPtr &BlockSide::block() const
{
    return m_canvas->block();
}

void BlockSide::selectWeight(std::optional<std::uint32_t> weight)
{
    m_canvas->setSelectedWeight(weight);
    if (!weight || m_canvas->underMouse())
        return;
    // From outside, its byte comes into sight, from the top where it can: what it is stands in words below.
    if (!m_canvas->hasFocus())
        m_canvas->verticalScrollBar()->setValue(0);
    m_canvas->ensureVisible(m_canvas->hasFocus() ? m_canvas->geometryOfBlock().weightRect(*weight)
                                                 : byteRect(*weight));
}

/// The byte of a weight's own code: of its fields the one that the fewest weights share.
QRect BlockSide::byteRect(std::uint32_t weight) const
{
    const BlockFields &fields = block()->fields;
    const auto &own = fields.weights[weight].fields;
    const auto code = std::ranges::min_element(own, {}, [this](std::uint32_t field) {
        return m_canvas->links().weightsOfField(field).size();
    });
    if (code == own.end() || fields.fields[*code].bits.empty())
        return m_canvas->geometryOfBlock().weightRect(weight);
    return m_canvas->geometryOfBlock().bytes().rectOf(static_cast<int>(fields.fields[*code].bits.front().firstBit / 8));
}

void BlockSide::setLetterShown(bool shown)
{
    m_letter->setVisible(shown);
}

bool BlockSide::canStep(int blocks, int rows) const
{
    if (!block())
        return false;
    const std::uint64_t row = block()->row;
    const bool isFirst = row == 0 && block()->block == 0;
    const bool isLast = row + 1 == block()->rows && block()->block + 1 == block()->blocksPerRow;
    if (rows != 0)
        return rows < 0 ? row > 0 : row + 1 < block()->rows;
    return blocks < 0 ? !isFirst : !isLast;
}

void BlockSide::step(int blocks, int rows)
{
    if (!canStep(blocks, rows))
        return;
    const std::uint64_t perRow = block()->blocksPerRow;
    const std::uint64_t at = block()->row * perRow + block()->block;
    // Unsigned arithmetic wraps the right way for steps back; canStep() has looked at the ends.
    const std::uint64_t next =
        at + static_cast<std::uint64_t>(static_cast<std::int64_t>(blocks))
        + static_cast<std::uint64_t>(static_cast<std::int64_t>(rows)) * perRow;
    emit blockRequested(next / perRow, next % perRow * block()->fields.weights.size());
}

void BlockSide::updateButtons()
{
    for (const StepButton &step : m_steps)
        step.button->setEnabled(canStep(step.blocks, step.rows));
}

} // namespace ql
