// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/comparewiring.h"

#include "app/failures.h"
#include "app/mainwindow.h"
#include "app/tensorpage.h"
#include "widgets/compareheatpanel.h"
#include "widgets/messagebar.h"
#include "widgets/tensorpanel.h"

namespace ql {

namespace {

/// The pairing of the two files that are open, as long as both are.
class Comparer final : public QObject
{
public:
    explicit Comparer(MainWindow &window)
        : QObject(&window)
        , m_window(window)
        , m_session(window.session())
    {
        connect(&m_session, &Session::documentChanged, this, &Comparer::begin);
        connect(&m_session, &Session::selectionChanged, this, &Comparer::requestB);
        ComparisonService &comparison = m_session.comparison();
        connect(&comparison, &ComparisonService::paired, this, &Comparer::adopt);
        connect(&comparison, &ComparisonService::pairCompared, this, [this](std::size_t pair, const ComparisonPtr &result) {
            if (m_pairing && pair < m_pairing->pairs.size())
                showPair(m_pairing->pairs[pair], result);
        });
        connect(&comparison, &ComparisonService::pairedByHand, this, [this](const TensorPair &pair) {
            m_byHand.insert(m_byHand.begin(), pair);
            requestB(m_session.selection());
        });
        connect(&comparison, &ComparisonService::handPairCompared, this, &Comparer::showPair);
        connect(&comparison, &ComparisonService::failed, this, [this](const Error &error) {
            showFailure(m_window.panels().message, describe(error), error);
        });
        connect(&comparison, &ComparisonService::pairReady, this, &Comparer::showSelected);
        connect(&comparison, &ComparisonService::pairFailed, this, [this](const TensorPair &pair, const Error &error) {
            if (m_requested == pair)
                dropB(error);
        });
        connect(&m_session.analysis(), &AnalysisService::statsReady, this, &Comparer::showStats);
        connect(&m_session.analysis(), &AnalysisService::statsFailed, this,
                [this](Side side, const StatsKey &, const Error &error) {
                    if (side == Side::B)
                        dropB(error);
                });
        connect(&comparison, &ComparisonService::mapsReady, this, &Comparer::showFiner);
        connect(m_window.panels().page->pairMaps(), &CompareHeatPanel::windowRequested, this, &Comparer::requestFiner);
        connect(m_window.panels().page->pairMaps(), &CompareHeatPanel::cellSelected, &m_session, &Session::selectWeight);
    }

private:
    void begin()
    {
        m_pairing.reset();
        m_byHand.clear();
        m_requested.reset();
        m_session.comparison().cancelAll();
        m_window.panels().tensors->clearComparison();
        m_window.panels().page->setComparison(nullptr, {});
        m_window.panels().page->showPair(nullptr);
        const Document &a = m_session.document(Side::A);
        const Document &b = m_session.document(Side::B);
        if (a && b)
            m_session.comparison().compareAll(a, b);
    }

    void adopt(const PairingPtr &pairing)
    {
        m_pairing = pairing;
        TensorPanel *panel = m_window.panels().tensors;
        panel->beginComparison();
        for (const Unpaired &only : pairing->onlyA)
            panel->setComparison(only.tensor, {});
        requestB(m_session.selection());
    }

    void showPair(const TensorPair &which, const ComparisonPtr &comparison)
    {
        if (!m_session.document(Side::B) || which.expertA)
            return; // the tree has a row a tensor
        TensorComparison row;
        row.typeB = m_session.document(Side::B).model->tensor(which.b).typeId;
        row.identical = comparison->identical;
        row.relativeRmse = comparison->sums.relativeRmse();
        for (const ErrorSums &expert : comparison->experts)
            row.experts.push_back(expert.relativeRmse());
        m_window.panels().tensors->setComparison(which.a, std::move(row));
    }

