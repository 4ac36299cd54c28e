// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/histogrampanel.h"

#include "widgets/card.h"
#include "widgets/choicebox.h"
#include "widgets/formatting.h"
#include "widgets/plot/histogramplot.h"
#include "widgets/plotactions.h"
#include "widgets/stateplaceholder.h"
#include "widgets/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QShowEvent>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <cmath>

namespace ql {

namespace {

QString rangeText(const ValueRange &range)
{
    return HistogramPanel::tr("%1 … %2").arg(formatNumber(range.lo), formatNumber(range.hi));
}

} // namespace

HistogramPanel::HistogramPanel(QWidget *parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("histogramPanel"));
    setAccessibleName(tr("Distribution"));
    m_card = new Card(tr("Distribution"), this);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_card);
    buildHeader();
    buildBody();
    connectPlot();
    refresh();
}

void HistogramPanel::buildHeader()
{
    const auto box = [this](const QString &name, const QString &accessible, const QStringList &texts) {
        auto *choice = new ChoiceBox({}, m_card);
        choice->setObjectName(name);
        choice->setAccessibleName(accessible);
        for (int i = 0; i < texts.size(); ++i)
            choice->addItem(texts[i], i);
        return choice;
    };
    m_yScale = box(QStringLiteral("histogramY"), tr("Vertical scale"), {tr("log y"), tr("linear y")});
    m_xScale = box(QStringLiteral("histogramX"), tr("Horizontal scale"), {tr("linear x"), tr("symlog x")});
    m_xScale->setToolTip(tr("symlog: sign(w) · log10(1 + |w|/c), to see bulk and outliers together"));
    m_marks = new ChoiceBox(tr("marks"), m_card);
    m_marks->setObjectName(QStringLiteral("histogramMarks"));
    m_marks->addItem(tr("mean, σ"), int(PlotMarks::Spread));
    m_marks->addItem(tr("percentiles"), int(PlotMarks::Percentiles));
    m_marks->addItem(tr("all"), int(PlotMarks::All));
    m_marks->addItem(tr("none"), int(PlotMarks::None));
    m_fullRange = new QPushButton(tr("full range"), m_card);
    m_fullRange->setObjectName(QStringLiteral("histogramFullRange"));
    m_fullRange->setAccessibleName(tr("Show the full range"));
    m_fullRange->setCheckable(true);
    m_fullRange->setFont(Theme::textFont(Theme::SmallPx));
    m_fullRange->setFixedHeight(26);
    m_count = Card::mutedLabel({}, m_card);
    m_count->setObjectName(QStringLiteral("histogramCount"));

    QHBoxLayout *header = m_card->header();
    for (QWidget *widget : {static_cast<QWidget *>(m_yScale), static_cast<QWidget *>(m_xScale),
                            static_cast<QWidget *>(m_marks), static_cast<QWidget *>(m_fullRange)})
        header->addWidget(widget);
    header->addStretch();
    header->addWidget(m_count);
}

/// In a narrow panel what one can do without goes, rather than lose its letters.
void HistogramPanel::fitHeader()
{
    QWidget *const dispensable[] = {m_marks, m_xScale, m_yScale, m_count};
    for (QWidget *widget : dispensable)
        widget->show();
    const QMargins margins = m_card->layout()->contentsMargins();
    const int room = width() - margins.left() - margins.right();
    for (QWidget *widget : dispensable) {
        m_card->header()->invalidate();
        if (m_card->header()->sizeHint().width() <= room)
            return;
        widget->hide();
    }
}

void HistogramPanel::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fitHeader();
}

void HistogramPanel::buildBody()
{
    auto *page = new QWidget(m_card);
    m_plot = new HistogramPlot(page);
    m_plot->setObjectName(QStringLiteral("histogramPlot"));
    m_readout = Card::readoutLabel(QStringLiteral("histogramReadout"), page);
    m_notes = Card::readoutLabel(QStringLiteral("histogramNotes"), page);
    m_notes->setForegroundRole(QPalette::WindowText);
    auto *layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(m_plot, 1);
    layout->addWidget(m_notes);
    layout->addWidget(m_readout);

    m_placeholder = new StatePlaceholder(m_card);
    m_placeholder->showEmpty(tr("No distribution"), tr("Choose a tensor on the left."));
    m_stack = new QStackedWidget(m_card);
    m_stack->addWidget(m_placeholder);
    m_stack->addWidget(page);
    m_card->body()->addWidget(m_stack, 1);
    m_actions = new PlotActions(m_plot, {[this] { return m_plot->size(); },
                                         [this](QPainter &p, const QSize &size) { m_plot->draw(p, size); },
                                         [this] { return csv(); },
                                         [this] { return m_subject + QStringLiteral("-histogram"); }});
    connect(m_actions, &PlotActions::reported, this, &HistogramPanel::reported);
    addBrushAction();
}

