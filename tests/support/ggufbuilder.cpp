// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ggufbuilder.h"

#include <QFile>
#include <QTest>
#include <algorithm>

namespace ql::test {

namespace {

std::uint64_t sizeOf(GgmlType type, const std::vector<std::uint64_t> &ne)
{
    const auto &t = traits(type);
    std::uint64_t elements = 1;
    for (const auto dim : ne)
        elements *= dim;
    return t.blockSize ? elements / t.blockSize * t.blockBytes : 0;
}

} // namespace

GgufBuilder &GgufBuilder::version(std::uint32_t v)
{
    m_version = v;
    return *this;
}

GgufBuilder &GgufBuilder::bigEndian()
{
    m_bigEndian = true;
    return *this;
}

GgufBuilder &GgufBuilder::alignment(std::uint32_t bytes)
{
    m_alignment = bytes ? bytes : 32;
    return meta("general.alignment", bytes);
}

GgufBuilder &GgufBuilder::meta(std::string_view key, std::string_view value)
{
    return metaRaw(key, static_cast<std::uint32_t>(ValueType::String), text(value));
}

GgufBuilder &GgufBuilder::metaArray(std::string_view key, const std::vector<std::string> &values)
{
    QByteArray elements;
    for (const auto &value : values)
        elements += text(value);
    return metaArrayRaw(key, static_cast<std::uint32_t>(ValueType::String), values.size(), elements);
}

GgufBuilder &GgufBuilder::metaNested(std::string_view key,
                                     const std::vector<std::vector<std::int32_t>> &values)
{
    QByteArray elements;
    for (const auto &inner : values) {
        elements += number(static_cast<std::uint32_t>(ValueType::I32)) + length(inner.size());
        for (const auto value : inner)
            elements += number(value);
    }
    return metaArrayRaw(key, static_cast<std::uint32_t>(ValueType::Array), values.size(), elements);
}

GgufBuilder &GgufBuilder::metaRaw(std::string_view key, std::uint32_t valueType,
                                  const QByteArray &value)
{
    m_metadata += text(key) + number(valueType) + value;
    ++m_metadataCount;
    return *this;
}

GgufBuilder &GgufBuilder::metaArrayRaw(std::string_view key, std::uint32_t elementType,
                                       std::uint64_t count, const QByteArray &elements)
{
    return metaRaw(key, static_cast<std::uint32_t>(ValueType::Array),
                   number(elementType) + length(count) + elements);
}

GgufBuilder &GgufBuilder::tensor(std::string_view name, GgmlType type,
                                 const std::vector<std::uint64_t> &ne, const QByteArray &data)
{
    const auto size = static_cast<qsizetype>(sizeOf(type, ne));
    return tensorRaw(name, static_cast<std::uint32_t>(type), ne,
                     data.isEmpty() ? QByteArray(size, '\0') : data);
}

GgufBuilder &GgufBuilder::floats(std::string_view name, const std::vector<std::uint64_t> &ne,
                                 const std::vector<float> &values)
{
    QByteArray data;
    for (const float value : values)
        data += number(value);
    return tensor(name, GgmlType::F32, ne, data);
}

GgufBuilder &GgufBuilder::tensorRaw(std::string_view name, std::uint32_t typeId,
                                    const std::vector<std::uint64_t> &ne, const QByteArray &data,
                                    std::optional<std::uint64_t> offset)
{
    const auto behind = padded(static_cast<std::uint64_t>(m_data.size()));
    if (!data.isEmpty()) {
        m_data.append(static_cast<qsizetype>(behind) - m_data.size(), '\0');
        m_data += data;
    }
    m_infos += text(name) + number(static_cast<std::uint32_t>(ne.size()));
    for (const auto dim : ne)
        m_infos += length(dim);
    m_infos += number(typeId) + number(offset.value_or(behind));
    ++m_tensorCount;
    return *this;
}

GgufBuilder &GgufBuilder::claimTensors(std::uint64_t count)
{
    m_claimedTensors = count;
    return *this;
}

GgufBuilder &GgufBuilder::claimMetadata(std::uint64_t count)
{
    m_claimedMetadata = count;
    return *this;
}

QByteArray GgufBuilder::bytes() const
{
    QByteArray file("GGUF");
    file += number(m_version);
    file += length(m_claimedTensors.value_or(m_tensorCount));
    file += length(m_claimedMetadata.value_or(m_metadataCount));
    file += m_metadata + m_infos;
    if (m_tensorCount > 0)
        file.append(static_cast<qsizetype>(padded(static_cast<std::uint64_t>(file.size())))
                        - file.size(), '\0');
    return file + m_data;
}

void GgufBuilder::writeTo(const QString &path) const { writeFile(path, bytes()); }

QByteArray GgufBuilder::text(std::string_view value) const
{
    return length(value.size()) + QByteArray(value.data(), static_cast<qsizetype>(value.size()));
}

QByteArray GgufBuilder::length(std::uint64_t n) const
{
    return m_version == 1 ? number(static_cast<std::uint32_t>(n)) : number(n);
}

QByteArray GgufBuilder::ordered(const char *raw, std::size_t size) const
{
    QByteArray bytes(raw, static_cast<qsizetype>(size));
    if (m_bigEndian)
        std::reverse(bytes.begin(), bytes.end());
    return bytes;
}

void writeFile(const QString &path, const QByteArray &bytes)
{
    QFile file(path);
    QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(path));
    QCOMPARE(file.write(bytes), bytes.size());
}

GgufModelPtr openOrFail(const QString &path)
{
    auto model = openModel(QFile::encodeName(path).toStdString());
    if (!model)
        QTest::qFail(model.error().message.c_str(), __FILE__, __LINE__);
    return model ? *model : nullptr;
}

} // namespace ql::test
