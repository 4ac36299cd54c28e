// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session.h"

#include "core/format/shardset.h"
#include "core/stats/candidatemodel.h"

namespace ql {

namespace {

constexpr std::size_t MaxHistory = 200;

QString openSlot(Side side) { return side == Side::A ? QStringLiteral("open A") : QStringLiteral("open B"); }

} // namespace

Session::Session(std::shared_ptr<ResultStore> store, QObject *parent)
    : QObject(parent)
    , m_analysis(m_jobs, std::move(store))
    , m_listings(m_jobs)
    , m_inspect(m_jobs)
    , m_modelScan(m_jobs)
    , m_comparison(m_jobs)
    , m_exports(m_jobs)
    , m_experts(m_jobs)
    , m_beside(m_jobs)
    , m_whatIf(m_jobs)
    , m_conversions(m_jobs)
    , m_verification(m_jobs)
{}

void Session::open(Side side, const QString &path)
{
    m_opening[index(side)] = path;
    m_jobs.start<Opened>(
        Lane::View, openSlot(side), tr("Opening %1").arg(path),
        [path = path.toStdString()](const JobContext &) -> Result<Opened> {
            auto model = openModel(path);
            if (!model)
                return tl::unexpected(model.error());
            return Opened{*model, summarize(**model)};
        },
        [this, side, path](const Result<Opened> &opened) {
            m_opening[index(side)].clear();
            if (opened)
                adopt(side, *opened);
            else
                emit openFailed(side, path, opened.error());
        });
    emit openStarted(side, path);
}

void Session::openCandidate(TensorIndex tensor, GgmlType type)
{
    const GgufModelPtr source = document(Side::A).model;
    if (!source)
        return;
    const QString name = tr("%1 as %2").arg(QString::fromStdString(source->tensor(tensor).name),
                                            QString::fromStdString(typeLabel(static_cast<std::uint32_t>(type))));
    m_opening[index(Side::B)] = name;
    m_jobs.start<Opened>(
        Lane::View, openSlot(Side::B), tr("Encoding %1").arg(name),
        [source, summary = document(Side::A).summary, choice = TensorTypeChoice{tensor, type}](const JobContext &context) -> Result<Opened> {
            auto model = candidateModel(source, choice, {0, true}, context.stop, context.progress);
            if (!model)
                return tl::unexpected(model.error());
            return Opened{*model, summarizeCandidate(**model, *summary)};
        },
        [this, source, name](const Result<Opened> &opened) {
            m_opening[index(Side::B)].clear();
            if (!opened)
                emit openFailed(Side::B, name, opened.error());
            else if (source == document(Side::A).model) // else A has changed meanwhile
                adopt(Side::B, *opened);
        });
    emit openStarted(Side::B, name);
}

bool Session::isOpening(Side side) const { return !m_opening[index(side)].isEmpty(); }

std::string Session::selectedName() const
{
    const Document &a = document(Side::A);
    return a && m_selection.tensor ? a.model->tensor(*m_selection.tensor).name : std::string();
}

void Session::adopt(Side side, const Opened &opened)
{
    const std::string kept = side == Side::A ? selectedName() : std::string();
    const auto expert = m_selection.expert;
    m_analysis.abandon(side);
    m_documents[index(side)] = {opened.first, opened.second, ++m_generation};
    if (side == Side::A) {
        m_history.clear();
        m_position = 0;
        m_selection = {};
        letGo();
    }
    emit documentChanged(side);
    if (side != Side::A)
        return;
    // The same tensor of the new file, where it has one; else what the window has restored stays.
    if (const auto again = opened.first->findTensor(kept); again && !kept.empty())
        select({again, expert, {}, {}});
    else if (!m_selection.tensor)
        emit selectionChanged(m_selection);
}

void Session::reload()
{
    for (const Side side : {Side::A, Side::B}) {
        if (!document(side))
            continue;
        if (isInMemory(*document(side).model))
            close(side); // of a file that may be another now
        else
            open(side, QString::fromStdString(document(side).model->path()));
    }
}

void Session::close(Side side)
{
    m_analysis.abandon(side);
    m_jobs.cancelSlot(Lane::View, openSlot(side));
    m_documents[index(side)] = {};
    if (side == Side::A) {
        letGo();
        m_history.clear();
        m_position = 0;
        m_selection = {};
    }
    emit documentChanged(side);
    if (side == Side::A)
        emit selectionChanged(m_selection);
}

void Session::select(const Selection &selection)
{
    remember(selection);
    applySelection(selection);
}

void Session::selectTensor(TensorIndex tensor) { select({tensor, {}, {}, {}}); }

void Session::selectExpert(TensorIndex tensor, std::uint64_t expert) { select({tensor, expert, {}, {}}); }

void Session::selectWeight(std::uint64_t row, std::uint64_t column)
{
    if (!m_selection.tensor)
        return;
    Selection next = m_selection;
    next.row = row;
    next.column = column;
    // Moving within a tensor makes no step in the history, but a step back comes to where one was.
    if (!m_history.empty())
        m_history[m_position] = next;
    applySelection(next);
}

void Session::clearSelection() { select({}); }

void Session::hold(TensorIndex tensor, std::optional<std::uint64_t> expert)
{
    setHeld(Selection{tensor, expert, {}, {}});
}

void Session::letGo() { setHeld({}); }

void Session::setHeld(const std::optional<Selection> &held)
{
    if (m_held == held)
        return;
    m_held = held;
    emit heldChanged(m_held);
}

void Session::remember(const Selection &selection)
{
    const bool isSame = !m_history.empty() && m_history[m_position].tensor == selection.tensor
                        && m_history[m_position].expert == selection.expert;
    if (isSame) {
        m_history[m_position] = selection;
        return;
    }
    if (!m_history.empty())
        m_history.resize(m_position + 1);
    m_history.push_back(selection);
    if (m_history.size() > MaxHistory)
        m_history.erase(m_history.begin());
    m_position = m_history.size() - 1;
    emit historyChanged();
}

void Session::applySelection(const Selection &selection)
{
    m_selection = selection;
    emit selectionChanged(m_selection);
}

void Session::goBack()
{
    if (!canGoBack())
        return;
    applySelection(m_history[--m_position]);
    emit historyChanged();
}

void Session::goForward()
{
    if (!canGoForward())
        return;
    applySelection(m_history[++m_position]);
    emit historyChanged();
}

} // namespace ql
