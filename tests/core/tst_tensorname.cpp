// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/tensorname.h"
#include "core/model/utf8.h"

#include <QTest>
#include <algorithm>
#include <random>

using namespace ql;

class TestTensorName : public QObject
{
    Q_OBJECT
private slots:
    void parses_data();
    void parses();
    void comparesNaturally_data();
    void comparesNaturally();
    void sortsLikePeople();
    void escapes_data();
    void escapes();
    void textKeepsLines();
    void jsonKeepsControlCharacters();
    void unescapesWhatIsNoEscape();
    void everyByteStringComesBack();
    void findsHiddenCharacters();
};

namespace {
constexpr int None = -1;
std::string bytes(const char *text, std::size_t n) { return {text, n}; }
} // namespace

void TestTensorName::parses_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("layer");
    QTest::addColumn<QString>("role");
    QTest::addColumn<int>("expert");
    QTest::addColumn<bool>("merged");
    const auto row = [](const char *name, int layer, const char *role, int expert = None,
                        bool merged = false) {
        QTest::newRow(name) << QString::fromLatin1(name) << layer << QString::fromLatin1(role)
                            << expert << merged;
    };
    row("token_embd.weight", None, "token_embd");
    row("output.weight", None, "output");
    row("blk.0.attn_q.weight", 0, "attn_q");
    row("blk.31.attn_q.bias", 31, "attn_q.bias");
    row("blk.7.ffn_gate_exps.weight", 7, "ffn_gate_exps", None, true);
    row("blk.7.ffn_gate_up_exps.weight", 7, "ffn_gate_up_exps", None, true);
    row("blk.7.ffn_down_shexp.weight", 7, "ffn_down_shexp");
    row("blk.7.ffn_gate_inp.weight", 7, "ffn_gate_inp");
    row("blk.1.ffn_gate.5.weight", 1, "ffn_gate_exps", 5);
    row("blk.1.ffn_up.12.weight", 1, "ffn_up_exps", 12);
    row("blk.1.ffn_down.0.weight", 1, "ffn_down_exps", 0);
    row("blk.1.ffn_gate.weight", 1, "ffn_gate");
    row("blk.1.attn_q.5.weight", 1, "attn_q.5"); // no expert: only ffn tensors were split so
    row("v.blk.3.attn_q.weight", 3, "v.attn_q");
    row("notblk.3.attn_q.weight", None, "notblk.3.attn_q");
    row("blk.x.attn_q.weight", None, "blk.x.attn_q");
    row("blk.4294967296.attn_q.weight", None, "blk.4294967296.attn_q");
    row("blk.4294967295.attn_q.weight", -1 /* 2^32-1 as int */, "attn_q");
    row("blk.3", None, "blk.3");
    row("blk.3.", 3, "");
    row(".weight", None, "");
    row("", None, "");
}

void TestTensorName::parses()
{
    QFETCH(QString, name);
    QFETCH(int, layer);
    QFETCH(QString, role);
    QFETCH(int, expert);
    QFETCH(bool, merged);
    const auto parsed = parseTensorName(name.toStdString());
    QCOMPARE(parsed.layer ? int(*parsed.layer) : None, layer);
    QCOMPARE(QString::fromStdString(parsed.role), role);
    QCOMPARE(parsed.expert ? int(*parsed.expert) : None, expert);
    QCOMPARE(parsed.isMergedExperts, merged);
}

void TestTensorName::comparesNaturally_data()
{
    QTest::addColumn<QString>("smaller");
    QTest::addColumn<QString>("larger");
    QTest::newRow("numbers") << "blk.9.w" << "blk.10.w";
    QTest::newRow("after the number") << "blk.9.a" << "blk.9.b";
    QTest::newRow("prefix") << "blk" << "blk.0";
    QTest::newRow("empty") << "" << "a";
    QTest::newRow("long numbers") << "x99999999999999999999998" << "x99999999999999999999999";
    QTest::newRow("leading zeros count last") << "x01" << "x1";
    QTest::newRow("leading zeros") << "x007" << "x8";
    QTest::newRow("digits before letters") << "a1" << "ab";
    QTest::newRow("bytes are unsigned") << "a" << QString::fromUtf8("ä");
}

