#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"
#include "firn/format/metadata/table_metadata.h"

namespace firn {

/// The sections of a policy file: "default", "catalog.C", "namespace.C.ns", "table.C.ns.t", each
/// with its settings by dotted key. Lists are text with commas.
using PolicySections = std::map<std::string, Properties, std::less<>>;

/// What a policy file may set.
struct PolicyKeys {
  std::vector<std::string> known;  ///< Sorted.
  /// Whether a known key may have the value; null: any.
  std::function<Status(const std::string& key, const std::string& value)> check;
};

/// Parse TOML: `[default]`, `[catalog.C]`, `[namespace.'C.ns']`, `[table.'C.ns.t']`. `name` is the
/// file as messages call it. Errors: kInvalidInput with file and line.
Result<PolicySections> ParsePolicyFile(std::string_view text, std::string_view name,
                                       const PolicyKeys& keys);

/// The settings for the table `levels`.`name` of `catalog`: those of all its sections, of which the
/// narrower ones win. In `default_catalog` a section may leave the catalog out, as commands may.
Properties PolicyFor(const PolicySections& sections, const std::string& default_catalog,
                     const std::string& catalog, const std::vector<std::string>& levels,
                     const std::string& name);

}  // namespace firn
