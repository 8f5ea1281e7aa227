#include <limits>
#include <utility>

#include "firn/data/orc/orc_column_internal.h"

namespace firn {
namespace {

using Columns = std::vector<std::unique_ptr<OrcColumn>>;

class StructColumn final : public OrcColumn {
 public:
  StructColumn(const OrcStripeSource& stripe, size_t column, std::shared_ptr<arrow::DataType> type,
               Columns children)
      : OrcColumn(stripe, column, std::move(type)), children_(std::move(children)) {}

  Status ReadValues(const OrcSlots& slots, arrow::ArrayData& out) override {
    for (size_t i = 0; i < children_.size(); ++i) {
      FIRN_ASSIGN(auto child, children_[i]->Read(slots), "column '{}'", NameOf(i));
      out.child_data.push_back(std::move(child));
    }
    return {};
  }

  Status CheckValuesEnd() override {
    for (size_t i = 0; i < children_.size(); ++i)
      FIRN_RETURN_IF_ERROR(children_[i]->CheckEnd(), "column '{}'", NameOf(i));
    return {};
  }

 private:
  const std::string& NameOf(size_t child) const {
    return type()->field(static_cast<int>(child))->name();
  }

  Columns children_;
};

// Lists, and maps as lists of entries.
class RepeatedColumn final : public OrcColumn {
 public:
  RepeatedColumn(const OrcStripeSource& stripe, size_t column,
                 std::shared_ptr<arrow::DataType> type, OrcIntegerForm form, Columns parts)
      : OrcColumn(stripe, column, std::move(type)),
        lengths_(stripe.input, stripe.Find(column, OrcStreamKind::kLength), form),
        parts_(std::move(parts)),
        dense_(stripe.input.pool) {}

  Status ReadValues(const OrcSlots& slots, arrow::ArrayData& out) override {
    FIRN_RETURN_IF_ERROR(
        FillOrcValues<int64_t>({.count = slots.value_count, .value_count = slots.value_count},
                               dense_, [&](int64_t* first, int64_t count) {
                                 lengths_.Read({first, static_cast<size_t>(count)});
                                 return lengths_.bytes().status();
                               }));
    OrcBuffer offsets(pool());
    FIRN_RETURN_IF_ERROR(offsets.Resize((slots.count + 1) * int64_t{sizeof(int32_t)}));
    FIRN_ASSIGN(const int64_t count, ToOffsets(slots, offsets.as<int32_t>()));
    out.buffers.push_back(offsets.Take());
    const OrcSlots all{.count = count, .value_count = count};
    std::vector<std::shared_ptr<arrow::ArrayData>> values;
    for (const auto& part : parts_) {
      FIRN_ASSIGN(auto read, part->Read(all), "{}", PartName(values.size()));
      values.push_back(std::move(read));
    }
    if (!IsMap()) {
      out.child_data = std::move(values);
      return {};
    }
    out.child_data.push_back(
        arrow::ArrayData::Make(static_cast<const arrow::MapType&>(*type()).value_type(), count,
                               {nullptr}, std::move(values), 0));
    return {};
  }

  Status CheckValuesEnd() override {
    FIRN_RETURN_IF_ERROR(CheckOrcEnd(lengths_));
    for (size_t i = 0; i < parts_.size(); ++i)
      FIRN_RETURN_IF_ERROR(parts_[i]->CheckEnd(), "{}", PartName(i));
    return {};
  }

 private:
  bool IsMap() const { return parts_.size() == 2; }

  std::string_view PartName(size_t part) const {
    if (!IsMap()) return "an element";
    return part == 0 ? "a key" : "a value";
  }

  // Returns how many elements there are.
  Result<int64_t> ToOffsets(const OrcSlots& slots, int32_t* offsets) {
    constexpr int64_t kCountMax = std::numeric_limits<int32_t>::max();
    const int64_t* next = dense_.as<int64_t>();
    int64_t sum = 0;
    for (int64_t i = 0; i < slots.count; ++i) {
      offsets[i] = static_cast<int32_t>(sum);
      if (slots.present != nullptr && slots.present[i] == 0) continue;
      const int64_t length = *next++;
      if (length < 0 || length > kCountMax - sum) {
        return MakeError(ErrorCode::kCorrupt, "a list or map of {} elements in a batch of {} rows",
                         length, slots.count);
      }
      sum += length;
    }
    offsets[slots.count] = static_cast<int32_t>(sum);
    return sum;
  }

  OrcIntegers lengths_;
  Columns parts_;
  OrcBuffer dense_;
};

Result<std::unique_ptr<OrcColumn>> MakeStruct(const OrcStripeSource& stripe, size_t column,
                                              const FileField& field, const std::set<int>& leaves) {
  if (stripe.footer->encodings[column].kind != OrcEncodingKind::kDirect) {
    return Error(ErrorCode::kCorrupt, "the encoding of a struct is not 0");
  }
  const OrcType& type = stripe.tail->types[column];
  Columns children;
  arrow::FieldVector fields;
  for (size_t i = 0; i < type.children.size(); ++i) {
    const FileField& child = field.children[i];
    if (!IsOrcFieldRead(child, leaves)) continue;
    FIRN_ASSIGN(auto made, MakeOrcColumn(stripe, type.children[i], child, leaves), "column '{}'",
                child.name);
    fields.push_back(arrow::field(child.name, made->type()));
    children.push_back(std::move(made));
  }
  return std::make_unique<StructColumn>(stripe, column, arrow::struct_(std::move(fields)),
                                        std::move(children));
}

}  // namespace

Result<std::unique_ptr<OrcColumn>> MakeOrcNestedColumn(const OrcStripeSource& stripe, size_t column,
                                                       const FileField& field,
                                                       const std::set<int>& leaves) {
  const OrcType& type = stripe.tail->types[column];
  if (type.kind == OrcKind::kStruct) return MakeStruct(stripe, column, field, leaves);
  FIRN_ASSIGN(const OrcIntegerForm form, stripe.IntegerForm(column, /*is_signed=*/false));
  Columns parts;
  for (size_t i = 0; i < type.children.size(); ++i) {
    FIRN_ASSIGN(auto part, MakeOrcColumn(stripe, type.children[i], field.children[i], leaves));
    parts.push_back(std::move(part));
  }
  std::shared_ptr<arrow::DataType> made = type.kind == OrcKind::kMap
                                              ? arrow::map(parts[0]->type(), parts[1]->type())
                                              : arrow::list(arrow::field("item", parts[0]->type()));
  return std::make_unique<RepeatedColumn>(stripe, column, std::move(made), form, std::move(parts));
}

}  // namespace firn
