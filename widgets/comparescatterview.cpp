// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/comparescatterview.h"

#include "widgets/card.h"
#include "widgets/chip.h"
#include "widgets/choicebox.h"
#include "widgets/formatting.h"
#include "widgets/plot/scatterplot.h"
#include "widgets/plotactions.h"
#include "widgets/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <cmath>

namespace ql {

namespace {

constexpr ErrorFigure ScatterFigures[] = {ErrorFigure::RelativeRmse, ErrorFigure::Sqnr, ErrorFigure::Rmse,
                                          ErrorFigure::MaxAbsError};

QString fromText(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

/// In the readout and on the axis.
QString figureTitle(ErrorFigure figure)
{
    return figure == ErrorFigure::Sqnr ? CompareScatterView::tr("SQNR, dB") : fromText(errorFigureName(figure));
}

} // namespace

CompareScatterView::CompareScatterView(const CompareTableModel *model, QWidget *parent)
    : QWidget(parent), m_model(model), m_plot(new ScatterPlot(this)), m_readout(Card::readoutLabel(QStringLiteral("compareScatterReadout"), this))
{
    setObjectName(QStringLiteral("compareScatterView"));
    buildTools();
    m_plot->setObjectName(QStringLiteral("compareScatter"));
    m_plot->setAccessibleName(tr("Bits per weight against error, a point a tensor"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(m_plot, 1);
    layout->addWidget(m_readout);
    buildActions();
    connect(m_plot, &ScatterPlot::pointHovered, this, &CompareScatterView::hover);
    connect(m_plot, &ScatterPlot::pointActivated, this, [this](std::size_t row) {
        const ComparisonRow &pair = m_model->table().row(row);
        Selection selection;
        selection.tensor = pair.a;
        selection.expert = pair.pair.expertA;
        emit pointActivated(selection);
    });
}

void CompareScatterView::buildTools()
{
    m_tools = new QWidget(this);
    const auto box = [this](const QString &name, const QString &accessible, const QString &prefix) {
        auto *choice = new ChoiceBox(prefix, m_tools);
        choice->setObjectName(name);
        choice->setAccessibleName(accessible);
        connect(choice, &QComboBox::currentIndexChanged, this, &CompareScatterView::refresh);
        return choice;
    };
    m_bits = box(QStringLiteral("compareScatterBits"), tr("Bits per weight"), tr("x"));
    m_bits->addItem(tr("bpw of B"), static_cast<int>(Bits::OfB));
    m_bits->addItem(tr("Δ bpw"), static_cast<int>(Bits::Delta));
    m_figure = box(QStringLiteral("compareScatterFigure"), tr("Measure of the error"), tr("y"));
    for (const ErrorFigure figure : ScatterFigures)
        m_figure->addItem(fromText(errorFigureName(figure)), static_cast<int>(figure));
    m_scale = box(QStringLiteral("compareScatterScale"), tr("Vertical scale"), {});
    m_scale->addItem(tr("linear y"), false);
    m_scale->addItem(tr("log y"), true);
    auto *layout = new QHBoxLayout(m_tools);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addStretch();
    for (ChoiceBox *choice : {m_bits, m_figure, m_scale})
        layout->addWidget(choice);
}

void CompareScatterView::buildActions()
{
    m_actions = new PlotActions(m_plot, {[this] { return m_plot->size(); },
                                         [this](QPainter &painter, const QSize &size) { m_plot->draw(painter, size); },
                                         [this] { return csv(); }, [] { return QStringLiteral("bits-and-errors"); }});
    connect(m_actions, &PlotActions::reported, this, &CompareScatterView::reported);
}

ErrorFigure CompareScatterView::figure() const { return static_cast<ErrorFigure>(m_figure->currentData().toInt()); }
void CompareScatterView::setBits(Bits bits) { m_bits->choose(static_cast<int>(bits)); }
void CompareScatterView::setFigure(ErrorFigure figure) { m_figure->choose(static_cast<int>(figure)); }
void CompareScatterView::setLogarithmic(bool logarithmic) { m_scale->choose(logarithmic); }
QString CompareScatterView::readout() const { return m_readout->text(); }

std::optional<double> CompareScatterView::bitsOf(const ComparisonRow &row) const
{
    return m_bits->currentData().toInt() == static_cast<int>(Bits::OfB) ? row.bitsB() : row.bitsDelta();
}

void CompareScatterView::showEvent(QShowEvent *event)
{
    if (m_dirty)
        refresh();
    QWidget::showEvent(event);
}

void CompareScatterView::refresh()
{
    m_dirty = !isVisible();
    if (m_dirty)
        return;
    const ComparisonTable &table = m_model->table();
    std::vector<ScatterPoint> points;
    for (std::size_t i = 0; i < table.rows().size(); ++i) {
        const ComparisonRow &row = table.row(i);
        const auto error = errorFigure(row, {}, figure());
        const auto bits = bitsOf(row);
        // What is the same cost and lost nothing; a few norms of 32 bits would squash all others.
        if (row.isReplaced || row.state != PairState::Differs || !error || !bits || !std::isfinite(*error))
            continue;
        points.push_back({*bits, *error, chipForType(table.tensorB(row)->typeId).fill,
                          compareName({nullptr, nullptr, &table, &row, {}}), i});
    }
    const bool isDelta = m_bits->currentData().toInt() == static_cast<int>(Bits::Delta);
    m_plot->setAxes(isDelta ? tr("bits per weight of B less those of A") : tr("bits per weight in B"),
                    figureTitle(figure()));
    m_plot->setLogarithmicY(m_scale->currentData().toBool());
    m_plot->setPoints(std::move(points));
    setSelection(m_selection);
    hover({});
}

void CompareScatterView::setSelection(const Selection &selection)
{
    m_selection = selection;
    m_plot->setSelected(m_model->tableRowOf(m_model->indexOf(selection)));
}

void CompareScatterView::hover(std::optional<std::size_t> row)
{
    if (row)
        return m_readout->setText(pointText(*row));
    QString text = tr("%1 tensors that differ, in the colours of their types in B").arg(formatCount(m_plot->points().size()));
    if (const std::size_t hidden = m_plot->hidden())
        text += tr(" · %1 without error are not on a logarithmic axis").arg(formatCount(hidden));
    m_readout->setText(text);
}

QString CompareScatterView::pointText(std::size_t row) const
{
    const ComparisonTable &table = m_model->table();
    const ComparisonRow &pair = table.row(row);
    return tr("%1 · A %2 %3 · B %4 %5 · %6 %7")
        .arg(compareName({nullptr, nullptr, &table, &pair, {}}), QString::fromStdString(table.tensorA(pair)->typeName()),
             formatBitsPerWeight(pair.bitsA().value_or(0)), QString::fromStdString(table.tensorB(pair)->typeName()),
             formatBitsPerWeight(pair.bitsB().value_or(0)), fromText(errorFigureName(figure())),
             formatNumber(errorFigure(pair, {}, figure())));
}

QString CompareScatterView::csv() const
{
    const ComparisonTable &table = m_model->table();
    QString text = QStringLiteral("name,bpw_a,bpw_b,%1\n").arg(fromText(errorFigureName(figure())));
    for (std::size_t i = 0; i < table.rows().size(); ++i) {
        const ComparisonRow &row = table.row(i);
        const auto error = errorFigure(row, {}, figure());
        if (row.isReplaced || !row.isPair() || !error)
            continue;
        text += QStringLiteral("\"%1\",%2,%3,%4\n")
                    .arg(compareName({nullptr, nullptr, &table, &row, {}}).replace(QLatin1Char('"'), QLatin1String("\"\"")),
                         exactNumber(row.bitsA()), exactNumber(row.bitsB()), exactNumber(error));
    }
    return text;
}

} // namespace ql