void HistogramPanel::addBrushAction()
{
    auto *brushing = new QAction(tr("Drag selects a range (as with Shift)"), this);
    brushing->setObjectName(QStringLiteral("brushMode"));
    brushing->setCheckable(true);
    connect(brushing, &QAction::toggled, m_plot, &HistogramPlot::setBrushing);
    m_plot->addAction(brushing);
}

void HistogramPanel::connectPlot()
{
    connect(m_yScale, &QComboBox::currentIndexChanged, this,
            [this](int index) { m_plot->setLogarithmicY(index == 0); });
    connect(m_xScale, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_plot->setSymLogX(index == 1);
        refreshNotes();
    });
    connect(m_marks, &QComboBox::currentIndexChanged, this, [this] {
        m_plot->setMarks(static_cast<PlotMarks>(m_marks->currentData().toInt()));
    });
    connect(m_fullRange, &QPushButton::toggled, this, [this](bool full) {
        m_plot->setFullRange(full);
        refreshNotes();
    });
    connect(m_plot, &HistogramPlot::binHovered, this, &HistogramPanel::showBin);
    connect(m_plot, &HistogramPlot::visibleRangeChanged, this, &HistogramPanel::refreshNotes);
    connect(m_plot, &HistogramPlot::rangeBrushed, this, [this](const std::optional<ValueRange> &range) {
        setReadout(brushText());
        const HistogramSource a{m_stats, m_expert};
        const Figures *figures = a.figures();
        if (range && figures)
            emit rangeBrushed(range->lo, range->hi, brushed(*figures, *range).count);
        else
            emit rangeBrushed(0, 0, 0);
    });
}

void HistogramPanel::setStats(const TensorStatsPtr &stats, std::optional<std::size_t> expert)
{
    m_keepsRange = m_sameSubject && m_stats && m_stats->sampledShare < 1;
    m_sameSubject = true;
    m_stats = stats;
    m_expert = expert;
    if (!HistogramSource{stats, expert}.figures())
        m_placeholder->showEmpty(tr("No distribution"), tr("Choose a tensor on the left."));
    else if (!hasWeights())
        m_placeholder->showEmpty(tr("No weights"), tr("One of the tensor's dimensions is 0."));
    refresh();
}

void HistogramPanel::setComparison(const TensorStatsPtr &stats, std::optional<std::size_t> expert)
{
    m_other = stats;
    m_otherExpert = expert;
    refresh();
}

void HistogramPanel::setSelection(const Selection &selection)
{
    if (selection.tensor != m_selection.tensor || selection.expert != m_selection.expert)
        m_sameSubject = false;
    m_selection = selection;
}

void HistogramPanel::setError(const QString &title, const QString &detail)
{
    setStats(nullptr);
    m_placeholder->showError(title, detail);
}

void HistogramPanel::showEvent(QShowEvent *event)
{
    if (m_dirty)
        refresh();
    QWidget::showEvent(event);
}

bool HistogramPanel::hasWeights() const
{
    const Figures *figures = HistogramSource{m_stats, m_expert}.figures();
    return figures && figures->moments.count > 0;
}

void HistogramPanel::refresh()
{
    const HistogramSource a{m_stats, m_expert}, b{m_other, m_otherExpert};
    const Figures *figures = a.figures();
    m_stack->setCurrentIndex(hasWeights() ? 1 : 0);
    for (QWidget *widget : {static_cast<QWidget *>(m_yScale), static_cast<QWidget *>(m_xScale),
                            static_cast<QWidget *>(m_marks)})
        widget->setEnabled(hasWeights());
    m_dirty = !isVisible();
    if (m_dirty)
        return;
    m_plot->setSources(a, b, m_keepsRange);
    const bool hides = figures && firstRange(*figures) != fullRange(*figures);
    m_fullRange->setVisible(hides);
    QString count;
    if (figures) {
        const double share = a.sampledShare();
        // The number of weights is known whatever was sampled.
        const auto whole = std::llround(static_cast<double>(figures->moments.count) / share);
        count = formatWeightCount(static_cast<std::uint64_t>(whole)) + QStringLiteral(" · ") + formatSampled(share);
    }
    m_count->setText(count);
    fitHeader();
    setReadout(brushText());
    refreshNotes();
}

