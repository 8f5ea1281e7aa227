#include <utility>

#include "firn/parquet/footer.h"
#include "firn/parquet/footer_checksum_internal.h"
#include "firn/parquet/leaf_meaning_internal.h"
#include "firn/parquet/thrift_compact_internal.h"

namespace firn {
namespace {

// Structures take no more memory than this many times their bytes: what a writer has to tell of
// each keeps well below. A file of structures that tell nothing would take far more.
constexpr size_t kMemoryPerByteMax = 32;
constexpr size_t kMemoryMin = 65536;
// Positions of rows stay far from overflow.
constexpr int64_t kRowsMax = int64_t{1} << 60;

class FooterReader {
 public:
  explicit FooterReader(std::span<const std::byte> bytes)
      : bytes_(bytes), in_(bytes), memory_left_(bytes.size() * kMemoryPerByteMax + kMemoryMin) {}

  Result<FileFooter> Read() {
    ReadFile();
    FIRN_RETURN_IF_ERROR(in_.status(), "the footer");
    if (is_encrypted_) {
      return MakeError(ErrorCode::kUnsupported, "the file is encrypted by Parquet's own means");
    }
    FIRN_RETURN_IF_ERROR(Check(), "the footer");
    return std::move(footer_);
  }

 private:
  template <typename Visit>
  void ReadStruct(const Visit& visit) {
    const int16_t outer = in_.EnterStruct();
    for (ThriftField field = in_.NextField(); !field.is_stop(); field = in_.NextField())
      visit(field);
    in_.LeaveStruct(outer);
  }

  template <typename T>
  void Keep(std::vector<T>& list, T structure) {
    if (sizeof(T) > memory_left_) return in_.Fail("more structures than a writer puts there");
    memory_left_ -= sizeof(T);
    list.push_back(std::move(structure));
  }

  // Call `visit` for each element of the list in `field`.
  template <typename Visit>
  void ReadList(const ThriftField& field, ThriftType element, const Visit& visit) {
    if (!in_.Expect(field, ThriftType::kList)) return;
    const ThriftList list = in_.ReadList();
    if (list.size > 0 && list.element != element) in_.Fail("a list has elements of another type");
    for (uint32_t i = 0; i < list.size && !in_.failed(); ++i)
      visit();
  }

  int32_t ReadI32(const ThriftField& field) {
    return in_.Expect(field, ThriftType::kI32) ? in_.ReadI32() : 0;
  }
  int64_t ReadI64(const ThriftField& field) {
    return in_.Expect(field, ThriftType::kI64) ? in_.ReadI64() : 0;
  }
  std::string ReadText(const ThriftField& field) {
    return in_.Expect(field, ThriftType::kBinary) ? std::string(in_.ReadBinary()) : std::string();
  }

  // A number of an enumeration with the members 0 to `last`.
  template <typename Enum>
  Enum ReadEnum(const ThriftField& field, int last) {
    const int32_t number = ReadI32(field);
    if (number < 0 || number > last) in_.Fail("an unknown member of an enumeration");
    return static_cast<Enum>(number);
  }

  void ReadFile() {
    ReadStruct([this](const ThriftField& field) {
      switch (field.id) {
        case 1:
          footer_.version = ReadI32(field);
          break;
        case 2:
          ReadList(field, ThriftType::kStruct, [this] { ReadElement(); });
          break;
        case 3:
          footer_.num_rows = ReadI64(field);
          break;
        case 4:
          ReadList(field, ThriftType::kStruct, [this] { ReadRowGroup(); });
          break;
        case 5:
          ReadList(field, ThriftType::kStruct, [this] { ReadKeyValue(); });
          break;
        case 6:
          footer_.created_by = ReadText(field);
          break;
        case 7:
          ReadColumnOrders(field);
          break;
        case 8:
          is_encrypted_ = true;
          in_.Skip(field.type);
          break;
        default:
          in_.Skip(field.type);
      }
    });
  }

  // A list of unions, of which one member is known: the order of the type.
  void ReadColumnOrders(const ThriftField& list) {
    constexpr int16_t kTypeOrder = 1;
    footer_.has_column_orders = true;
    ReadList(list, ThriftType::kStruct, [this] {
      ReadStruct([this](const ThriftField& field) {
        if (field.id != kTypeOrder) footer_.has_column_orders = false;
        in_.Skip(field.type);
      });
    });
  }

