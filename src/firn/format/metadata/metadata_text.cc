#include <limits>

#include "firn/format/gzip.h"
#include "firn/format/metadata/metadata_text_internal.h"

namespace firn {
namespace {

Result<PaddedText> ReadPadded(FileIO& io, std::string_view uri) {
  FIRN_ASSIGN(const auto file, io.Open(uri));
  FIRN_ASSIGN(const int64_t size, file->Size());
  if (size >= std::numeric_limits<uint32_t>::max()) {
    return MakeError(ErrorCode::kResourceExhausted,
                     "the file has {} bytes, expected less than 4 GiB of metadata", size);
  }
  PaddedText text(static_cast<size_t>(size));
  FIRN_ASSIGN(const int64_t read, file->ReadAt(0, text.span()));
  if (read != size) {
    return MakeError(ErrorCode::kCorrupt, "found {} bytes, expected {}", read, size);
  }
  return text;
}

}  // namespace

Result<PaddedText> UnpackMetadataText(std::span<const std::byte> bytes) {
  if (!IsGzip(bytes)) return PaddedText::CopyOf(AsText(bytes));
  FIRN_ASSIGN(const Buffer text, DecompressGzip(bytes, MaxInflatedSize(bytes.size())));
  return PaddedText::CopyOf(text.view());
}

Result<PaddedText> ReadMetadataText(FileIO& io, std::string_view uri) {
  FIRN_ASSIGN(PaddedText text, ReadPadded(io, uri));
  if (IsGzip(text.span())) return UnpackMetadataText(text.span());
  return text;
}

Status CheckMetadataVersion(JsonDocument& document, int version_max) {
  std::optional<int64_t> version;
  const Status status = document.PeekRoot([&](JsonValue& root) {
    return root.VisitMembers([&](std::string_view key, JsonValue& value) -> Status {
      if (key != "format-version") return {};
      FIRN_ASSIGN(version, value.ReadInt64());
      return Error(ErrorCode::kCancelled, "found");  // The rest is read later.
    });
  });
  if (!status.ok() && !version) return status.error();
  if (!version) return MakeError(ErrorCode::kCorrupt, "required field 'format-version' is missing");
  if (*version < 1) {
    return MakeError(ErrorCode::kCorrupt, "format-version: found {}, expected 1 to {}", *version,
                     version_max);
  }
  if (*version > version_max) {
    return MakeError(ErrorCode::kUnsupported,
                     "format-version: found {}, firn reads and writes no newer one than {}",
                     *version, version_max);
  }
  return {};
}

Status WriteMetadataText(FileIO& io, std::string_view uri, const JsonWriter& json,
                         const CreateOptions& options) {
  if (!json.is_lossless()) {
    return MakeError(ErrorCode::kInvalidInput,
                     "metadata '{}': a name, property or comment is not UTF-8", uri);
  }
  const bool is_gzip = uri.ends_with(".gz.metadata.json") || uri.ends_with(".metadata.json.gz");
  if (!is_gzip) return WriteFile(io, uri, AsBytes(json.text()), options);
  return WriteFile(io, uri, AsBytes(CompressGzip(json.text())), options);
}

}  // namespace firn
