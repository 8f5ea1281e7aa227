#include <cstring>

#include "firn/io/io.h"
#include "firn/io/read_plan.h"

namespace firn {
namespace {

// Read all of `out`, which the file is known to hold.
Status ReadFully(InputFile& file, int64_t offset, std::span<std::byte> out) {
  FIRN_ASSIGN(const int64_t got, file.ReadAt(offset, out));
  if (static_cast<size_t>(got) == out.size()) return {};
  return MakeError(ErrorCode::kCorrupt, "file '{}' ended after {} bytes, expected {} at least",
                   file.uri(), offset + got, offset + static_cast<int64_t>(out.size()));
}

}  // namespace

Result<std::vector<Buffer>> InputFile::ReadRanges(std::span<const ByteRange> ranges) {
  // The size is asked for before memory is: a range may be garbage.
  FIRN_ASSIGN(const int64_t size, Size());
  FIRN_ASSIGN(const std::vector<MergedRead> reads, PlanReads(ranges, size), "file '{}'", uri());
  std::vector<Buffer> results(ranges.size());
  for (const MergedRead& read : reads) {
    Buffer bytes(static_cast<size_t>(read.range.length));
    FIRN_RETURN_IF_ERROR(ReadFully(*this, read.range.offset, bytes.span()));
    if (read.parts.size() == 1) {
      results[read.parts.front()] = std::move(bytes);
      continue;
    }
    for (const size_t part : read.parts) {
      const auto start = static_cast<size_t>(ranges[part].offset - read.range.offset);
      const auto length = static_cast<size_t>(ranges[part].length);
      results[part] = Buffer::CopyOf(std::as_const(bytes).span().subspan(start, length));
    }
  }
  return results;
}

std::vector<DeleteOutcome> FileIO::DeleteMany(std::span<const std::string> uris) {
  std::vector<DeleteOutcome> outcomes;
  outcomes.reserve(uris.size());
  for (const std::string& uri : uris) {
    Status status = Delete(uri);
    const bool was_missing = !status.ok() && status.error().code() == ErrorCode::kNotFound;
    if (was_missing) status = Status();
    outcomes.push_back({.uri = uri, .status = std::move(status), .was_missing = was_missing});
  }
  return outcomes;
}

Result<Buffer> ReadFile(FileIO& io, std::string_view uri, int64_t size_max) {
  FIRN_ASSIGN(const std::shared_ptr<InputFile> file, io.Open(uri));
  FIRN_ASSIGN(const int64_t size, file->Size());
  if (size > size_max) {
    return MakeError(ErrorCode::kResourceExhausted,
                     "file '{}' has {} bytes, expected at most {} bytes", uri, size, size_max);
  }
  Buffer bytes(static_cast<size_t>(size));
  FIRN_RETURN_IF_ERROR(ReadFully(*file, 0, bytes.span()));
  return bytes;
}

Status WriteFile(FileIO& io, std::string_view uri, std::span<const std::byte> bytes,
                 const CreateOptions& options) {
  FIRN_ASSIGN(const std::unique_ptr<OutputFile> file, io.Create(uri, options));
  FIRN_RETURN_IF_ERROR(file->Append(bytes));
  return file->Publish();
}

Result<bool> FileExists(FileIO& io, std::string_view uri) {
  const Result<FileInfo> info = io.Stat(uri);
  if (info.ok()) return true;
  if (info.error().code() == ErrorCode::kNotFound) return false;
  return info.error();
}

}  // namespace firn
