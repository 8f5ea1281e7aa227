#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include <arrow/array.h>
#include <arrow/util/bit_util.h>

#include "firn/data/columns/variant_column_internal.h"
#include "firn/data/parquet/leaf_shredder_internal.h"

// Levels as in Dremel: walking from the column down to the leaf, each level of a row goes on at a
// slot of the next array, or has ended at a null or an empty list.

namespace firn {
namespace {

// Rows of a piece: what is made of them stays in the processor's cache.
constexpr int64_t kPieceRows = 4096;
// Fewer of long lists: elements of the outermost ones.
constexpr int64_t kPieceElements = int64_t{64} << 10;
constexpr size_t kDecimalBytes = 16;
// What long lists took beyond this is given back; of very many leaves, all.
constexpr size_t kIdleSlotsMax = size_t{128} << 10;
constexpr size_t kManyLeaves = 128;

// Of the `rows` rows from `begin` on, those whose lists are not too long together; one at least.
int64_t CountPieceRows(const arrow::ListArray& lists, int64_t begin, int64_t rows) {
  const int64_t end = lists.value_offset(begin) + kPieceElements;
  int64_t count = 1;
  while (count < rows && lists.value_offset(begin + count + 1) <= end)
    ++count;
  return count;
}

Error Missing(const std::string& name) {
  return MakeError(ErrorCode::kInvalidInput, "column '{}' is required but rows lack a value", name);
}

const std::byte* BytesAt(const arrow::ArrayData& data, size_t buffer) {
  return data.buffers[buffer] == nullptr
             ? nullptr
             : reinterpret_cast<const std::byte*>(data.buffers[buffer]->data());
}

// The first `kWidth` bytes of each slot of `kSlotBytes`.
template <size_t kWidth, size_t kSlotBytes = kWidth, typename SlotOf>
void GatherFixed(const std::byte* from, size_t count, const SlotOf& slot_of, std::byte* to) {
  for (size_t i = 0; i < count; ++i)
    std::memcpy(to + i * kWidth, from + static_cast<size_t>(slot_of(i)) * kSlotBytes, kWidth);
}

}  // namespace

std::vector<LeafShredder> LeafShredder::ForLeaves(const std::vector<NestedField>& fields,
                                                  const std::vector<LeafNode>& leaves) {
  std::vector<LeafShredder> shredders;
  for (size_t i = 0; i < fields.size(); ++i)
    Collect(fields[i], static_cast<int>(i), {}, leaves, shredders);
  for (LeafShredder& shredder : shredders)
    shredder.idle_slots_max_ = shredders.size() > kManyLeaves ? 0 : kIdleSlotsMax;
  return shredders;
}

void LeafShredder::Collect(const NestedField& field, int column, std::vector<Step> above,
                           const std::vector<LeafNode>& leaves,
                           std::vector<LeafShredder>& shredders) {
  const Type& type = *field.type;
  if (type.id() == TypeId::kUnknown) return;  // Files do not have it.
  above.push_back({.is_optional = !field.required, .name = field.name});
  const bool is_variant = type.id() == TypeId::kVariant;
  if (!type.is_nested() && !is_variant) {
    const LeafNode& leaf = leaves[shredders.size()];
    shredders.push_back(LeafShredder(column, std::move(above), type, leaf));
    return;
  }
  std::vector<NestedField> children = is_variant ? VariantStorage()->fields() : type.fields();
  above.back().kind = Step::Kind::kStruct;
  if (type.id() == TypeId::kList || type.id() == TypeId::kMap)
    above.back().kind = Step::Kind::kList;
  if (type.id() == TypeId::kMap) {
    above.push_back({.kind = Step::Kind::kStruct});
    children[0].required = true;  // The key.
  }
  for (size_t i = 0; i < children.size(); ++i) {
    above.back().child = static_cast<int>(i);
    Collect(children[i], column, above, leaves, shredders);
  }
}

LeafShredder::LeafShredder(int column, std::vector<Step> steps, const Type& type,
                           const LeafNode& leaf)
    : column_(column),
      steps_(std::move(steps)),
      width_(PlainWidth(leaf)),
      max_repetition_level_(leaf.max_repetition_level) {
  if (type.id() == TypeId::kBoolean) {
    form_ = Form::kBoolean;
  } else if (type.id() == TypeId::kDecimal) {
    const bool is_bytes = leaf.element.type == PhysicalType::kFixedLenByteArray;
    form_ = is_bytes ? Form::kDecimalBytes : Form::kDecimalInt;
  } else if (leaf.element.type == PhysicalType::kByteArray) {
    form_ = Form::kBytes;
  }
}

Status LeafShredder::Shred(const arrow::Array& column, const Visit& visit) {
  Status status = steps_.size() == 1 ? ShredFlat(column, visit) : ShredNested(column, visit);
  if (std::max({slots_.capacity(), fixed_.capacity(), bytes_.capacity()}) > idle_slots_max_) {
    definition_ = std::vector<uint8_t>();
    next_definition_ = std::vector<uint8_t>();
    repetition_ = std::vector<uint8_t>();
    next_repetition_ = std::vector<uint8_t>();
    slots_ = std::vector<int64_t>();
    next_slots_ = std::vector<int64_t>();
    fixed_ = std::vector<std::byte>();
    bytes_ = std::vector<std::string_view>();
  }
  return status;
}

Status LeafShredder::ShredFlat(const arrow::Array& values, const Visit& visit) {
  const bool has_nulls = values.null_count() > 0;
  if (has_nulls && !steps_[0].is_optional) return Missing(steps_[0].name);
  for (int64_t begin = 0; begin < values.length(); begin += kPieceRows) {
    const int64_t count = std::min(kPieceRows, values.length() - begin);
    LeafRows rows{.level_count = static_cast<size_t>(count)};
    if (!has_nulls) {
      TakeRange(*values.data(), begin, rows.level_count, rows);
      FIRN_RETURN_IF_ERROR(visit(rows));
      continue;
    }
    definition_.resize(rows.level_count);
    slots_.clear();
    for (int64_t i = 0; i < count; ++i) {
      const bool is_valid = values.IsValid(begin + i);
      definition_[static_cast<size_t>(i)] = is_valid ? 1 : 0;
      if (is_valid) slots_.push_back(begin + i);
    }
    rows.definition = definition_;
    TakeSlots(*values.data(), rows);
    FIRN_RETURN_IF_ERROR(visit(rows));
  }
  return {};
}

Status LeafShredder::ShredNested(const arrow::Array& column, const Visit& visit) {
  std::vector<std::shared_ptr<arrow::Array>> owned;  // Below the column, by step.
  const arrow::Array* array = &column;
  for (size_t i = 0; i + 1 < steps_.size(); ++i) {
    owned.push_back(steps_[i].kind == Step::Kind::kList
                        ? static_cast<const arrow::ListArray&>(*array).values()
                        : static_cast<const arrow::StructArray&>(*array).field(steps_[i].child));
    array = owned.back().get();
  }
  const auto list = std::find_if(steps_.begin(), steps_.end(),
                                 [](const Step& step) { return step.kind == Step::Kind::kList; });
  const auto depth = static_cast<size_t>(list - steps_.begin());
  int64_t rows_left = column.length();
  while (rows_left > 0) {
    const int64_t begin = column.length() - rows_left;
    int64_t piece = std::min(kPieceRows, rows_left);
    if (list != steps_.end()) {
      const arrow::Array& lists = depth == 0 ? column : *owned[depth - 1];
      piece = CountPieceRows(static_cast<const arrow::ListArray&>(lists), begin, piece);
    }
    rows_left -= piece;
    const auto count = static_cast<size_t>(piece);
    slots_.resize(count);
    std::iota(slots_.begin(), slots_.end(), begin);
    definition_.assign(count, 0);
    repetition_.assign(max_repetition_level_ > 0 ? count : 0, 0);
    uint8_t definition = 0;
    uint8_t repetition = 0;
    for (size_t i = 0; i < steps_.size(); ++i) {
      const arrow::Array& at = i == 0 ? column : *owned[i - 1];
      FIRN_RETURN_IF_ERROR(DefineLevel(at, steps_[i], definition));
      if (steps_[i].is_optional) ++definition;
      if (steps_[i].kind == Step::Kind::kList) ExpandLists(at, definition++, ++repetition);
    }
    LeafRows rows{
        .level_count = slots_.size(), .definition = definition_, .repetition = repetition_};
    slots_.erase(std::remove(slots_.begin(), slots_.end(), -1), slots_.end());
    TakeSlots(*array->data(), rows);
    FIRN_RETURN_IF_ERROR(visit(rows));
  }
  return {};
}

// Where a row goes on, whether it has a value of `step` in `array`.
Status LeafShredder::DefineLevel(const arrow::Array& array, const Step& step, uint8_t level) {
  const bool has_nulls = array.null_count() > 0;
  if (!step.is_optional && !has_nulls) return {};
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i] < 0) continue;
    const bool is_null = has_nulls && array.IsNull(slots_[i]);
    if (is_null && !step.is_optional) return Missing(step.name);
    if (is_null) {
      slots_[i] = -1;
    } else if (step.is_optional) {
      definition_[i] = static_cast<uint8_t>(level + 1);
    }
  }
  return {};
}

