#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type.h>

#include "firn/base/result.h"
#include "firn/format/schema/name_mapping.h"

/// The columns that a data file has, whatever its format, with the field ids that they are resolved
/// by.

namespace firn {

/// A column of a data file. `type` is what the format's reader delivers for it when all of it is
/// read; the shape of `type` tells struct, list and map.
struct FileField {
  std::string name;
  std::optional<int32_t> id;
  std::shared_ptr<arrow::DataType> type;
  std::vector<FileField> children;  ///< Struct: fields. List: element. Map: key, value.
  int first_leaf = 0;               ///< Leaves are numbered from 0, depth first.
  int leaf_end = 0;                 ///< One past the last leaf of this field.
  bool is_variant = false;          ///< The file calls this struct a variant.
};

/// Number the leaves of `fields` depth first. Returns how many there are.
int NumberLeaves(std::vector<FileField>& fields, int next_leaf = 0);

/// True if any field at any depth has an id.
bool HasFieldIds(const std::vector<FileField>& fields);

void DropFieldIds(std::vector<FileField>& fields);

/// Give ids to a file without them: by name, at every depth; lists and maps match "element", "key"
/// and "value" whatever the file calls them. Fields without a mapping stay without id.
void ApplyNameMapping(std::vector<FileField>& fields, const std::vector<MappedField>& mapping);

/// The field with `id` among `fields` (not deeper), or null.
const FileField* FindFileField(const std::vector<FileField>& fields, int32_t id);

bool IsListLike(const arrow::DataType& type);

}  // namespace firn
