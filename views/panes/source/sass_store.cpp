// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/source/sass_store.h"

#include <cstdlib>

#include <QMetaObject>

namespace lanescope::views {
namespace {

compile::Environment environment() {
    return compile::environmentFrom([](const char* name) -> const char* { return std::getenv(name); });
}

} // namespace

SassStore::~SassStore() { stop(); }

bool SassStore::isPossible() {
    static const bool is = compile::canDisassemble(environment());
    return is;
}

void SassStore::stop() {
    m_stop.request_stop();
    if (m_thread.joinable())
        m_thread.join();
    m_stop = {};
    ++m_serial;
}

void SassStore::request(const std::string& ptx, const std::string& entry, const std::string& arch, const std::string& cudaFile) {
    const std::string asked = arch + '\n' + entry + '\n' + cudaFile + '\n' + ptx;
    if (asked == m_asked)
        return;
    stop();
    m_asked = asked;
    m_sass.reset();
    m_error.clear();
    m_isBusy = true;
    // The destructor joins, so `this` outlives the thread.
    m_thread = std::thread([this, ptx, entry, arch, cudaFile, serial = m_serial, token = m_stop.get_token()] {
        compile::SassRequest request;
        request.ptx = ptx;
        request.entry = entry;
        request.arch = arch;
        request.cudaFile = cudaFile;
        request.stop = token;
        Result<compile::Sass> sass = compile::disassemble(request, environment());
        std::shared_ptr<const compile::Sass> made = sass ? std::make_shared<const compile::Sass>(std::move(*sass)) : nullptr;
        const std::string error = made ? std::string() : sass.error().front().message;
        QMetaObject::invokeMethod(
            this,
            [this, made, error, serial] {
                if (serial != m_serial)
                    return;
                m_sass = made;
                m_error = error;
                m_isBusy = false;
                if (onChange)
                    onChange();
            },
            Qt::QueuedConnection);
    });
}

} // namespace lanescope::views
