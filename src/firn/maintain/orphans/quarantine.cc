#include "firn/maintain/orphans/quarantine.h"

#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "firn/base/civil_time.h"
#include "firn/base/log.h"
#include "firn/io/discard_files.h"
#include "firn/io/move_file.h"
#include "firn/io/uri.h"
#include "firn/maintain/delete_files_internal.h"
#include "firn/maintain/orphans/quarantine_list_internal.h"

namespace firn {
namespace {

constexpr std::string_view kFolder = "_firn_quarantine";
constexpr size_t kBatchFiles = 4096;

std::string FolderOf(const std::string& location) {
  return JoinUri(StripTrailingSlash(location), kFolder);
}

using Move = QuarantineMove;

/// Moves files, several at a time.
class FileMover {
 public:
  FileMover(const MaintainContext& context, FileIO& io) : context_(context), io_(io) {}

  Status Add(Move move) {
    batch_.push_back(std::move(move));
    return batch_.size() >= kBatchFiles ? Flush() : Status();
  }

  Result<MovedFiles> Finish() {
    FIRN_RETURN_IF_ERROR(Flush());
    return std::move(moved_);
  }

 private:
  Status Flush() {
    const auto move_one = [&](size_t index) -> Status {
      const Move& move = batch_[index];
      const Status moved = MoveFile(io_, move.from, move.to);
      const bool is_missing = !moved.ok() && moved.error().code() == ErrorCode::kNotFound;
      // By an earlier run that was not finished.
      if (is_missing && HasFileName(io_, move.to)) return {};
      Count(move, moved);
      return {};
    };
    FIRN_RETURN_IF_ERROR(
        ParallelFor(*context_.commit.executor, batch_.size(), move_one, context_.commit.cancel));
    batch_.clear();
    return {};
  }

  void Count(const Move& move, const Status& status) {
    const std::lock_guard lock(mutex_);
    if (status.ok()) {
      ++moved_.moved;
    } else if (status.error().code() == ErrorCode::kNotFound) {
      ++moved_.already_gone;
    } else {
      ++moved_.failed;
      if (!moved_.first_failure) moved_.first_failure = status.error();
      Log(LogLevel::kWarning, "'{}' was not moved to '{}': {}", move.from, move.to,
          status.error().Format());
    }
  }

