// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/picture.h"
#include "widgets/blockcanvas.h"
#include "widgets/blockpanel.h"

#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <random>
#include <set>

using namespace ql;
using Kind = BlockTarget::Kind;

namespace {

/// Puts scales of a usual size where a random half would be far off: for pictures.
void tame(GgmlType type, std::vector<std::byte> &bytes)
{
    for (const LayoutPart &part : blockLayout(type)) {
        if (part.name != "d" && part.name != "dmin")
            continue;
        if (part.bytes == 2)
            bytes[part.firstByte + 1] = std::byte{0x14};
    }
}

/// A block of pseudo-random bytes in row 12, block 3 of 8, of a tensor with 64 rows.
BlockViewPtr sampleBlock(GgmlType type, std::uint32_t seed = 3)
{
    auto block = std::make_shared<BlockViewData>();
    std::mt19937 random(seed);
    block->bytes.resize(traits(type).blockBytes);
    for (std::byte &byte : block->bytes)
        byte = static_cast<std::byte>(random());
    tame(type, block->bytes);
    block->fields = readBlockFields(type, block->bytes);
    block->tensorName = "blk.0.ffn_down.weight";
    block->typeName = traits(type).name;
    block->rows = 64;
    block->blocksPerRow = 8;
    block->columns = 8 * traits(type).blockSize;
    block->row = 12;
    block->block = 3;
    block->firstColumn = 3 * traits(type).blockSize;
    block->fileOffset = 0x1a2b40;
    return block;
}

std::set<int> litBits(const BlockCanvas &canvas)
{
    std::set<int> bits;
    for (std::size_t i = 0; i < canvas.highlight().bits.size(); ++i)
        if (canvas.highlight().bits[i])
            bits.insert(static_cast<int>(i));
    return bits;
}

std::set<int> bitSet(std::initializer_list<std::pair<int, int>> ranges)
{
    std::set<int> bits;
    for (const auto &[first, n] : ranges)
        for (int i = 0; i < n; ++i)
            bits.insert(first + i);
    return bits;
}

Selection selectionAt(std::uint64_t row, std::uint64_t column)
{
    Selection selection;
    selection.tensor = TensorIndex{0};
    selection.row = row;
    selection.column = column;
    return selection;
}

QString labelText(const QWidget &panel, const char *name)
{
    const auto *label = panel.findChild<QLabel *>(QLatin1String(name));
    return label ? label->text() : QString();
}

} // namespace

class BlockPanelTest : public QObject
{
    Q_OBJECT

    BlockPanel m_panel;

