// SPDX-License-Identifier: GPL-3.0-or-later
// Names as people wrote them, from the symbols that compilers make of them (Itanium C++ ABI).
#pragma once

#include <string>
#include <string_view>

namespace lanescope {

/// "void f<32>(float const*)" for a mangled symbol; the symbol itself when it is not one.
std::string demangled(std::string_view symbol);

/// The last plain identifier: "f" for _Z1fILi32EEvPKf, "As" for _ZZ1fvE2As. The symbol itself when it is not mangled.
std::string sourceName(std::string_view symbol);

} // namespace lanescope