  const MaintainContext& context_;
  FileIO& io_;
  std::vector<Move> batch_;
  std::mutex mutex_;
  MovedFiles moved_;
};

// "20261130T110000Z-1a2b3c4d"; nullopt: it is no run of firn's.
std::optional<Timestamp> ParseRunTime(std::string_view run) {
  constexpr size_t kTimeSize = 16;
  if (run.size() <= kTimeSize || run[8] != 'T' || run[15] != 'Z') return std::nullopt;
  const std::string text =
      fmt::format("{}-{}-{}T{}:{}:{}Z", run.substr(0, 4), run.substr(4, 2), run.substr(6, 2),
                  run.substr(9, 2), run.substr(11, 2), run.substr(13, 2));
  const auto time = ParseTimestamp(text, TimeUnit::kMicros);
  if (!time) return std::nullopt;
  return std::chrono::floor<std::chrono::milliseconds>(
      std::chrono::sys_time<std::chrono::microseconds>(std::chrono::microseconds(time->value)));
}

// The list of a run, and not a file of that name which waits in it.
bool IsList(std::string_view uri) {
  if (UriFileName(uri) != kQuarantineList) return false;
  const std::string_view run = uri.substr(0, uri.rfind('/'));
  return ParseRunTime(UriFileName(run)) && UriFileName(run.substr(0, run.rfind('/'))) == kFolder;
}

// Links to nothing, which no listing tells: many lead nowhere from where they wait.
Status VisitLinks(FileIO& io, const std::string& list,
                  const std::function<Status(const FileInfo&)>& visit) {
  auto* renamer = dynamic_cast<FileRenamer*>(&io);
  if (renamer == nullptr) return {};
  const Error end(ErrorCode::kUnsupported, "no links");
  const Status visited = VisitQuarantineList(io, list, [&](const Move& move) -> Status {
    const auto named = renamer->StatName(move.to);
    if (!named.ok() && named.error().code() == ErrorCode::kUnsupported) return end;
    if (!named.ok() || io.Stat(move.to).ok()) return {};
    return visit(*named);
  });
  const ErrorCode code = visited.ok() ? end.code() : visited.error().code();
  if (code == end.code() || code == ErrorCode::kNotFound) return {};
  if (code != ErrorCode::kCorrupt) return visited;
  Log(LogLevel::kWarning, "links that it may tell of are left out: {}", visited.error().Format());
  return {};
}

// Each file in quarantine with the name of its run.
Status VisitQuarantine(
    FileIO& io, const std::string& location,
    const std::function<Status(std::string_view run, const FileInfo& file)>& visit) {
  const std::string folder = FolderOf(location) + "/";
  std::map<std::string, std::string> lists;
  const Status listed = io.List(FolderOf(location), [&](const FileInfo& file) -> Status {
    if (!file.uri.starts_with(folder)) return {};
    const std::string_view rest = std::string_view(file.uri).substr(folder.size());
    const std::string_view run = rest.substr(0, rest.find('/'));
    if (IsList(file.uri)) lists.emplace(run, file.uri);
    return visit(run, file);
  });
  const bool is_missing = !listed.ok() && listed.error().code() == ErrorCode::kNotFound;
  if (is_missing) return {};
  FIRN_RETURN_IF_ERROR(listed);
  for (const auto& [run, list] : lists) {
    FIRN_RETURN_IF_ERROR(
        VisitLinks(io, list, [&](const FileInfo& link) { return visit(run, link); }));
  }
  return {};
}

// The moves that a run's list tells, whether they were made or not.
Status VisitMoves(FileIO& io, const std::string& location, const std::string& run,
                  const std::function<Status(Move)>& visit) {
  const Status visited =
      VisitQuarantineList(io, JoinUri(JoinUri(FolderOf(location), run), kQuarantineList), visit);
  if (visited.ok() || visited.error().code() != ErrorCode::kNotFound) return visited;
  return MakeError(ErrorCode::kNotFound,
                   "there is no run '{}' in the quarantine of '{}'; see which there are with "
                   "`firn restore-quarantine TABLE`",
                   run, location);
}

Result<DeletedFiles> DeleteAll(const MaintainContext& context, FileIO& io,
                               std::vector<FileToDelete> files) {
  FileDeleter deleter(context, io, 0);
  for (FileToDelete& file : files) {
    FIRN_RETURN_IF_ERROR(deleter.Add(std::move(file)));
  }
  return deleter.Finish();
}

}  // namespace

std::string NewQuarantineRun(Timestamp now, Random& random) {
  std::string time = FormatInstant(now);  // "2026-01-31T10:00:00.123Z"
  time.resize(time.find('.'));
  std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
  return fmt::format("{}Z-{:08x}", time, static_cast<uint32_t>(random.Next()));
}

Result<MovedFiles> MoveToQuarantine(const MaintainContext& context, FileIO& io,
                                    const std::string& location, const std::string& run,
                                    const VisitEachFile& visit_files) {
  const std::string folder = JoinUri(FolderOf(location), run);
  const auto move_of = [&](const FileToDelete& file) {
    return Move{file.path, QuarantinePlace(location, folder, file.path), file.bytes.value_or(0)};
  };
  FIRN_ASSIGN(const auto list, io.Create(JoinUri(folder, kQuarantineList), {.exclusive = true}));
  FIRN_RETURN_IF_ERROR(visit_files([&](const FileToDelete& file) {
    return list->Append(AsBytes(FormatQuarantineMove(move_of(file))));
  }));
  FIRN_RETURN_IF_ERROR(list->Publish());
  FileMover mover(context, io);
  FIRN_RETURN_IF_ERROR(
      visit_files([&](const FileToDelete& file) { return mover.Add(move_of(file)); }));
  return mover.Finish();
}

Result<std::vector<QuarantineRun>> ListQuarantine(FileIO& io, const std::string& location) {
  std::map<std::string, QuarantineRun, std::less<>> runs;
  FIRN_RETURN_IF_ERROR(
      VisitQuarantine(io, location, [&](std::string_view name, const FileInfo& file) -> Status {
        const auto time = ParseRunTime(name);
        if (!time) return {};
        QuarantineRun& run = runs[std::string(name)];
        run.name = name;
        run.time = *time;
        if (IsList(file.uri)) return {};
        ++run.file_count;
        run.bytes += file.size;
        return {};
      }));
  std::vector<QuarantineRun> sorted;
  for (auto& [name, run] : runs)
    sorted.push_back(std::move(run));
  return sorted;
}

Result<MovedFiles> RestoreQuarantine(const MaintainContext& context, FileIO& io,
                                     const std::string& location, const std::string& run) {
  const std::string folder = JoinUri(FolderOf(location), run);
  FileMover mover(context, io);
  FIRN_RETURN_IF_ERROR(VisitMoves(io, location, run, [&](Move move) {
    std::swap(move.from, move.to);
    return mover.Add(std::move(move));
  }));
  FIRN_ASSIGN(MovedFiles moved, mover.Finish());
  if (moved.failed == 0) {
    const Status deleted = io.Delete(JoinUri(folder, kQuarantineList));
    if (!deleted.ok() && deleted.error().code() != ErrorCode::kNotFound) return deleted.error();
    DiscardEmptyFolders(io, folder);
  }
  return moved;
}

Result<RestorePreview> PreviewRestoreQuarantine(const MaintainContext& context, FileIO& io,
                                                const std::string& location,
                                                const std::string& run) {
  std::vector<Move> moves;
  FIRN_RETURN_IF_ERROR(VisitMoves(io, location, run, [&](Move move) -> Status {
    moves.push_back(std::move(move));
    return {};
  }));
  std::vector<std::optional<Result<FileInfo>>> found(moves.size());
  const auto look_up = [&](size_t index) -> Status {
    found[index] = PreviewMove(io, moves[index].to, moves[index].from);
    return {};
  };
  FIRN_RETURN_IF_ERROR(
      ParallelFor(*context.commit.executor, moves.size(), look_up, context.commit.cancel));
  RestorePreview preview;
  for (size_t i = 0; i < moves.size(); ++i) {
    std::string& place = moves[i].from;
    const Result<FileInfo>& move = *found[i];
    if (move.ok()) {
      preview.restored.push_back({FileKind::kOther, std::move(place), move->size});
    } else if (move.error().code() != ErrorCode::kNotFound) {
      preview.staying.push_back(std::move(place));
      if (!preview.first_failure) preview.first_failure = move.error();
    } else if (!HasFileName(io, place)) {
      ++preview.missing;
    }
  }
  if (!preview.staying.empty()) return preview;
  const std::string list = JoinUri(JoinUri(FolderOf(location), run), kQuarantineList);
  FIRN_ASSIGN(const FileInfo info, io.Stat(list));
  preview.list = FileToDelete{FileKind::kOther, list, info.size};
  return preview;
}

Status VisitOldQuarantine(FileIO& io, const std::string& location, Timestamp older_than,
                          const std::function<Status(FileToDelete)>& visit) {
  return VisitQuarantine(io, location, [&](std::string_view run, const FileInfo& file) -> Status {
    const auto time = ParseRunTime(run);
    if (!time || *time >= older_than) return {};
    return visit({FileKind::kOther, file.uri, file.size});
  });
}

Result<EmptiedQuarantine> EmptyQuarantine(const MaintainContext& context, FileIO& io,
                                          const std::string& location, Timestamp older_than) {
  std::vector<FileToDelete> files;
  std::vector<FileToDelete> lists;
  FIRN_RETURN_IF_ERROR(
      VisitOldQuarantine(io, location, older_than, [&](FileToDelete file) -> Status {
        (IsList(file.path) ? lists : files).push_back(std::move(file));
        return {};
      }));
  FIRN_ASSIGN(const DeletedFiles deleted, DeleteAll(context, io, std::move(files)));
  EmptiedQuarantine emptied{.deleted = deleted.of(FileKind::kOther),
                            .failed = deleted.failed,
                            .first_failure = deleted.first_failure};
  // As long as the lists are there, what is left can be restored.
  if (deleted.failed == 0) {
    FIRN_ASSIGN(const DeletedFiles gone, DeleteAll(context, io, std::move(lists)));
    emptied.failed = gone.failed;
    emptied.first_failure = gone.first_failure;
  }
  DiscardEmptyFolders(io, FolderOf(location));
  return emptied;
}

}  // namespace firn
