#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "firn/io/file_lock.h"
#include "firn/maintain/compaction/rewrite_data_files.h"

/// What a long rewrite writes down beside the table's metadata, so that a crash costs the groups in
/// work and not those that are finished.
///
/// A run has a folder `<metadata location>/_firn/rewrite-data-files-<uuid>` with these files:
///
///   owner.json            the process, and what it writes (the signature)
///   owner.lock            locked as long as the owner lives; where files can be locked
///   group-<n>-<k>.output  the URI of the k-th file that group n begins, before it is made
///   group-<n>.json        group n is finished: its inputs and outputs
///   group-<n>.claim       made exclusively by whoever decides about group n, and says whether
///                         that is the owner or a later run
///   group-<n>.claim-2     the same where the owner made the claim and is known to have died
///
/// The outputs of a group belong to the run that made its claim *and* then found owner.json and
/// group-<n>.json where they were: the owner before it commits or deletes them, or a later run that
/// takes them over. Whoever removes files of a journal removes owner.json first, then entries, then
/// claims; so a claim that is made anew finds that something is missing. Nobody else may commit or
/// delete these outputs. That a run has ended is only guessed, to spare work; this rule keeps the
/// rows right if the guess is wrong. What the owner had claimed itself when it died may be
/// committed after all, by a request under way: whoever makes the second claim may commit it, too,
/// but deletes nothing of it. An owner that lives makes the second claim before it deletes. If a
/// commit has failed for certain and the owner goes on with other groups, it takes back the claims
/// of those that are finished, and makes them again later.
///
/// A group that has met another writer is forgotten with its outputs; what is done in its place has
/// a new number.

namespace firn {

/// What a run left is taken over for so long after it began, and kept from orphan removal for as
/// long. Other engines take files for orphans after three days: what is older may be deleted under
/// us.
inline constexpr std::chrono::hours kJournalAgeMax{48};

/// What a claim says.
inline constexpr std::string_view kClaimOfOwner = "owner";
inline constexpr std::string_view kClaimOfLaterRun = "a later run";

/// What outputs depend on besides their inputs: schema, spec, order, target size and write
/// properties, as text to be compared.
std::string RewriteSignature(const TableMetadata& metadata, const RewriteDataFilesOptions& options);

/// "<metadata location>/_firn".
std::string JournalsLocation(const TableMetadata& metadata);

inline constexpr std::string_view kJournalPrefix = "rewrite-data-files-";

/// Names of the files in the folder of a journal.
std::string JournalOwnerName();
std::string JournalLockName();
std::string JournalEntryName(int64_t group);
std::string JournalClaimName(int64_t group);
std::string JournalSecondClaimName(int64_t group);
std::string JournalOutputName(int64_t group, int64_t number);

/// Delete files of a journal. False if one may be left: then what must go after it stays too.
bool DeleteJournalFiles(FileIO& io, const std::vector<std::string>& uris);

/// Where there are folders: that of a journal and, if it was the last one, of all journals.
void RemoveJournalFolder(FileIO& io, const std::string& location);

/// Remove the whole journal of another run, which has `files`, in the order that others count on.
/// False if some of it may be left.
bool RemoveJournal(FileIO& io, const std::string& location, const std::vector<std::string>& files);

/// The delete files that apply to a file, with their sequence numbers, sorted.
std::vector<std::string> DeleteKeysOf(const FileScanTask& task);

/// CRC-32 of the last 64 KiB of a file, which hold its footer.
Result<uint32_t> TailChecksum(FileIO& io, const DataFile& file);

/// The text of group-<n>.json. Errors: kUnsupported: a path is not UTF-8; those of reading outputs.
Result<std::string> FormatFinishedGroup(FileIO& io, const TableMetadata& metadata,
                                        const FileGroup& group, const GroupResult& result);

/// The side of the run that writes. Thread-safe.
class RewriteJournal {
 public:
  /// Errors: those of writing.
  static Result<std::unique_ptr<RewriteJournal>> Start(const MaintainContext& context,
                                                       const Table& table, std::string signature);

  const std::string& location() const { return location_; }

  /// `table` for writing the outputs of a group: their URIs are noted first.
  Table ForGroup(Table table, int64_t group);

  /// A group is finished. If that cannot be written down it is only logged: then nobody can take
  /// the group over.
  void AddFinished(const FileGroup& group, const GroupResult& result);

  /// The same of a group that another run finished: its outputs are noted like own ones.
  void AddAdopted(const FileGroup& group, const GroupResult& result);

  /// To be asked before outputs are committed or deleted. False: another run has taken the group
  /// over, and its outputs are not ours any more. Errors: it is not certain whose they are.
  Result<bool> Claim(int64_t group);

  /// The outputs of a group that was claimed are not committed for now, and not in a request under
  /// way either: whoever takes this run for ended may have them.
  void Release(int64_t group);

  /// To be asked before outputs of a group that was claimed are deleted: nobody can take it over
  /// afterwards. False: somebody may have, who took this process for dead.
  bool ClaimForGood(int64_t group);

  /// The outputs of a group are committed or deleted: forget it.
  void Forget(int64_t group);

  /// The run ends. Groups that were finished and not committed are left to later runs; their number
  /// is returned. Without any the journal is removed.
  size_t End();

 private:
  RewriteJournal(const MaintainContext& context, const Table& table, std::string signature,
                 std::string location);

  std::string Place(const std::string& name) const;
  Result<bool> TryClaim(int64_t group) const;
  void Close();
  Status WriteOwner(bool is_released);
  void HoldLock();
  std::vector<std::string> FilesOf(int64_t group);
  void NoteOutput(int64_t group, std::string_view uri);

  class NotingFileIO;

  const MaintainContext& context_;
  const Table table_;
  const std::string signature_;
  const std::string location_;
  std::unique_ptr<FileLock> lock_;  // Null: files cannot be locked there.

  std::mutex mutex_;
  std::map<int64_t, int64_t> output_counts_;  // Of each group in work or finished.
  std::set<int64_t> finished_;                // Groups that have an entry.
  std::set<int64_t> claimed_;
  bool is_taken_over_ = false;
};

}  // namespace firn
