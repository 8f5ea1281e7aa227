#include <algorithm>
#include <utility>

#include <arrow/array/data.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <parquet/schema.h>

#include "firn/data/arrow/pool_store_internal.h"
#include "firn/data/parquet/column_set_internal.h"

// Columns that are decoded here, each into the buffers of its Arrow array.

namespace firn {
namespace {

constexpr size_t kOffsetBytes = sizeof(int32_t);
// Texts of a batch have about the length of those before: room for some more.
constexpr size_t kTextReserve = 16;
// Larger dictionaries are not tested before rows: a batch refers to few of their values.
constexpr size_t kTestedDictionaryMax = 4096;

std::optional<PhysicalType> PhysicalTypeOf(parquet::Type::type type) {
  if (type < parquet::Type::BOOLEAN || type > parquet::Type::FIXED_LEN_BYTE_ARRAY) {
    return std::nullopt;
  }
  return static_cast<PhysicalType>(type);
}

// How values of `leaf` become those of an Arrow array of `type`.
std::optional<ValueForm> FormOf(const arrow::DataType& type, const FlatLeaf& leaf) {
  const PhysicalType stored = leaf.type;
  const auto fixed_if = [](bool fits) {
    return fits ? std::optional(ValueForm::kFixed) : std::nullopt;
  };
  switch (static_cast<int>(type.id())) {  // Few of Arrow's many types.
    case arrow::Type::BOOL:
      return stored == PhysicalType::kBoolean ? std::optional(ValueForm::kBits) : std::nullopt;
    case arrow::Type::INT32:
    case arrow::Type::UINT32:
    case arrow::Type::DATE32:
    case arrow::Type::TIME32:
      return fixed_if(stored == PhysicalType::kInt32);
    case arrow::Type::INT64:
    case arrow::Type::UINT64:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
      return fixed_if(stored == PhysicalType::kInt64);
    case arrow::Type::FLOAT:
      return fixed_if(stored == PhysicalType::kFloat);
    case arrow::Type::DOUBLE:
      return fixed_if(stored == PhysicalType::kDouble);
    case arrow::Type::FIXED_SIZE_BINARY:
      return fixed_if(stored == PhysicalType::kFixedLenByteArray &&
                      static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width() ==
                          leaf.type_length);
    case arrow::Type::DECIMAL128:
      return std::optional(ValueForm::kDecimal);
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return std::optional(ValueForm::kText);
    default:
      return std::nullopt;
  }
}

bool IsKnown(parquet::Encoding::type encoding) {
  switch (static_cast<int>(encoding)) {
    case parquet::Encoding::PLAIN:
    case parquet::Encoding::PLAIN_DICTIONARY:
    case parquet::Encoding::RLE_DICTIONARY:
    case parquet::Encoding::RLE:
    case parquet::Encoding::BIT_PACKED:  // Listed for levels that flat columns do not have.
    case parquet::Encoding::DELTA_BINARY_PACKED:
    case parquet::Encoding::DELTA_LENGTH_BYTE_ARRAY:
    case parquet::Encoding::DELTA_BYTE_ARRAY:
    case parquet::Encoding::BYTE_STREAM_SPLIT:
      return true;
    default:
      return false;
  }
}

std::optional<ParquetCodec> CodecOf(parquet::Compression::type codec) {
  switch (static_cast<int>(codec)) {
    case parquet::Compression::UNCOMPRESSED:
      return ParquetCodec::kUncompressed;
    case parquet::Compression::SNAPPY:
      return ParquetCodec::kSnappy;
    case parquet::Compression::GZIP:
      return ParquetCodec::kGzip;
    case parquet::Compression::ZSTD:
      return ParquetCodec::kZstd;
    case parquet::Compression::LZ4:
      return ParquetCodec::kLz4Raw;
    default:
      return std::nullopt;
  }
}

// The chunk of a leaf; nullopt if it is not one that is read here.
std::optional<FlatChunk> ChunkOf(const parquet::FileMetaData& file, int row_group, int leaf) {
  const auto group = file.RowGroup(row_group);
  const auto chunk = group->ColumnChunk(leaf);
  const auto codec = CodecOf(chunk->compression());
  const auto& encodings = chunk->encodings();
  if (!codec || !chunk->file_path().empty() || chunk->crypto_metadata() != nullptr ||
      !std::all_of(encodings.begin(), encodings.end(), IsKnown) ||
      chunk->num_values() != group->num_rows()) {
    return std::nullopt;
  }
  FlatChunk made{.range = {chunk->data_page_offset(), chunk->total_compressed_size()},
                 .codec = *codec,
                 .row_count = chunk->num_values()};
  if (chunk->has_dictionary_page() && chunk->dictionary_page_offset() > 0) {
    made.range.offset = std::min(made.range.offset, chunk->dictionary_page_offset());
  }
  return made;
}

class FlatColumnSet final : public ColumnSet {
 public:
  FlatColumnSet(std::shared_ptr<arrow::DataType> type, const FlatLeaf& leaf,
                FlatColumnReader reader, arrow::MemoryPool* pool, size_t text_bytes_max)
      : type_(std::move(type)),
        leaf_(leaf),
        reader_(std::move(reader)),
        pool_(pool),
        text_bytes_max_(text_bytes_max) {}

