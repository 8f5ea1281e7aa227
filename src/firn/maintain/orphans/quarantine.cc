#include "firn/maintain/orphans/quarantine.h"

#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "firn/base/civil_time.h"
#include "firn/base/log.h"
#include "firn/base/text.h"
#include "firn/format/json_reader.h"
#include "firn/format/json_writer.h"
#include "firn/io/discard_files.h"
#include "firn/io/move_file.h"
#include "firn/io/uri.h"
#include "firn/maintain/delete_files_internal.h"
#include "firn/maintain/file_lookup.h"

namespace firn {
namespace {

constexpr std::string_view kFolder = "_firn_quarantine";
constexpr std::string_view kList = "manifest.jsonl";
constexpr size_t kBatchFiles = 4096;

std::string FolderOf(const std::string& location) {
  return JoinUri(StripTrailingSlash(location), kFolder);
}

/// One line of the list.
struct Move {
  std::string from;
  std::string to;
  int64_t bytes = 0;
};

std::string FormatMove(const Move& move) {
  JsonWriter line;
  line.BeginObject();
  line.StringField("path", move.from);
  line.StringField("quarantined", move.to);
  line.IntField("bytes", move.bytes);
  line.EndObject();
  return std::move(line).Take() + "\n";
}

Result<Move> ParseMove(std::string_view line) {
  Move move;
  FIRN_ASSIGN(JsonDocument document, JsonDocument::Open(PaddedText::CopyOf(line)));
  auto read = [&](std::string_view key, JsonValue& value) -> Status {
    if (key == "path") {
      FIRN_ASSIGN(move.from, value.ReadString());
    } else if (key == "quarantined") {
      FIRN_ASSIGN(move.to, value.ReadString());
    } else if (key == "bytes") {
      FIRN_ASSIGN(move.bytes, value.ReadInt64());
    } else {
      FIRN_RETURN_IF_ERROR(value.ReadRaw());
    }
    return {};
  };
  FIRN_RETURN_IF_ERROR(
      document.VisitRoot([&](JsonValue& root) { return root.VisitMembers(read); }));
  if (move.from.empty() || move.to.empty()) {
    return MakeError(ErrorCode::kCorrupt, "found '{}', expected 'path' and 'quarantined'", line);
  }
  return move;
}

// Where a file waits. One that is named like the list gets out of its way.
std::string PlaceOf(const std::string& location, const std::string& folder,
                    const std::string& path) {
  const std::string_view root = StripTrailingSlash(location);
  std::string_view relative = path;
  if (path.starts_with(root)) relative.remove_prefix(root.size());
  while (relative.starts_with('/'))
    relative.remove_prefix(1);
  const std::string name = relative == kList ? std::string(kList) + ".file" : std::string(relative);
  return JoinUri(folder, name);
}

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
      if (is_missing && IsMoved(move)) return {};
      Count(move, moved);
      return {};
    };
    FIRN_RETURN_IF_ERROR(
        ParallelFor(*context_.commit.executor, batch_.size(), move_one, context_.commit.cancel));
    batch_.clear();
    return {};
  }

  // By an earlier run that was not finished.
  bool IsMoved(const Move& move) const {
    const auto is_there = FileExists(io_, move.to);
    return is_there.ok() && *is_there;
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
  if (UriFileName(uri) != kList) return false;
  const std::string_view run = uri.substr(0, uri.rfind('/'));
  return ParseRunTime(UriFileName(run)) && UriFileName(run.substr(0, run.rfind('/'))) == kFolder;
}

// Each file in quarantine with the name of its run.
Status VisitQuarantine(
    FileIO& io, const std::string& location,
    const std::function<Status(std::string_view run, const FileInfo& file)>& visit) {
  const std::string folder = FolderOf(location) + "/";
  const Status listed = io.List(FolderOf(location), [&](const FileInfo& file) -> Status {
    if (!file.uri.starts_with(folder)) return {};
    const std::string_view rest = std::string_view(file.uri).substr(folder.size());
    return visit(rest.substr(0, rest.find('/')), file);
  });
  const bool is_missing = !listed.ok() && listed.error().code() == ErrorCode::kNotFound;
  return is_missing ? Status() : listed;
}

// The moves that a run's list tells, whether they were made or not.
Status VisitMoves(FileIO& io, const std::string& location, const std::string& run,
                  const std::function<Status(Move)>& visit) {
  const std::string list = JoinUri(JoinUri(FolderOf(location), run), kList);
  auto bytes = ReadFile(io, list);
  if (!bytes.ok() && bytes.error().code() == ErrorCode::kNotFound) {
    return MakeError(ErrorCode::kNotFound,
                     "there is no run '{}' in the quarantine of '{}'; see which there are with "
                     "`firn restore-quarantine TABLE`",
                     run, location);
  }
  if (!bytes.ok()) return bytes.error();
  int64_t line_number = 0;
  for (const std::string_view line : SplitText(bytes->view(), '\n')) {
    ++line_number;
    if (line.empty()) continue;
    FIRN_ASSIGN(Move move, ParseMove(line), "'{}' line {}", list, line_number);
    FIRN_RETURN_IF_ERROR(visit(std::move(move)));
  }
  return {};
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
    return Move{file.path, PlaceOf(location, folder, file.path), file.bytes.value_or(0)};
  };
  FIRN_ASSIGN(const auto list, io.Create(JoinUri(folder, kList), {.exclusive = true}));
  FIRN_RETURN_IF_ERROR(visit_files(
      [&](const FileToDelete& file) { return list->Append(AsBytes(FormatMove(move_of(file)))); }));
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
    const Status deleted = io.Delete(JoinUri(folder, kList));
    if (!deleted.ok() && deleted.error().code() != ErrorCode::kNotFound) return deleted.error();
    DiscardEmptyFolders(io, folder);
  }
  return moved;
}

Result<RestorePreview> PreviewRestoreQuarantine(const MaintainContext& context, FileIO& io,
                                                const std::string& location,
                                                const std::string& run) {
  std::vector<FileToDelete> waiting;  // By the places where they wait.
  std::vector<FileToDelete> places;
  FIRN_RETURN_IF_ERROR(VisitMoves(io, location, run, [&](Move move) -> Status {
    waiting.push_back({FileKind::kOther, std::move(move.to), std::nullopt});
    places.push_back({FileKind::kOther, std::move(move.from), std::nullopt});
    return {};
  }));
  std::map<std::string, std::string> place_of;
  for (size_t i = 0; i < waiting.size(); ++i)
    place_of.emplace(waiting[i].path, places[i].path);
  FIRN_RETURN_IF_ERROR(LookUpSizes(context, io, waiting));
  FIRN_RETURN_IF_ERROR(LookUpSizes(context, io, places));
  std::set<std::string> occupied;
  for (const FileToDelete& file : places)
    occupied.insert(file.path);
  RestorePreview preview;
  for (FileToDelete& file : waiting) {
    std::string& place = place_of.at(file.path);
    if (occupied.contains(place)) {
      preview.occupied.push_back(place);
    } else {
      preview.restored.push_back({file.kind, place, file.bytes});
    }
  }
  if (!preview.occupied.empty()) return preview;
  const std::string list = JoinUri(JoinUri(FolderOf(location), run), kList);
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
