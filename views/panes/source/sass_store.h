// SPDX-License-Identifier: GPL-3.0-or-later
// The machine code of the shown PTX, made in the background; the last request wins.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <QObject>

#include "engine/compile/sass.h"
#include "views/kit/background.h"

namespace lanescope::views {

class SassStore : public QObject {
public:
    using QObject::QObject;

    /// Whether the machine has the programs for it; looked up once.
    static bool isPossible();
    /// Nothing happens when this is what was asked for last.
    void request(const std::string& ptx, const std::string& entry, const std::string& arch, const std::string& cudaFile);

    const compile::Sass* sass() const { return m_sass.get(); } ///< null: none yet, or an error
    const std::string& error() const { return m_error; }
    bool isBusy() const { return m_work.isBusy(); }
    std::function<void()> onChange;

private:
    std::string m_asked;
    std::shared_ptr<const compile::Sass> m_sass;
    std::string m_error;
    Background m_work{this};
};

} // namespace lanescope::views