// `definition`: of a list that is there, but empty.
void LeafShredder::ExpandLists(const arrow::Array& array, uint8_t definition, uint8_t repetition) {
  const auto& lists = static_cast<const arrow::ListArray&>(array);
  next_definition_.clear();
  next_repetition_.clear();
  next_slots_.clear();
  for (size_t i = 0; i < slots_.size(); ++i) {
    const int64_t slot = slots_[i];
    const int64_t begin = slot < 0 ? 0 : lists.value_offset(slot);
    const int64_t end = slot < 0 ? 0 : lists.value_offset(slot + 1);
    if (begin == end) {
      next_definition_.push_back(definition_[i]);
      next_repetition_.push_back(repetition_[i]);
      next_slots_.push_back(-1);
      continue;
    }
    for (int64_t at = begin; at < end; ++at) {
      next_definition_.push_back(static_cast<uint8_t>(definition + 1));
      next_repetition_.push_back(at == begin ? repetition_[i] : repetition);
      next_slots_.push_back(at);
    }
  }
  definition_.swap(next_definition_);
  repetition_.swap(next_repetition_);
  slots_.swap(next_slots_);
}

void LeafShredder::TakeRange(const arrow::ArrayData& values, int64_t begin, size_t count,
                             LeafRows& rows) {
  if (form_ == Form::kFixed) {
    rows.value_count = count;
    rows.fixed = BytesAt(values, 1) + static_cast<size_t>(values.offset + begin) * width_;
    return;
  }
  Take(values, count, [begin](size_t i) { return begin + static_cast<int64_t>(i); }, rows);
}

