#include <map>
#include <optional>
#include <utility>

#include "firn/io/uri.h"
#include "firn/maintain/compaction/journal_reader_internal.h"
#include "firn/maintain/orphans/pending_outputs_internal.h"

namespace firn {
namespace {

// For a run that takes over what it found in the last minute, and has not written that down yet.
constexpr std::chrono::hours kGrace{1};

// Whether a run may still commit what the journal names.
Result<bool> IsPending(const MaintainContext& context, FileIO& io, const std::string& location,
                       const JournalFiles& files, Timestamp now) {
  const auto is_within = [&](const std::optional<Timestamp>& time) {
    return !time || now - *time < kJournalAgeMax + kGrace;
  };
  FIRN_RETURN_IF_ERROR(context.commit.cancel.Check());
  const auto owner = ReadJournalOwner(io, JoinUri(location, JournalOwnerName()));
  // The run has ended, and its outputs are the table's, or nobody's.
  if (!owner.ok() && owner.error().code() == ErrorCode::kNotFound) return false;
  if (!owner.ok() && owner.error().code() != ErrorCode::kCorrupt) return owner.error();
  const bool is_released = owner.ok() && owner->is_released;
  const ProcessState state =
      is_released ? ProcessState::kEnded : FindOwner(io, location, owner.ok() ? &*owner : nullptr);
  if (state == ProcessState::kRunning) return true;
  return is_within(state == ProcessState::kEnded ? files.oldest : files.newest);
}

Status VisitOutputs(FileIO& io, const std::string& location, const JournalFiles& files,
                    const std::function<Status(std::string_view uri)>& visit) {
  for (const auto& [group, names] : files.outputs) {
    for (const std::string& name : names) {
      const auto output = ReadJournalText(io, JoinUri(location, name));
      if (output.ok()) {
        FIRN_RETURN_IF_ERROR(visit(*output));
      } else if (output.error().code() != ErrorCode::kNotFound) {
        return output.error();
      }
    }
  }
  return {};
}

}  // namespace

Status VisitPendingOutputs(const MaintainContext& context, const Table& table, Timestamp now,
                           const std::function<Status(std::string_view uri)>& visit) {
  // A run that takes over what another left writes its own journal before it removes that one: who
  // lists the first too early and the second too late sees neither. So they are looked at until
  // none has come or gone between two looks.
  constexpr int kLooksMax = 100;
  FileIO& io = *table.io;
  std::optional<std::map<std::string, bool>> before;
  for (int look = 0; look < kLooksMax; ++look) {
    FIRN_ASSIGN(const auto journals, ListJournals(io, JournalsLocation(*table.metadata)));
    std::map<std::string, bool> seen;
    for (const auto& [location, files] : journals) {
      FIRN_ASSIGN(const bool is_pending, IsPending(context, io, location, files, now));
      seen.emplace(location, is_pending);
      if (is_pending) FIRN_RETURN_IF_ERROR(VisitOutputs(io, location, files, visit));
    }
    if (before == seen) return {};
    before = std::move(seen);
  }
  return MakeError(ErrorCode::kUnavailable,
                   "rewrites begin and end all the time, so that nobody knows which files they may "
                   "still commit; try again when fewer are at work");
}

Result<std::vector<EndedJournal>> FindEndedJournals(const MaintainContext& context,
                                                    const Table& table, Timestamp now,
                                                    Timestamp cut_off) {
  FIRN_ASSIGN(auto journals, ListJournals(*table.io, JournalsLocation(*table.metadata)));
  std::vector<EndedJournal> ended;
  for (auto& [location, files] : journals) {
    // One without any file is an empty folder.
    const bool is_old = files.uris.empty() || (files.newest && *files.newest < cut_off);
    if (!is_old) continue;
    FIRN_ASSIGN(const bool is_pending, IsPending(context, *table.io, location, files, now));
    if (!is_pending) ended.push_back({location, std::move(files.uris)});
  }
  return ended;
}

}  // namespace firn
