#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/util/decimal.h>

#include "firn/base/int128.h"
#include "firn/data/columns/variant_column_internal.h"
#include "firn/data/formats/avro_file_encoder_internal.h"
#include "firn/format/avro/avro_schema.h"
#include "firn/format/avro/avro_value.h"
#include "firn/format/avro/avro_writer.h"

// Data files in Avro: rows of Arrow arrays, written as `ToAvroSchema` declares them.

namespace firn {
namespace {

// Hands the bytes of the Avro writer on; the owner of the sink publishes the file.
class SinkFile final : public OutputFile {
 public:
  SinkFile(std::string uri, const ByteSink& sink) : uri_(std::move(uri)), sink_(sink) {}
  const std::string& uri() const override { return uri_; }
  Status Append(std::span<const std::byte> bytes) override {
    FIRN_RETURN_IF_ERROR(sink_(bytes));
    bytes_written_ += std::ssize(bytes);
    return {};
  }
  int64_t bytes_written() const override { return bytes_written_; }
  Status Publish() override { return {}; }

 private:
  std::string uri_;
  const ByteSink& sink_;
  int64_t bytes_written_ = 0;
};

// One column of a batch, at any depth, with its children.
struct AvroColumn {
  TypeId type = TypeId::kUnknown;
  bool is_optional = false;
  bool has_text_keys = false;  // Of a map.
  size_t fixed_bytes = 0;      // Of a decimal.
  std::shared_ptr<arrow::Array> array;
  std::vector<AvroColumn> children;
};

AvroColumn BindColumn(const NestedField& field, std::shared_ptr<arrow::Array> array);

std::vector<AvroColumn> BindChildren(const Type& type, const arrow::Array& array) {
  std::vector<AvroColumn> children;
  const bool is_variant = type.id() == TypeId::kVariant;
  const std::vector<NestedField>& fields = is_variant ? VariantStorage()->fields() : type.fields();
  if (type.id() == TypeId::kStruct || is_variant) {
    const auto& rows = static_cast<const arrow::StructArray&>(array);
    for (size_t i = 0; i < fields.size(); ++i)
      children.push_back(BindColumn(fields[i], rows.field(static_cast<int>(i))));
  } else if (type.id() == TypeId::kList) {
    children.push_back(BindColumn(fields[0], static_cast<const arrow::ListArray&>(array).values()));
  } else if (type.id() == TypeId::kMap) {
    const auto& maps = static_cast<const arrow::MapArray&>(array);
    children.push_back(BindColumn(type.key(), maps.keys()));
    children.push_back(BindColumn(type.value(), maps.items()));
  }
  return children;
}

AvroColumn BindColumn(const NestedField& field, std::shared_ptr<arrow::Array> array) {
  const Type& type = *field.type;
  AvroColumn column{.type = type.id(),
                    // The type null has no union around it.
                    .is_optional = !field.required && type.id() != TypeId::kUnknown,
                    .array = std::move(array)};
  if (type.id() == TypeId::kDecimal) {
    column.fixed_bytes = static_cast<size_t>(DecimalByteWidth(type.precision()));
  }
  if (type.id() == TypeId::kMap) column.has_text_keys = type.key().type->id() == TypeId::kString;
  column.children = BindChildren(type, *column.array);
  return column;
}

void AppendDecimal(std::string& out, const AvroColumn& column, int64_t row) {
  const arrow::Decimal128 value(
      static_cast<const arrow::Decimal128Array&>(*column.array).GetValue(row));
  for (size_t byte = column.fixed_bytes; byte > 0; --byte) {
    const uint64_t half = byte > 8 ? static_cast<uint64_t>(value.high_bits()) : value.low_bits();
    out.push_back(static_cast<char>((half >> ((byte - 1) % 8 * 8)) & 0xFF));
  }
}

template <typename T>
T ValueAt(const arrow::Array& array, int64_t row) {
  return array.data()->GetValues<T>(1)[row];
}

void AppendColumn(std::string& out, const AvroColumn& column, int64_t row);

// Items in one block, then the block of none that ends an array or a map.
void AppendItems(std::string& out, const AvroColumn& column, int64_t row) {
  const auto& lists = static_cast<const arrow::ListArray&>(*column.array);  // Maps are, too.
  const int64_t begin = lists.value_offset(row);
  const int64_t count = lists.value_length(row);
  if (count > 0) AppendAvroLong(out, count);
  for (int64_t i = begin; i < begin + count; ++i) {
    for (const AvroColumn& child : column.children)
      AppendColumn(out, child, i);
  }
  AppendAvroLong(out, 0);
}

void AppendPresent(std::string& out, const AvroColumn& column, int64_t row) {
  const arrow::Array& array = *column.array;
  switch (column.type) {
    case TypeId::kUnknown:
      break;
    case TypeId::kBoolean:
      out.push_back(static_cast<const arrow::BooleanArray&>(array).Value(row) ? 1 : 0);
      break;
    case TypeId::kInt:
    case TypeId::kDate:
      AppendAvroLong(out, ValueAt<int32_t>(array, row));
      break;
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      AppendAvroLong(out, ValueAt<int64_t>(array, row));
      break;
    case TypeId::kFloat:
      AppendAvroFloat(out, ValueAt<float>(array, row));
      break;
    case TypeId::kDouble:
      AppendAvroDouble(out, ValueAt<double>(array, row));
      break;
    case TypeId::kDecimal:
      AppendDecimal(out, column, row);
      break;
    case TypeId::kUuid:
    case TypeId::kFixed:
      out.append(static_cast<const arrow::FixedSizeBinaryArray&>(array).GetView(row));
      break;
    case TypeId::kString:
    case TypeId::kBinary:
    case TypeId::kGeometry:  // Refused before, as the next.
    case TypeId::kGeography:
      AppendAvroBytes(out, static_cast<const arrow::BinaryArray&>(array).GetView(row));
      break;
    case TypeId::kVariant:
    case TypeId::kStruct:
      for (const AvroColumn& child : column.children)
        AppendColumn(out, child, row);
      break;
    case TypeId::kList:
    case TypeId::kMap:
      AppendItems(out, column, row);
      break;
  }
}

void AppendColumn(std::string& out, const AvroColumn& column, int64_t row) {
  if (column.is_optional) {
    const bool is_null = column.array->IsNull(row);
    AppendAvroLong(out, is_null ? 0 : 1);  // The branch of the union [null, T].
    if (is_null) return;
  }
  AppendPresent(out, column, row);
}

class AvroEncoder final : public DataFileEncoder {
 public:
  AvroEncoder(const Schema& schema, std::unique_ptr<AvroWriter> writer)
      : fields_(schema.fields()), writer_(std::move(writer)) {}

  Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    FIRN_RETURN_IF_ERROR(CheckRequiredColumns(fields_, *batch));
    std::vector<AvroColumn> columns;
    for (size_t i = 0; i < fields_.size(); ++i)
      columns.push_back(BindColumn(fields_[i], batch->column(static_cast<int>(i))));
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      for (const AvroColumn& column : columns)
        AppendColumn(writer_->record(), column, row);
      FIRN_RETURN_IF_ERROR(writer_->EndRecord());
    }
    return {};
  }

