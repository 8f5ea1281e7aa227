#include "firn/format/puffin/puffin.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "firn/base/bytes.h"
#include "firn/format/avro/avro_codec.h"
#include "firn/format/json/json_reader.h"
#include "firn/format/json/json_writer.h"

namespace firn {
namespace {

constexpr std::string_view kMagic = "PFA1";
constexpr int64_t kMagicBytes = 4;
constexpr int64_t kTrailerBytes = 12;  // Payload size, flags, magic.
constexpr int64_t kTailBytes = 64 * 1024;
constexpr int64_t kPayloadBytesMax = int64_t{256} << 20;
constexpr uint32_t kFlagCompressed = 1;

uint32_t ReadUint32(std::span<const std::byte> bytes) {
  static_assert(std::endian::native == std::endian::little);
  uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

void AppendUint32(std::string& out, uint32_t value) {
  char bytes[sizeof(value)];
  std::memcpy(bytes, &value, sizeof(value));
  out.append(bytes, sizeof(value));
}

template <typename... Args>
Error Corrupt(const InputFile& file, fmt::format_string<Args...> text, Args&&... args) {
  return MakeError(ErrorCode::kCorrupt, "Puffin file {}: {}", file.uri(),
                   fmt::format(text, std::forward<Args>(args)...));
}

Result<Buffer> ReadRange(InputFile& file, int64_t offset, int64_t length) {
  Buffer buffer(static_cast<size_t>(length));
  FIRN_ASSIGN(const int64_t read, file.ReadAt(offset, buffer.span()), "Puffin file {}", file.uri());
  if (read != length) return Corrupt(file, "it ends at byte {}", offset + read);
  return buffer;
}

Status CheckMagic(const InputFile& file, std::span<const std::byte> bytes, std::string_view where) {
  if (AsText(bytes) == kMagic) return {};
  return Corrupt(file, "{} it has {}, expected the magic 50464131 (PFA1)", where, FormatHex(bytes));
}

Status CheckBlob(const InputFile& file, const PuffinBlob& blob, size_t index,
                 int64_t footer_start) {
  if (blob.offset < kMagicBytes || blob.length < 0 || blob.length > footer_start - kMagicBytes ||
      blob.offset > footer_start - blob.length) {
    return Corrupt(file, "blob {} is said to lie at byte {} with {} bytes, blobs lie from 4 to {}",
                   index, blob.offset, blob.length, footer_start);
  }
  return {};
}

Result<PuffinFile> ParsePayload(const InputFile& file, std::string_view payload,
                                int64_t footer_start) {
  PuffinFile result;
  ExtraFields extra;
  auto read_blob = [&](JsonValue& json) -> Status {
    PuffinBlob& blob = result.blobs.emplace_back();
    BlobMetadata& metadata = blob.metadata;
    FIRN_RETURN_IF_ERROR(ReadMembers(
        json,
        {RequiredMember("type", metadata.type), RequiredMember("fields", metadata.fields),
         RequiredMember("snapshot-id", metadata.snapshot_id),
         RequiredMember("sequence-number", metadata.sequence_number),
         RequiredMember("offset", blob.offset), RequiredMember("length", blob.length),
         OptionalMember("compression-codec", blob.compression_codec),
         OptionalMember("properties", metadata.properties)},
        metadata.extra));
    return CheckBlob(file, blob, result.blobs.size() - 1, footer_start);
  };
  bool has_blobs = false;
  auto read_footer = [&](JsonValue& root) {
    return root.VisitMembers([&](std::string_view key, JsonValue& value) -> Status {
      if (key == "blobs") {
        has_blobs = true;
        return value.VisitElements(read_blob);
      }
      if (key == "properties") return ReadJson(value, result.properties);
      return {};
    });
  };
  FIRN_RETURN_IF_ERROR(
      VisitJson(payload, fmt::format("footer of Puffin file {}", file.uri()), read_footer));
  if (!has_blobs) return Corrupt(file, "its footer has no 'blobs'");
  return result;
}

// Flags and sizes of the last bytes of the file.
struct Trailer {
  int64_t payload_size = 0;
  bool is_compressed = false;
};

Result<Trailer> ParseTrailer(const InputFile& file, std::span<const std::byte> bytes,
                             int64_t file_size) {
  FIRN_RETURN_IF_ERROR(CheckMagic(file, bytes.subspan(8), "at its end"));
  const uint32_t flags = ReadUint32(bytes.subspan(4));
  if ((flags & ~kFlagCompressed) != 0) {
    return MakeError(ErrorCode::kUnsupported, "Puffin file {}: unknown flags {:#x}", file.uri(),
                     flags);
  }
  Trailer trailer{.payload_size = ReadUint32(bytes), .is_compressed = flags != 0};
  const int64_t size_max = std::min(file_size - 2 * kMagicBytes - kTrailerBytes, kPayloadBytesMax);
  if (trailer.payload_size > size_max) {
    return Corrupt(file, "its footer claims {} bytes, at most {} are possible",
                   trailer.payload_size, size_max);
  }
  return trailer;
}

}  // namespace

Result<PuffinFile> ReadPuffinFooter(InputFile& file) {
  FIRN_ASSIGN(const int64_t size, file.Size(), "Puffin file {}", file.uri());
  if (size < 2 * kMagicBytes + kTrailerBytes) {
    return Corrupt(file, "it has {} bytes, too few for one", size);
  }
  const int64_t tail_size = std::min(size, kTailBytes);
  FIRN_ASSIGN(Buffer tail, ReadRange(file, size - tail_size, tail_size));
  FIRN_ASSIGN(const Trailer trailer,
              ParseTrailer(file, tail.span().last(static_cast<size_t>(kTrailerBytes)), size));
  const int64_t footer_size = kMagicBytes + trailer.payload_size + kTrailerBytes;
  if (footer_size > tail_size) {
    FIRN_ASSIGN(tail, ReadRange(file, size - footer_size, footer_size));
  }
  const auto footer = std::as_const(tail).span().last(static_cast<size_t>(footer_size));
  FIRN_RETURN_IF_ERROR(CheckMagic(file, footer.first(kMagicBytes), "before its footer"));
  FIRN_ASSIGN(const Buffer head, ReadRange(file, 0, kMagicBytes));
  FIRN_RETURN_IF_ERROR(CheckMagic(file, head.span(), "at its start"));
  auto payload = footer.subspan(kMagicBytes, static_cast<size_t>(trailer.payload_size));
  Decompressor decompressor;
  if (trailer.is_compressed) {
    FIRN_ASSIGN(payload, decompressor.Lz4(payload, kPayloadBytesMax), "footer of Puffin file {}",
                file.uri());
  }
  FIRN_ASSIGN(PuffinFile result, ParsePayload(file, AsText(payload), size - footer_size));
  result.footer_size = footer_size;
  return result;
}

Result<Buffer> ReadPuffinBlob(InputFile& file, const PuffinBlob& blob) {
  FIRN_ASSIGN(const int64_t size, file.Size(), "Puffin file {}", file.uri());
  if (blob.offset < 0 || blob.length < 0 || blob.length > size ||
      blob.offset > size - blob.length) {
    return Corrupt(file, "a blob at byte {} with {} bytes lies outside its {} bytes", blob.offset,
                   blob.length, size);
  }
  FIRN_ASSIGN(Buffer stored, ReadRange(file, blob.offset, blob.length));
  if (blob.compression_codec.empty()) return stored;
  Decompressor decompressor;
  std::span<const std::byte> content;
  const std::string where = fmt::format("Puffin file {}: blob at byte {}", file.uri(), blob.offset);
  if (blob.compression_codec == "zstd") {
    FIRN_ASSIGN(content, decompressor.Zstandard(stored.span(), kDecompressedMax), "{}", where);
  } else if (blob.compression_codec == "lz4") {
    FIRN_ASSIGN(content, decompressor.Lz4(stored.span(), kDecompressedMax), "{}", where);
  } else {
    return MakeError(ErrorCode::kUnsupported, "{}: codec '{}', expected zstd or lz4", where,
                     blob.compression_codec);
  }
  return Buffer::CopyOf(content);
}

PuffinWriter::PuffinWriter(std::unique_ptr<OutputFile> file,
                           std::vector<std::pair<std::string, std::string>> properties)
    : file_(std::move(file)) {
  contents_.properties = std::move(properties);
}

Status PuffinWriter::Start() {
  if (is_started_) return {};
  is_started_ = true;
  return file_->Append(AsBytes(kMagic));
}

Result<PuffinBlob> PuffinWriter::Add(BlobMetadata metadata, std::span<const std::byte> content,
                                     std::string_view codec) {
  FIRN_RETURN_IF_ERROR(Start());
  Buffer compressed;
  if (codec == "zstd") {
    FIRN_ASSIGN(compressed, CompressZstandard(content));
    content = compressed.span();
  } else if (!codec.empty()) {
    return MakeError(ErrorCode::kInvalidInput, "Puffin codec '{}', expected zstd or none", codec);
  }
  PuffinBlob blob{.metadata = std::move(metadata),
                  .offset = file_->bytes_written(),
                  .length = static_cast<int64_t>(content.size()),
                  .compression_codec = std::string(codec)};
  FIRN_RETURN_IF_ERROR(file_->Append(content));
  contents_.blobs.push_back(blob);
  return blob;
}

Result<PuffinFile> PuffinWriter::Finish() {
  FIRN_RETURN_IF_ERROR(Start());
  const std::string payload = FormatPayload();
  std::string footer(kMagic);
  footer += payload;
  AppendUint32(footer, static_cast<uint32_t>(payload.size()));
  AppendUint32(footer, 0);
  footer += kMagic;
  FIRN_RETURN_IF_ERROR(file_->Append(AsBytes(footer)));
  FIRN_RETURN_IF_ERROR(file_->Publish());
  contents_.footer_size = static_cast<int64_t>(footer.size());
  return contents_;
}

int64_t PuffinWriter::bytes_written() const { return file_->bytes_written(); }

namespace {

void WriteStrings(JsonWriter& json,
                  const std::vector<std::pair<std::string, std::string>>& strings) {
  json.Key("properties");
  json.BeginObject();
  for (const auto& [key, value] : strings)
    json.StringField(key, value);
  json.EndObject();
}

void WriteBlob(JsonWriter& json, const PuffinBlob& blob) {
  json.BeginObject();
  json.StringField("type", blob.metadata.type);
  json.Key("fields");
  json.BeginArray();
  for (const int32_t field : blob.metadata.fields)
    json.Int(field);
  json.EndArray();
  json.IntField("snapshot-id", blob.metadata.snapshot_id);
  json.IntField("sequence-number", blob.metadata.sequence_number);
  json.IntField("offset", blob.offset);
  json.IntField("length", blob.length);
  if (!blob.compression_codec.empty()) {
    json.StringField("compression-codec", blob.compression_codec);
  }
  if (!blob.metadata.properties.empty()) WriteStrings(json, blob.metadata.properties);
  for (const auto& [key, text] : blob.metadata.extra)
    json.RawField(key, text);
  json.EndObject();
}

}  // namespace

std::string PuffinWriter::FormatPayload() const {
  JsonWriter json;
  json.BeginObject();
  json.Key("blobs");
  json.BeginArray();
  for (const PuffinBlob& blob : contents_.blobs)
    WriteBlob(json, blob);
  json.EndArray();
  if (!contents_.properties.empty()) WriteStrings(json, contents_.properties);
  json.EndObject();
  return std::move(json).Take();
}

}  // namespace firn
