// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelsummary.h"

#include <QDialog>
#include <QStringList>
#include <QTimer>

#include <optional>
#include <vector>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTableWidget;

namespace ql {

class ChoiceBox;

/// What a person asks for in SaveAsDialog.
struct SaveAsWish {
    struct Edit {
        QString key;
        QString type; ///< empty: as it is
        QString value;
        bool remove = false;
    };
    std::optional<GgmlType> type;  ///< for all main weights
    bool whatIfChoice = false;     ///< the types chosen in the What-if table
    std::vector<Edit> edits;
    QString path;
};

/// What the new file would be, for SaveAsDialog.
struct SaveAsPreview {
    std::uint64_t bytesBefore = 0;
    std::uint64_t bytesAfter = 0;
    std::uint64_t encoded = 0;
    std::uint64_t freeBytes = 0; ///< 0: unknown
    QStringList notes;
};

/// Save as…: target types, metadata changes and a path, with the size to come before anything is
/// written. Asks for a preview whenever something changes.
class SaveAsDialog final : public QDialog
{
    Q_OBJECT

public:
    /// `chosen`: tensors that the What-if table would change.
    SaveAsDialog(ModelSummaryPtr model, std::size_t chosen, const QString &suggestedPath, QWidget *parent = nullptr);

    SaveAsWish wish() const;
    void setPreview(const SaveAsPreview &preview);
    /// Why it can't be done as it stands.
    void setProblem(const QString &problem);
    /// A row of the table of changes, as the buttons add it.
    void addEdit(const QString &key, const QString &type, const QString &value, bool remove);

signals:
    void previewRequested();
    /// The person agreed to everything: write it. The dialog is closed.
    void saveRequested(const ql::SaveAsWish &wish);

private:
    QLayout *makeTypes(std::size_t chosen);
    QLayout *makeEdits();
    QLayout *makePath(const QString &path);
    QLayout *makeButtons();
    void browse();
    void save();
    void changed();
    void setSaveable(bool saveable);

    ModelSummaryPtr m_model;
    ChoiceBox *m_types = nullptr;
    QTableWidget *m_edits = nullptr;
    QLineEdit *m_path = nullptr;
    QLabel *m_size = nullptr;
    QPlainTextEdit *m_notes = nullptr;
    QPushButton *m_save = nullptr;
    QTimer m_previewTimer;
};

} // namespace ql
