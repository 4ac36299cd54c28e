// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/document.h"
#include "core/jobs/jobrunner.h"
#include "core/model/arraylisting.h"
#include "core/model/tokentable.h"

#include <QObject>

#include <cstdint>
#include <memory>
#include <vector>

namespace ql {

/// Reads long lists out of a file, and filters them, off the GUI thread. The newest request of a
/// kind is the one that is answered. GUI thread.
class ListingService final : public QObject
{
    Q_OBJECT

public:
    using Rows = std::shared_ptr<const std::vector<std::uint32_t>>;

    explicit ListingService(JobRunner &jobs, QObject *parent = nullptr);

    /// The elements of a metadata array; null comes where the entry is none.
    void requestArray(const Document &document, int metadataIndex);
    /// Which elements of the array that was read last match, ignoring case. An empty text, or a
    /// regular expression that can't be read, matches all: null.
    void requestArrayFilter(int metadataIndex, const QString &text, bool isRegex);
    void requestTokens(const Document &document);

signals:
    void arrayReady(int metadataIndex, const ql::ArrayListingPtr &listing);
    void arrayFilterReady(const ql::ListingService::Rows &rows);
    void tokensReady(const ql::TokenTablePtr &tokens);
    void failed(const ql::Error &error);

private:
    JobRunner &m_jobs;
    int m_arrayIndex = -1;
    ArrayListingPtr m_array;
};

/// Indices of the texts that match, rising; null for "all".
ListingService::Rows matchingRows(const ArrayListing &listing, const QString &text, bool isRegex, std::stop_token stop);

} // namespace ql
