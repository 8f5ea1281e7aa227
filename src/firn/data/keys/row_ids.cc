#include <algorithm>
#include <span>
#include <utility>

#include "firn/data/keys/row_ids_internal.h"

namespace firn {
namespace {

constexpr size_t kEntriesAtOnce = 4096;

}  // namespace

Status RowIds::Add(const KeyTable& keys, bool is_on_disk) {
  Run run;
  for (KeyOrdinal i = 0; i < keys.size(); ++i) {
    const int64_t id = keys.row_id(i);
    if (id < KeyTable::kNoRowId) run.entries.push_back({.row = keys.row(i), .row_id = id});
  }
  const auto is_before = [](const Entry& a, const Entry& b) { return a.row < b.row; };
  if (!std::is_sorted(run.entries.begin(), run.entries.end(), is_before)) {
    std::sort(run.entries.begin(), run.entries.end(), is_before);
  }
  if (is_on_disk) {
    FIRN_ASSIGN(run.file, ScratchFile::Make());
    FIRN_RETURN_IF_ERROR(run.file->Append(std::as_bytes(std::span(run.entries))));
    run.entries = {};
  }
  runs_.push_back(std::move(run));
  return {};
}

// Is there an entry to come?
Result<bool> RowIds::Provide(Run& run) {
  if (run.next < run.entries.size()) return true;
  if (run.file == nullptr || run.offset == run.file->size()) return false;
  const auto left = static_cast<size_t>(run.file->size() - run.offset) / sizeof(Entry);
  run.entries.resize(std::min(left, kEntriesAtOnce));
  FIRN_ASSIGN(const int64_t read,
              run.file->ReadAt(run.offset, std::as_writable_bytes(std::span(run.entries))));
  run.offset += read;
  run.next = 0;
  return true;
}

Status RowIds::Fill(int64_t first, std::vector<int64_t>& ids) {
  const int64_t end = first + std::ssize(ids);
  for (Run& run : runs_) {
    while (true) {
      FIRN_ASSIGN(const bool has_entry, Provide(run));
      if (!has_entry) break;
      const Entry& entry = run.entries[run.next];
      if (entry.row >= end) break;
      if (entry.row >= first) ids[static_cast<size_t>(entry.row - first)] = entry.row_id;
      ++run.next;
    }
  }
  return {};
}

}  // namespace firn
