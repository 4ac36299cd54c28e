// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/exportdialog.h"

#include "widgets/choicebox.h"
#include "widgets/formatting.h"
#include "widgets/theme.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSpinBox>

#include <limits>

namespace ql {

namespace {

constexpr int EstimateDelayMs = 120;
constexpr int LeastWidth = 560;

struct FormatRow {
    ExportWish::Format format;
    const char *title;
    const char *suffix;
};
constexpr FormatRow Formats[] = {
    {ExportWish::Npy, QT_TRANSLATE_NOOP("ExportDialog", "NumPy array (npy)"), ".npy"},
    {ExportWish::Csv, QT_TRANSLATE_NOOP("ExportDialog", "CSV, a line a row"), ".csv"},
    {ExportWish::CsvLong, QT_TRANSLATE_NOOP("ExportDialog", "CSV, a line a value: row, column, value"), ".csv"},
    {ExportWish::Raw, QT_TRANSLATE_NOOP("ExportDialog", "the bytes as they are stored"), ".bin"},
};

QString safeName(QString name)
{
    return name.replace(QLatin1Char('/'), QLatin1Char('_'));
}

} // namespace

ExportDialog::ExportDialog(const ExportSubject &subject, const QString &folder, QWidget *parent)
    : QDialog(parent)
    , m_subject(subject)
    , m_folder(folder)
{
    setObjectName(QStringLiteral("exportDialog"));
    setWindowTitle(tr("Export %1").arg(QString::fromStdString(subject.tensor->name)));
    setMinimumWidth(LeastWidth);
    build();
    m_estimateTimer.setSingleShot(true);
    m_estimateTimer.setInterval(EstimateDelayMs);
    connect(&m_estimateTimer, &QTimer::timeout, this, &ExportDialog::estimateRequested);
    partChanged();
    formatChanged();
}

void ExportDialog::build()
{
    m_part = new ChoiceBox({}, this);
    m_part->setObjectName(QStringLiteral("exportPart"));
    m_part->setAccessibleName(tr("Part of the tensor"));
    m_expert = new QSpinBox(this);
    m_expert->setObjectName(QStringLiteral("exportExpert"));
    m_expert->setAccessibleName(tr("Number of the expert"));
    m_expert->setMinimumWidth(72);
    m_rows = new QLineEdit(this);
    m_rows->setObjectName(QStringLiteral("exportRows"));
    m_rows->setAccessibleName(tr("Rows, such as 0:100"));
    m_rows->setPlaceholderText(tr("all, or from:to such as 0:100"));
    m_rows->setFont(Theme::fixedFont());
    m_format = new ChoiceBox({}, this);
    m_format->setObjectName(QStringLiteral("exportFormat"));
    m_format->setAccessibleName(tr("Format"));
    m_path = new QLineEdit(this);
    m_path->setObjectName(QStringLiteral("exportPath"));
    m_path->setAccessibleName(tr("File to write"));
    m_path->setFont(Theme::fixedFont());
    m_size = new QLabel(this);
    m_size->setObjectName(QStringLiteral("exportSize"));
    m_size->setTextFormat(Qt::PlainText);
    m_size->setWordWrap(true);
    auto *browse = new QPushButton(tr("Browse…"), this);
    auto *cancel = new QPushButton(tr("Cancel"), this);
    m_save = new QPushButton(tr("Export"), this);
    m_save->setObjectName(QStringLiteral("exportSave"));
    m_save->setDefault(true);
    fillParts();
    fillFormats();

    auto *part = new QHBoxLayout;
    part->addWidget(m_part);
    part->addWidget(m_expert);
    part->addStretch();
    auto *path = new QHBoxLayout;
    path->addWidget(m_path, 1);
    path->addWidget(browse);
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(m_size, 1);
    buttons->addWidget(cancel);
    buttons->addWidget(m_save);
    auto *form = new QFormLayout(this);
    form->setContentsMargins(16, 16, 16, 16);
    form->setSpacing(10);
    form->addRow(tr("part"), part);
    form->addRow(tr("rows"), m_rows);
    form->addRow(tr("format"), m_format);
    form->addRow(tr("file"), path);
    form->addRow(buttons);
    connect(m_part, &QComboBox::currentIndexChanged, this, &ExportDialog::partChanged);
    connect(m_expert, &QSpinBox::valueChanged, this, &ExportDialog::changed);
    connect(m_rows, &QLineEdit::textChanged, this, &ExportDialog::changed);
    connect(m_format, &QComboBox::currentIndexChanged, this, &ExportDialog::formatChanged);
    connect(m_path, &QLineEdit::textChanged, this, &ExportDialog::changed);
    connect(browse, &QPushButton::clicked, this, &ExportDialog::browse);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_save, &QPushButton::clicked, this, &ExportDialog::save);
}

void ExportDialog::fillParts()
{
    const TensorInfo &tensor = *m_subject.tensor;
    m_part->addItem(tr("the whole tensor %1").arg(formatShape(tensor.ne)), Whole);
    const std::uint64_t experts = tensor.ne.size() == 3 ? tensor.ne[2] : 0;
    m_expert->setVisible(experts > 0);
    if (experts > 0) {
        m_part->addItem(tensor.experts ? tr("expert") : tr("slab"), Expert);
        m_expert->setMaximum(static_cast<int>(std::min<std::uint64_t>(experts - 1, std::numeric_limits<int>::max())));
        m_expert->setValue(static_cast<int>(m_subject.expert.value_or(0)));
    }
    if (m_subject.expert)
        m_part->choose(Expert);
    if (!m_subject.selection)
        return;
    const ValuesWindow &window = *m_subject.selection;
    m_part->addItem(tr("what is selected in Values: %1 rows × %2 columns").arg(formatCount(window.rows), formatCount(window.columns)),
                    Selection);
    if (m_subject.preferSelection)
        m_part->choose(Selection);
}

