#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"
#include "firn/format/types/type.h"

/// The schema of an Avro file as a tree that keeps the attributes Iceberg lives on: field ids,
/// element, key and value ids, logical types, `adjust-to-utc`, `iceberg-field-name`.

namespace firn {

enum class AvroKind : uint8_t {
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kFixed,
  kEnum,
  kArray,
  kMap,
  kRecord,
  kUnion,
};

/// "record", as schemas spell it.
std::string_view FormatAvroKind(AvroKind kind);

struct AvroNode;
using AvroNodePtr = std::shared_ptr<const AvroNode>;

/// Marks a field, element, key or value without an id.
inline constexpr int32_t kNoAvroId = -1;

struct AvroField {
  std::string name;
  std::string iceberg_name;  ///< The name before it was made legal in Avro; empty if it is `name`.
  std::string doc;
  int32_t field_id = kNoAvroId;
  bool has_null_default = false;
  AvroNodePtr type;
};

/// One type. A type that is named twice is one node with two parents; a type never contains itself.
struct AvroNode {
  AvroKind kind = AvroKind::kNull;
  std::string name;                   ///< Of a record, fixed or enum, with its namespace.
  std::string logical_type;           ///< Empty if none.
  int32_t precision = 0;              ///< Of the logical type decimal.
  int32_t scale = 0;                  ///< Of the logical type decimal.
  int64_t size = 0;                   ///< Of a fixed, bytes.
  bool adjust_to_utc = false;         ///< Of timestamps.
  int32_t element_id = kNoAvroId;     ///< Of an array.
  int32_t key_id = kNoAvroId;         ///< Of a map.
  int32_t value_id = kNoAvroId;       ///< Of a map.
  std::vector<AvroField> fields;      ///< Of a record.
  std::vector<AvroNodePtr> children;  ///< Branches of a union, items of an array, value of a map.
  std::vector<std::string> symbols;   ///< Of an enum.
  /// The least bytes that a value takes. 0: every value takes none. Computed by the parser and by
  /// `FinishAvroNode`.
  int64_t min_size = 0;
  /// Types of the fields that take bytes, in order: all that skipping a record must look at.
  std::vector<const AvroNode*> sized_fields;
  int64_t node_count = 1;  ///< Nodes of the tree with shared types counted each time.

  const AvroNode& items() const { return *children.front(); }
  const AvroNode& values() const { return *children.front(); }
};

/// A node with the computed members filled in from its children.
AvroNodePtr FinishAvroNode(AvroNode node);

/// How a position that may be null is written: [null, T] or [T, null]; any other type is `value`
/// itself with `null_branch` -1.
struct AvroOption {
  const AvroNode* value = nullptr;  ///< Null for the type null.
  int null_branch = -1;
  int branch_count = 0;  ///< 0 if not a union.
};
/// Errors: kUnsupported for a union that is not an option.
Result<AvroOption> ResolveAvroOption(const AvroNode& node, std::string_view where);

/// Parse schema JSON. `where` names the file in messages. Errors: kCorrupt: not an Avro schema, a
/// type that contains itself, nesting beyond 128 levels, or an expansion beyond a million nodes.
Result<AvroNodePtr> ParseAvroSchema(std::string_view json, std::string_view where);

/// Schema JSON; a named type is spelled out at its first place only.
std::string FormatAvroSchema(const AvroNode& node);

/// The Avro record of an Iceberg struct, as Java names and annotates it: nested records `r<id>`,
/// maps without string keys as arrays of `k<id>_v<id>`.
AvroNodePtr ToAvroSchema(const Type& struct_type, std::string_view record_name);

/// A legal Avro name for `name`: "9col" becomes "_9col", "a.b" becomes "a_x2Eb".
std::string SanitizeAvroName(std::string_view name);

}  // namespace firn
