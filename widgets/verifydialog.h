// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QCheckBox;
class QLineEdit;
class QPushButton;

namespace ql {

/// Verify file…: against a manifest of digests, by decoding every weight, or both.
class VerifyDialog final : public QDialog
{
    Q_OBJECT

public:
    explicit VerifyDialog(const QString &folder, QWidget *parent = nullptr);

signals:
    /// The dialog is closed. `manifest` is empty where there is none.
    void verifyRequested(const QString &manifest, bool deep);

private:
    void browse();
    void changed();

    QString m_folder;
    QLineEdit *m_manifest;
    QCheckBox *m_deep;
    QPushButton *m_verify;
};

} // namespace ql