void TestTensorName::comparesNaturally()
{
    QFETCH(QString, smaller);
    QFETCH(QString, larger);
    const auto a = smaller.toStdString();
    const auto b = larger.toStdString();
    QVERIFY(compareNatural(a, b) < 0);
    QVERIFY(compareNatural(b, a) > 0);
    QCOMPARE(compareNatural(a, a), 0);
}

void TestTensorName::sortsLikePeople()
{
    std::vector<std::string> names = {"blk.10.attn_q", "output", "blk.2.ffn_up", "blk.2.attn_q",
                                      "blk.9.attn_q"};
    std::ranges::sort(names, [](const auto &a, const auto &b) { return compareNatural(a, b) < 0; });
    const std::vector<std::string> wanted = {"blk.2.attn_q", "blk.2.ffn_up", "blk.9.attn_q",
                                             "blk.10.attn_q", "output"};
    QCOMPARE(names, wanted);
}

void TestTensorName::escapes_data()
{
    QTest::addColumn<QByteArray>("raw");
    QTest::addColumn<QByteArray>("shown");
    const auto row = [](const char *what, const QByteArray &raw, const QByteArray &shown) {
        QTest::newRow(what) << raw << shown;
    };
    row("plain", "blk.0.attn_q", "blk.0.attn_q");
    row("umlaut and emoji", "Größe 🦙", "Größe 🦙");
    row("backslash", "a\\b", "a\\\\b");
    row("backslash that looks like an escape", "\\x41", "\\\\x41");
    row("control", "a\x1b[31m\n\x7f", "a\\x1b[31m\\x0a\\x7f");
    row("nul", QByteArray("a\0b", 3), "a\\x00b");
    row("lone byte", "\xff", "\\xff");
    row("cut character", "a\xe2\x96", "a\\xe2\\x96");
    row("overlong slash", "\xc0\xaf", "\\xc0\\xaf");
    row("surrogate", "\xed\xa0\x80", "\\xed\\xa0\\x80");
    row("beyond Unicode", "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
    row("right-to-left override", "a\xe2\x80\xae", "a\\u{202e}");
    row("C1 control", "\xc2\x85", "\\u{0085}");
    row("byte order mark", "\xef\xbb\xbf", "\\u{feff}");
}

void TestTensorName::escapes()
{
    QFETCH(QByteArray, raw);
    QFETCH(QByteArray, shown);
    QCOMPARE(QByteArray::fromStdString(escapeBytes(raw.toStdString())), shown);
    QCOMPARE(QByteArray::fromStdString(unescapeBytes(shown.toStdString())), raw);
}

void TestTensorName::textKeepsLines()
{
    QCOMPARE(escapeText("a\n\tb\x1b\\n\xff"), std::string("a\n\tb\\x1b\\\\n\\xff"));
}

void TestTensorName::jsonKeepsControlCharacters()
{
    const auto raw = bytes("a\0b\x1b\xe2\x80\xae\\\xff", 9);
    QCOMPARE(escapeForJson(raw), bytes("a\0b\x1b\xe2\x80\xae\\\\\\xff", 13));
    QVERIFY(isValidUtf8(escapeForJson(raw)));
}

void TestTensorName::unescapesWhatIsNoEscape()
{
    for (const char *text : {"\\", "\\x", "\\xg1", "\\x1", "\\u{", "\\u{}", "\\u{d800}", "\\u{110000}",
                             "\\u{123456789}", "\\q"})
        QCOMPARE(unescapeBytes(text), std::string(text));
}

void TestTensorName::everyByteStringComesBack()
{
    std::mt19937 random(20240229);
    for (int i = 0; i < 20000; ++i) {
        std::string raw(random() % 12, '\0');
        for (auto &c : raw)
            c = static_cast<char>(random());
        QCOMPARE(unescapeBytes(escapeBytes(raw)), raw);
        QCOMPARE(unescapeBytes(escapeText(raw)), raw);
        QCOMPARE(unescapeBytes(escapeForJson(raw)), raw);
        QVERIFY(isValidUtf8(escapeBytes(raw)));
    }
}

void TestTensorName::findsHiddenCharacters()
{
    QVERIFY(!hidesCharacters("Größe 模型 🦙 a\\b\xff"));
    QVERIFY(hidesCharacters("a\x1b"));
    QVERIFY(hidesCharacters("a\xe2\x80\xae"));
}

QTEST_GUILESS_MAIN(TestTensorName)
#include "tst_tensorname.moc"
