// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/listingservice.h"

#include "core/model/readlisting.h"

#include <QRegularExpression>

namespace ql {

namespace {

const QString ArraySlot = QStringLiteral("array");
const QString FilterSlot = QStringLiteral("array filter");
const QString TokensSlot = QStringLiteral("tokens");

constexpr std::size_t RowsBetweenLooks = 4096;

QRegularExpression patternOf(const QString &text, bool isRegex)
{
    return QRegularExpression(isRegex ? text : QRegularExpression::escape(text),
                              QRegularExpression::CaseInsensitiveOption | QRegularExpression::UseUnicodePropertiesOption);
}

QString textAt(const ArrayListing &listing, std::size_t i)
{
    const std::string_view text = listing.text(i);
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

std::shared_ptr<const MetadataArray> arrayAt(const GgufModel &model, int metadataIndex)
{
    const auto index = static_cast<std::size_t>(metadataIndex);
    if (metadataIndex < 0 || index >= model.metadata().size())
        return nullptr;
    const auto *array = std::get_if<std::shared_ptr<const MetadataArray>>(&model.metadata()[index].value);
    return array ? *array : nullptr;
}

} // namespace

ListingService::Rows matchingRows(const ArrayListing &listing, const QString &text, bool isRegex, std::stop_token stop)
{
    const QRegularExpression pattern = patternOf(text, isRegex);
    if (text.isEmpty() || !pattern.isValid())
        return nullptr;
    auto rows = std::make_shared<std::vector<std::uint32_t>>();
    for (std::size_t i = 0; i < listing.size(); ++i) {
        if (i % RowsBetweenLooks == 0 && stop.stop_requested())
            break;
        if (pattern.match(textAt(listing, i)).hasMatch())
            rows->push_back(static_cast<std::uint32_t>(i));
    }
    return rows;
}

ListingService::ListingService(JobRunner &jobs, QObject *parent)
    : QObject(parent)
    , m_jobs(jobs)
{}

void ListingService::requestArray(const Document &document, int metadataIndex)
{
    m_jobs.start<ArrayListingPtr>(
        Lane::View, ArraySlot, tr("Reading an array"),
        [model = document.model, metadataIndex](const JobContext &context) -> Result<ArrayListingPtr> {
            const auto array = arrayAt(*model, metadataIndex);
            if (!array)
                return ArrayListingPtr();
            return readListing(*array, context.stop);
        },
        [this, metadataIndex](const Result<ArrayListingPtr> &listing) {
            m_arrayIndex = metadataIndex;
            m_array = listing.value_or(nullptr);
            emit arrayReady(metadataIndex, m_array);
            if (!listing)
                emit failed(listing.error());
        });
}

void ListingService::requestArrayFilter(int metadataIndex, const QString &text, bool isRegex)
{
    if (metadataIndex != m_arrayIndex || !m_array)
        return;
    m_jobs.start<Rows>(
        Lane::View, FilterSlot, tr("Filtering"),
        [array = m_array, text, isRegex](const JobContext &context) -> Result<Rows> {
            Rows rows = matchingRows(*array, text, isRegex, context.stop);
            if (context.stop.stop_requested())
                return failure(StoppedCode, "stopped");
            return rows;
        },
        [this](const Result<Rows> &rows) { emit arrayFilterReady(rows.value_or(nullptr)); });
}

void ListingService::requestTokens(const Document &document)
{
    m_jobs.start<TokenTablePtr>(
        Lane::View, TokensSlot, tr("Reading the tokenizer"),
        [model = document.model](const JobContext &context) { return readTokenTable(*model, context.stop); },
        [this](const Result<TokenTablePtr> &tokens) {
            emit tokensReady(tokens.value_or(nullptr));
            if (!tokens)
                emit failed(tokens.error());
        });
}

} // namespace ql
