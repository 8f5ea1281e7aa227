#include "firn/io/move_file.h"

#include <algorithm>
#include <utility>

namespace firn {
namespace {

Status CopyFile(FileIO& io, std::string_view from, std::string_view to) {
  constexpr int64_t kPieceBytes = int64_t{4} << 20;
  FIRN_ASSIGN(const std::shared_ptr<InputFile> source, io.Open(from));
  FIRN_ASSIGN(const int64_t size, source->Size());
  FIRN_ASSIGN(const std::unique_ptr<OutputFile> target, io.Create(to, {.exclusive = true}));
  for (int64_t done = 0; done < size;) {
    Buffer piece(static_cast<size_t>(std::min(kPieceBytes, size - done)));
    FIRN_ASSIGN(const int64_t got, source->ReadAt(done, piece.span()));
    if (got != static_cast<int64_t>(piece.size())) {
      return MakeError(ErrorCode::kCorrupt, "file '{}' ended after {} bytes, expected {}", from,
                       done + got, size);
    }
    FIRN_RETURN_IF_ERROR(target->Append(std::as_const(piece).span()));
    done += got;
  }
  return target->Publish();
}

}  // namespace

Result<FileRenamer*> RenamerOf(FileIO& io) {
  auto* renamer = dynamic_cast<FileRenamer*>(&io);
  if (renamer == nullptr) return Error(ErrorCode::kUnsupported, "no way to rename");
  return renamer;
}

Status MoveFile(FileIO& io, std::string_view from, std::string_view to) {
  if (auto* renamer = dynamic_cast<FileRenamer*>(&io)) {
    const Status renamed = renamer->Rename(from, to);
    if (renamed.ok() || renamed.error().code() != ErrorCode::kUnsupported) return renamed;
  }
  FIRN_RETURN_IF_ERROR(CopyFile(io, from, to));
  const Status deleted = io.Delete(from);
  // A request that arrives twice finds nothing the second time.
  return !deleted.ok() && deleted.error().code() == ErrorCode::kNotFound ? Status() : deleted;
}

Result<FileInfo> PreviewMove(FileIO& io, std::string_view from, std::string_view to) {
  if (auto* renamer = dynamic_cast<FileRenamer*>(&io)) {
    Result<FileInfo> found = renamer->PreviewRename(from, to);
    if (found.ok() || found.error().code() != ErrorCode::kUnsupported) return found;
  }
  FIRN_ASSIGN(FileInfo found, io.Stat(from));
  FIRN_ASSIGN(const bool is_taken, FileExists(io, to));
  if (is_taken) return MakeError(ErrorCode::kAlreadyExists, "file '{}' exists already", to);
  return found;
}

bool HasFileName(FileIO& io, std::string_view uri) {
  if (auto* renamer = dynamic_cast<FileRenamer*>(&io)) {
    const Result<FileInfo> found = renamer->StatName(uri);
    if (found.ok() || found.error().code() != ErrorCode::kUnsupported) return found.ok();
  }
  return io.Stat(uri).ok();
}

}  // namespace firn
