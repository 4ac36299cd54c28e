// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/verifydialog.h"

#include "widgets/card.h"
#include "widgets/theme.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace ql {

namespace {
constexpr int LeastWidth = 560;
} // namespace

VerifyDialog::VerifyDialog(const QString &folder, QWidget *parent)
    : QDialog(parent)
    , m_folder(folder)
    , m_manifest(new QLineEdit(this))
    , m_deep(new QCheckBox(tr("Decode every weight and report NaN, Inf and all-zero blocks and rows"), this))
    , m_verify(new QPushButton(tr("Verify"), this))
{
    setObjectName(QStringLiteral("verifyDialog"));
    setWindowTitle(tr("Verify file"));
    setMinimumWidth(LeastWidth);
    m_manifest->setObjectName(QStringLiteral("verifyManifest"));
    m_manifest->setAccessibleName(tr("Manifest of digests"));
    m_manifest->setPlaceholderText(tr("none"));
    m_manifest->setFont(Theme::fixedFont());
    m_deep->setObjectName(QStringLiteral("verifyDeep"));
    m_deep->setChecked(true);
    m_verify->setObjectName(QStringLiteral("verifyStart"));
    m_verify->setDefault(true);
    auto *browse = new QPushButton(tr("Browse…"), this);
    auto *cancel = new QPushButton(tr("Cancel"), this);
    auto *hint = Card::mutedLabel(tr("Lines of “quantloupe hash”, llama.cpp's gguf-hash, sha1sum or sha256sum. "
                                     "What is found stands in the overview's list of findings."), this);
    hint->setWordWrap(true);
    auto *manifest = new QHBoxLayout;
    manifest->addWidget(new QLabel(tr("Digests in"), this));
    manifest->addWidget(m_manifest, 1);
    manifest->addWidget(browse);
    auto *buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(m_verify);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(10);
    layout->addLayout(manifest);
    layout->addWidget(hint);
    layout->addWidget(m_deep);
    layout->addLayout(buttons);
    connect(browse, &QPushButton::clicked, this, &VerifyDialog::browse);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_manifest, &QLineEdit::textChanged, this, &VerifyDialog::changed);
    connect(m_deep, &QCheckBox::toggled, this, &VerifyDialog::changed);
    connect(m_verify, &QPushButton::clicked, this, [this] {
        accept();
        emit verifyRequested(m_manifest->text(), m_deep->isChecked());
    });
}

void VerifyDialog::changed() { m_verify->setEnabled(m_deep->isChecked() || !m_manifest->text().isEmpty()); }

void VerifyDialog::browse()
{
    auto *dialog = new QFileDialog(this, tr("Manifest of digests"), m_folder);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, m_manifest, &QLineEdit::setText);
    dialog->open();
}

} // namespace ql
