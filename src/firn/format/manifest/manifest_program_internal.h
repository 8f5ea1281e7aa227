#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "firn/base/result.h"
#include "firn/format/avro/avro_cursor.h"
#include "firn/format/avro/avro_schema.h"
#include "firn/format/avro/avro_value.h"
#include "firn/format/manifest/manifest.h"

/// How a record of a manifest or manifest list is read: the schema of the file is compiled once to
/// a flat list of steps, each of which reads a member that firn knows or skips one. Fields are
/// found by id; one without an id by name.

namespace firn {

/// What firn expects a member to be stored as.
enum class MemberShape : uint8_t {
  kLong,  ///< int or long
  kBoolean,
  kBytes,       ///< string, bytes or fixed
  kRecord,      ///< Its members are steps of the same program.
  kPartition,   ///< The partition record.
  kArray,       ///< Of int or long.
  kLongMap,     ///< int to long
  kBytesMap,    ///< int to bytes
  kRecordArray  ///< Of records that have a program of their own.
};

/// A member that firn knows. Rows with the same id but other names are spellings of old writers.
struct KnownMember {
  int32_t id = 0;
  std::string_view name;
  uint8_t slot = 0;
  MemberShape shape = MemberShape::kLong;
  std::span<const KnownMember> members = {};  ///< Of kRecord and kRecordArray.
};

/// Names a slot for partition values, one step each.
inline constexpr uint8_t kPartitionValueSlot = 63;

struct ReadStep {
  enum class Kind : uint8_t {
    kRead,   ///< Read the member `slot`.
    kEnter,  ///< The members of a record follow; if it is null, jump over `operand` steps.
    kSkip,   ///< Skip a value of the type `node`.
    kSkipLong,
    kSkipBytes,
    kSkipLongMap,  ///< Skip a plain map; `operand` is its plan.
    kSkipBytesMap,
  };
  Kind kind = Kind::kSkip;
  uint8_t slot = 0;
  int16_t null_branch = -1;  ///< The union branch that is null; -1: not a union.
  uint32_t branch_count = 0;
  uint32_t operand = 0;            ///< Index of the plan of the member, if its shape has one.
  const AvroNode* node = nullptr;  ///< Without the union; null if the type is null.
};

/// An int-keyed map: array of records with a key and a value in any order, or an Avro map whose
/// keys are decimal text.
struct MapPlan {
  bool is_plain = false;  ///< Records of exactly key and value, neither optional.
  bool is_avro_map = false;
  const AvroNode* record = nullptr;
  size_t key_index = 0;
  size_t value_index = 0;
  AvroOption key;
  AvroOption value;
  int64_t item_min_size = 0;
};

struct PartitionPlan {
  size_t index = 0;  ///< Of the field in the partition type.
  AvroConversion conversion;
};

struct ReadProgram {
  AvroNodePtr schema;  ///< Keeps the nodes alive.
  std::vector<ReadStep> steps;
  std::vector<MapPlan> maps;
  std::vector<PartitionPlan> partition;
  std::vector<std::unique_ptr<ReadProgram>> items;
  uint64_t slots = 0;  ///< Bit per slot that has a step which reads it.
};

/// Compile the record `schema`. Members whose bit in `wanted` is not set are skipped. Errors:
/// kCorrupt if a wanted member has an impossible type; `where` names the file.
Result<ReadProgram> CompileReadProgram(AvroNodePtr schema, std::span<const KnownMember> members,
                                       uint64_t wanted, const Type* partition_type,
                                       std::string_view where);

/// The item limits of one record, against input that expands in memory.
inline constexpr size_t kMapItemsMax = size_t{1} << 20;
inline constexpr size_t kArrayItemsMax = size_t{1} << 22;

/// Which field ids of metrics maps are kept.
class FieldIdFilter {
 public:
  /// Null: all.
  explicit FieldIdFilter(const std::vector<int32_t>* ids);
  bool Keeps(int32_t id) const {
    if (keeps_all_) return true;
    if (static_cast<uint32_t>(id) < small_.size()) return small_[static_cast<uint32_t>(id)] != 0;
    return KeepsLarge(id);
  }

 private:
  bool KeepsLarge(int32_t id) const;
  bool keeps_all_ = false;
  std::vector<uint8_t> small_;  // By id.
  std::vector<int32_t> large_;  // Sorted.
};

/// True if the member is there; false after a null (or a failure of the cursor).
inline bool EntersMember(AvroCursor& cursor, const ReadStep& step) {
  if (step.branch_count == 0) return step.node != nullptr;
  return cursor.ReadIndex(step.branch_count) != step.null_branch && cursor.ok();
}

inline std::string_view ReadMemberBytes(AvroCursor& cursor, const AvroNode& node) {
  return node.kind == AvroKind::kFixed ? cursor.ReadFixed(static_cast<uint64_t>(node.size))
                                       : cursor.ReadBytes();
}

/// Read or skip maps and arrays; vectors keep their memory.
void ReadLongMap(AvroCursor& cursor, const MapPlan& plan, const FieldIdFilter& filter,
                 FieldMap<int64_t>& map);
void ReadBytesMap(AvroCursor& cursor, const MapPlan& plan, const FieldIdFilter& filter,
                  FieldMap<std::string>& map);
void ReadLongArray(AvroCursor& cursor, const AvroNode& node, std::vector<int64_t>& array);
void ReadIntArray(AvroCursor& cursor, const AvroNode& node, std::vector<int32_t>& array);

/// Do a step that reads nothing (not kRead, not kEnter).
void RunSkipStep(AvroCursor& cursor, const ReadStep& step);

}  // namespace firn