    void hover(QPoint inGeometry)
    {
        m_panel.canvas()->ensureVisible(QRect(inGeometry, QSize(1, 1)));
        QTest::mouseMove(&m_panel, QPoint(1, 1)); // so that the next one is a move
        QTest::mouseMove(m_panel.canvas()->viewport(), m_panel.canvas()->toViewport(inGeometry));
    }
    void leave()
    {
        QEvent event(QEvent::Leave);
        QCoreApplication::sendEvent(m_panel.canvas(), &event); // as it leaves the viewport, it leaves the canvas
    }
    void hoverWeight(std::uint32_t w)
    {
        hover(m_panel.canvas()->geometryOfBlock().weightRect(w).center());
    }

private slots:
    void initTestCase()
    {
        applyTheme(*qApp, Theme::light());
        m_panel.resize(1100, 720);
        m_panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&m_panel));
    }

    void init()
    {
        m_panel.setBlockB(nullptr);
        m_panel.setBlock(nullptr);
        m_panel.setSelection({});
    }

    void saysWhatToDoWhileNothingIsSelected()
    {
        QVERIFY(!m_panel.canvas()->isVisible());
        m_panel.setBlock(sampleBlock(GgmlType::Q4_K));
        QVERIFY(m_panel.canvas()->isVisible());
        m_panel.setError(QStringLiteral("file changed on disk"));
        QVERIFY(!m_panel.canvas()->isVisible());
    }

    void hoverOnAWeightLightsItsBits_data()
    {
        QTest::addColumn<std::uint32_t>("id");
        QTest::addColumn<std::uint32_t>("weight");
        QTest::addColumn<std::set<int>>("bits");
        const auto row = [](GgmlType type, std::uint32_t w, std::set<int> bits) {
            QTest::addRow("%s weight %u", std::string(traits(type).name).c_str(), w)
                << static_cast<std::uint32_t>(type) << w << bits;
        };
        row(GgmlType::Q2_K, 165, bitSet({{8 * 10, 8}, {8 * 53 + 2, 2}, {640, 32}}));
        row(GgmlType::Q3_K, 165,
            bitSet(
                {{8 * 5 + 5, 1}, {8 * 69 + 2, 2}, {8 * 98 + 4, 4}, {8 * 106 + 4, 2}, {864, 16}}));
        row(GgmlType::Q4_K, 165,
            bitSet({{0, 32}, {8 * 13, 8}, {8 * 5 + 6, 2}, {8 * 9 + 6, 2}, {8 * 85 + 4, 4}}));
        row(GgmlType::Q6_K, 165,
            bitSet({{8 * 101, 4}, {8 * 165 + 2, 2}, {8 * 202, 8}, {8 * 208, 16}}));
        row(GgmlType::IQ2_XXS, 167, bitSet({{0, 16}, {8 * 42, 8}, {8 * 46, 7}, {8 * 46 + 28, 4}}));
        row(GgmlType::MXFP4, 21, bitSet({{0, 8}, {8 * 6 + 4, 4}}));
        // And a weight of another place each, worked out by hand from the layouts. Q2_K: half 0, j 0,
        // l 3; sub-block 0.
        row(GgmlType::Q2_K, 3, bitSet({{0, 8}, {8 * 19, 2}, {640, 32}}));
        // Half 1, j 3, l 26: hmask bit 7, the top pair of qs[58]; scale 15: high nibble of its byte 7,
        // bits 6-7 of its byte 11.
        row(GgmlType::Q3_K, 250,
            bitSet({{8 * 26 + 7, 1}, {8 * 90 + 6, 2}, {8 * 103 + 4, 4}, {8 * 107 + 6, 2}, {864, 16}}));
        // Sub-block 2, of those whose six bits lie in one byte; low nibble of qs[38].
        row(GgmlType::Q4_K, 70, bitSet({{0, 32}, {8 * 6, 6}, {8 * 10, 6}, {8 * 54, 4}}));
        // Half 0, l 4, the fourth quarter: high nibble of ql[36], top pair of qh[4]; sub-block 6.
        row(GgmlType::Q6_K, 100, bitSet({{8 * 36 + 4, 4}, {8 * 132 + 6, 2}, {8 * 198, 8}, {8 * 208, 16}}));
        // 32 weights 2, group 3, place 2: grid byte 3 of word a, sign bit 21 + 2 of word b.
        row(GgmlType::IQ2_XXS, 90, bitSet({{0, 16}, {8 * 21, 8}, {8 * 22 + 23, 1}, {8 * 22 + 28, 4}}));
        row(GgmlType::MXFP4, 5, bitSet({{0, 8}, {8 * 6, 4}}));
    }

    void hoverOnAWeightLightsItsBits()
    {
        QFETCH(const std::uint32_t, id);
        QFETCH(const std::uint32_t, weight);
        QFETCH(const std::set<int>, bits);
        m_panel.setBlock(sampleBlock(static_cast<GgmlType>(id)));
        QCoreApplication::processEvents();
        hoverWeight(weight);
        QCOMPARE(m_panel.canvas()->litTarget(), (BlockTarget{Kind::Weight, weight}));
        QCOMPARE(litBits(*m_panel.canvas()), bits);
        QVERIFY(
            labelText(m_panel, "blockDetail").startsWith(QStringLiteral("w[%1] = ").arg(weight)));
    }

    void everyTypeLightsOnHover()
    {
        for (const TypeTraits &type : typeTable()) {
            if (!type.isDecodable())
                continue;
            m_panel.setBlock(sampleBlock(type.type));
            QCoreApplication::processEvents();
            leave();
            hoverWeight(type.blockSize - 1);
            QVERIFY2(!litBits(*m_panel.canvas()).empty(), std::string(type.name).c_str());
        }
    }

    void hoverOnABitLightsItsWeights()
    {
        m_panel.setBlock(sampleBlock(GgmlType::Q4_0));
        QCoreApplication::processEvents();
        hover(m_panel.canvas()->geometryOfBlock().bitRect(8 * 2 + 5).center());
        const auto &weights = m_panel.canvas()->highlight().weights;
        for (std::size_t w = 0; w < 32; ++w)
            QCOMPARE(weights[w], w == 16);
        QVERIFY(labelText(m_panel, "blockDetail").startsWith(QStringLiteral("bit 5 of byte 2")));
    }

    void clickSelectsAWeightAndItStaysLit()
    {
        m_panel.setBlock(sampleBlock(GgmlType::Q4_K));
        QCoreApplication::processEvents();
        QSignalSpy selected(&m_panel, &BlockPanel::weightSelected);
        const QPoint at = m_panel.canvas()->geometryOfBlock().weightRect(7).center();
        QTest::mouseClick(m_panel.canvas()->viewport(), Qt::LeftButton, {},
                          m_panel.canvas()->toViewport(at));
        QCOMPARE(selected.count(), 1);
        QCOMPARE(selected[0][0].toULongLong(), 12u);
        QCOMPARE(selected[0][1].toULongLong(), 3u * 256 + 7);
        leave();
        QCOMPARE(m_panel.canvas()->litTarget(), (BlockTarget{Kind::Weight, 7}));
    }

    void aSelectionFromOutsideLightsWithoutASignal()
    {
        m_panel.setBlock(sampleBlock(GgmlType::Q4_K));
        QSignalSpy selected(&m_panel, &BlockPanel::weightSelected);
        m_panel.setSelection(selectionAt(12, 3 * 256 + 9));
        QCOMPARE(m_panel.canvas()->selectedWeight(), std::optional<std::uint32_t>(9));
        m_panel.setSelection(selectionAt(12, 4 * 256));
        QVERIFY(!m_panel.canvas()->selectedWeight());
        m_panel.setSelection(selectionAt(11, 3 * 256 + 9));
        QVERIFY(!m_panel.canvas()->selectedWeight());
        QCOMPARE(selected.count(), 0);
    }

    void theBytesOfASelectedWeightAreInSightOnALowScreen()
    {
        m_panel.resize(560, 260);
        m_panel.setBlock(sampleBlock(GgmlType::Q4_K));
        QCoreApplication::processEvents();
        leave();
        QTest::mouseMove(&m_panel, QPoint(1, 1));
        m_panel.canvas()->clearFocus();
        m_panel.setSelection(selectionAt(12, 3 * 256 + 40)); // byte 8 of the codes, which begin at 16
        BlockCanvas *canvas = m_panel.canvas();
        QVERIFY(canvas->geometryOfBlock().isStacked());
        const QRect byte = canvas->geometryOfBlock().bytes().rectOf(24);
        const QRect seen(canvas->toViewport(byte.topLeft()), byte.size());
        QVERIFY(canvas->viewport()->rect().contains(seen));
        // Moved by key, the weight itself is followed.
        canvas->setFocus();
        QTest::keyClick(canvas, Qt::Key_Right);
        m_panel.setSelection(selectionAt(12, 3 * 256 + 41));
        const QRect weight = canvas->geometryOfBlock().weightRect(41);
        QVERIFY(canvas->viewport()->rect().intersects(QRect(canvas->toViewport(weight.topLeft()), weight.size())));
        m_panel.resize(1100, 720);
    }

    void arrowsMoveAndPagesAskForBlocks()
    {
        m_panel.setBlock(sampleBlock(GgmlType::Q4_K));
        QSignalSpy selected(&m_panel, &BlockPanel::weightSelected);
        QSignalSpy requested(&m_panel, &BlockPanel::blockRequested);
        m_panel.setSelection(selectionAt(12, 3 * 256));
        QTest::keyClick(m_panel.canvas(), Qt::Key_Right);
        QCOMPARE(selected.takeFirst()[1].toULongLong(), 3u * 256 + 1);
        QTest::keyClick(m_panel.canvas(), Qt::Key_PageDown);
        QCOMPARE(requested[0][0].toULongLong(), 12u);
        QCOMPARE(requested[0][1].toULongLong(), 4u * 256);
        QTest::mouseClick(m_panel.findChild<QToolButton *>(QStringLiteral("previousBlock")),
                          Qt::LeftButton);
        QCOMPARE(requested[1][1].toULongLong(), 2u * 256);
        QTest::mouseClick(m_panel.findChild<QToolButton *>(QStringLiteral("blockRowDown")),
                          Qt::LeftButton);
        QCOMPARE(requested[2][0].toULongLong(), 13u);
        QCOMPARE(requested[2][1].toULongLong(), 3u * 256);
    }

    void blockStepsStopAtTheTensorsEnds()
    {
        auto first = std::make_shared<BlockViewData>(*sampleBlock(GgmlType::Q8_0));
        first->row = first->block = first->firstColumn = 0;
        m_panel.setBlock(first);
        const auto isEnabled = [&](const char *name) {
            return m_panel.findChild<QToolButton *>(QLatin1String(name))->isEnabled();
        };
        QVERIFY(!isEnabled("previousBlock") && !isEnabled("blockRowUp"));
        QVERIFY(isEnabled("nextBlock") && isEnabled("blockRowDown"));
        auto last = std::make_shared<BlockViewData>(*first);
        last->row = 63;
        last->block = 7;
        m_panel.setBlock(last);
        QVERIFY(!isEnabled("nextBlock") && !isEnabled("blockRowDown"));
        QVERIFY(isEnabled("previousBlock"));
    }

    void comparedBlocksLightTogether()
    {
        m_panel.setBlock(sampleBlock(GgmlType::Q4_K));
        m_panel.setBlockB(sampleBlock(GgmlType::Q2_K, 5));
        QCoreApplication::processEvents();
        QVERIFY(m_panel.canvasB()->isVisible());
        hoverWeight(40);
        QCOMPARE(m_panel.canvasB()->litTarget(), (BlockTarget{Kind::Weight, 40}));
        test::savePictures(m_panel, QStringLiteral("block-compare"));
    }

    void aScaleLightsTheOtherBlocksSubBlocks()
    {
        m_panel.setBlock(sampleBlock(GgmlType::Q4_K));
        m_panel.setBlockB(sampleBlock(GgmlType::Q2_K, 5));
        QCoreApplication::processEvents();
        // One sub-block of Q4_K, 32 weights, lies over two of Q2_K, 16 weights each.
        const auto &fields = m_panel.canvas()->block()->fields.fields;
        const auto scale = std::ranges::find(fields, std::string("scale[3]"), &BlockField::name);
        QVERIFY(scale != fields.end());
        hover(m_panel.canvas()->geometryOfBlock().fieldRect(
            static_cast<std::uint32_t>(scale - fields.begin())).center());
        QCOMPARE(m_panel.canvasB()->litTarget(), (BlockTarget{Kind::Weights, 96, 32}));
        std::set<std::string> lit;
        const auto &fieldsB = m_panel.canvasB()->block()->fields.fields;
        for (std::size_t i = 0; i < fieldsB.size(); ++i)
            if (m_panel.canvasB()->highlight().fields[i] && fieldsB[i].kind == "scale")
                lit.insert(fieldsB[i].name);
        QCOMPARE(lit, (std::set<std::string>{"scale[6]", "scale[7]"}));
        leave();
        QVERIFY(m_panel.canvasB()->litTarget().isNone());
    }

    void severalBlocksOverOneSayWhichTheyAre()
    {
        const BlockViewPtr a = sampleBlock(GgmlType::Q4_K);
        auto b = std::make_shared<BlockViewData>(*sampleBlock(GgmlType::Q8_0, 5));
        b->firstColumn = a->firstColumn + 64;
        b->block = b->firstColumn / 32;
        m_panel.setBlock(a);
        m_panel.setBlockB(b);
        const auto places = m_panel.findChildren<QLabel *>(QStringLiteral("blockPlace"));
        QCOMPARE(places.size(), 2);
        QVERIFY2(places[1]->text().startsWith(QStringLiteral("3 of 8 over the same weights")),
                 qPrintable(places[1]->text()));
        QVERIFY(places[0]->text().startsWith(QStringLiteral("row 12")));
        m_panel.setBlockB(nullptr);
        QVERIFY(!m_panel.canvasB()->isVisible());
    }

    void pictures()
    {
        for (const GgmlType type :
             {GgmlType::Q4_K, GgmlType::IQ2_XXS, GgmlType::MXFP4, GgmlType::Q6_K, GgmlType::F32}) {
            m_panel.setBlock(sampleBlock(type));
            QCoreApplication::processEvents();
            hoverWeight(std::min(traits(type).blockSize - 1, 165u));
            test::savePictures(m_panel,
                               QStringLiteral("block-")
                                   + QString::fromStdString(std::string(traits(type).name)));
        }
        leave();
        test::savePictures(m_panel, QStringLiteral("block-F32-rest"));
    }
};

QTEST_MAIN(BlockPanelTest)
#include "tst_blockpanel.moc"
