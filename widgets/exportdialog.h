// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/tensorinfo.h"
#include "core/stats/valuespage.h"

#include <QDialog>
#include <QTimer>

#include <memory>
#include <optional>

class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace ql {

class ChoiceBox;

/// What of a tensor is to be written, and how. Half-open ranges; rows are flattened, or an expert's.
struct ExportWish {
    enum Format { Csv, CsvLong, Npy, Raw };
    struct Range {
        std::uint64_t first = 0;
        std::uint64_t last = 0;
        bool operator==(const Range &) const = default;
    };
    Format format = Npy;
    std::optional<std::uint64_t> expert;
    std::optional<Range> rows;
    std::optional<Range> columns;
    QString path;
};

/// What the dialog is about.
struct ExportSubject {
    std::shared_ptr<const TensorInfo> tensor;
    std::optional<std::uint64_t> expert;     ///< the one that is selected
    std::optional<ValuesWindow> selection;   ///< in the Values view, of the tensor or that expert
    bool preferSelection = false;            ///< opened from the Values view
};

/// Export…: part, format and file, with the size to come. Asks for an estimate whenever something
/// changes.
class ExportDialog final : public QDialog
{
    Q_OBJECT

public:
    ExportDialog(const ExportSubject &subject, const QString &folder, QWidget *parent = nullptr);

    /// As it stands; the range is nothing where all rows are meant.
    ExportWish wish() const;
    void setEstimate(std::uint64_t bytes, bool exact);
    void setProblem(const QString &problem);

signals:
    void estimateRequested();
    /// The person agreed to replace what stands there. The dialog is closed.
    void exportRequested(const ql::ExportWish &wish);

private:
    enum Part { Whole, Expert, Selection };

    void build();
    void fillParts();
    void fillFormats();
    void changed();
    void partChanged();
    void formatChanged();
    std::optional<ExportWish::Range> rowsFromText(bool *ok) const;
    std::uint64_t rowsOfPart() const;
    void browse();
    void save();

    ExportSubject m_subject;
    QString m_folder;
    ChoiceBox *m_part = nullptr;
    QSpinBox *m_expert = nullptr;
    QLineEdit *m_rows = nullptr;
    ChoiceBox *m_format = nullptr;
    QLineEdit *m_path = nullptr;
    QLabel *m_size = nullptr;
    QPushButton *m_save = nullptr;
    QTimer m_estimateTimer;
};

} // namespace ql
