#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/format/types/type.h"
#include "firn/parquet/parquet.h"

namespace firn {

/// Takes a column of Arrow arrays apart into levels and physical values of one leaf below it.
class LeafShredder {
 public:
  /// One for each leaf of `layout`, the schema of a file with `fields`, in its order.
  static std::vector<LeafShredder> ForLeaves(const std::vector<NestedField>& fields,
                                             const std::vector<LeafNode>& leaves);

  /// The place of the column among the fields.
  int column() const { return column_; }

  /// Call `visit` with all rows of `column`, piece by piece. What it gets is valid until it
  /// returns. Errors: kInvalidInput: a required field is null; those of `visit`.
  using Visit = std::function<Status(const LeafRows&)>;
  Status Shred(const arrow::Array& column, const Visit& visit);

 private:
  struct Step {
    enum class Kind { kStruct, kList, kLeaf };
    Kind kind = Kind::kLeaf;
    bool is_optional = false;
    int child = 0;  // Of a struct.
    std::string name;
  };
  enum class Form { kFixed, kBoolean, kBytes, kDecimalInt, kDecimalBytes };

  LeafShredder(int column, std::vector<Step> steps, const Type& type, const LeafNode& leaf);
  static void Collect(const NestedField& field, int column, std::vector<Step> above,
                      const std::vector<LeafNode>& leaves, std::vector<LeafShredder>& shredders);

  Status ShredFlat(const arrow::Array& values, const Visit& visit);
  Status ShredNested(const arrow::Array& column, const Visit& visit);
  Status DefineLevel(const arrow::Array& array, const Step& step, uint8_t level);
  void ExpandLists(const arrow::Array& array, uint8_t definition, uint8_t repetition);
  void TakeRange(const arrow::ArrayData& values, int64_t begin, size_t count, LeafRows& rows);
  void TakeSlots(const arrow::ArrayData& values, LeafRows& rows);
  template <typename SlotOf>
  void Take(const arrow::ArrayData& values, size_t count, const SlotOf& slot_of, LeafRows& rows);

  int column_;
  std::vector<Step> steps_;  // From the column on; the leaf is the last.
  Form form_ = Form::kFixed;
  size_t width_ = 0;  // Physical; 0: byte arrays.
  int max_repetition_level_ = 0;
  size_t idle_slots_max_ = 0;  // Room that is kept for the next rows.

  // Of the piece at hand: levels, and where each goes on; -1: it has no value.
  std::vector<uint8_t> definition_;
  std::vector<uint8_t> repetition_;
  std::vector<int64_t> slots_;
  std::vector<uint8_t> next_definition_;
  std::vector<uint8_t> next_repetition_;
  std::vector<int64_t> next_slots_;
  std::vector<std::byte> fixed_;
  std::vector<std::string_view> bytes_;
};

}  // namespace firn
