#pragma once

#define TOML_EXCEPTIONS 0
#include <string>
#include <string_view>

#include <toml++/toml.h>

#include "firn/base/result.h"

/// What reading firn.toml and reading a policy have in common.

namespace firn {

/// `name` is that of the file. Errors: kInvalidInput, with name and line.
Result<toml::table> ParseToml(std::string_view text, std::string_view name);

/// The text of a value in `out`: text, a number, true or false, or a list of them with commas.
/// Returns the node that has no such text and lives as long as `node`; null: all went well.
const toml::node* FormatTomlValue(const toml::node& node, std::string& out);

}  // namespace firn
