#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"

namespace firn {

/// Levels of a namespace; empty is the root.
using Namespace = std::vector<std::string>;

/// A table within a catalog.
struct TableName {
  Namespace levels;
  std::string name;
  auto operator<=>(const TableName&) const = default;
};

/// "a.b.t"; parts with dots or backquotes are back-quoted.
std::string FormatTableName(const TableName& name);
std::string FormatNamespace(const Namespace& levels);

/// Split at dots outside backquotes. Errors: kInvalidInput: empty part, open quote.
Result<std::vector<std::string>> SplitName(std::string_view text);

}  // namespace firn
