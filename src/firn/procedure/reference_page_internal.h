#pragma once

#include <map>
#include <string>

namespace firn {

/// The files of docs/procedures, text by name: a page for each procedure with its arguments, made
/// from the descriptors, and README.md, which lists them.
std::map<std::string, std::string> FormatReferencePages();

}  // namespace firn
