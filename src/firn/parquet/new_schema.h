#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firn/parquet/footer.h"

/// Schemas of files that are to be written.

namespace firn {

/// A node of a new schema.
struct NewSchemaElement {
  enum class Meaning {
    kNone,
    kString,
    kMap,
    kList,
    kDecimal,
    kDate,
    kTime,
    kTimestamp,
    kUuid,
    kVariant,  ///< Of the group.
  };

  std::string name;
  FieldRepetition repetition = FieldRepetition::kRequired;
  std::optional<int32_t> field_id;
  int32_t num_children = 0;          ///< Of groups.
  std::optional<PhysicalType> type;  ///< Of leaves.
  int32_t type_length = 0;           ///< Of fixed-length byte arrays.
  Meaning meaning = Meaning::kNone;
  int32_t precision = 0;  ///< Of decimals.
  int32_t scale = 0;
  bool is_utc = false;    ///< Of times and timestamps.
  bool is_nanos = false;  ///< Of timestamps; else microseconds.
};

/// `elements` are all but the root, depth first, `root_children` of them directly below it. Older
/// readers get the converted type of a meaning, where there is one. Errors: kCorrupt: the elements
/// make no tree.
Result<std::vector<SchemaElement>> MakeFileSchema(const std::vector<NewSchemaElement>& elements,
                                                  int32_t root_children);

}  // namespace firn
