#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <arrow/array/data.h>
#include <arrow/type.h>

#include "firn/base/result.h"
#include "firn/data/columns/file_schema_internal.h"
#include "firn/data/orc/orc_runs_internal.h"
#include "firn/data/orc/orc_tail_internal.h"

/// Columns of one stripe of an ORC file, read batch by batch into Arrow arrays.
///
/// Whatever the file tells of sizes, memory grows no faster than the values that its streams have.

namespace firn {

/// The columns of a file with their ids and Arrow types. Unions and shapes are columns that cannot
/// be read.
std::vector<FileField> OrcFileFields(const OrcTail& tail);

/// A stripe that columns are made from; all of it outlives them.
struct OrcStripeSource {
  const OrcTail* tail = nullptr;
  const OrcStripeFooter* footer = nullptr;
  OrcInput input;

  /// The place of a stream; a stream that the stripe lacks is an empty one.
  ByteRange Find(size_t column, OrcStreamKind kind) const;
  /// Null if the stripe lacks it.
  const OrcStream* FindStream(size_t column, OrcStreamKind kind) const;
  /// The form of the integers of a column. Errors: kCorrupt: its encoding has none.
  Result<OrcIntegerForm> IntegerForm(size_t column, bool is_signed) const;
};

/// Which of `count` places have a value.
struct OrcSlots {
  int64_t count = 0;
  int64_t value_count = 0;
  const uint8_t* present = nullptr;  ///< 0 or 1 each; null: all have one.
};

class OrcColumn {
 public:
  virtual ~OrcColumn() = default;

  /// The next values, for those of `slots` that have a parent. Errors: kCorrupt, kUnsupported,
  /// kResourceExhausted, and those of the file.
  Result<std::shared_ptr<arrow::ArrayData>> Read(const OrcSlots& slots);

  /// Errors: kCorrupt: values are left, though the last row was read.
  Status CheckEnd();

  const std::shared_ptr<arrow::DataType>& type() const { return type_; }

 protected:
  OrcColumn(const OrcStripeSource& stripe, size_t column, std::shared_ptr<arrow::DataType> type);

  /// Fill in all but the validity.
  virtual Status ReadValues(const OrcSlots& slots, arrow::ArrayData& out) = 0;
  virtual Status CheckValuesEnd() = 0;

  arrow::MemoryPool* pool() const { return pool_; }

 private:
  Result<OrcSlots> ReadPresence(const OrcSlots& slots);

  arrow::MemoryPool* pool_;
  std::shared_ptr<arrow::DataType> type_;
  std::optional<OrcBits> present_;
  OrcBuffer marks_;
};

/// The column of the type `column`, with those of its leaves that are among `leaves`. Errors:
/// kCorrupt, kUnsupported; kResourceExhausted: its dictionary is too large.
Result<std::unique_ptr<OrcColumn>> MakeOrcColumn(const OrcStripeSource& stripe, size_t column,
                                                 const FileField& field,
                                                 const std::set<int>& leaves);

/// Whether any leaf of `field` is among `leaves`.
bool IsOrcFieldRead(const FileField& field, const std::set<int>& leaves);

// What MakeOrcColumn chooses from, by the kind of the type.
Result<std::unique_ptr<OrcColumn>> MakeOrcNumberColumn(const OrcStripeSource& stripe, size_t column,
                                                       const FileField& field);
Result<std::unique_ptr<OrcColumn>> MakeOrcTextColumn(const OrcStripeSource& stripe, size_t column,
                                                     const FileField& field);
Result<std::unique_ptr<OrcColumn>> MakeOrcTimestampColumn(const OrcStripeSource& stripe,
                                                          size_t column, const FileField& field);
Result<std::unique_ptr<OrcColumn>> MakeOrcNestedColumn(const OrcStripeSource& stripe, size_t column,
                                                       const FileField& field,
                                                       const std::set<int>& leaves);

/// For the columns: an error if `values` (of runs) are not at their end.
template <typename Values>
Status CheckOrcEnd(Values& values) {
  if (!values.AtEnd()) {
    return Error(ErrorCode::kCorrupt, "the stripe has values of it behind those of the last row");
  }
  return values.bytes().status();
}

/// Values that are decoded before their buffer grows further.
constexpr int64_t kOrcStepValues = 16384;

/// For the columns: collect `slots.value_count` values in `out`, in steps, each by `fill(T* first,
/// int64_t count)`, which returns a Status; then move them to their places among `slots.count`.
template <typename T, typename Fill>
Status FillOrcValues(const OrcSlots& slots, OrcBuffer& out, Fill fill) {
  const auto width = static_cast<int64_t>(sizeof(T));
  for (int64_t done = 0; done < slots.value_count;) {
    const int64_t step = std::min(kOrcStepValues, slots.value_count - done);
    FIRN_RETURN_IF_ERROR(out.Grow((done + step) * width, slots.count * width));
    FIRN_RETURN_IF_ERROR(fill(out.as<T>() + done, step));
    done += step;
  }
  FIRN_RETURN_IF_ERROR(out.Resize(slots.count * width));
  if (slots.present == nullptr) return {};
  T* const values = out.as<T>();
  int64_t next = slots.value_count;
  for (int64_t i = slots.count - 1; i >= 0; --i)
    values[i] = slots.present[i] != 0 ? values[--next] : T{};
  return {};
}

/// For the columns: bits of `count` bytes that are 0 or 1.
Result<std::shared_ptr<arrow::Buffer>> PackOrcBits(const uint8_t* bytes, int64_t count,
                                                   arrow::MemoryPool* pool);

}  // namespace firn
