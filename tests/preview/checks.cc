#include "checks.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "firn/io/uri.h"

#include "file_tree.h"

namespace firn::preview {
namespace {

using Set = std::multiset<std::string>;

const Texts kTable = {{"table", {"db.t"}}};

Texts With(Texts more) {
  more.insert(kTable.begin(), kTable.end());
  return more;
}

bool IsContent(const std::string& kind) {
  return kind == "data" || kind == "position-delete" || kind == "equality-delete" || kind == "dv";
}

// What the table's own views call each file.
std::map<std::string, std::string> KindsByPath(Lake& lake) {
  std::map<std::string, std::string> kinds;
  for (const Row& row : lake.Run("inspect", With({{"view", {"all_files"}}})).rows) {
    const std::string content = TextOf(row, "content");
    const bool is_vector = TextOf(row, "file_format") == "PUFFIN";
    kinds[PathOf(TextOf(row, "file_path"))] = content == "0"   ? "data"
                                              : is_vector      ? "dv"
                                              : content == "1" ? "position-delete"
                                                               : "equality-delete";
  }
  for (const Row& row : lake.Run("inspect", With({{"view", {"all_manifests"}}})).rows)
    kinds[PathOf(TextOf(row, "path"))] = "manifest";
  for (const Row& row : lake.Run("inspect", With({{"view", {"snapshots"}}})).rows)
    kinds[PathOf(TextOf(row, "manifest_list"))] = "manifest-list";
  return kinds;
}

std::string KindOf(const std::map<std::string, std::string>& kinds, const std::string& path) {
  const auto found = kinds.find(path);
  if (found != kinds.end()) return found->second;
  if (path.find(".metadata.json") != std::string::npos) return "metadata";
  if (path.ends_with("version-hint.text")) return "other";
  return path.find("/metadata/") != std::string::npos ? "statistics" : "other";
}

// Live files and manifests of main, with the bytes that are their own.
Set LiveFiles(Lake& lake, bool with_manifests) {
  Set live;
  for (const Row& row : lake.Run("inspect", With({{"view", {"files"}}})).rows) {
    const std::string own = TextOf(row, "content_size_in_bytes");
    live.insert(fmt::format("{} {}", TextOf(row, "file_path"),
                            own.empty() ? TextOf(row, "file_size_in_bytes") : own));
  }
  if (!with_manifests) return live;
  for (const Row& row : lake.Run("inspect", With({{"view", {"manifests"}}})).rows)
    live.insert(fmt::format("{} {}", TextOf(row, "path"), TextOf(row, "length")));
  return live;
}

Set Minus(const Set& a, const Set& b) {
  Set rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(rest, rest.end()));
  return rest;
}

std::string FirstOf(const Set& some) { return some.empty() ? "" : *some.begin(); }

}  // namespace

void Checks::Violate(const std::string& command, const std::string& what) {
  if (!violation_) violation_ = fmt::format("{}: {}", command, what);
}

void Checks::ExpectSame(const std::string& command, const Set& told, const Set& found) {
  const Set missing = Minus(found, told);
  const Set extra = Minus(told, found);
  Expect(missing.empty(), command,
         fmt::format("{} went and were not told, such as '{}'", missing.size(), FirstOf(missing)));
  Expect(extra.empty(), command,
         fmt::format("{} were told and did not go, such as '{}'", extra.size(), FirstOf(extra)));
  count_["files told"] += static_cast<int64_t>(told.size());
}

std::optional<Checks::Pair> Checks::RunBoth(const std::string& command, Texts arguments) {
  arguments = With(std::move(arguments));
  std::vector<std::string> words;
  for (const auto& [name, texts] : arguments)
    words.push_back(fmt::format("{}={}", name, fmt::join(texts, ",")));
  Pair pair;
  const FileTree before = ReadTree(lake_.warehouse());
  pair.dry = lake_.Run(command, arguments, true);
  const FileTree tried = ReadTree(lake_.warehouse());
  trace_(fmt::format("CHECK {} {}: {} rows, {}", command, fmt::join(words, " "),
                     pair.dry.rows.size(), pair.dry.error ? pair.dry.error->Format() : "ok"));
  if (!Expect(before == tried, command, "a dry run: " + DescribeDifference(before, tried))) {
    return std::nullopt;
  }
  // What a command reads of the real run may change what it says.
  if (arguments.contains("list_files")) arguments.erase("list_files");
  pair.real = lake_.Run(command, arguments);
  const FileTree after = ReadTree(lake_.warehouse());
  ++count_[command];
  const bool same_outcome = pair.dry.error.has_value() == pair.real.error.has_value() &&
                            (!pair.dry.error || pair.dry.error->code() == pair.real.error->code());
  if (!Expect(same_outcome, command,
              fmt::format("the dry run says '{}', the real one '{}'",
                          pair.dry.error ? pair.dry.error->Format() : "ok",
                          pair.real.error ? pair.real.error->Format() : "ok"))) {
    return std::nullopt;
  }
  pair.gone = FilesGone(before, after);
  pair.come = FilesGone(after, before);
  for (const auto& [path, state] : before)
    pair.sizes[path] = state.bytes;
  return pair;
}