  void ReadElement() {
    SchemaElement element;
    std::optional<int32_t> converted;
    std::optional<LeafMeaning> logical;
    int32_t scale = 0;
    int32_t precision = 0;
    const size_t start = in_.position();
    ReadStruct([&](const ThriftField& field) {
      switch (field.id) {
        case 1:
          element.type = ReadEnum<PhysicalType>(field, 7);
          break;
        case 2:
          element.type_length = ReadI32(field);
          break;
        case 3:
          element.repetition = ReadEnum<FieldRepetition>(field, 2);
          break;
        case 4:
          element.name = ReadText(field);
          break;
        case 5:
          element.num_children = ReadI32(field);
          break;
        case 6:
          converted = ReadI32(field);
          break;
        case 7:
          scale = ReadI32(field);
          break;
        case 8:
          precision = ReadI32(field);
          break;
        case 9:
          element.field_id = ReadI32(field);
          break;
        case 10:
          if (in_.Expect(field, ThriftType::kStruct)) logical = ReadLogicalType(in_);
          break;
        default:
          in_.Skip(field.type);
      }
    });
    if (converted) element.meaning = MeaningOfConverted(*converted, scale, precision);
    if (logical && converted && AreContradictory(*logical, element.meaning)) {
      in_.Fail("a logical type that contradicts the converted type beside it");
    }
    if (logical) element.meaning = *logical;
    if (!in_.failed()) element.raw = AsText(bytes_.subspan(start, in_.position() - start));
    Keep(footer_.schema, std::move(element));
  }

  void ReadKeyValue() {
    std::pair<std::string, std::optional<std::string>> pair;
    ReadStruct([&](const ThriftField& field) {
      if (field.id == 1) {
        pair.first = ReadText(field);
      } else if (field.id == 2) {
        pair.second = ReadText(field);
      } else {
        in_.Skip(field.type);
      }
    });
    if (pair.first == kFooterChecksumKey) return;  // Written anew with each footer.
    Keep(footer_.key_value_metadata, std::move(pair));
  }

  void ReadRowGroup() {
    RowGroup group;
    ReadStruct([&](const ThriftField& field) {
      switch (field.id) {
        case 1:
          ReadList(field, ThriftType::kStruct, [&] { ReadChunk(group); });
          break;
        case 2:
          group.total_byte_size = ReadI64(field);
          break;
        case 3:
          group.num_rows = ReadI64(field);
          break;
        default:
          in_.Skip(field.type);
      }
    });
    Keep(footer_.row_groups, std::move(group));
  }

  void ReadChunk(RowGroup& group) {
    ColumnChunk chunk;
    bool has_metadata = false;
    ByteRange column_index;
    ByteRange offset_index;
    ReadStruct([&](const ThriftField& field) {
      switch (field.id) {
        case 3:
          has_metadata = in_.Expect(field, ThriftType::kStruct);
          if (has_metadata) ReadChunkMetadata(chunk);
          break;
        case 4:
          offset_index.offset = ReadI64(field);
          break;
        case 5:
          offset_index.length = ReadI32(field);
          break;
        case 6:
          column_index.offset = ReadI64(field);
          break;
        case 7:
          column_index.length = ReadI32(field);
          break;
        case 1:
        case 8:
        case 9:
          chunk.is_elsewhere = true;
          in_.Skip(field.type);
          break;
        default:
          in_.Skip(field.type);
      }
    });
    if (!has_metadata) chunk.is_elsewhere = true;
    if (column_index.length > 0) chunk.column_index = column_index;
    if (offset_index.length > 0) chunk.offset_index = offset_index;
    Keep(group.columns, std::move(chunk));
  }

