// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/saveasdialog.h"

#include "core/quant/quantize.h"
#include "widgets/card.h"
#include "widgets/choicebox.h"
#include "widgets/formatting.h"
#include "widgets/theme.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

namespace ql {

namespace {

constexpr int PreviewDelayMs = 150;
constexpr QSize FirstSize(720, 520);
constexpr int AsTheyAre = -1;
constexpr int WhatIfChoice = -2;

enum EditColumn { Key, Type, Value, EditColumns };

constexpr const char *ValueTypes[] = {"string", "bool", "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64"};
const QString Removal = QStringLiteral("remove");

} // namespace

SaveAsDialog::SaveAsDialog(ModelSummaryPtr model, std::size_t chosen, const QString &suggestedPath, QWidget *parent)
    : QDialog(parent)
    , m_model(std::move(model))
{
    setObjectName(QStringLiteral("saveAsDialog"));
    setWindowTitle(tr("Save as"));
    resize(FirstSize);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(10);
    layout->addLayout(makeTypes(chosen));
    layout->addLayout(makeEdits());
    layout->addLayout(makePath(suggestedPath));
    m_size = new QLabel(this);
    m_size->setObjectName(QStringLiteral("saveAsSize"));
    m_size->setTextFormat(Qt::PlainText);
    m_size->setWordWrap(true);
    m_size->setFont(Theme::strongFont());
    m_notes = new QPlainTextEdit(this);
    m_notes->setObjectName(QStringLiteral("saveAsNotes"));
    m_notes->setAccessibleName(tr("What else happens"));
    m_notes->setReadOnly(true);
    m_notes->setFrameShape(QFrame::NoFrame);
    m_notes->setMaximumHeight(112);
    layout->addWidget(m_size);
    layout->addWidget(m_notes);
    layout->addLayout(makeButtons());
    m_previewTimer.setSingleShot(true);
    m_previewTimer.setInterval(PreviewDelayMs);
    connect(&m_previewTimer, &QTimer::timeout, this, &SaveAsDialog::previewRequested);
    changed();
}

QLayout *SaveAsDialog::makeTypes(std::size_t chosen)
{
    m_types = new ChoiceBox(tr("types"), this);
    m_types->setObjectName(QStringLiteral("saveAsTypes"));
    m_types->addItem(tr("as they are"), AsTheyAre);
    m_types->addItem(tr("the What-if choice (%1 tensors)").arg(chosen), WhatIfChoice);
    m_types->setItemEnabled(1, chosen > 0);
    m_types->setCurrentIndex(chosen > 0 ? 1 : 0);
    for (const GgmlType type : quantizableTypes())
        m_types->addItem(tr("main weights as %1").arg(QString::fromStdString(typeLabel(static_cast<std::uint32_t>(type)))),
                         static_cast<int>(type));
    m_types->setToolTip(tr("Main weights: 2-D and 3-D “.weight” tensors but norms and routers; the rest is copied byte for byte"));
    connect(m_types, &QComboBox::currentIndexChanged, this, &SaveAsDialog::changed);
    auto *row = new QHBoxLayout;
    row->addWidget(m_types);
    const auto shards = m_model->shards.size();
    row->addWidget(Card::mutedLabel(shards > 1 ? tr("%1 shards are joined into one file").arg(shards) : QString(), this));
    row->addStretch();
    return row;
}

QLayout *SaveAsDialog::makeEdits()
{
    m_edits = new QTableWidget(0, EditColumns, this);
    m_edits->setObjectName(QStringLiteral("saveAsEdits"));
    m_edits->setAccessibleName(tr("Changes to the metadata"));
    m_edits->setHorizontalHeaderLabels({tr("key"), tr("type"), tr("new value")});
    m_edits->horizontalHeader()->setSectionResizeMode(Key, QHeaderView::Stretch);
    m_edits->horizontalHeader()->setSectionResizeMode(Value, QHeaderView::Stretch);
    m_edits->setColumnWidth(Type, 128);
    m_edits->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_edits->setFrameShape(QFrame::NoFrame);
    m_edits->setTabKeyNavigation(false); // Tab goes on to the buttons
    m_edits->verticalHeader()->hide();
    m_edits->verticalHeader()->setDefaultSectionSize(32);
    m_edits->setMinimumHeight(128);
    auto *add = new QPushButton(tr("Change metadata…"), this);
    add->setObjectName(QStringLiteral("saveAsAdd"));
    auto *drop = new QPushButton(tr("Drop change"), this);
    drop->setObjectName(QStringLiteral("saveAsDrop"));
    connect(add, &QPushButton::clicked, this, [this] { addEdit({}, {}, {}, false); });
    connect(drop, &QPushButton::clicked, this, [this] {
        m_edits->removeRow(m_edits->currentRow() >= 0 ? m_edits->currentRow() : m_edits->rowCount() - 1);
        changed();
    });
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(add);
    buttons->addWidget(drop);
    buttons->addStretch();
    auto *layout = new QVBoxLayout;
    layout->addWidget(m_edits);
    layout->addLayout(buttons);
    return layout;
}

void SaveAsDialog::addEdit(const QString &key, const QString &type, const QString &value, bool remove)
{
    const int row = m_edits->rowCount();
    m_edits->insertRow(row);
    auto *keys = new QComboBox(m_edits);
    keys->setEditable(true);
    for (const MetadataSummary &entry : m_model->metadata)
        keys->addItem(QString::fromStdString(entry.key));
    keys->setCurrentText(key);
    auto *types = new QComboBox(m_edits);
    types->addItem(tr("its own"), QString());
    for (const char *name : ValueTypes)
        types->addItem(QLatin1String(name), QLatin1String(name));
    types->addItem(tr("remove key"), Removal);
    types->setCurrentIndex(std::max(0, types->findData(remove ? Removal : type)));
    auto *edit = new QLineEdit(value, m_edits);
    m_edits->setCellWidget(row, Key, keys);
    m_edits->setCellWidget(row, Type, types);
    m_edits->setCellWidget(row, Value, edit);
    connect(keys, &QComboBox::currentTextChanged, this, &SaveAsDialog::changed);
    connect(types, &QComboBox::currentIndexChanged, this, [this, edit, types] {
        edit->setEnabled(types->currentData().toString() != Removal);
        changed();
    });
    edit->setEnabled(!remove);
    connect(edit, &QLineEdit::textChanged, this, &SaveAsDialog::changed);
    changed();
}

QLayout *SaveAsDialog::makePath(const QString &path)
{
    m_path = new QLineEdit(path, this);
    m_path->setObjectName(QStringLiteral("saveAsPath"));
    m_path->setAccessibleName(tr("File to write"));
    m_path->setFont(Theme::fixedFont());
    auto *browse = new QPushButton(tr("Browse…"), this);
    connect(m_path, &QLineEdit::textChanged, this, &SaveAsDialog::changed);
    connect(browse, &QPushButton::clicked, this, &SaveAsDialog::browse);
    auto *row = new QHBoxLayout;
    row->addWidget(Card::mutedLabel(tr("file"), this));
    row->addWidget(m_path, 1);
    row->addWidget(browse);
    return row;
}

QLayout *SaveAsDialog::makeButtons()
{
    m_save = new QPushButton(tr("Save"), this);
    m_save->setObjectName(QStringLiteral("saveAsSave"));
    m_save->setDefault(true);
    auto *cancel = new QPushButton(tr("Cancel"), this);
    connect(m_save, &QPushButton::clicked, this, &SaveAsDialog::save);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    auto *row = new QHBoxLayout;
    row->addStretch();
    row->addWidget(cancel);
    row->addWidget(m_save);
    return row;
}

void SaveAsDialog::browse()
{
    auto *dialog = new QFileDialog(this, tr("Save as"), m_path->text(), tr("GGUF models (*.gguf);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setOption(QFileDialog::DontConfirmOverwrite); // asked once, by Save
    dialog->setDefaultSuffix(QStringLiteral("gguf"));
    connect(dialog, &QFileDialog::fileSelected, m_path, &QLineEdit::setText);
    dialog->open();
}

SaveAsWish SaveAsDialog::wish() const
{
    SaveAsWish wish;
    const int type = m_types->currentData().toInt();
    wish.whatIfChoice = type == WhatIfChoice;
    if (type >= 0)
        wish.type = static_cast<GgmlType>(type);
    for (int row = 0; row < m_edits->rowCount(); ++row) {
        const QString key = qobject_cast<QComboBox *>(m_edits->cellWidget(row, Key))->currentText();
        const QString kind = qobject_cast<QComboBox *>(m_edits->cellWidget(row, Type))->currentData().toString();
        const QString value = qobject_cast<QLineEdit *>(m_edits->cellWidget(row, Value))->text();
        if (!key.isEmpty())
            wish.edits.push_back({key, kind == Removal ? QString() : kind, value, kind == Removal});
    }
    wish.path = m_path->text();
    return wish;
}

void SaveAsDialog::changed()
{
    if (!m_size)
        return; // still being built
    m_size->setText(tr("working out the size…"));
    setSaveable(false);
    m_previewTimer.start();
}

void SaveAsDialog::setSaveable(bool saveable) { m_save->setEnabled(saveable && !m_path->text().isEmpty()); }

void SaveAsDialog::setPreview(const SaveAsPreview &preview)
{
    QString text = tr("%1 become %2 (%3 bytes); %4 tensors change their type")
                       .arg(formatBytes(preview.bytesBefore), formatBytes(preview.bytesAfter),
                            formatCount(preview.bytesAfter), formatCount(preview.encoded));
    const bool hasRoom = preview.freeBytes == 0 || preview.bytesAfter <= preview.freeBytes;
    if (preview.freeBytes > 0)
        text += hasRoom ? tr(" · %1 free").arg(formatBytes(preview.freeBytes))
                        : tr(" · only %1 free: it does not fit").arg(formatBytes(preview.freeBytes));
    m_size->setText(text);
    m_notes->setPlainText(preview.notes.join(QLatin1Char('\n')));
    m_notes->setVisible(!preview.notes.isEmpty());
    setSaveable(hasRoom);
}

void SaveAsDialog::setProblem(const QString &problem)
{
    m_size->setText(problem);
    m_notes->clear();
    m_notes->hide();
    setSaveable(false);
}

void SaveAsDialog::save()
{
    const SaveAsWish wanted = wish();
    if (!QFileInfo::exists(wanted.path)) {
        accept();
        emit saveRequested(wanted);
        return;
    }
    auto *question = new QMessageBox(QMessageBox::Question, tr("Save as"), tr("%1 exists. Replace it?").arg(wanted.path),
                                     QMessageBox::Cancel, this);
    question->setObjectName(QStringLiteral("saveAsReplace"));
    question->setTextFormat(Qt::PlainText);
    question->setAttribute(Qt::WA_DeleteOnClose);
    auto *replace = question->addButton(tr("Replace"), QMessageBox::AcceptRole);
    connect(replace, &QPushButton::clicked, this, [this, wanted] {
        accept();
        emit saveRequested(wanted);
    });
    question->open();
}

} // namespace ql
