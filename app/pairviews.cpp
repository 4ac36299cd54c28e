// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pairviews.h"

#include "app/mainwindow.h"
#include "app/statusline.h"
#include "app/tensorpage.h"
#include "core/stats/candidatemodel.h"
#include "widgets/blockpanel.h"
#include "widgets/compareheatpanel.h"
#include "widgets/figurespanel.h"
#include "widgets/heatmappanel.h"
#include "widgets/histogrampanel.h"
#include "widgets/valuespanel.h"

namespace ql {

namespace {

using Shape = std::pair<std::uint64_t, std::uint64_t>; ///< rows, columns

Shape shapeOf(const Document &document, const StatsKey &key)
{
    const TensorInfo &tensor = document.model->tensor(key.tensor);
    return {key.expert ? tensor.ne[1] : tensor.ne.rows().value_or(0), tensor.ne[0]};
}

/// Weights of B at the places where A's are looked at, as far as the two have one shape.
class PairViews final : public QObject
{
public:
    explicit PairViews(MainWindow &window)
        : QObject(&window)
        , m_session(window.session())
        , m_page(window.panels().page)
        , m_block(window.panels().page->block())
        , m_values(window.panels().page->values())
    {
        connect(&m_session, &Session::documentChanged, this, &PairViews::update);
        connect(&m_session, &Session::selectionChanged, this, &PairViews::follow);
        connect(&m_session, &Session::heldChanged, this, &PairViews::update);
        connect(&m_session.analysis(), &AnalysisService::statsReady, this, &PairViews::update);
        connect(&m_session.inspect(), &InspectService::blockReady, this, &PairViews::showBlock);
        connect(&m_session.inspect(), &InspectService::pageReady, this, &PairViews::showPage);
        connect(m_values, &ValuesPanel::pageBRequested, this, &PairViews::requestPage);
    }

private:
    /// The file that the second tensor is in: A's where one of it is held as B.
    const Document &otherDocument() const { return m_session.document(m_session.held() ? Side::A : Side::B); }

    std::optional<StatsKey> otherKey() const
    {
        if (const auto &held = m_session.held())
            return StatsKey{m_session.document(Side::A).generation, *held->tensor, held->expert};
        return m_session.analysis().current(Side::B);
    }

    /// B's tensor (or expert), if its weights stand at the same places as A's.
    std::optional<StatsKey> pairedB() const
    {
        const auto a = m_session.analysis().current(Side::A);
        const auto b = otherKey();
        const Document &documentA = m_session.document(Side::A);
        const Document &documentB = otherDocument();
        const bool isOpen = a && b && a != b && documentA && documentB && a->generation == documentA.generation
            && b->generation == documentB.generation;
        return isOpen && shapeOf(documentA, *a) == shapeOf(documentB, *b) ? b : std::nullopt;
    }

    /// The page has A's new tensor: until then the values are still laid out for the last one.
    bool isShown() const
    {
        const auto a = m_session.analysis().current(Side::A);
        const PageSubject &shown = m_page->shown();
        return shown.tensor.get() == &m_session.document(Side::A).model->tensor(a->tensor) && shown.expert == a->expert;
    }

    void follow()
    {
        update();
        requestBlock();
    }

    void update()
    {
        const auto b = pairedB();
        const bool isNew = b != m_b;
        m_b = b;
        if (isNew) {
            m_block->setBlockB(nullptr);
            m_values->setComparing(false);
        }
        m_values->setComparing(b && isShown()); // a new tensor's shape has ended it
        if (isNew)
            requestBlock();
    }

    void requestBlock()
    {
        const Selection &selection = m_session.selection();
        if (m_b && selection.row && selection.column)
            m_session.inspect().requestBlock(Side::B, otherDocument(), *m_b, *selection.row,
                                             *selection.column);
    }

    void requestPage(const ValuesWindow &part)
    {
        if (m_b)
            m_session.inspect().requestPage(Side::B, otherDocument(), *m_b, part);
    }

    void showBlock(Side side, const StatsKey &key, const BlockViewPtr &block)
    {
        if (side == Side::B && key == m_b)
            m_block->setBlockB(block);
    }

    void showPage(Side side, const StatsKey &key, const ValuesPagePtr &page)
    {
        if (side == Side::B && key == m_b)
            m_values->setPageB(page);
    }

    Session &m_session;
    TensorPage *m_page;
    BlockPanel *m_block;
    ValuesPanel *m_values;
    std::optional<StatsKey> m_b;
};

void rememberPairs(MainWindow &window)
{
    Session &session = window.session();
    QObject::connect(&session, &Session::documentChanged, &window, [&window, &session] {
        const Document &a = session.document(Side::A), &b = session.document(Side::B);
        // While a pair is being opened, the first of it stands beside the second of the last one.
        // A candidate of the What-if view has no file to open again.
        if (a && b && !session.isOpening(Side::A) && !session.isOpening(Side::B) && !isInMemory(*b.model))
            window.settings().addRecentPair(QString::fromStdString(a.model->path()),
                                            QString::fromStdString(b.model->path()));
    });
}

/// "Saved …", "Copied …": a word in the status line.
void wireReports(MainWindow &window)
{
    StatusLine *status = window.panels().status;
    const TensorPage *page = window.panels().page;
    QObject::connect(page->pairMaps(), &CompareHeatPanel::reported, status, &StatusLine::setMessage);
    QObject::connect(page->figures(), &FiguresPanel::reported, status, &StatusLine::setMessage);
    QObject::connect(page->heatMap(), &HeatMapPanel::reported, status, &StatusLine::setMessage);
    QObject::connect(page->histogram(), &HistogramPanel::reported, status, &StatusLine::setMessage);
}

} // namespace

void wirePairViews(MainWindow &window)
{
    new PairViews(window);
    rememberPairs(window);
    wireReports(window);
}

} // namespace ql
