#pragma once

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

/// Parse TOML: `[default]`, `[catalog.C]`, `[namespace.'C.ns']`, `[table.'C.ns.t']`, with settings
/// of `known_keys`, which are sorted. `name` is the file as messages call it. Errors: kInvalidInput
/// with file and line.
Result<PolicySections> ParsePolicyFile(std::string_view text, std::string_view name,
                                       const std::vector<std::string>& known_keys);

/// The settings for the table `levels`.`name` of `catalog`: those of all its sections, of which the
/// narrower ones win.
Properties PolicyFor(const PolicySections& sections, const std::string& catalog,
                     const std::vector<std::string>& levels, const std::string& name);

}  // namespace firn