void ExportDialog::fillFormats()
{
    for (const FormatRow &row : Formats)
        m_format->addItem(tr(row.title), row.format);
}

std::uint64_t ExportDialog::rowsOfPart() const
{
    const TensorInfo &tensor = *m_subject.tensor;
    return m_part->currentData().toInt() == Expert ? tensor.ne[1] : tensor.ne.rows().value_or(0);
}

/// "from:to", either of them missing; nothing for all rows.
std::optional<ExportWish::Range> ExportDialog::rowsFromText(bool *ok) const
{
    *ok = true;
    const QString text = m_rows->text().simplified();
    if (text.isEmpty() || !m_rows->isEnabled())
        return std::nullopt;
    const QStringList ends = text.split(QLatin1Char(':'));
    bool firstOk = ends.value(0).isEmpty(), lastOk = ends.value(1).isEmpty();
    const std::uint64_t rows = rowsOfPart();
    const std::uint64_t first = firstOk ? 0 : ends.value(0).trimmed().toULongLong(&firstOk);
    const std::uint64_t last = lastOk ? rows : ends.value(1).trimmed().toULongLong(&lastOk);
    *ok = ends.size() == 2 && firstOk && lastOk && first <= last && last <= rows;
    return ExportWish::Range{first, last};
}

ExportWish ExportDialog::wish() const
{
    ExportWish wish;
    wish.format = static_cast<ExportWish::Format>(m_format->currentData().toInt());
    wish.path = m_path->text();
    const int part = m_part->currentData().toInt();
    if (part == Selection) {
        const ValuesWindow &window = *m_subject.selection;
        wish.expert = m_subject.expert;
        wish.rows = {window.firstRow, window.firstRow + window.rows};
        wish.columns = {window.firstColumn, window.firstColumn + window.columns};
        return wish;
    }
    if (part == Expert)
        wish.expert = static_cast<std::uint64_t>(m_expert->value());
    bool ok = false;
    wish.rows = rowsFromText(&ok);
    return wish;
}

void ExportDialog::partChanged()
{
    const int part = m_part->currentData().toInt();
    m_expert->setEnabled(part == Expert);
    m_rows->setEnabled(part != Selection);
    const bool isCut = part == Selection && m_subject.selection->columns < m_subject.tensor->ne[0];
    m_format->setItemEnabled(m_format->findData(ExportWish::Raw), !isCut);
    if (isCut && m_format->currentData().toInt() == ExportWish::Raw)
        m_format->choose(ExportWish::Csv);
    changed();
}

/// The file's suffix follows the format, whatever folder and name a person has given it.
void ExportDialog::formatChanged()
{
    const QString suffix = QLatin1String(Formats[m_format->currentIndex()].suffix);
    const QFileInfo present(m_path->text());
    const QString part = m_subject.expert ? QStringLiteral("-expert-%1").arg(*m_subject.expert) : QString();
    const QString name = m_path->text().isEmpty() ? safeName(QString::fromStdString(m_subject.tensor->name)) + part
                                                  : present.completeBaseName();
    const QDir folder = m_path->text().isEmpty() ? QDir(m_folder) : present.dir();
    m_path->setText(folder.filePath(name + suffix));
    changed();
}

void ExportDialog::changed()
{
    bool ok = false;
    rowsFromText(&ok);
    if (!ok) {
        m_estimateTimer.stop();
        setProblem(tr("Rows are from:to within the %1 there are").arg(formatCount(rowsOfPart())));
        return;
    }
    m_size->setText(tr("estimating the size…"));
    m_save->setEnabled(!m_path->text().isEmpty());
    m_estimateTimer.start();
}

void ExportDialog::setEstimate(std::uint64_t bytes, bool exact)
{
    m_size->setText(exact ? tr("%1 to write").arg(formatBytesLong(bytes)) : tr("about %1 to write").arg(formatBytes(bytes)));
}

void ExportDialog::setProblem(const QString &problem)
{
    m_size->setText(problem);
    m_save->setEnabled(false);
}

void ExportDialog::browse()
{
    auto *dialog = new QFileDialog(this, tr("Export"), m_path->text());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setOption(QFileDialog::DontConfirmOverwrite); // asked once, by Export
    connect(dialog, &QFileDialog::fileSelected, m_path, &QLineEdit::setText);
    dialog->open();
}

void ExportDialog::save()
{
    const ExportWish wanted = wish();
    if (!QFileInfo::exists(wanted.path)) {
        accept();
        emit exportRequested(wanted);
        return;
    }
    auto *question = new QMessageBox(QMessageBox::Question, tr("Export"), tr("%1 exists. Replace it?").arg(wanted.path),
                                     QMessageBox::Cancel, this);
    question->setObjectName(QStringLiteral("exportReplace"));
    question->setTextFormat(Qt::PlainText);
    question->setAttribute(Qt::WA_DeleteOnClose);
    auto *replace = question->addButton(tr("Replace"), QMessageBox::AcceptRole);
    connect(replace, &QPushButton::clicked, this, [this, wanted] {
        accept();
        emit exportRequested(wanted);
    });
    question->open();
}

} // namespace ql
