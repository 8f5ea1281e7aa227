#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "firn/format/types/type.h"

namespace firn {

/// Field ids reserved by the spec for metadata columns.
inline constexpr int32_t kFileFieldId = 2147483646;                       // _file
inline constexpr int32_t kPosFieldId = 2147483645;                        // _pos
inline constexpr int32_t kDeletedFieldId = 2147483644;                    // _deleted
inline constexpr int32_t kSpecIdFieldId = 2147483643;                     // _spec_id
inline constexpr int32_t kPartitionFieldId = 2147483642;                  // _partition
inline constexpr int32_t kDeleteFilePathFieldId = 2147483546;             // file_path
inline constexpr int32_t kDeleteFilePosFieldId = 2147483545;              // pos
inline constexpr int32_t kDeleteFileRowFieldId = 2147483544;              // row
inline constexpr int32_t kRowIdFieldId = 2147483540;                      // _row_id
inline constexpr int32_t kLastUpdatedSequenceNumberFieldId = 2147483539;  // _last_updated_...
inline constexpr int32_t kMaxUserFieldId = 2147483447;

/// A table schema: a struct with an id and identifier fields, indexed by id and by name. Immutable
/// and thread-safe.
class Schema {
 public:
  Schema() : Schema(0, {}) {}
  Schema(int32_t schema_id, std::vector<NestedField> fields,
         std::vector<int32_t> identifier_field_ids = {}, ExtraFields extra = {});

  int32_t schema_id() const { return schema_id_; }
  const std::vector<NestedField>& fields() const { return struct_->fields(); }
  const TypePtr& as_struct() const { return struct_; }
  const std::vector<int32_t>& identifier_field_ids() const { return identifier_field_ids_; }

  const ExtraFields& extra() const { return struct_->extra(); }

  /// The field at any depth, or null.
  const NestedField* FindField(int32_t id) const;

  /// By full name: "a.b", "list.element", "map.key", "map.value". A name with a dot in it is found
  /// by its literal text too, and a field of structs in a list or map by its short name ("points.x"
  /// for "points.element.x") unless another field is called so. Null if missing.
  const NestedField* FindField(std::string_view full_name) const;

  /// As above, ignoring the case of ASCII letters. Errors: kInvalidInput if two columns match.
  Result<const NestedField*> FindFieldIgnoringCase(std::string_view full_name) const;

  /// "a.b" of a field id; empty if missing.
  std::string FullName(int32_t id) const;

  /// Parent field id, or nullopt for a top-level field.
  std::optional<int32_t> ParentId(int32_t id) const;

  /// Positions from the root struct to the field through structs only; nullopt if a list or a map
  /// lies between.
  std::optional<std::vector<size_t>> StructPath(int32_t id) const;

  int32_t highest_field_id() const { return highest_field_id_; }

  /// Same struct and identifier fields; ids of the schemas are not compared.
  bool IsSameAs(const Schema& other) const;

 private:
  class Indexer;
  struct Entry {
    const NestedField* field;
    std::string full_name;
    std::optional<int32_t> parent_id;
  };
  struct Index {
    std::once_flag once;
    std::unordered_map<int32_t, Entry> by_id;
    std::unordered_map<std::string, int32_t> by_name;
  };
  /// Made when it is first asked for: most of the schemas of an old table never are.
  const Index& index() const;

  int32_t schema_id_;
  TypePtr struct_;
  std::vector<int32_t> identifier_field_ids_;
  std::shared_ptr<Index> index_;  // Shared by copies, which share the struct too.
  int32_t highest_field_id_;
};

using SchemaPtr = std::shared_ptr<const Schema>;

/// Whether a schema was read from a table or is about to be added to one.
enum class SchemaUse { kStored, kAdded };

/// Legal for `format_version`: types, defaults, unique ids and full names, identifier fields. A
/// stored schema may have initial defaults before version 3, since other writers leave them there
/// and their readers apply them. Errors: kCorrupt, naming the field.
Status ValidateSchema(const Schema& schema, int format_version, SchemaUse use = SchemaUse::kAdded);

/// The schema with only the fields in `ids`, each with all that it contains, and the structs, lists
/// and maps (with their whole key) around them, in schema order.
Schema SelectFields(const Schema& schema, const std::set<int32_t>& ids);

}  // namespace firn
