#include <algorithm>
#include <optional>
#include <utility>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/util/decimal.h>

#include "firn/base/int128.h"
#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/formats/avro_columns_internal.h"

namespace firn {
namespace {

// Fixed sizes beyond this are no column of a table.
constexpr int64_t kFixedBytesMax = int64_t{1} << 30;

std::optional<int32_t> IdOf(int32_t id) {
  return id == kNoAvroId ? std::nullopt : std::optional<int32_t>(id);
}

// An array of key-value records: how Avro stores maps whose keys are not text.
bool IsMapArray(const AvroNode& node) {
  return node.kind == AvroKind::kArray && node.logical_type == "map" &&
         node.items().kind == AvroKind::kRecord && node.items().fields.size() == 2;
}

std::shared_ptr<arrow::DataType> TimestampType(const AvroNode& node, arrow::TimeUnit::type unit) {
  const bool is_local = node.logical_type.starts_with("local-");
  return node.adjust_to_utc && !is_local ? arrow::timestamp(unit, "UTC") : arrow::timestamp(unit);
}

std::shared_ptr<arrow::DataType> LongType(const AvroNode& node) {
  const std::string& logical = node.logical_type;
  if (logical == "time-micros") return arrow::time64(arrow::TimeUnit::MICRO);
  if (logical.ends_with("timestamp-millis")) return TimestampType(node, arrow::TimeUnit::MILLI);
  if (logical.ends_with("timestamp-micros")) return TimestampType(node, arrow::TimeUnit::MICRO);
  if (logical.ends_with("timestamp-nanos")) return TimestampType(node, arrow::TimeUnit::NANO);
  return arrow::int64();
}

bool IsDecimal(const AvroNode& node) {
  return node.logical_type == "decimal" && node.precision >= 1 && node.precision <= 38 &&
         node.scale >= 0 && node.scale <= node.precision;
}

Result<std::shared_ptr<arrow::DataType>> FlatType(const AvroNode& node) {
  switch (node.kind) {
    case AvroKind::kNull:
      return arrow::null();
    case AvroKind::kBoolean:
      return arrow::boolean();
    case AvroKind::kInt:
      if (node.logical_type == "date") return arrow::date32();
      if (node.logical_type == "time-millis") return arrow::time32(arrow::TimeUnit::MILLI);
      return arrow::int32();
    case AvroKind::kLong:
      return LongType(node);
    case AvroKind::kFloat:
      return arrow::float32();
    case AvroKind::kDouble:
      return arrow::float64();
    case AvroKind::kString:
    case AvroKind::kEnum:
      return arrow::utf8();
    case AvroKind::kBytes:
      if (IsDecimal(node)) return arrow::decimal128(node.precision, node.scale);
      return arrow::binary();
    case AvroKind::kFixed:
      if (IsDecimal(node)) return arrow::decimal128(node.precision, node.scale);
      if (node.size > 0 && node.size <= kFixedBytesMax) {
        return arrow::fixed_size_binary(static_cast<int32_t>(node.size));
      }
      break;
    case AvroKind::kArray:
    case AvroKind::kMap:
    case AvroKind::kRecord:
    case AvroKind::kUnion:
      break;
  }
  return MakeError(ErrorCode::kUnsupported, "Avro type {} is not a column",
                   FormatAvroKind(node.kind));
}

Result<FileField> MakeField(std::string name, std::optional<int32_t> id, const AvroNode& type);

Result<std::vector<FileField>> MakeFields(const AvroNode& record) {
  std::vector<FileField> fields;
  for (const AvroField& field : record.fields) {
    const std::string& name = field.iceberg_name.empty() ? field.name : field.iceberg_name;
    FIRN_ASSIGN(FileField made, MakeField(name, IdOf(field.field_id), *field.type), "column '{}'",
                name);
    fields.push_back(std::move(made));
  }
  return fields;
}

std::shared_ptr<arrow::Field> ToArrow(const FileField& field) {
  return arrow::field(field.name, field.type);
}

Result<FileField> MakeField(std::string name, std::optional<int32_t> id, const AvroNode& type) {
  FIRN_ASSIGN(const AvroOption option, ResolveAvroOption(type, name));
  FileField field{.name = std::move(name), .id = id, .type = arrow::null()};
  if (option.value == nullptr) return field;
  const AvroNode& node = *option.value;
  if (node.kind == AvroKind::kRecord || IsMapArray(node)) {
    FIRN_ASSIGN(field.children, MakeFields(node.kind == AvroKind::kRecord ? node : node.items()));
  } else if (node.kind == AvroKind::kArray) {
    FIRN_ASSIGN(FileField element, MakeField("element", IdOf(node.element_id), node.items()));
    field.children.push_back(std::move(element));
  } else if (node.kind == AvroKind::kMap) {
    field.children.push_back({.name = "key", .id = IdOf(node.key_id), .type = arrow::utf8()});
    FIRN_ASSIGN(FileField value, MakeField("value", IdOf(node.value_id), node.values()));
    field.children.push_back(std::move(value));
  } else {
    FIRN_ASSIGN(field.type, FlatType(node));
    return field;
  }
  if (node.kind == AvroKind::kRecord) {
    std::vector<std::shared_ptr<arrow::Field>> children;
    for (const FileField& child : field.children)
      children.push_back(ToArrow(child));
    field.type = arrow::struct_(std::move(children));
    field.is_variant = node.logical_type == "variant";
  } else if (field.children.size() == 1) {
    field.type = arrow::list(ToArrow(field.children[0]));
  } else {
    field.type = arrow::map(field.children[0].type, field.children[1].type);
  }
  return field;
}

template <typename Builder, typename T>
Status AppendTo(arrow::ArrayBuilder& builder, T value) {
  const arrow::Status status = static_cast<Builder&>(builder).Append(value);
  if (status.ok()) return {};
  return FromArrowStatus(status, ErrorCode::kInternal);
}

Status AppendNullTo(arrow::ArrayBuilder& builder) {
  const arrow::Status status = builder.AppendNull();
  if (status.ok()) return {};
  return FromArrowStatus(status, ErrorCode::kInternal);
}

Status AppendLong(arrow::ArrayBuilder& builder, int64_t value) {
  if (builder.type()->id() == arrow::Type::TIMESTAMP) {
    return AppendTo<arrow::TimestampBuilder>(builder, value);
  }
  if (builder.type()->id() == arrow::Type::TIME64) {
    return AppendTo<arrow::Time64Builder>(builder, value);
  }
  return AppendTo<arrow::Int64Builder>(builder, value);
}

Status AppendInt(arrow::ArrayBuilder& builder, int32_t value) {
  if (builder.type()->id() == arrow::Type::DATE32) {
    return AppendTo<arrow::Date32Builder>(builder, value);
  }
  if (builder.type()->id() == arrow::Type::TIME32) {
    return AppendTo<arrow::Time32Builder>(builder, value);
  }
  return AppendTo<arrow::Int32Builder>(builder, value);
}

// The builder of the values of a map, a list, or a field of a struct.
arrow::ArrayBuilder& ChildBuilder(arrow::ArrayBuilder& builder, size_t index) {
  if (builder.type()->id() == arrow::Type::MAP) {
    auto& map = static_cast<arrow::MapBuilder&>(builder);
    return index == 0 ? *map.key_builder() : *map.item_builder();
  }
  if (builder.type()->id() == arrow::Type::LIST) {
    return *static_cast<arrow::ListBuilder&>(builder).value_builder();
  }
  return *static_cast<arrow::StructBuilder&>(builder).field_builder(static_cast<int>(index));
}

}  // namespace

Result<std::vector<FileField>> AvroFileFields(const AvroNode& record) {
  if (record.kind != AvroKind::kRecord) {
    return MakeError(ErrorCode::kCorrupt, "the file holds values of type {}, expected record",
                     FormatAvroKind(record.kind));
  }
  return MakeFields(record);
}

AvroColumn::AvroColumn(const AvroNode& node, arrow::ArrayBuilder& builder) : builder_(builder) {
  const auto option = ResolveAvroOption(node, "");
  FIRN_CHECK(option.ok());  // AvroFileFields has seen it.
  node_ = option->value;
  null_branch_ = option->null_branch;
  branch_count_ = option->branch_count;
  if (node_ == nullptr) return;
  if (node_->kind == AvroKind::kRecord || IsMapArray(*node_)) {
    const AvroNode& record = node_->kind == AvroKind::kRecord ? *node_ : node_->items();
    for (size_t i = 0; i < record.fields.size(); ++i) {
      children_.emplace_back(*record.fields[i].type, ChildBuilder(builder, i));
    }
  } else if (node_->kind == AvroKind::kArray) {
    children_.emplace_back(node_->items(), ChildBuilder(builder, 0));
  } else if (node_->kind == AvroKind::kMap) {
    children_.emplace_back(node_->values(), ChildBuilder(builder, 1));
  }
}

Status AvroColumn::Decode(AvroCursor& cursor) {
  if (branch_count_ > 0) {
    const int branch = cursor.ReadIndex(static_cast<size_t>(branch_count_));
    if (branch == null_branch_) return AppendNullTo(builder_);
  }
  if (node_ == nullptr) return AppendNullTo(builder_);
  return DecodeValue(cursor);
}

Status AvroColumn::DecodeValue(AvroCursor& cursor) {
  switch (node_->kind) {
    case AvroKind::kBoolean:
      return AppendTo<arrow::BooleanBuilder>(builder_, cursor.ReadBool());
    case AvroKind::kInt:
      return AppendInt(builder_, cursor.ReadInt());
    case AvroKind::kLong:
      return AppendLong(builder_, cursor.ReadLong());
    case AvroKind::kFloat:
      return AppendTo<arrow::FloatBuilder>(builder_, cursor.ReadFloat());
    case AvroKind::kDouble:
      return AppendTo<arrow::DoubleBuilder>(builder_, cursor.ReadDouble());
    case AvroKind::kString:
      return AppendTo<arrow::StringBuilder>(builder_, cursor.ReadBytes());
    case AvroKind::kEnum: {
      const int symbol = cursor.ReadIndex(node_->symbols.size());
      if (!cursor.ok()) return {};
      return AppendTo<arrow::StringBuilder>(
          builder_, std::string_view(node_->symbols[static_cast<size_t>(symbol)]));
    }
    case AvroKind::kBytes: {
      const std::string_view bytes = cursor.ReadBytes();
      if (IsDecimal(*node_)) return DecodeDecimal(bytes);
      return AppendTo<arrow::BinaryBuilder>(builder_, bytes);
    }
    case AvroKind::kFixed: {
      const std::string_view bytes = cursor.ReadFixed(static_cast<uint64_t>(node_->size));
      if (!cursor.ok()) return {};
      if (IsDecimal(*node_)) return DecodeDecimal(bytes);
      return AppendTo<arrow::FixedSizeBinaryBuilder>(builder_, bytes);
    }
    case AvroKind::kArray:
    case AvroKind::kMap:
      return DecodeItems(cursor);
    case AvroKind::kRecord: {
      const arrow::Status status = static_cast<arrow::StructBuilder&>(builder_).Append();
      if (!status.ok()) return FromArrowStatus(status, ErrorCode::kInternal);
      for (AvroColumn& child : children_)
        FIRN_RETURN_IF_ERROR(child.Decode(cursor));
      return {};
    }
    case AvroKind::kNull:
    case AvroKind::kUnion:
      break;
  }
  return AppendNullTo(builder_);
}

Status AvroColumn::DecodeItems(AvroCursor& cursor) {
  const bool is_map = builder_.type()->id() == arrow::Type::MAP;
  const arrow::Status status = is_map ? static_cast<arrow::MapBuilder&>(builder_).Append()
                                      : static_cast<arrow::ListBuilder&>(builder_).Append();
  if (!status.ok()) return FromArrowStatus(status, ErrorCode::kInternal);
  const bool has_text_keys = node_->kind == AvroKind::kMap;
  const int64_t item_min_size =
      has_text_keys ? 1 + node_->values().min_size : node_->items().min_size;
  for (int64_t count = cursor.ReadItemCount(item_min_size); count > 0 && cursor.ok();
       count = cursor.ReadItemCount(item_min_size)) {
    for (int64_t i = 0; i < count && cursor.ok(); ++i) {
      if (has_text_keys) {
        FIRN_RETURN_IF_ERROR(
            AppendTo<arrow::StringBuilder>(ChildBuilder(builder_, 0), cursor.ReadBytes()));
      }
      for (AvroColumn& child : children_)
        FIRN_RETURN_IF_ERROR(child.Decode(cursor));
    }
  }
  return {};
}

Status AvroColumn::DecodeDecimal(std::string_view bytes) {
  const std::optional<Int128> unscaled = FromBigEndian(AsBytes(bytes));
  if (!unscaled) {
    return MakeError(ErrorCode::kCorrupt, "a decimal of {} bytes has no value in 38 digits",
                     bytes.size());
  }
  return AppendTo<arrow::Decimal128Builder>(
      builder_,
      arrow::Decimal128(static_cast<int64_t>(*unscaled >> 64), static_cast<uint64_t>(*unscaled)));
}

}  // namespace firn
