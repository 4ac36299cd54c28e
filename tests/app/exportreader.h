// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/shardset.h"
#include "core/model/tensorview.h"
#include "core/quant/dequantize.h"
#include "tests/app/clirunner.h"

#include <QFile>
#include <QRegularExpression>

#include <cmath>
#include <cstring>

namespace ql::test {

// Readers of exported files that share nothing with the writers.

struct NpyFile {
    QString type;
    QList<qint64> shape;
    QByteArray data;
};

inline NpyFile readNpy(const QByteArray &file)
{
    if (!file.startsWith(QByteArray("\x93NUMPY\x01\x00", 8)))
        return {};
    const int length = static_cast<quint8>(file[8]) | static_cast<quint8>(file[9]) << 8;
    const QString header = QString::fromLatin1(file.mid(10, length));
    static const QRegularExpression pattern(QStringLiteral(
        "^\\{'descr': '([^']+)', 'fortran_order': False, 'shape': \\(([0-9, ]*)\\), \\} *\\n$"));
    const auto match = pattern.match(header);
    NpyFile npy{match.captured(1), {}, file.mid(10 + length)};
    for (const QString &dim : match.captured(2).split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        if (!dim.trimmed().isEmpty())
            npy.shape << dim.toLongLong();
    }
    return npy;
}

/// Fields in order; empty if a row hasn't as many fields as there are columns.
inline QList<QByteArray> readCsv(const QByteArray &file, qint64 columns)
{
    QList<QByteArray> fields;
    QList<QByteArray> lines = file.split('\n');
    if (lines.takeLast() != "")
        return {};
    for (const QByteArray &line : lines) {
        const QList<QByteArray> row = line.split(',');
        if (row.size() != columns)
            return {};
        fields += row;
    }
    return fields;
}

/// strtof and strtod: another parser than the writer's to_chars has.
template <class Value>
Value parsed(const QByteArray &text)
{
    char *end = nullptr;
    Value value;
    if constexpr (std::is_same_v<Value, float>)
        value = std::strtof(text.constData(), &end);
    else if constexpr (std::is_same_v<Value, double>)
        value = std::strtod(text.constData(), &end);
    else
        value = static_cast<Value>(std::strtoll(text.constData(), &end, 10));
    return end == text.constData() + text.size() ? value : Value(-987654);
}

/// The same bits, or both NaN.
template <class Value>
bool sameValue(Value a, Value b)
{
    if constexpr (std::is_floating_point_v<Value>) {
        if (std::isnan(a) || std::isnan(b))
            return std::isnan(a) && std::isnan(b);
    }
    return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Compares both exports with values that are little-endian in `expected`.
template <class Value>
void compareWith(const QByteArray &expected, const QByteArray &csv, const NpyFile &npy, qint64 columns)
{
    const qint64 count = expected.size() / static_cast<qint64>(sizeof(Value));
    const QList<QByteArray> fields = readCsv(csv, columns);
    QCOMPARE(fields.size(), count);
    qint64 wrong = 0;
    for (qint64 i = 0; i < count; ++i) {
        Value value;
        std::memcpy(&value, expected.constData() + i * static_cast<qint64>(sizeof(Value)), sizeof value);
        wrong += !sameValue(parsed<Value>(fields[i]), value);
        if (npy.data.size() == expected.size()) {
            Value stored;
            std::memcpy(&stored, npy.data.constData() + i * static_cast<qint64>(sizeof(Value)), sizeof stored);
            wrong += !sameValue(stored, value);
        }
    }
    QCOMPARE(wrong, 0);
}

/// The values an export must hold, decoded by the scalar reference, and their NumPy type.
struct ExpectedValues {
    QString npyType;
    QByteArray values;
};

template <class Value>
QByteArray bytesOf(const std::vector<Value> &values)
{
    return {reinterpret_cast<const char *>(values.data()), static_cast<qsizetype>(values.size() * sizeof(Value))};
}

inline ExpectedValues referenceValues(const TensorView &view)
{
    const QString type = QString::fromUtf8(view.type().name.data(), static_cast<qsizetype>(view.type().name.size()));
    QByteArray blocks(reinterpret_cast<const char *>(view.bytes().data()), static_cast<qsizetype>(view.bytes().size()));
    if (view.bigEndian())
        swapBlocks(view.type().type, view.bytes().data(), reinterpret_cast<std::byte *>(blocks.data()), view.blocks());
    static const QMap<QString, QString> own{{QStringLiteral("F64"), QStringLiteral("<f8")}, {QStringLiteral("I8"), QStringLiteral("|i1")},
                                            {QStringLiteral("I16"), QStringLiteral("<i2")}, {QStringLiteral("I32"), QStringLiteral("<i4")},
                                            {QStringLiteral("I64"), QStringLiteral("<i8")}};
    if (own.contains(type))
        return {own[type], blocks};
    std::vector<float> floats(view.elements());
    referenceDequantizer(view.type().type)(reinterpret_cast<const std::byte *>(blocks.constData()), floats.data(), view.blocks());
    return {type == QLatin1String("F16") ? QStringLiteral("<f2") : QStringLiteral("<f4"), bytesOf(floats)};
}

inline void compareValues(const ExpectedValues &expected, const QByteArray &csv, const NpyFile &npy, qint64 columns)
{
    QCOMPARE(npy.type, expected.npyType);
    if (expected.npyType == QLatin1String("<f4") || expected.npyType == QLatin1String("<f2"))
        compareWith<float>(expected.values, csv, npy, columns);
    else if (expected.npyType == QLatin1String("<f8"))
        compareWith<double>(expected.values, csv, npy, columns);
    else if (expected.npyType == QLatin1String("|i1"))
        compareWith<qint8>(expected.values, csv, npy, columns);
    else if (expected.npyType == QLatin1String("<i2"))
        compareWith<qint16>(expected.values, csv, npy, columns);
    else if (expected.npyType == QLatin1String("<i4"))
        compareWith<qint32>(expected.values, csv, npy, columns);
    else
        compareWith<qint64>(expected.values, csv, npy, columns);
}

/// Exports one tensor as CSV and NPY and compares both with the reference decoder.
inline void compareExports(const QString &file, const QJsonObject &tensor)
{
    const QString name = tensor[QStringLiteral("name")].toString();
    const auto model = openModel(file.toStdString());
    QVERIFY(model);
    const auto view = TensorView::ofTensor(*model, *(*model)->findTensor(name.toStdString()));
    QVERIFY(view);
    const QByteArray csv = runCli("export %1 %2 -o -", file, name).out;
    const NpyFile npy = readNpy(runCli("export %1 %2 --format npy -o -", file, name).out);
    QJsonArray reversed;
    for (const qint64 dim : npy.shape)
        reversed.prepend(dim);
    QCOMPARE(reversed, tensor[QStringLiteral("shape")].toArray());
    if (view->type().type == GgmlType::F16)
        QVERIFY(npy.data == QByteArray(reinterpret_cast<const char *>(view->bytes().data()), static_cast<qsizetype>(view->bytes().size())));
    compareValues(referenceValues(*view), csv, npy, static_cast<qint64>(view->columns()));
}

} // namespace ql::test