  void ReadChunkMetadata(ColumnChunk& chunk) {
    ReadStruct([&](const ThriftField& field) {
      switch (field.id) {
        case 1:
          chunk.type = ReadEnum<PhysicalType>(field, 7);
          break;
        case 2:
          ReadList(field, ThriftType::kI32,
                   [&] { chunk.encodings.push_back(static_cast<ParquetEncoding>(in_.ReadI32())); });
          break;
        case 3:
          ReadList(field, ThriftType::kBinary,
                   [&] { Keep(chunk.path_in_schema, std::string(in_.ReadBinary())); });
          break;
        case 4:
          chunk.codec = static_cast<ParquetCodec>(ReadI32(field));
          break;
        case 5:
          chunk.num_values = ReadI64(field);
          break;
        case 6:
          chunk.total_uncompressed_size = ReadI64(field);
          break;
        case 7:
          chunk.total_compressed_size = ReadI64(field);
          break;
        case 9:
          chunk.data_page_offset = ReadI64(field);
          break;
        case 11:
          chunk.dictionary_page_offset = ReadI64(field);
          break;
        case 12:
          if (in_.Expect(field, ThriftType::kStruct)) ReadStatistics(chunk.statistics);
          break;
        case 13:
          ReadList(field, ThriftType::kStruct, [&] { ReadEncodingStats(chunk); });
          break;
        default:
          in_.Skip(field.type);
      }
    });
  }

  void ReadStatistics(ChunkStatistics& statistics) {
    ReadStruct([&](const ThriftField& field) {
      switch (field.id) {
        case 3:
          statistics.null_count = ReadI64(field);
          break;
        case 5:
          statistics.max_value = ReadText(field);
          break;
        case 6:
          statistics.min_value = ReadText(field);
          break;
        case 7:
          statistics.is_max_exact = in_.ReadBool(field);
          break;
        case 8:
          statistics.is_min_exact = in_.ReadBool(field);
          break;
        default:
          in_.Skip(field.type);
      }
    });
  }

  void ReadEncodingStats(ColumnChunk& chunk) {
    PageEncodingStats stats;
    ReadStruct([&](const ThriftField& field) {
      switch (field.id) {
        case 1:
          stats.page_type = ReadI32(field);
          break;
        case 2:
          stats.encoding = static_cast<ParquetEncoding>(ReadI32(field));
          break;
        case 3:
          stats.count = ReadI32(field);
          break;
        default:
          in_.Skip(field.type);
      }
    });
    Keep(chunk.encoding_stats, stats);
  }

  Status Check() const {
    FIRN_ASSIGN(const std::vector<LeafNode> leaves, LeavesOf(footer_.schema));
    int64_t rows = 0;
    for (size_t i = 0; i < footer_.row_groups.size(); ++i) {
      const RowGroup& group = footer_.row_groups[i];
      FIRN_RETURN_IF_ERROR(CheckChunks(group, leaves), "row group {}", i);
      if (group.num_rows < 0 || group.num_rows > kRowsMax - rows) {
        return MakeError(ErrorCode::kCorrupt, "row group {} claims {} rows", i, group.num_rows);
      }
      rows += group.num_rows;
    }
    if (rows == footer_.num_rows || footer_.num_rows == 0) return {};  // Some writers leave it.
    return MakeError(ErrorCode::kCorrupt, "the row groups have {} rows, the file claims {}", rows,
                     footer_.num_rows);
  }

  static Status CheckChunks(const RowGroup& group, const std::vector<LeafNode>& leaves) {
    if (group.columns.size() != leaves.size()) {
      return MakeError(ErrorCode::kCorrupt, "{} columns, the schema has {}", group.columns.size(),
                       leaves.size());
    }
    for (size_t i = 0; i < leaves.size(); ++i) {
      const ColumnChunk& chunk = group.columns[i];
      if (chunk.is_elsewhere) continue;
      const bool is_sane = chunk.num_values >= 0 && chunk.total_compressed_size >= 0 &&
                           chunk.total_uncompressed_size >= 0 && chunk.data_page_offset >= 0;
      if (!is_sane) {
        return MakeError(ErrorCode::kCorrupt, "column {}: a size or an offset is negative", i);
      }
      if (chunk.type == leaves[i].element.type) continue;
      return MakeError(ErrorCode::kCorrupt, "column {} has type {}, in the schema {}", i,
                       static_cast<int>(chunk.type), static_cast<int>(*leaves[i].element.type));
    }
    return {};
  }

  std::span<const std::byte> bytes_;
  ThriftReader in_;
  FileFooter footer_;
  bool is_encrypted_ = false;
  size_t memory_left_;
};

}  // namespace

Result<FileFooter> ParseFooter(std::span<const std::byte> bytes) {
  FIRN_RETURN_IF_ERROR(CheckFooterChecksum(bytes));
  return FooterReader(bytes).Read();
}

}  // namespace firn
