// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/besidewiring.h"

#include "app/failures.h"
#include "app/mainwindow.h"
#include "app/tensorpage.h"
#include "widgets/besidebar.h"
#include "widgets/busyoverlay.h"
#include "widgets/compareheatpanel.h"
#include "widgets/expertpanel.h"

namespace ql {

namespace {

class BesideWiring final : public QObject
{
public:
    explicit BesideWiring(MainWindow &window)
        : QObject(&window)
        , m_session(window.session())
        , m_page(window.panels().page)
    {
        BesideService &service = m_session.beside();
        connect(&m_session, &Session::heldChanged, this, &BesideWiring::hold);
        connect(&m_session, &Session::selectionChanged, this, [this] { compare(); });
        connect(&service, &BesideService::ready, this, [this](const BesidePtr &beside) {
            m_ready = beside;
            show();
        });
        connect(&m_session.analysis(), &AnalysisService::statsReady, this, &BesideWiring::show);
        connect(&service, &BesideService::stopped, this,
                [this] { end(tr("Comparison cancelled"), tr("Compare again")); });
        connect(&service, &BesideService::failed, this, [this](const Error &error) {
            end(describe(error), tr("Try again"));
        });
        connect(m_page->besideOverlay(), &BusyOverlay::cancelRequested, &service, &BesideService::cancel);
        connect(m_page->besideBar(), &BesideBar::letGo, &m_session, &Session::letGo);
        connect(m_page->besideBar(), &BesideBar::retryRequested, this, &BesideWiring::compareAgain);
        connect(&m_session.jobs(), &JobRunner::progressed, this, [this](const JobStatus &job) {
            if (job.id == m_session.beside().job())
                m_page->besideOverlay()->setProgress(job.done, job.total);
        });
        connect(m_page->pairMaps(), &CompareHeatPanel::windowRequested, this, &BesideWiring::requestFiner);
        connect(&m_session.comparison(), &ComparisonService::mapsReady, this, &BesideWiring::showFiner);
        wirePanel(m_page->experts());
    }

private:
    /// What is selected and what is held, where both are compared.
    std::optional<TensorPair> pair() const
    {
        const auto &held = m_session.held();
        if (!held || !m_requested)
            return std::nullopt;
        return TensorPair{m_requested->tensor, *held->tensor, m_requested->expert, held->expert};
    }

    void requestFiner(const HeatMapWindow &part)
    {
        const Document &document = m_session.document(Side::A);
        if (const auto both = pair())
            m_session.comparison().requestMaps(document, document, *both, part);
    }

    void showFiner(const TensorPair &which, const PairMapsPtr &maps)
    {
        if (pair() == which)
            m_page->pairMaps()->setDetail(maps);
    }

    void wirePanel(ExpertPanel *panel)
    {
        connect(panel, &ExpertPanel::besideRequested, &m_session, [this](const std::optional<ExpertRef> &other) {
            if (other)
                m_session.hold(other->tensor, other->slab);
            else
                m_session.letGo();
        });
    }

    const TensorInfo &infoOf(const Selection &selection) const
    {
        return m_session.document(Side::A).model->tensor(*selection.tensor);
    }

    void hold(const std::optional<Selection> &held)
    {
        m_requested.reset();
        m_session.beside().cancel();
        m_page->besideOverlay()->finish();
        m_page->experts()->setHeld(held);
        if (!held)
            return m_page->setHeld({});
        const GgufModelPtr &model = m_session.document(Side::A).model;
        m_page->setHeld({std::shared_ptr<const TensorInfo>(model, &infoOf(*held)), held->expert});
        compare();
    }

    void compareAgain()
    {
        m_requested.reset();
        compare();
    }

    /// Why the selection and what is held can't be compared, or nothing.
    QString hindrance(const Selection &selection, const Selection &held) const
    {
        if (!selection.tensor)
            return tr("Select a tensor or expert to compare with this one");
        const TensorInfo &a = infoOf(selection);
        const TensorInfo &b = infoOf(held);
        if (selection.tensor == held.tensor && selection.expert == held.expert)
            return tr("Select another tensor or expert of this shape to compare with this one");
        if (!a.isDecodable() || !b.isDecodable())
            return tr("Only weights that can be decoded are compared");
        if (!haveSameShape(a, selection.expert, b, held.expert))
            return tr("The selected tensor has another shape: nothing to compare");
        return {};
    }

    void compare()
    {
        const auto &held = m_session.held();
        if (!held || !m_session.document(Side::A))
            return;
        const Selection &selection = m_session.selection();
        const QString why = hindrance(selection, *held);
        if (!why.isEmpty()) {
            m_requested.reset();
            m_session.beside().cancel();
            m_page->showHeld(nullptr, nullptr);
            return end(why, {});
        }
        const quint64 generation = m_session.document(Side::A).generation;
        const StatsKey a{generation, *selection.tensor, selection.expert};
        if (m_requested == a)
            return; // another weight of the same tensor
        m_requested = a;
        m_page->showHeld(nullptr, nullptr);
        m_page->besideBar()->setNote(tr("comparing…"));
        m_page->besideOverlay()->start(tr("Comparing with %1").arg(m_page->besideBar()->name()));
        m_session.beside().request(m_session.document(Side::A), a, {generation, *held->tensor, held->expert});
    }

    /// A comparison may be there before A's own figures, whose name stands above it.
    void show()
    {
        const PageSubject &shown = m_page->shown();
        const bool isShown = m_ready && m_requested == m_ready->a && shown && shown.expert == m_ready->a.expert
                             && shown.tensor.get() == &infoOf(m_session.selection());
        if (!isShown)
            return;
        m_page->besideOverlay()->finish();
        m_page->showHeld(m_ready->statsB, m_ready->comparison);
        m_ready.reset();
    }

    void end(const QString &note, const QString &button)
    {
        m_page->besideOverlay()->finish();
        if (m_session.held())
            m_page->besideBar()->setNote(note, button);
    }

    Session &m_session;
    TensorPage *m_page;
    BesidePtr m_ready;                   ///< to be shown once A's figures are
    std::optional<StatsKey> m_requested; ///< what is, or is being, compared with what is held
};

} // namespace

void wireBeside(MainWindow &window) { new BesideWiring(window); }

} // namespace ql