void Checks::CheckDeletion(const std::string& command, const Texts& arguments) {
  const auto kinds = KindsByPath(lake_);
  const auto pair = RunBoth(command, arguments);
  if (!pair) return;
  Set told;
  for (const Row& row : pair->dry.rows) {
    Expect(TextOf(row, "action") == "delete", command, "a row does not delete");
    told.insert(fmt::format("{} {} {}", TextOf(row, "kind"), PathOf(TextOf(row, "path")),
                            TextOf(row, "bytes")));
  }
  Set found;
  for (const std::string& path : pair->gone)
    found.insert(fmt::format("{} {} {}",
                             command == "empty-quarantine" ? "other" : KindOf(kinds, path), path,
                             pair->sizes.at(path)));
  ExpectSame(command, told, found);
}

void Checks::CheckRewrite(const std::string& command, const Texts& arguments) {
  const bool of_manifests = command == "rewrite-manifests";
  const Set before = LiveFiles(lake_, of_manifests);
  const auto pair = RunBoth(command, arguments);
  if (!pair) return;
  const Set after = LiveFiles(lake_, of_manifests);
  Set told;
  Set metadata;
  int64_t written = 0;
  for (const Row& row : pair->dry.rows) {
    const std::string kind = TextOf(row, "kind");
    if (TextOf(row, "action") == "write") {
      written += IsContent(kind) ? 1 : 0;
    } else if (kind == "metadata") {
      metadata.insert(PathOf(TextOf(row, "path")));
    } else {
      Expect(of_manifests ? kind == "manifest" : IsContent(kind), command, "kind " + kind);
      told.insert(fmt::format("{} {}", TextOf(row, "path"), TextOf(row, "bytes")));
    }
  }
  ExpectSame(command, told, Minus(before, after));
  ExpectSame(command + ", files on disk", metadata, Set(pair->gone.begin(), pair->gone.end()));
  const bool tells_writes = command == "delete" || command == "update" || command == "overwrite" ||
                            command == "convert-equality-deletes";
  const auto come = static_cast<int64_t>(Minus(after, before).size());
  if (tells_writes) {
    Expect(written == come, command,
           fmt::format("{} files were to be written, {} came", written, come));
  }
  const Row& row = pair->real.rows.empty() ? Row() : pair->real.rows.front();
  if (!row.contains("deleted_rows") || pair->real.error) return;
  const std::string expected = fmt::format("dry run: {} rows would be deleted, {} rows added",
                                           TextOf(row, "deleted_rows"), TextOf(row, "added_rows"));
  const auto& notices = pair->dry.notices;
  Expect(std::find(notices.begin(), notices.end(), expected) != notices.end(), command,
         "the dry run did not say: " + expected);
}

void Checks::CheckMove(const std::string& command, const Texts& arguments) {
  const auto pair = RunBoth(command, arguments);
  if (!pair) return;
  Expect(pair->dry.lines == pair->real.lines, command,
         fmt::format("tried: {}; done: {}", fmt::join(pair->dry.lines, " "),
                     fmt::join(pair->real.lines, " ")));
  for (const std::string& path : pair->gone) {
    const bool is_told = std::any_of(
        pair->dry.notices.begin(), pair->dry.notices.end(), [&](const std::string& line) {
          return line.find("old metadata file '") != std::string::npos &&
                 line.find(path) != std::string::npos;
        });
    Expect(is_told, command, "'" + path + "' went and was not told");
  }
}

void Checks::CheckOrphans() {
  history_.PlantOrphans();
  Texts arguments;
  if (Chance(50))
    arguments = {{"older_than", {Chance(50) ? "now" : "50h"}}, {"allow_recent", {"true"}}};
  if (Chance(80)) arguments["max_fraction"] = {"1"};
  const bool moves = Chance(60);
  arguments["quarantine"] = {moves ? "true" : "false"};
  const std::string command = "remove-orphan-files";
  const auto pair = RunBoth(command, arguments);
  if (!pair) return;
  if (pair->real.error) {  // Too many: the preview shows them all the same.
    Expect(pair->gone.empty(), command, "files went in spite of a refusal");
    return;
  }
  Set told;
  for (const Row& row : pair->dry.rows)
    told.insert(PathOf(TextOf(row, "orphan_file_location")));
  ExpectSame(command, told, Set(pair->gone.begin(), pair->gone.end()));
  Expect(pair->dry.lines == pair->real.lines, command, "the real run shows other rows");
  const auto come = static_cast<size_t>(told.empty() || !moves ? 0 : told.size() + 1);
  Expect(pair->come.size() == come, command, "the quarantine has another number of files");
}

