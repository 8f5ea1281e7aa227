#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "firn/base/utf8.h"
#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/facts/value_check_internal.h"

namespace firn {
namespace {

std::vector<NestedField> Relax(std::vector<NestedField> fields, const ValueCheck::Doubts& doubts) {
  for (NestedField& field : fields) {
    field.required = false;
    if (doubts.text_ids.contains(field.id)) field.type = Type::Primitive(TypeId::kBinary);
    if (doubts.fine_ids.contains(field.id)) {
      const bool has_zone = field.type->id() == TypeId::kTimestamptz;
      field.type = Type::Primitive(has_zone ? TypeId::kTimestamptzNs : TypeId::kTimestampNs);
    }
    if (!field.type->is_nested()) continue;
    std::vector<NestedField> children = Relax(field.type->fields(), doubts);
    if (field.type->id() == TypeId::kStruct) {
      field.type = Type::Struct(std::move(children));
    } else if (field.type->id() == TypeId::kList) {
      field.type = Type::List(std::move(children[0]));
    } else {
      children[0].required = true;  // As every map has it.
      field.type = Type::Map(std::move(children[0]), std::move(children[1]));
    }
  }
  return fields;
}

}  // namespace

ValueCheck::ValueCheck(const Schema& columns, Doubts doubts)
    : fields_(columns.fields()),
      doubts_(std::move(doubts)),
      schema_(columns.schema_id(), Relax(columns.fields(), doubts_)) {}

Status ValueCheck::Add(const arrow::RecordBatch& batch) {
  for (size_t i = 0; i < fields_.size(); ++i) {
    const auto& values = *batch.column(static_cast<int>(i));
    if (fields_[i].required && values.null_count() > 0) {
      nulls_[fields_[i].name] += values.null_count();
    }
    FIRN_RETURN_IF_ERROR(AddArray(values, fields_[i], fields_[i].name));
  }
  return {};
}

// What is inside the values: where one is null, there is nothing inside.
Status ValueCheck::AddArray(const arrow::Array& values, const NestedField& field,
                            const std::string& path) {
  if (doubts_.text_ids.contains(field.id) && values.type_id() == arrow::Type::BINARY) {
    const auto& bytes = static_cast<const arrow::BinaryArray&>(values);
    for (int64_t i = 0; i < bytes.length(); ++i) {
      if (!bytes.IsNull(i) && !IsValidUtf8(bytes.GetView(i))) not_text_.insert(path);
    }
    return {};
  }
  if (doubts_.fine_ids.contains(field.id) && values.type_id() == arrow::Type::TIMESTAMP) {
    const auto& times = static_cast<const arrow::TimestampArray&>(values);
    constexpr int64_t kNanosPerMicro = 1000;
    for (int64_t i = 0; i < times.length(); ++i) {
      const bool is_fine = !times.IsNull(i) && times.Value(i) % kNanosPerMicro != 0;
      if (is_fine) too_fine_.emplace(path, FormatType(*field.type));
    }
    return {};
  }
  if (!field.type->is_nested()) return {};
  arrow::ArrayVector parts;
  if (values.type_id() == arrow::Type::STRUCT) {
    FIRN_ASSIGN(parts, GuardArrowResult(ErrorCode::kCorrupt, [&] {
                  return static_cast<const arrow::StructArray&>(values).Flatten();
                }));
  } else if (values.type_id() == arrow::Type::LIST || values.type_id() == arrow::Type::MAP) {
    FIRN_ASSIGN(const auto entries, GuardArrowResult(ErrorCode::kCorrupt, [&] {
                  return static_cast<const arrow::ListArray&>(values).Flatten();
                }));
    parts = {entries};
    if (values.type_id() == arrow::Type::MAP) {
      parts = static_cast<const arrow::StructArray&>(*entries).fields();
    }
  }
  const std::vector<NestedField>& fields = field.type->fields();
  for (size_t i = 0; i < parts.size() && i < fields.size(); ++i) {
    const std::string inner = path + "." + fields[i].name;
    // Flattened, a field is null wherever its struct is.
    const int64_t outer_nulls =
        values.type_id() == arrow::Type::STRUCT ? values.null_count() : int64_t{0};
    if (fields[i].required && parts[i]->null_count() > outer_nulls) {
      nulls_[inner] += parts[i]->null_count() - outer_nulls;
    }
    FIRN_RETURN_IF_ERROR(AddArray(*parts[i], fields[i], inner));
  }
  return {};
}

std::vector<std::string> ValueCheck::Finish() const {
  std::vector<std::string> sentences;
  for (const auto& [path, count] : nulls_) {
    sentences.push_back(
        fmt::format("column '{}' is required, and the file has {} nulls", path, count));
  }
  for (const std::string& path : not_text_) {
    sentences.push_back(fmt::format(
        "column '{}' is binary in the file, with bytes that are no text (UTF-8), and string in "
        "the table",
        path));
  }
  for (const auto& [path, type] : too_fine_) {
    sentences.push_back(
        fmt::format("column '{}' has nanoseconds in the file, which {} of the table would cut off",
                    path, type));
  }
  return sentences;
}

}  // namespace firn