  Result<Columns> Read(int64_t rows) override {
    FIRN_ASSIGN(Target target, MakeTarget(static_cast<size_t>(rows)));
    FIRN_RETURN_IF_ERROR(reader_.Read(static_cast<size_t>(rows), target.out));
    return Finish(std::move(target));
  }

  Result<Columns> Pick(int64_t rows, std::span<const uint32_t> picks) override {
    FIRN_ASSIGN(Target target, MakeTarget(picks.size()));
    FIRN_RETURN_IF_ERROR(reader_.Pick(static_cast<size_t>(rows), picks, target.out));
    return Finish(std::move(target));
  }

  Result<int64_t> CountTestable(int64_t rows) override {
    indexed_rows_ = 0;
    if (leaf_.form != ValueForm::kText) return rows;
    FIRN_ASSIGN(indexed_rows_,
                reader_.CountIndexed(static_cast<size_t>(rows), kTestedDictionaryMax));
    if (reader_.dictionary_bytes() > text_bytes_max_) indexed_rows_ = 0;
    return indexed_rows_ > 0 ? static_cast<int64_t>(indexed_rows_) : rows;
  }

  Result<Columns> ReadToTest(int64_t rows) override {
    if (static_cast<size_t>(rows) > indexed_rows_) return Read(rows);
    FIRN_RETURN_IF_ERROR(ReadDictionary());
    const auto count = static_cast<size_t>(rows);
    Target target;
    FIRN_RETURN_IF_ERROR(AddValidity(count, target));
    FIRN_ASSIGN(target.values, AllocateWithSlack(count * sizeof(uint32_t), pool_));
    target.out.values = reinterpret_cast<std::byte*>(target.values->mutable_data());
    FIRN_RETURN_IF_ERROR(reader_.ReadIndices(count, target.out));
    indexed_rows_ = 0;
    FIRN_ASSIGN(Columns columns, Finish(std::move(target)));
    columns[0]->type = arrow::dictionary(arrow::int32(), type_);
    columns[0]->dictionary = dictionary_;
    return columns;
  }

  Status Skip(int64_t rows) override { return reader_.Skip(static_cast<size_t>(rows)); }

 private:
  struct Target {
    FlatOutput out;
    std::shared_ptr<arrow::ResizableBuffer> validity;
    std::shared_ptr<arrow::ResizableBuffer> values;  // Or offsets.
    std::unique_ptr<PoolStore> text;
  };

  size_t ValueBytes(size_t rows) const {
    if (leaf_.form == ValueForm::kBits) return (rows + 7) / 8;
    if (leaf_.form == ValueForm::kText) return (rows + 1) * kOffsetBytes;
    return rows * leaf_.width();
  }

  Status AddValidity(size_t rows, Target& target) const {
    if (!leaf_.is_optional) return {};
    FIRN_ASSIGN(target.validity, AllocateWithSlack((rows + 7) / 8, pool_));
    target.out.validity = reinterpret_cast<std::byte*>(target.validity->mutable_data());
    return {};
  }

  // The dictionary of the current chunk as an array.
  Status ReadDictionary() {
    if (dictionary_ != nullptr && dictionary_chunk_ == reader_.chunk_count()) return {};
    FIRN_ASSIGN(Target target, MakeTarget(reader_.dictionary_size()));
    target.validity = nullptr;
    FIRN_RETURN_IF_ERROR(reader_.ReadDictionary(target.out));
    FIRN_ASSIGN(const Columns columns, Finish(std::move(target)));
    dictionary_ = columns[0];
    dictionary_chunk_ = reader_.chunk_count();
    return {};
  }