  int64_t estimated_bytes() const override { return writer_->bytes_written(); }
  int64_t buffered_bytes() const override { return 0; }  // One block, of a few kilobytes.
  Status Flush() override { return {}; }

  Result<EncodedFile> Finish() override {
    FIRN_RETURN_IF_ERROR(writer_->Finish());
    return EncodedFile{.row_count = writer_->record_count()};
  }

 private:
  const std::vector<NestedField> fields_;
  std::unique_ptr<AvroWriter> writer_;
};

}  // namespace

Result<AvroWriteOptions> AvroOptionsFrom(const WriteProperties& properties) {
  AvroWriteOptions options;
  constexpr std::string_view kKey = "avro.compression-codec";
  FIRN_ASSIGN(options.codec, ParseAvroCompressionProperty(properties.Text(kKey, "gzip")),
              "table property '{}'", properties.NameOf(kKey));
  return options;
}

Result<std::unique_ptr<DataFileEncoder>> MakeAvroEncoder(const EncodeContext& context,
                                                         const AvroWriteOptions& options) {
  const AvroNodePtr schema = ToAvroSchema(*context.schema->as_struct(), "table");
  FIRN_ASSIGN(
      auto writer,
      AvroWriter::Make(std::make_unique<SinkFile>(context.uri, *context.sink), *schema,
                       {.codec = options.codec,
                        .metadata = {{"iceberg.schema", FormatSchemaJson(*context.schema)}}}));
  return std::make_unique<AvroEncoder>(*context.schema, std::move(writer));
}

}  // namespace firn
