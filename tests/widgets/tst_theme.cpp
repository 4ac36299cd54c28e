// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/busyoverlay.h"
#include "widgets/card.h"
#include "widgets/chip.h"
#include "widgets/choicebox.h"
#include "widgets/models/checkmenu.h"
#include "widgets/models/treeview.h"
#include "widgets/stateplaceholder.h"
#include "widgets/tablecopy.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QStandardItemModel>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <set>

using namespace ql;

namespace {

QString s(const char *text) { return QString::fromUtf8(text); }

double lightness(QRgb color)
{
    return contrastRatio(QColor(color), Qt::black);
}

double mostContrast(QWidget &widget, const QColor &ground)
{
    const QImage image = widget.grab().toImage();
    double most = 1;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            most = std::max(most, contrastRatio(image.pixelColor(x, y), ground));
    return most;
}

int countAccent(QWidget &widget, const Theme &theme)
{
    const QImage image = widget.grab().toImage();
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            count += image.pixelColor(x, y) == theme.accent || image.pixelColor(x, y) == theme.accentText ? 1 : 0;
    return count;
}

} // namespace

class TestTheme : public QObject
{
    Q_OBJECT

private slots:
    void paletteGivesTheThemeBack()
    {
        QVERIFY(!Theme::light().dark);
        QVERIFY(Theme::darkened().dark);
        QCOMPARE(Theme::fromPalette(Theme::light().palette()), Theme::light());
        QCOMPARE(Theme::fromPalette(Theme::darkened().palette()), Theme::darkened());
    }

    void textReadsOnEveryBackground()
    {
        for (const Theme &t : {Theme::light(), Theme::darkened()}) {
            for (const QColor &text : {t.text, t.muted, t.accentText, t.bText, t.warning, t.danger})
                for (const QColor &ground : {t.panel, t.window})
                    QVERIFY2(contrastRatio(text, ground) >= 4.5, qPrintable(text.name() + ground.name()));
            QVERIFY(contrastRatio(t.text, t.selection) >= 4.5);
        }
    }

    void everyFamilyHasAChipThatReads()
    {
        std::set<QRgb> seen;
        for (const auto &type : typeTable()) {
            const ChipLook look = chipForType(static_cast<std::uint32_t>(type.type));
            QVERIFY2(contrastRatio(Qt::white, look.fill) >= 4.5, qPrintable(look.text));
            QVERIFY(!look.text.isEmpty());
            QCOMPARE(look.dotted, type.isIq());
            seen.insert(look.fill.rgb());
        }
        QCOMPARE(seen.size(), std::size_t(12));
    }

    void unknownTypesHaveAChipToo()
    {
        const ChipLook look = chipForType(4711);
        QCOMPARE(look.text, s("unknown(4711)"));
        QCOMPARE(look.fill, Theme::chipColor(TypeFamily::Unknown));
    }

    void chipPaintsItsColour()
    {
        ChipLabel chip;
        chip.setType(static_cast<std::uint32_t>(GgmlType::Q4_K));
        chip.resize(chip.sizeHint());
        const QImage image = chip.grab().toImage();
        QCOMPARE(QColor(image.pixel(3, image.height() / 2)), Theme::chipColor(TypeFamily::Q4));
        QVERIFY(chip.accessibleName().contains(s("Q4_K")));
    }

    void dottedEdgeDiffersFromPlain()
    {
        QImage plain(60, 18, QImage::Format_ARGB32_Premultiplied), dotted = plain;
        ChipLook look{s("Q2"), Theme::chipColor(TypeFamily::Q2), false};
        for (QImage *image : {&plain, &dotted}) {
            image->fill(Qt::transparent);
            look.dotted = image == &dotted;
            QPainter painter(image);
            paintChip(painter, QRectF(0, 0, 60, 18), look);
        }
        QVERIFY(plain != dotted);
    }

    void sequentialMapsOnlyGetLighter()
    {
        for (const ColorMap map : {ColorMap::Magnitude, ColorMap::Error}) {
            const ColorTable &table = Theme::light().colors(map);
            for (std::size_t i = 1; i < table.size(); ++i)
                QVERIFY2(lightness(table[i]) >= lightness(table[i - 1]) - 0.05, qPrintable(QString::number(i)));
            QVERIFY(lightness(table.back()) > 6 * lightness(table.front()));
        }
    }

    void signedMapIsNeutralInTheMiddle()
    {
        for (const Theme &t : {Theme::light(), Theme::darkened()}) {
            const ColorTable &table = t.colors(ColorMap::Signed);
            const QColor middle(t.colorAt(ColorMap::Signed, 0.5)), low(table.front()), high(table.back());
            const auto [least, most] = std::minmax({middle.red(), middle.green(), middle.blue()});
            QVERIFY(most - least < 12);
            QVERIFY(low.blue() > low.red());
            QVERIFY(high.red() > high.blue());
            QVERIFY(contrastRatio(middle, t.panel) < 1.4);
        }
    }