    /// Whether a pair is of just what is selected. A fused tensor of A is two pairs, and has the page of neither.
    static bool isOf(const TensorPair &pair, const Selection &selection)
    {
        if (pair.a != selection.tensor || pair.halfA != TensorPair::Half::Whole)
            return false;
        return pair.expertA ? pair.expertA == selection.expert : !pair.expertB || !selection.expert;
    }

    /// The pair of the selected tensor or expert, one made by hand before all others.
    const TensorPair *selectedPair(const Selection &selection) const
    {
        if (!m_pairing || !selection.tensor)
            return nullptr;
        for (const std::vector<TensorPair> *pairs : {&m_byHand, &m_pairing->pairs})
            for (const TensorPair &pair : *pairs)
                if (isOf(pair, selection))
                    return &pair;
        return nullptr;
    }

    void requestB(const Selection &selection)
    {
        const TensorPair *pair = selectedPair(selection);
        if (!pair) {
            m_session.analysis().abandon(Side::B);
            m_session.comparison().cancelPair();
            m_requested.reset();
            m_window.panels().page->setComparison(nullptr, {});
            m_window.panels().page->showPair(nullptr);
            return;
        }
        TensorPair wanted = *pair;
        if (!pair->expertA && !pair->expertB)
            wanted.expertA = wanted.expertB = selection.expert;
        if (m_requested == wanted)
            return; // another weight of the same pair
        m_requested = wanted;
        m_window.panels().page->awaitComparison();
        if (wanted.halfB == TensorPair::Half::Whole)
            m_session.analysis().requestStats(Side::B, m_session.document(Side::B), wanted.b, wanted.expertB);
        else
            requestHalf(wanted);
    }

    /// What B shows beside A can't be read: better nothing than what was there before.
    void dropB(const Error &error)
    {
        m_requested.reset();
        m_window.panels().page->setComparison(nullptr, {});
        m_window.panels().page->showPair(nullptr);
        showFailure(m_window.panels().message, QObject::tr("Nothing of B can be shown here: %1").arg(describe(error)), error);
    }

    /// Half a fused tensor has no figures of its own: its maps and its error are all of B that is shown.
    void requestHalf(const TensorPair &pair)
    {
        m_session.analysis().abandon(Side::B);
        const GgufModelPtr &model = m_session.document(Side::B).model;
        m_window.panels().page->setComparison(
            nullptr, {std::shared_ptr<const TensorInfo>(model, &model->tensor(pair.b)), pair.expertB});
        m_session.comparison().requestPair(m_session.document(Side::A), m_session.document(Side::B), pair);
    }

    /// Both sides' figures are there before the maps are asked for: their titles need them.
    void showSelected(const TensorPair &pair, const ComparisonPtr &comparison)
    {
        if (m_requested == pair)
            m_window.panels().page->showPair(comparison);
    }

    void requestFiner(const HeatMapWindow &part)
    {
        if (m_requested && m_session.document(Side::B) && !m_session.held())
            m_session.comparison().requestMaps(m_session.document(Side::A), m_session.document(Side::B), *m_requested, part);
    }

    void showFiner(const TensorPair &pair, const PairMapsPtr &maps)
    {
        if (m_requested == pair && !m_session.held())
            m_window.panels().page->pairMaps()->setDetail(maps);
    }

    void showStats(Side side, const StatsKey &key, const TensorStatsPtr &stats)
    {
        if (side != Side::B || !m_session.document(Side::B))
            return;
        const GgufModelPtr &model = m_session.document(Side::B).model;
        m_window.panels().page->setComparison(
            stats, {std::shared_ptr<const TensorInfo>(model, &model->tensor(key.tensor)), key.expert});
        if (m_requested && stats->sampledShare == 1.0)
            m_session.comparison().requestPair(m_session.document(Side::A), m_session.document(Side::B), *m_requested);
    }

    MainWindow &m_window;
    Session &m_session;
    PairingPtr m_pairing;
    std::vector<TensorPair> m_byHand; ///< the newest first
    std::optional<TensorPair> m_requested; ///< the pair on the page
};

} // namespace

void wireComparison(MainWindow &window) { new Comparer(window); }

} // namespace ql
