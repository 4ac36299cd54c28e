// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/analysisservice.h"
#include "core/jobs/besideservice.h"
#include "core/jobs/comparisonservice.h"
#include "core/jobs/convertservice.h"
#include "core/jobs/document.h"
#include "core/jobs/expertservice.h"
#include "core/jobs/exportservice.h"
#include "core/jobs/inspectservice.h"
#include "core/jobs/jobrunner.h"
#include "core/jobs/listingservice.h"
#include "core/jobs/modelscanservice.h"
#include "core/jobs/verifyservice.h"
#include "core/jobs/whatifservice.h"
#include "core/model/selection.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <array>
#include <vector>

namespace ql {

/// What is open and what is selected: the one place views meet. Opens files as jobs, keeps the
/// selection and the way back through earlier ones. GUI thread.
class Session final : public QObject
{
    Q_OBJECT

public:
    /// The store keeps results of large tensors between runs; null keeps none.
    explicit Session(std::shared_ptr<ResultStore> store = {}, QObject *parent = nullptr);

    const Document &document(Side side) const { return m_documents[index(side)]; }
    const Selection &selection() const { return m_selection; }
    JobRunner &jobs() { return m_jobs; }
    AnalysisService &analysis() { return m_analysis; }
    ListingService &listings() { return m_listings; }
    InspectService &inspect() { return m_inspect; }
    ModelScanService &modelScan() { return m_modelScan; }
    ComparisonService &comparison() { return m_comparison; }
    ExportService &exports() { return m_exports; }
    ExpertService &experts() { return m_experts; }
    BesideService &beside() { return m_beside; }
    WhatIfService &whatIf() { return m_whatIf; }
    ConvertService &conversions() { return m_conversions; }
    VerifyService &verification() { return m_verification; }

    /// Opens a file in the background; documentChanged or openFailed follows. The file on that side
    /// stays until the new one is there.
    void open(Side side, const QString &path);
    void reload();
    void close(Side side);
    bool isOpening(Side side) const;
    /// One tensor of A in another type, in memory, as B: documentChanged or openFailed follows, as
    /// if a file had been opened.
    void openCandidate(TensorIndex tensor, GgmlType type);

    void select(const Selection &selection);
    void selectTensor(TensorIndex tensor);
    void selectExpert(TensorIndex tensor, std::uint64_t expert);
    /// A weight of the tensor (or expert) that is selected.
    void selectWeight(std::uint64_t row, std::uint64_t column);
    void clearSelection();

    /// A tensor or expert of A's file that is held as B: whatever is selected is compared with it.
    /// Row and column are left out; another file lets go of it.
    void hold(TensorIndex tensor, std::optional<std::uint64_t> expert);
    void letGo();
    const std::optional<Selection> &held() const { return m_held; }

    bool canGoBack() const { return m_position > 0; }
    bool canGoForward() const { return m_position + 1 < m_history.size(); }
    void goBack();
    void goForward();

signals:
    void openStarted(ql::Side side, const QString &path);
    void openFailed(ql::Side side, const QString &path, const ql::Error &error);
    /// A file was opened or closed; the selection is already empty or carried over by name.
    void documentChanged(ql::Side side);
    void selectionChanged(const ql::Selection &selection);
    void heldChanged(const std::optional<ql::Selection> &held);
    void historyChanged();

private:
    using Opened = std::pair<GgufModelPtr, ModelSummaryPtr>;
    static std::size_t index(Side side) { return side == Side::A ? 0 : 1; }
    void adopt(Side side, const Opened &opened);
    void remember(const Selection &selection);
    void applySelection(const Selection &selection);
    void setHeld(const std::optional<Selection> &held);
    std::string selectedName() const;

    JobRunner m_jobs;
    AnalysisService m_analysis;
    ListingService m_listings;
    InspectService m_inspect;
    ModelScanService m_modelScan;
    ComparisonService m_comparison;
    ExportService m_exports;
    ExpertService m_experts;
    BesideService m_beside;
    WhatIfService m_whatIf;
    ConvertService m_conversions;
    VerifyService m_verification;
    std::array<Document, 2> m_documents;
    std::array<QString, 2> m_opening;
    Selection m_selection;
    std::optional<Selection> m_held;
    std::vector<Selection> m_history;
    std::size_t m_position = 0;
    quint64 m_generation = 0;
};

} // namespace ql