  Result<Target> MakeTarget(size_t rows) const {
    Target target;
    FIRN_RETURN_IF_ERROR(AddValidity(rows, target));
    FIRN_ASSIGN(target.values, AllocateWithSlack(ValueBytes(rows), pool_));
    target.out.values = reinterpret_cast<std::byte*>(target.values->mutable_data());
    if (leaf_.form == ValueForm::kText) {
      target.out.offsets = target.values->mutable_data_as<int32_t>();
      target.out.offsets[0] = 0;
      target.text = std::make_unique<PoolStore>(pool_);
      target.out.text = target.text.get();
      target.out.text_bytes_max = text_bytes_max_;
      FIRN_RETURN_IF_ERROR(
          target.text->Hold(std::min(rows * text_bytes_per_row_, text_bytes_max_), 0));
    }
    return target;
  }

  Result<Columns> Finish(Target target) {
    const FlatOutput& out = target.out;
    std::vector<std::shared_ptr<arrow::Buffer>> buffers = {nullptr, std::move(target.values)};
    if (out.null_count > 0) buffers[0] = std::move(target.validity);
    if (target.text != nullptr) {
      text_bytes_per_row_ = out.text_bytes / std::max<size_t>(out.row_count, 1);
      text_bytes_per_row_ += text_bytes_per_row_ / kTextReserve + 1;
      FIRN_ASSIGN(auto text, target.text->Take(out.text_bytes));
      buffers.push_back(std::move(text));
    }
    return Columns{arrow::ArrayData::Make(type_, static_cast<int64_t>(out.row_count),
                                          std::move(buffers),
                                          static_cast<int64_t>(out.null_count))};
  }

  std::shared_ptr<arrow::DataType> type_;
  const FlatLeaf leaf_;
  FlatColumnReader reader_;
  arrow::MemoryPool* pool_;
  const size_t text_bytes_max_;
  size_t text_bytes_per_row_ = 0;
  size_t indexed_rows_ = 0;  // That ReadToTest reads as indices.
  std::shared_ptr<arrow::ArrayData> dictionary_;
  size_t dictionary_chunk_ = 0;
};

}  // namespace

std::optional<FlatLeaf> FlatLeafOf(const FileField& field, const parquet::FileMetaData& file,
                                   const RowGroupRun& run, int64_t file_size) {
  const parquet::ColumnDescriptor& column = *file.schema()->Column(field.first_leaf);
  if (column.max_repetition_level() > 0 || column.path()->ToDotVector().size() != 1) {
    return std::nullopt;
  }
  const auto stored = PhysicalTypeOf(column.physical_type());
  if (!stored) return std::nullopt;
  FlatLeaf leaf{.type = *stored,
                .type_length = column.type_length(),
                .is_optional = column.max_definition_level() > 0};
  const auto form = FormOf(*field.type, leaf);
  if (!form) return std::nullopt;
  leaf.form = *form;
  for (const int row_group : run.row_groups) {
    const auto chunk = ChunkOf(file, row_group, field.first_leaf);
    if (!chunk || !CanReadFlat(leaf, chunk->codec)) return std::nullopt;
    const ByteRange& range = chunk->range;
    const bool lies_in_file = range.offset >= 0 && range.length >= 0 && range.offset <= file_size &&
                              range.length <= file_size - range.offset;
    if (!lies_in_file) return std::nullopt;
  }
  return leaf;
}

std::unique_ptr<ColumnSet> MakeFlatColumnSet(const FileField& field, const FlatLeaf& leaf,
                                             const parquet::FileMetaData& file,
                                             const RowGroupRun& run, const FlatReadOptions& options,
                                             std::shared_ptr<FlatScratch> scratch,
                                             arrow::MemoryPool* pool, size_t text_bytes_max) {
  std::vector<FlatChunk> chunks;
  for (const int row_group : run.row_groups)
    chunks.push_back(*ChunkOf(file, row_group, field.first_leaf));
  return std::make_unique<FlatColumnSet>(
      field.type, leaf, FlatColumnReader(leaf, std::move(chunks), options, std::move(scratch)),
      pool, text_bytes_max);
}

}  // namespace firn