void HistogramPanel::refreshNotes()
{
    QStringList notes;
    for (const QString &note : {outsideText(), nonFiniteText()})
        if (!note.isEmpty())
            notes << note;
    m_notes->setText(notes.join(QStringLiteral(" · ")));
    setReadout(m_readout->text());
}

QString HistogramPanel::outsideText() const
{
    const HistogramSource a{m_stats, m_expert};
    const Figures *figures = a.figures();
    if (!figures || !figures->moments.minValue())
        return {};
    const ValueRange range = m_plot->visibleRange();
    const Outside out = outside(*figures, range);
    const QString below = tr("%1 below %2").arg(formatWeightCount(out.below), formatNumber(range.lo));
    const QString above = out.below > 0
        ? tr("%1 above %2").arg(formatCount(out.above), formatNumber(range.hi))
        : tr("%1 above %2").arg(formatWeightCount(out.above), formatNumber(range.hi));
    if (out.below > 0 && out.above > 0)
        return below + QStringLiteral(", ") + above;
    return out.below > 0 ? below : out.above > 0 ? above : QString();
}

QString HistogramPanel::nonFiniteText() const
{
    const HistogramSource a{m_stats, m_expert};
    const Figures *figures = a.figures();
    if (!figures || figures->moments.nan + figures->moments.inf == 0)
        return {};
    return tr("%1 NaN and %2 Inf are not in the plot")
        .arg(formatCount(figures->moments.nan), formatCount(figures->moments.inf));
}

void HistogramPanel::showBin(const std::optional<std::size_t> &bin)
{
    const DrawnBins &a = m_plot->binsA(), &b = m_plot->binsB();
    if (!bin || *bin >= a.counts.size()) {
        setReadout(brushText());
        return;
    }
    const auto counted = [](double count, double share) {
        const QString number = formatCount(static_cast<std::uint64_t>(std::llround(count / share)));
        return share < 1 ? QStringLiteral("≈ ") + number : number;
    };
    const HistogramSource sourceA{m_stats, m_expert}, sourceB{m_other, m_otherExpert};
    QString text = rangeText({a.edges[*bin], a.edges[*bin + 1]}) + QStringLiteral(" · ");
    const QString countA = counted(a.counts[*bin], sourceA.sampledShare());
    text += *bin < b.counts.size()
        ? tr("A %1 · B %2 weights").arg(countA, counted(b.counts[*bin], sourceB.sampledShare()))
        : tr("%1 weights").arg(countA);
    setReadout(text);
}

QString HistogramPanel::brushText() const
{
    const HistogramSource a{m_stats, m_expert}, b{m_other, m_otherExpert};
    const Figures *figures = a.figures();
    if (!figures || !m_plot->brush())
        return {};
    const auto shareOf = [](const Figures &f, std::uint64_t count) {
        const auto all = static_cast<double>(f.moments.finite());
        return formatPercent(all > 0 ? static_cast<double>(count) / all : 0);
    };
    const Brushed range = brushed(*figures, *m_plot->brush());
    const auto whole = static_cast<std::uint64_t>(static_cast<double>(range.count) / a.sampledShare());
    QString text = tr("%1 selected: %2 (%3)")
                       .arg(rangeText(range.range), formatWeightCount(whole), shareOf(*figures, range.count));
    if (const Figures *other = b.figures())
        text += tr(" · B %1").arg(shareOf(*other, brushed(*other, range.range).count));
    return text;
}

/// What is pointed at takes the line of the notes.
void HistogramPanel::setReadout(const QString &text)
{
    m_readout->setText(text);
    const bool hasNotes = !m_notes->text().isEmpty();
    m_notes->setVisible(hasNotes && text.isEmpty());
    m_readout->setVisible(!hasNotes || !text.isEmpty());
}

QString HistogramPanel::readout() const
{
    return m_readout->text();
}

QString HistogramPanel::notes() const
{
    return m_notes->text();
}

QString HistogramPanel::countText() const
{
    return m_count->text();
}

QImage HistogramPanel::picture() const
{
    return m_actions->picture(devicePixelRatioF());
}

QString HistogramPanel::csv() const
{
    return m_plot->csv();
}

} // namespace ql
