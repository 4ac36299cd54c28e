// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/shardset.h"
#include "core/jobs/listingservice.h"
#include "tests/support/testdata.h"

#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace ql;

namespace {

constexpr int LongMs = 20000;

Document open(const char *name)
{
    const auto model = openModel(test::dataPath(QLatin1String(name)).toStdString());
    return model ? Document{*model, summarize(**model), 1} : Document{};
}

int entryOf(const Document &document, std::string_view key)
{
    const auto &entries = document.summary->metadata;
    const auto found = std::ranges::find(entries, key, &MetadataSummary::key);
    return found == entries.end() ? -1 : static_cast<int>(found - entries.begin());
}

} // namespace

class ListingServiceTest : public QObject
{
    Q_OBJECT

private slots:
    void init() { m_jobs = std::make_unique<JobRunner>(); }

    void fiftyThousandTokensAreListedAndFiltered()
    {
        const Document document = open("cases/vocab_50k.gguf");
        ListingService service(*m_jobs);
        ArrayListingPtr listing;
        connect(&service, &ListingService::arrayReady, this, [&](int, const ArrayListingPtr &array) { listing = array; });
        const int entry = entryOf(document, "tokenizer.ggml.tokens");
        service.requestArray(document, entry);
        QTRY_VERIFY_WITH_TIMEOUT(listing, LongMs);
        QCOMPARE(listing->size(), 50000u);
        QVERIFY(!listing->truncated());

        ListingService::Rows rows;
        connect(&service, &ListingService::arrayFilterReady, this, [&](const ListingService::Rows &r) { rows = r; });
        service.requestArrayFilter(entry, QStringLiteral("T49999"), false);
        QTRY_VERIFY_WITH_TIMEOUT(rows, LongMs);
        QCOMPARE(*rows, std::vector<std::uint32_t>{49999});
        rows.reset();
        service.requestArrayFilter(entry, QStringLiteral("^t4999[12]$"), true);
        QTRY_VERIFY_WITH_TIMEOUT(rows, LongMs);
        QCOMPARE(*rows, (std::vector<std::uint32_t>{49991, 49992}));
    }

    void tokensOfARealVocabularyAreRead()
    {
        const Document document = open("models/ggml-vocab-bert-bge.gguf");
        const TokenTablePtr tokens = tokensOf(document);
        QVERIFY(tokens);
        QCOMPARE(tokens->model, "bert");
        QCOMPARE(tokens->tokens->size(), 30522u);
        QCOMPARE(tokens->types.size(), 30522u);
        QCOMPARE(tokens->tokens->text(101), "[CLS]");
        QVERIFY(std::ranges::any_of(tokens->specials, [](const SpecialToken &s) { return s.name == "unknown" && s.id == 100; }));
    }

    void inconsistentTokenizersAreShownAsTheyAre()
    {
        const TokenTablePtr tokens = tokensOf(open("cases/tokenizer_inconsistent.gguf"));
        QVERIFY(tokens);
        QVERIFY(tokens->types.size() < tokens->tokens->size());
        // Scores of another type are left out, never reinterpreted.
        const TokenTablePtr wrong = tokensOf(open("cases/scores_wrong_elem_type.gguf"));
        QVERIFY(wrong);
        QVERIFY(wrong->scores.empty());
    }

    void aFileWithoutTokenizerSaysSo()
    {
        ListingService service(*m_jobs);
        QSignalSpy failed(&service, &ListingService::failed);
        service.requestTokens(open("cases/ok_v3_le.gguf"));
        QVERIFY(failed.wait(LongMs));
    }

private:
    TokenTablePtr tokensOf(const Document &document)
    {
        ListingService service(*m_jobs);
        TokenTablePtr result;
        connect(&service, &ListingService::tokensReady, this, [&](const TokenTablePtr &tokens) { result = tokens; });
        QSignalSpy ready(&service, &ListingService::tokensReady);
        service.requestTokens(document);
        ready.wait(LongMs);
        return result;
    }

    std::unique_ptr<JobRunner> m_jobs;
};

QTEST_GUILESS_MAIN(ListingServiceTest)
#include "tst_listingservice.moc"