    void coloursAtTheEdges()
    {
        const Theme t = Theme::light();
        const ColorTable &table = t.colors(ColorMap::Magnitude);
        QCOMPARE(t.colorAt(ColorMap::Magnitude, -3), table.front());
        QCOMPARE(t.colorAt(ColorMap::Magnitude, 7), table.back());
        QCOMPARE(qAlpha(t.colorAt(ColorMap::Magnitude, std::nan(""))), 0);
    }

    void markOfNonFiniteIsInNoMap()
    {
        for (const Theme &t : {Theme::light(), Theme::darkened()})
            for (const ColorMap map : {ColorMap::Magnitude, ColorMap::Signed, ColorMap::Error})
                for (const QRgb rgb : t.colors(map)) {
                    const QColor c(rgb);
                    const int distance = std::abs(c.red() - t.nonFinite.red())
                        + std::abs(c.green() - t.nonFinite.green()) + std::abs(c.blue() - t.nonFinite.blue());
                    QVERIFY2(distance > 90, qPrintable(c.name()));
                }
    }

    void styleSheetHasNoLooseEnds()
    {
        const QString sheet = Theme::darkened().styleSheet();
        QVERIFY(!sheet.contains(QLatin1Char('@')));
        QVERIFY(sheet.contains(Theme::darkened().panel.name()));
    }

    /// The edge of an empty box is seen (3:1, as WCAG asks of controls), and a tick within a full one.
    void checkBoxesAreSeenOnEveryGround()
    {
        for (const Theme &t : {Theme::light(), Theme::darkened()}) {
            applyTheme(*qApp, t);
            QCheckBox box;
            box.setPalette(t.palette());
            box.setAutoFillBackground(true);
            box.resize(box.sizeHint());
            for (const bool isChecked : {false, true}) {
                box.setChecked(isChecked);
                QVERIFY2(mostContrast(box, t.window) >= 3, t.dark ? "dark" : "light");
            }
        }
        applyTheme(*qApp, Theme::light());
    }

    void focusIsSeen_data()
    {
        QTest::addColumn<QWidget *>("control");
        const auto add = [](const char *name, QWidget *control) { QTest::newRow(name) << control; };
        const auto toolButton = [](bool isChecked) {
            auto *button = new QToolButton;
            button->setProperty("chipButton", true);
            button->setCheckable(true);
            button->setChecked(isChecked);
            button->setText(s(".*"));
            return button;
        };
        auto *checked = new QPushButton(s("held"));
        checked->setCheckable(true);
        checked->setChecked(true);
        auto *tabs = new QTabBar;
        tabs->addTab(s("Overview"));
        tabs->addTab(s("Tensors"));
        auto *choice = new ChoiceBox(s("measure"));
        choice->addItem(s("RMS"));
        add("push button", new QPushButton(s("Open…")));
        add("checked push button", checked);
        add("tool button", toolButton(false));
        add("checked tool button", toolButton(true));
        add("check box", new QCheckBox(s("Colour")));
        add("field", new QLineEdit);
        add("choice", choice);
        add("tabs", tabs);
        add("slider", new QSlider(Qt::Horizontal));
        add("list", new QListWidget);
        add("table", makeTableView(nullptr));
        add("tree", new TreeView);
        add("text", new QPlainTextEdit);
    }

    /// The accent colour comes with the focus, and nothing moves.
    void focusIsSeen()
    {
        QFETCH(QWidget *, control);
        const std::unique_ptr<QWidget> window(new QWidget);
        auto *layout = new QVBoxLayout(window.get());
        auto *other = new QPushButton(s("other"), window.get());
        layout->addWidget(other);
        layout->addWidget(control);
        control->setStyleSheet(toolSheet());
        control->setFocusPolicy(Qt::StrongFocus);
        window->show();
        QVERIFY(QTest::qWaitForWindowActive(window.get()));
        for (const Theme &t : {Theme::light(), Theme::darkened()}) {
            applyTheme(*qApp, t);
            other->setFocus(Qt::TabFocusReason);
            QTRY_VERIFY(other->hasFocus());
            const QSize size = control->sizeHint();
            const int before = countAccent(*control, t);
            QTest::keyClick(other, Qt::Key_Tab);
            QTRY_VERIFY(control->hasFocus());
            const int after = countAccent(*control, t);
            QVERIFY2(after >= before + 16, qPrintable(s("%1 %2 %3").arg(t.dark).arg(before).arg(after)));
            QCOMPARE(control->sizeHint(), size);
        }
        applyTheme(*qApp, Theme::light());
    }

