#include <string>
#include <vector>

#include <fmt/format.h>

#include "firn/base/suggest.h"
#include "firn/format/column_lookup_internal.h"

namespace firn {
namespace {

constexpr size_t kListedMax = 30;

void CollectNames(const Schema& schema, const Type& type, std::vector<std::string>& names) {
  for (const NestedField& field : type.fields()) {
    names.push_back(schema.FullName(field.id));
    CollectNames(schema, *field.type, names);
  }
}

}  // namespace

Result<const NestedField*> FindColumn(const Schema& schema, std::string_view full_name) {
  if (const NestedField* field = schema.FindField(full_name)) return field;
  std::vector<std::string> names;
  CollectNames(schema, *schema.as_struct(), names);
  const auto near = SuggestName(full_name, names);
  const bool is_long = names.size() > kListedMax;
  if (is_long) names.resize(kListedMax);
  return MakeError(ErrorCode::kInvalidInput, "there is no column '{}'{}; the columns are {}{}",
                   full_name, near ? " (did you mean '" + *near + "'?)" : std::string(),
                   fmt::join(names, ", "), is_long ? ", ..." : "");
}

}  // namespace firn
