#pragma once

#include <string>

namespace firn {

/// docs/reference/procedures.md: every procedure with its arguments, made from the descriptors.
std::string FormatReferencePage();

}  // namespace firn