    void cardFollowsThePalette()
    {
        Card card(s("Figures"));
        card.resize(200, 100);
        for (const Theme &t : {Theme::light(), Theme::darkened()}) {
            card.setPalette(t.palette());
            QCOMPARE(QColor(card.grab().toImage().pixel(150, 80)), t.panel);
        }
        QCOMPARE(card.title(), s("Figures"));
    }

    void overlayWaitsThenShowsAndCancels()
    {
        QWidget panel;
        panel.resize(500, 300);
        BusyOverlay overlay(&panel);
        panel.show();
        overlay.start(s("Scanning blk.0.attn_q.weight"));
        QVERIFY(!overlay.isVisible());
        overlay.setProgress(250, 1000);
        QTRY_VERIFY_WITH_TIMEOUT(overlay.isVisible(), 2000);
        QCOMPARE(overlay.geometry(), panel.rect());
        QCOMPARE(overlay.findChild<QProgressBar *>(s("busyBar"))->value(), 250);
        QVERIFY(overlay.findChild<QLabel *>(s("busyDetail"))->text().contains(s("left")));
        QSignalSpy cancelled(&overlay, &BusyOverlay::cancelRequested);
        QTest::mouseClick(overlay.findChild<QPushButton *>(s("busyCancel")), Qt::LeftButton);
        QCOMPARE(cancelled.count(), 1);
        overlay.markStale(s("blk.0.attn_k.weight"));
        QVERIFY(overlay.isVisible());
        QVERIFY(overlay.findChild<QLabel *>(s("busyWhat"))->text().contains(s("attn_k")));
        overlay.finish();
        QVERIFY(!overlay.isVisible());
    }

    void shortWorkIsNeverSeen()
    {
        QWidget panel;
        BusyOverlay overlay(&panel);
        panel.show();
        overlay.start(s("quick"));
        overlay.finish();
        QTest::qWait(BusyOverlay::DelayMs + 60);
        QVERIFY(!overlay.isVisible());
    }

    void paceSaysWhatIsKnown()
    {
        QCOMPARE((Pace{500, 1000, 2.0}).perSecond(), std::optional<double>(250.0));
        QCOMPARE((Pace{500, 1000, 2.0}).secondsLeft(), std::optional<double>(2.0));
        QVERIFY(!(Pace{500, 1000, 0.001}).perSecond());
        QCOMPARE((Pace{0, 1000, 5}).text(s("weights")), QString());
    }

    void placeholderSaysWhatToDo()
    {
        StatePlaceholder state;
        state.showEmpty(s("No tensor"), s("Choose one on the left."), s("Open…"));
        state.show();
        QSignalSpy triggered(&state, &StatePlaceholder::actionTriggered);
        QTest::mouseClick(state.findChild<QPushButton *>(s("stateButton")), Qt::LeftButton);
        QCOMPARE(triggered.count(), 1);
        state.showError(s("Can't decode"), s("row length 100"));
        QVERIFY(state.isError());
        QVERIFY(!state.findChild<QPushButton *>(s("stateButton"))->isVisible());
        QCOMPARE(state.detail(), s("row length 100"));
    }

    void choiceBoxGreysItemsOut()
    {
        ChoiceBox box(s("measure"));
        box.addItem(s("RMS"), 1);
        box.addItem(s("scale"), 2);
        box.setItemEnabled(1, false);
        QVERIFY(!box.isItemEnabled(1));
        QVERIFY(box.choose(2));
        QVERIFY(!box.choose(3));
        QCOMPARE(box.currentText(), s("scale"));
    }

    void tablesCopyAsTabSeparatedText()
    {
        QStandardItemModel model(2, 3);
        model.setHorizontalHeaderLabels({s("name"), s("A"), s("=B")});
        for (int row = 0; row < 2; ++row)
            for (int column = 0; column < 3; ++column) {
                auto *item = new QStandardItem(s("%1\t%2").arg(row).arg(column));
                model.setItem(row, column, item);
            }
        model.item(1, 1)->setData(s("0.12345678901234"), Qt::UserRole);
        QTableView view;
        view.setModel(&model);
        view.selectionModel()->select(model.index(0, 2), QItemSelectionModel::Select);
        view.selectionModel()->select(model.index(1, 1), QItemSelectionModel::Select);
        QCOMPARE(selectionAsTsv(*view.selectionModel(), Qt::UserRole), s("\t0 2\n0.12345678901234\t\n"));
        QVERIFY(tableAsCsv(model, Qt::UserRole).startsWith(s("name,A,'=B\n")));
    }
};

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"