void Checks::CheckRestore() {
  const std::string command = "restore-quarantine";
  const Answer runs = lake_.Run(command, kTable);
  if (runs.rows.empty()) return;
  const Row& row = runs.rows[random_.Below(runs.rows.size())];
  const std::string run = TextOf(row, "run");
  if (Chance(30)) {  // Somebody put a file where one is to come back to.
    const Answer preview = lake_.Run(command, With({{"run", {run}}}), true);
    if (!preview.rows.empty()) {
      std::ofstream(PathOf(TextOf(preview.rows.front(), "path"))) << "in the way";
    }
  }
  const auto pair = RunBoth(command, {{"run", {run}}});
  if (!pair) return;
  Set told;
  Set deleted;
  for (const Row& one : pair->dry.rows)
    (TextOf(one, "action") == "move" ? told : deleted).insert(PathOf(TextOf(one, "path")));
  ExpectSame(command, told, Set(pair->come.begin(), pair->come.end()));
  Expect(pair->gone.size() == told.size() + deleted.size(), command,
         "another number of files left the quarantine");
  for (const std::string& path : deleted)
    Expect(std::find(pair->gone.begin(), pair->gone.end(), path) != pair->gone.end(), command,
           "the list stays");
}

void Checks::CheckExpire() {
  Texts arguments = {{"older_than", {Chance(70) ? "now" : "3s"}}};
  if (Chance(50)) arguments["retain_last"] = {std::to_string(1 + random_.Below(3))};
  if (Chance(30)) arguments["clean_expired_metadata"] = {"true"};
  const std::string snapshot = history_.ChooseSnapshot();
  if (Chance(30) && !snapshot.empty()) arguments["snapshot_ids"] = {snapshot};
  CheckDeletion("expire-snapshots", arguments);
}

void Checks::CheckRowChange() {
  const std::string mode = Chance(60) ? "merge-on-read" : "copy-on-write";
  const Texts common = {{"where", {history_.ChooseCondition()}}, {"write_mode", {mode}}};
  Texts arguments = common;
  switch (random_.Below(3)) {
    case 0:
      CheckRewrite("delete", arguments);
      return;
    case 1:
      arguments["set"] = {"note='changed'"};
      CheckRewrite("update", arguments);
      return;
    default:
      arguments["from"] = {history_.WriteRows(10)};
      CheckRewrite("overwrite", arguments);
  }
}

void Checks::CheckRewrites() {
  const Texts read = With({{"columns", {"id,kind,note"}}});
  const auto rows = lake_.Run("read", read).lines;
  const std::string partial = Chance(30) ? "partial-progress.enabled=true" : "min-input-files=2";
  std::string command;
  switch (random_.Below(5)) {
    case 0:
      command = "remove-dangling-deletes";
      CheckRewrite(command, {});
      break;
    case 1:
      command = "rewrite-position-delete-files";
      CheckRewrite(command, {{"options", {Chance(50) ? "rewrite-all=true" : partial}}});
      break;
    case 2:
      command = "convert-equality-deletes";
      CheckRewrite(command, {{"options", {partial}}});
      break;
    case 3:
      command = "rewrite-manifests";
      CheckRewrite(command, {});
      break;
    default:
      command = "rewrite-data-files";
      CheckRewrite(command, {{"options", {Chance(50) ? "rewrite-all=true" : partial}},
                             {"list_files", {"true"}}});
  }
  Expect(lake_.Run("read", read).lines == rows, command, "the rows are others");
}

void Checks::CheckMoves() {
  const std::string snapshot = history_.ChooseSnapshot();
  if (snapshot.empty()) return;
  switch (random_.Below(6)) {
    case 0:
      CheckMove("rollback-to-snapshot", {{"snapshot_id", {snapshot}}});
      return;
    case 1:
      CheckMove("rollback-to-timestamp", {{"timestamp", {"4s"}}});
      return;
    case 2:
      CheckMove("set-current-snapshot", {{"snapshot_id", {snapshot}}});
      return;
    case 3:
      CheckMove("drop-branch", {{"branch", {"r" + std::to_string(1 + random_.Below(4))}}});
      return;
    case 4:
      CheckMove("drop-tag", {{"tag", {"r" + std::to_string(1 + random_.Below(4))}}});
      return;
    default:
      CheckMove("fast-forward",
                {{"branch", {"main"}}, {"to", {"r" + std::to_string(1 + random_.Below(4))}}});
  }
}

void Checks::CheckOne() {
  switch (random_.Below(10)) {
    case 0:
    case 1:
      CheckExpire();
      return;
    case 2:
      CheckOrphans();
      return;
    case 3:
      CheckOrphans();
      CheckRestore();
      return;
    case 4:
      history_.PlantOrphans();
      CheckDeletion("remove-old-metadata", {});
      return;
    case 5:
      CheckDeletion("empty-quarantine", {{"older_than", {Chance(70) ? "now" : "1h"}}});
      return;
    case 6:
      CheckRowChange();
      return;
    case 7:
      CheckMoves();
      return;
    default:
      CheckRewrites();
  }
}

void Checks::CheckPurge() { CheckDeletion("table drop", {{"purge", {"true"}}}); }

}  // namespace firn::preview
