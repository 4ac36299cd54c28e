// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tensorheader.h"

#include "widgets/chip.h"
#include "widgets/elidedlabel.h"
#include "widgets/formatting.h"
#include "widgets/rolenote.h"
#include "widgets/theme.h"

#include <QHBoxLayout>
#include <QLabel>

namespace ql {

namespace {

ElidedLabel *plainLabel(const QString &name, Qt::TextElideMode mode, const QFont &font, QWidget *parent)
{
    auto *label = new ElidedLabel(mode, parent);
    label->setObjectName(name);
    label->setFont(font);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

} // namespace

QString describeTensor(const TensorInfo &tensor, std::optional<std::uint64_t> expert)
{
    QStringList parts;
    if (expert && tensor.ne[2] > 1)
        parts << QObject::tr("expert %1 of %2").arg(*expert).arg(tensor.ne[2]);
    if (tensor.expert)
        parts << QObject::tr("expert %1").arg(*tensor.expert);
    if (const QString note = roleNote(tensor.role); !note.isEmpty())
        parts << note;
    QString shape = formatShape(tensor.ne);
    if (tensor.ne.size() > 1)
        shape += QObject::tr(" (rows of %1)").arg(formatCount(tensor.ne[0]));
    parts << shape;
    const std::uint64_t slabs = expert ? std::max<std::uint64_t>(1, tensor.ne[2]) : 1; // an expert's own share
    if (tensor.elements)
        parts << formatWeights(*tensor.elements / slabs);
    if (tensor.byteSize)
        parts << formatBytes(*tensor.byteSize / slabs);
    if (const auto bits = tensor.bitsPerWeight())
        parts << formatBitsPerWeight(*bits);
    return parts.join(QStringLiteral(" · "));
}

TensorHeader::TensorHeader(QWidget *parent)
    : QWidget(parent)
    , m_name(plainLabel(QStringLiteral("tensorName"), Qt::ElideMiddle, Theme::fixedFont(Theme::TitlePx), this))
    , m_type(new ChipLabel(this))
    , m_detail(plainLabel(QStringLiteral("tensorDetail"), Qt::ElideRight, Theme::textFont(), this))
    , m_figures(plainLabel(QStringLiteral("tensorFigures"), Qt::ElideRight, Theme::fixedFont(), this))
{
    setObjectName(QStringLiteral("tensorHeader"));
    setAccessibleName(tr("Selected tensor"));
    m_detail->setMinimumWidth(0);
    m_detail->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_figures->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(12);
    layout->addWidget(m_name);
    layout->addWidget(m_type);
    layout->addWidget(m_detail, 1);
    layout->addWidget(m_figures);
    m_detail->setForegroundRole(Theme::MutedText);
    setTensor(nullptr, {});
}

void TensorHeader::setTensor(std::shared_ptr<const TensorInfo> tensor, std::optional<std::uint64_t> expert)
{
    m_type->setVisible(tensor != nullptr);
    m_figures->clear();
    if (!tensor) {
        m_name->clear();
        m_detail->clear();
        return;
    }
    m_name->setText(tensor->name.empty() ? tr("(tensor without a name)") : QString::fromStdString(tensor->name));
    m_type->setType(tensor->typeId);
    m_detail->setText(describeTensor(*tensor, expert));
    m_detail->setToolTip(m_detail->text());
}

void TensorHeader::setFigures(const QString &text) { m_figures->setText(text); }

QString TensorHeader::nameText() const { return m_name->text(); }

QString TensorHeader::detailText() const { return m_detail->text(); }

} // namespace ql
