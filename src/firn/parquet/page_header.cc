#include "firn/parquet/compression_internal.h"
#include "firn/parquet/page_header_internal.h"
#include "firn/parquet/thrift_compact_internal.h"

namespace firn {
namespace {

int32_t ReadNumber(ThriftReader& in, const ThriftField& field) {
  return in.Expect(field, ThriftType::kI32) ? in.ReadI32() : 0;
}

ParquetEncoding ReadEncoding(ThriftReader& in, const ThriftField& field) {
  return static_cast<ParquetEncoding>(ReadNumber(in, field));
}

// DataPageHeader and DictionaryPageHeader, which agree in their first fields.
void ReadVersion1(ThriftReader& in, PageHeader& header) {
  const int16_t outer = in.EnterStruct();
  for (ThriftField field = in.NextField(); !field.is_stop(); field = in.NextField()) {
    if (field.id == 1) {
      header.num_values = ReadNumber(in, field);
    } else if (field.id == 2) {
      header.encoding = ReadEncoding(in, field);
    } else if (field.id == 3 && field.type == ThriftType::kI32) {
      header.definition_encoding = ReadEncoding(in, field);
    } else if (field.id == 4 && field.type == ThriftType::kI32) {
      header.repetition_encoding = ReadEncoding(in, field);
    } else {
      in.Skip(field.type);
    }
  }
  in.LeaveStruct(outer);
}

void ReadVersion2(ThriftReader& in, PageHeader& header) {
  const int16_t outer = in.EnterStruct();
  for (ThriftField field = in.NextField(); !field.is_stop(); field = in.NextField()) {
    switch (field.id) {
      case 1:
        header.num_values = ReadNumber(in, field);
        break;
      case 4:
        header.encoding = ReadEncoding(in, field);
        break;
      case 5:
        header.definition_bytes = ReadNumber(in, field);
        break;
      case 6:
        header.repetition_bytes = ReadNumber(in, field);
        break;
      case 7:
        header.is_compressed = in.ReadBool(field);
        break;
      default:
        in.Skip(field.type);
    }
  }
  in.LeaveStruct(outer);
}

}  // namespace

Result<ParsedPageHeader> ParsePageHeader(std::span<const std::byte> bytes) {
  ThriftReader in(bytes);
  PageHeader header;
  int32_t type = -1;
  const int16_t outer = in.EnterStruct();
  for (ThriftField field = in.NextField(); !field.is_stop(); field = in.NextField()) {
    switch (field.id) {
      case 1:
        type = ReadNumber(in, field);
        break;
      case 2:
        header.uncompressed_size = ReadNumber(in, field);
        break;
      case 3:
        header.compressed_size = ReadNumber(in, field);
        break;
      case 4:
        if (in.Expect(field, ThriftType::kI32)) header.crc = static_cast<uint32_t>(in.ReadI32());
        break;
      case 5:
      case 7:
        if (in.Expect(field, ThriftType::kStruct)) ReadVersion1(in, header);
        break;
      case 8:
        if (in.Expect(field, ThriftType::kStruct)) ReadVersion2(in, header);
        break;
      default:
        in.Skip(field.type);
    }
  }
  in.LeaveStruct(outer);
  FIRN_RETURN_IF_ERROR(in.status(), "page header");
  if (type < 0 || type > static_cast<int32_t>(PageType::kDataV2)) {
    return MakeError(ErrorCode::kCorrupt, "page header: unknown page type {}", type);
  }
  header.type = static_cast<PageType>(type);
  if (header.uncompressed_size < 0 || header.compressed_size < 0 || header.num_values < 0 ||
      header.definition_bytes < 0 || header.repetition_bytes < 0) {
    return MakeError(ErrorCode::kCorrupt, "page header: a size is negative");
  }
  return ParsedPageHeader{.header = header, .header_bytes = in.position()};
}

Status CheckChecksum(const PageHeader& header, std::span<const std::byte> stored) {
  if (!header.crc) return {};
  const uint32_t crc = PageChecksum(stored);
  if (crc == *header.crc) return {};
  return MakeError(ErrorCode::kCorrupt, "a page has the checksum {:08x}, its header tells {:08x}",
                   crc, *header.crc);
}

namespace {

void WriteVersion1(const PageHeader& header, ThriftWriter& out) {
  const bool is_dictionary = header.type == PageType::kDictionary;
  out.BeginStructField(is_dictionary ? 7 : 5);
  const int16_t inner = out.EnterStruct();
  out.WriteI32(1, header.num_values);
  out.WriteI32(2, static_cast<int32_t>(header.encoding));
  if (!is_dictionary) {
    out.WriteI32(3, static_cast<int32_t>(header.definition_encoding));
    out.WriteI32(4, static_cast<int32_t>(header.repetition_encoding));
  }
  out.LeaveStruct(inner);
}

void WriteVersion2(const PageHeader& header, ThriftWriter& out) {
  out.BeginStructField(8);
  const int16_t inner = out.EnterStruct();
  out.WriteI32(1, header.num_values);
  out.WriteI32(2, header.null_count);
  out.WriteI32(3, header.row_count);
  out.WriteI32(4, static_cast<int32_t>(header.encoding));
  out.WriteI32(5, header.definition_bytes);
  out.WriteI32(6, header.repetition_bytes);
  out.WriteBool(7, header.is_compressed);
  out.LeaveStruct(inner);
}

}  // namespace

std::string FormatPageHeader(const PageHeader& header) {
  ThriftWriter out;
  const int16_t outer = out.EnterStruct();
  out.WriteI32(1, static_cast<int32_t>(header.type));
  out.WriteI32(2, header.uncompressed_size);
  out.WriteI32(3, header.compressed_size);
  if (header.crc) out.WriteI32(4, static_cast<int32_t>(*header.crc));
  if (header.type == PageType::kDataV2) {
    WriteVersion2(header, out);
  } else {
    WriteVersion1(header, out);
  }
  out.LeaveStruct(outer);
  return out.Take();
}

}  // namespace firn
