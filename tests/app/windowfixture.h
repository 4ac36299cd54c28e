// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/mainwindow.h"

#include <QAction>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace ql::test {

/// A window of its own, shown, with settings of its own and a folder that goes with it.
class WindowFixture
{
public:
    static constexpr int LongMs = 60000;

    WindowFixture()
        : m_settings(m_dir.filePath(QStringLiteral("settings.ini")))
        , m_window(std::make_unique<MainWindow>(m_settings))
    {
        m_window->resize(1440, 900);
        m_window->show();
    }

    MainWindow &window() { return *m_window; }
    Session &session() { return m_window->session(); }
    const Document &document(Side side = Side::A) { return session().document(side); }
    QString path(const char *name) const { return m_dir.filePath(QLatin1String(name)); }

    void open(const QString &path)
    {
        QSignalSpy changed(&session(), &Session::documentChanged);
        m_window->openFile(path);
        QVERIFY(changed.wait(LongMs));
    }

    TensorIndex tensor(const char *name) { return document().model->findTensor(name).value(); }

    /// Selected, and its exact figures there.
    void select(const char *name)
    {
        QSignalSpy ready(&session().analysis(), &AnalysisService::statsReady);
        session().selectTensor(tensor(name));
        QVERIFY(!ready.isEmpty() || ready.wait(LongMs));
    }

    QAction *action(const char *name)
    {
        auto *result = m_window->findChild<QAction *>(QLatin1String(name));
        if (!result)
            qFatal("no action %s", name);
        return result;
    }

    template <class T>
    T *find(const char *name)
    {
        auto *result = m_window->findChild<T *>(QLatin1String(name));
        if (!result)
            qFatal("no widget %s", name);
        return result;
    }

private:
    QTemporaryDir m_dir;
    Settings m_settings;
    std::unique_ptr<MainWindow> m_window;
};

} // namespace ql::test
