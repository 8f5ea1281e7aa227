#include "firn/parquet/footer.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "firn/parquet/leaf_meaning_internal.h"
#include "firn/parquet/thrift_compact_internal.h"

namespace firn {
namespace {

constexpr int64_t kTailBytes = 8;  // Length of the footer, and the magic.
constexpr int64_t kFirstReadBytes = int64_t{64} << 10;
constexpr int64_t kFooterBytesMax = int64_t{1} << 30;

using Kind = LeafMeaning::Kind;

class FooterReader {
 public:
  explicit FooterReader(std::span<const std::byte> bytes) : bytes_(bytes), in_(bytes) {}

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
          footer_.has_column_orders = true;
          in_.Skip(field.type);
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

  void ReadElement() {
    SchemaElement element;
    std::optional<int32_t> converted;
    std::optional<Kind> logical;
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
          element.meaning.scale = ReadI32(field);
          break;
        case 9:
          element.field_id = ReadI32(field);
          break;
        case 10:
          if (in_.Expect(field, ThriftType::kStruct)) logical = ReadLogicalKind(in_);
          break;
        default:
          in_.Skip(field.type);
      }
    });
    if (logical) {
      element.meaning.kind = *logical;
    } else if (converted) {
      element.meaning.kind = KindOfConverted(*converted);
    }
    if (element.meaning.kind != Kind::kDecimal) element.meaning.scale = 0;
    if (!in_.failed()) element.raw = AsText(bytes_.subspan(start, in_.position() - start));
    footer_.schema.push_back(std::move(element));
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
    footer_.key_value_metadata.push_back(std::move(pair));
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
    footer_.row_groups.push_back(std::move(group));
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
    group.columns.push_back(std::move(chunk));
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
                   [&] { chunk.path_in_schema.emplace_back(in_.ReadBinary()); });
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
    chunk.encoding_stats.push_back(stats);
  }

  Status Check() const {
    FIRN_ASSIGN(const std::vector<LeafNode> leaves, LeavesOf(footer_.schema));
    for (size_t i = 0; i < footer_.row_groups.size(); ++i) {
      const RowGroup& group = footer_.row_groups[i];
      if (group.columns.size() != leaves.size()) {
        return MakeError(ErrorCode::kCorrupt, "row group {} has {} columns, the schema has {}", i,
                         group.columns.size(), leaves.size());
      }
      if (group.num_rows < 0) {
        return MakeError(ErrorCode::kCorrupt, "row group {} claims {} rows", i, group.num_rows);
      }
      for (size_t j = 0; j < leaves.size(); ++j) {
        const ColumnChunk& chunk = group.columns[j];
        if (chunk.is_elsewhere) continue;
        const bool is_sane = chunk.num_values >= 0 && chunk.total_compressed_size >= 0 &&
                             chunk.total_uncompressed_size >= 0 && chunk.data_page_offset >= 0 &&
                             chunk.type == leaves[j].element.type;
        if (is_sane) continue;
        return MakeError(ErrorCode::kCorrupt,
                         "row group {}, column {}: a size or offset is negative, or the type is "
                         "not the schema's",
                         i, j);
      }
    }
    return {};
  }

  std::span<const std::byte> bytes_;
  ThriftReader in_;
  FileFooter footer_;
  bool is_encrypted_ = false;
};

}  // namespace

int64_t ColumnChunk::start_offset() const {
  // Some writers put 0 or an offset behind the data where there is no dictionary.
  const bool has_dictionary = dictionary_page_offset && *dictionary_page_offset > 0 &&
                              *dictionary_page_offset < data_page_offset;
  return has_dictionary ? *dictionary_page_offset : data_page_offset;
}

Result<FileFooter> ParseFooter(std::span<const std::byte> bytes) {
  return FooterReader(bytes).Read();
}

namespace {

// Where the footer begins, given the last bytes of a file of `size` bytes.
Result<int64_t> FindFooter(std::span<const std::byte> tail, int64_t size) {
  if (size < kTailBytes + 4) {
    return MakeError(ErrorCode::kCorrupt, "{} bytes are too few for a Parquet file", size);
  }
  const std::string_view magic = AsText(tail.last(4));
  if (magic == "PARE") {
    return MakeError(ErrorCode::kUnsupported, "the file is encrypted by Parquet's own means");
  }
  if (magic != "PAR1") {
    return MakeError(ErrorCode::kCorrupt, "the file does not end with 'PAR1'");
  }
  uint32_t length = 0;
  std::memcpy(&length, tail.last(kTailBytes).data(), sizeof(length));
  const int64_t start = size - kTailBytes - static_cast<int64_t>(length);
  if (start < 4 || length > kFooterBytesMax) {
    return MakeError(ErrorCode::kCorrupt, "a footer of {} bytes does not fit in a file of {}",
                     length, size);
  }
  return start;
}

}  // namespace

Result<FileFooter> ReadFooter(std::span<const std::byte> file) {
  const auto size = static_cast<int64_t>(file.size());
  FIRN_ASSIGN(const int64_t start, FindFooter(file, size));
  return ParseFooter(
      file.subspan(static_cast<size_t>(start), static_cast<size_t>(size - start - kTailBytes)));
}

Result<FileFooter> ReadFooter(InputFile& file, int64_t size) {
  const int64_t tail_start = std::max<int64_t>(0, size - kFirstReadBytes);
  const auto read_from = [&](int64_t start) -> Result<Buffer> {
    Buffer bytes(static_cast<size_t>(size - start));
    FIRN_ASSIGN(const int64_t read, file.ReadAt(start, bytes.span()));
    if (read == size - start) return bytes;
    return MakeError(ErrorCode::kCorrupt, "the file ends at byte {}, expected {}", start + read,
                     size);
  };
  FIRN_ASSIGN(Buffer tail, read_from(tail_start));
  FIRN_ASSIGN(const int64_t start, FindFooter(tail.span(), size));
  if (start < tail_start) {
    FIRN_ASSIGN(tail, read_from(start));
  }
  const int64_t skip = std::max<int64_t>(0, start - tail_start);
  return ParseFooter(tail.span().subspan(static_cast<size_t>(skip),
                                         static_cast<size_t>(size - start - kTailBytes)));
}

}  // namespace firn