void LeafShredder::TakeSlots(const arrow::ArrayData& values, LeafRows& rows) {
  Take(values, slots_.size(), [this](size_t i) { return slots_[i]; }, rows);
}

template <typename SlotOf>
void LeafShredder::Take(const arrow::ArrayData& values, size_t count, const SlotOf& slot_of,
                        LeafRows& rows) {
  rows.value_count = count;
  if (count == 0) return;
  if (form_ == Form::kBytes) {
    const auto* offsets = values.GetValues<int32_t>(1);
    const auto* text = reinterpret_cast<const char*>(BytesAt(values, 2));
    bytes_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      const int64_t slot = slot_of(i);
      const int32_t begin = offsets[slot];
      bytes_[i] = std::string_view(text + begin, static_cast<size_t>(offsets[slot + 1] - begin));
    }
    rows.bytes = bytes_.data();
    return;
  }
  fixed_.resize(count * width_);
  rows.fixed = fixed_.data();
  const std::byte* const from = BytesAt(values, 1);
  const auto row = [&](size_t i) { return values.offset + slot_of(i); };
  if (form_ == Form::kBoolean) {
    const auto* const bits = reinterpret_cast<const uint8_t*>(from);
    for (size_t i = 0; i < count; ++i) {
      const bool is_set = arrow::bit_util::GetBit(bits, static_cast<uint64_t>(row(i)));
      fixed_[i] = is_set ? std::byte{1} : std::byte{0};
    }
  } else if (form_ == Form::kDecimalInt) {
    if (width_ == 8) {
      GatherFixed<8, kDecimalBytes>(from, count, row, fixed_.data());
    } else {
      GatherFixed<4, kDecimalBytes>(from, count, row, fixed_.data());
    }
  } else if (form_ == Form::kDecimalBytes) {
    // Big-endian, without the bytes that only repeat the sign.
    for (size_t i = 0; i < count; ++i) {
      const std::byte* const low = from + static_cast<size_t>(row(i)) * kDecimalBytes;
      std::reverse_copy(low, low + width_, fixed_.data() + i * width_);
    }
  } else if (width_ == 8) {
    GatherFixed<8>(from, count, row, fixed_.data());
  } else if (width_ == 4) {
    GatherFixed<4>(from, count, row, fixed_.data());
  } else {
    for (size_t i = 0; i < count; ++i)
      std::memcpy(fixed_.data() + i * width_, from + static_cast<size_t>(row(i)) * width_, width_);
  }
}

}  // namespace firn
