// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/source/sass_store.h"

#include "views/kit/environment.h"

namespace lanescope::views {

bool SassStore::isPossible() {
    static const bool is = compile::canDisassemble(ownEnvironment());
    return is;
}

void SassStore::request(const std::string& ptx, const std::string& entry, const std::string& arch, const std::string& cudaFile) {
    const std::string asked = arch + '\n' + entry + '\n' + cudaFile + '\n' + ptx;
    if (asked == m_asked)
        return;
    m_asked = asked;
    m_sass.reset();
    m_error.clear();
    m_work.start([this, ptx, entry, arch, cudaFile](const Background::Task& task) {
        compile::SassRequest request;
        request.ptx = ptx;
        request.entry = entry;
        request.arch = arch;
        request.cudaFile = cudaFile;
        request.stop = task.stopToken();
        Result<compile::Sass> sass = compile::disassemble(request, ownEnvironment());
        std::shared_ptr<const compile::Sass> made = sass ? std::make_shared<const compile::Sass>(std::move(*sass)) : nullptr;
        task.finish([this, made, error = made ? std::string() : sass.error().front().message] {
            m_sass = made;
            m_error = error;
            if (onChange)
                onChange();
        });
    });
}

} // namespace lanescope::views
