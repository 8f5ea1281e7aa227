#include <optional>
#include <utility>

#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include "firn/base/number.h"
#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/columns/variant_column_internal.h"
#include "firn/data/parquet/parquet_footer_internal.h"
#include "firn/parquet/footer.h"

namespace firn {
namespace {

// What smaller footers take is not counted.
constexpr int64_t kCountedBytes = int64_t{1} << 20;

std::optional<int32_t> FieldIdOf(const arrow::Field& field) {
  if (field.metadata() == nullptr) return std::nullopt;
  const auto id = field.metadata()->Get(kFieldIdKey);
  if (!id.ok()) return std::nullopt;
  const std::optional<int32_t> parsed = ParseInt32(*id);
  return parsed && *parsed >= 0 ? parsed : std::nullopt;
}

// A group with the logical type; one of its parts leads to it.
bool IsAnnotatedVariant(const parquet::arrow::SchemaField& source,
                        const parquet::SchemaDescriptor& schema) {
  for (const parquet::arrow::SchemaField& child : source.children) {
    if (child.column_index < 0 || child.field->name() != kVariantMetadata) continue;
    const parquet::schema::Node* const group =
        schema.Column(child.column_index)->schema_node()->parent();
    return group != nullptr && group->logical_type() != nullptr &&
           group->logical_type()->is_variant();
  }
  return false;
}

FileField ToFileField(const parquet::arrow::SchemaField& source,
                      const parquet::SchemaDescriptor& schema) {
  FileField field;
  field.name = source.field->name();
  field.id = FieldIdOf(*source.field);
  field.type = source.field->type();
  const std::vector<parquet::arrow::SchemaField>* children = &source.children;
  // Below a map Arrow has one struct of key and value.
  if (field.type->id() == arrow::Type::MAP && children->size() == 1) {
    children = &(*children)[0].children;
  }
  for (const parquet::arrow::SchemaField& child : *children) {
    field.children.push_back(ToFileField(child, schema));
  }
  field.is_variant = IsAnnotatedVariant(source, schema);
  return field;
}

arrow::Result<ParquetFooter> ParseWithArrow(std::span<const std::byte> bytes,
                                            arrow::MemoryPool* pool) {
  ParquetFooter footer;
  footer.metadata =
      parquet::FileMetaData::Make(bytes.data(), std::ssize(bytes), parquet::ReaderProperties(pool));
  parquet::arrow::SchemaManifest manifest;
  ARROW_RETURN_NOT_OK(parquet::arrow::SchemaManifest::Make(footer.metadata->schema(),
                                                           footer.metadata->key_value_metadata(),
                                                           ArrowReadOptions(1), &manifest));
  for (const parquet::arrow::SchemaField& field : manifest.schema_fields) {
    footer.fields.push_back(ToFileField(field, *footer.metadata->schema()));
  }
  if (NumberLeaves(footer.fields) != footer.metadata->num_columns()) {
    return arrow::Status::Invalid("the schema has a group without columns");
  }
  return footer;
}

}  // namespace

parquet::ArrowReaderProperties ArrowReadOptions(int64_t batch_rows) {
  parquet::ArrowReaderProperties options(/*use_threads=*/false);
  options.set_batch_size(batch_rows);
  options.set_pre_buffer(false);
  options.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
  return options;
}

FooterMemory::FooterMemory(FooterMemory&& other) noexcept
    : pool_(std::move(other.pool_)), bytes_(std::exchange(other.bytes_, 0)) {}

FooterMemory& FooterMemory::operator=(FooterMemory&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

FooterMemory::~FooterMemory() {
  if (bytes_ > 0) pool_->Give(bytes_);
}

Result<FooterMemory> FooterMemory::Take(const std::shared_ptr<BudgetPool>& pool,
                                        int64_t footer_bytes) {
  FooterMemory memory;
  const int64_t bytes = footer_bytes * kFooterMemoryFactor;
  if (bytes < kCountedBytes) return memory;
  FIRN_RETURN_IF_ERROR(GuardArrow(ErrorCode::kInternal, [&] { return pool->Take(bytes); }),
                       "the footer of {} bytes", footer_bytes);
  memory.pool_ = pool;
  memory.bytes_ = bytes;
  return memory;
}

Result<ParquetFooter> ReadParquetFooter(InputFile& file, const std::shared_ptr<BudgetPool>& pool) {
  FIRN_ASSIGN(const int64_t size, file.Size());
  FIRN_ASSIGN(const Buffer tail, ReadTail(file, size));
  FIRN_ASSIGN(FooterMemory memory, FooterMemory::Take(pool, std::ssize(tail.span())));
  FIRN_ASSIGN(const auto bytes, FindCheckedFooter(tail.span(), size));
  auto footer =
      GuardArrowResult(ErrorCode::kCorrupt, [&] { return ParseWithArrow(bytes, pool.get()); });
  if (!footer.ok()) return TellEncryption(footer.error());
  footer->memory = std::move(memory);
  return footer;
}

Error TellEncryption(const Error& error) {
  for (const std::string_view word : {"decrypt", "Decrypt", "encrypted"}) {
    if (error.message().find(word) == std::string::npos) continue;
    return MakeError(ErrorCode::kUnsupported, "the file is encrypted by Parquet's own means: {}",
                     error.message());
  }
  return error;
}

}  // namespace firn
