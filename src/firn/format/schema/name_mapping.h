#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"
#include "firn/format/schema/schema.h"

namespace firn {

/// `schema.name-mapping.default`: field ids for files that carry none.
struct MappedField {
  std::vector<std::string> names;
  std::optional<int32_t> field_id;
  std::vector<MappedField> fields;  ///< Children; of a list "element", of a map "key", "value".
};
struct NameMapping {
  std::vector<MappedField> fields;
};

/// Errors: kCorrupt: no JSON of this shape, or a name twice at one level.
Result<NameMapping> ParseNameMapping(std::string_view json);
std::string FormatNameMapping(const NameMapping& mapping);
/// The mapping that names every column of `schema` as it is called now.
NameMapping MakeNameMapping(const Schema& schema);

/// The mapping after the table's schema changed to `schema`: columns gain their new names and keep
/// the old ones, new columns are added, and a name that another column has taken over leads to that
/// one. Dropped columns stay.
NameMapping UpdateNameMapping(NameMapping mapping, const Schema& schema);

/// The mapped field with `name` among `fields`, or null.
const MappedField* FindMappedField(const std::vector<MappedField>& fields, std::string_view name);

}  // namespace firn
