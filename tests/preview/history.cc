#include "history.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/ranges.h>

#include "file_tree.h"

namespace firn::preview {
namespace {

// Values of the partition column; some look like encoded ones.
constexpr const char* kKinds[] = {"a", "b c", "x%20y", "ü/ö", "100%"};
constexpr const char* kOrphans[] = {"o 1.parquet",    "o%201.parquet",     "ü.parquet",
                                    "o+1.avro",       "deep/er/o.parquet", "100%.orc",
                                    "snap-0-1-x.avro"};
constexpr int64_t kAges[] = {240, 100, 73, 71, 30, 2, 0, -48};  // Hours; some are of the future.

}  // namespace

History::History(Lake& lake, Random& random, Trace trace)
    : lake_(lake), random_(random), trace_(std::move(trace)) {}

Answer History::Do(const std::string& command, const Texts& arguments) {
  Answer answer = lake_.Run(command, arguments);
  std::vector<std::string> words;
  for (const auto& [name, texts] : arguments)
    words.push_back(fmt::format("{}={}", name, fmt::join(texts, ",")));
  trace_(fmt::format("{} {}: {}", command, fmt::join(words, " "),
                     answer.error ? answer.error->Format() : "ok"));
  return answer;
}

Status History::Begin() {
  const bool is_partitioned = Chance(70);
  const std::string version = Chance(50) ? "3" : "2";
  Texts create = {
      {"table", {"db.t"}},
      {"schema", {"id bigint, kind string, note string"}},
      {"format_version", {version}},
      {"properties",
       {std::string("commit.manifest.min-count-to-merge=") + (Chance(30) ? "2" : "100"),
        "write.metadata.previous-versions-max=" + std::to_string(1 + random_.Below(6)),
        std::string("write.metadata.delete-after-commit.enabled=") +
            (Chance(40) ? "true" : "false"),
        std::string("write.metadata.compression-codec=") + (Chance(20) ? "gzip" : "none"),
        std::string("write.delete.granularity=") + (Chance(50) ? "file" : "partition")}}};
  if (is_partitioned) create["partition"] = {Chance(70) ? "kind" : "bucket(3, id)"};
  setting_ = fmt::format("version {}, {}, {}", version,
                         is_partitioned ? create["partition"].front() : "unpartitioned",
                         fmt::join(create["properties"], " "));
  Answer answer = Do("namespace create", {{"namespace", {"db"}}});
  if (answer.error) return *answer.error;
  answer = Do("table create", create);
  return answer.error ? Status(*answer.error) : Status();
}

std::string History::WriteRows(int64_t count_max) {
  const std::string path = lake_.Join(fmt::format("rows{}.csv", ++file_count_));
  std::ofstream file(path);
  file << "id,kind,note\n";
  const uint64_t count = 1 + random_.Below(static_cast<uint64_t>(count_max));
  for (uint64_t i = 0; i < count; ++i)
    file << random_.Below(40) << ',' << kKinds[random_.Below(std::size(kKinds))] << ",note\n";
  return path;
}

std::string History::ChooseCondition() {
  const std::string id = std::to_string(random_.Below(40));
  switch (random_.Below(4)) {
    case 0:
      return "id < " + id;
    case 1:
      return "kind = 'b c'";
    case 2:
      return "kind = 'a' AND id > " + id;
    default:
      return "id = " + id;
  }
}

std::string History::ChooseMode() { return Chance(60) ? "merge-on-read" : "copy-on-write"; }

std::string History::ChooseBranch() {
  return Chance(80) ? "main" : branches_[random_.Below(branches_.size())];
}

std::string History::ChooseSnapshot() {
  const Answer answer = lake_.Run("inspect", {{"table", {"db.t"}}, {"view", {"snapshots"}}});
  if (answer.rows.empty()) return "";
  return TextOf(answer.rows[random_.Below(answer.rows.size())], "snapshot_id");
}

Status History::StepOfRows() {
  const std::string branch = ChooseBranch();
  switch (random_.Below(8)) {
    case 0:
      Do("delete", {{"table", {"db.t"}},
                    {"branch", {branch}},
                    {"where", {ChooseCondition()}},
                    {"write_mode", {ChooseMode()}}});
      return {};
    case 1:
      Do("update", {{"table", {"db.t"}},
                    {"branch", {branch}},
                    {"set", {"note='new'"}},
                    {"where", {ChooseCondition()}},
                    {"write_mode", {ChooseMode()}}});
      return {};
    case 2:
      Do("overwrite", {{"table", {"db.t"}},
                       {"branch", {branch}},
                       {"where", {ChooseCondition()}},
                       {"from", {WriteRows(10)}},
                       {"write_mode", {ChooseMode()}}});
      return {};
    case 3: {
      trace_("delete by key");
      std::vector<std::pair<int64_t, std::string>> keys;
      for (int i = 0; i < 5; ++i)
        keys.emplace_back(random_.Below(40), kKinds[random_.Below(std::size(kKinds))]);
      return lake_.DeleteByKey(keys);
    }
    default:
      Do("ingest csv", {{"sources", {WriteRows(20)}}, {"into", {"db.t"}}, {"branch", {branch}}});
      return {};
  }
}

Status History::StepOfTable() {
  const std::string snapshot = ChooseSnapshot();
  if (snapshot.empty()) return {};
  const std::string name = "r" + std::to_string(++ref_count_);
  switch (random_.Below(7)) {
    case 0:
      branches_.push_back(name);
      Do("create-branch", {{"table", {"db.t"}}, {"branch", {name}}, {"snapshot_id", {snapshot}}});
      return {};
    case 1:
      Do("create-tag", {{"table", {"db.t"}}, {"tag", {name}}, {"snapshot_id", {snapshot}}});
      return {};
    case 2:
      Do("rollback-to-snapshot", {{"table", {"db.t"}}, {"snapshot_id", {snapshot}}});
      return {};
    case 3:
      Do("compute-table-stats", {{"table", {"db.t"}}, {"snapshot_id", {snapshot}}});
      return {};
    case 4:
      Do("compute-partition-stats", {{"table", {"db.t"}}, {"snapshot_id", {snapshot}}});
      return {};
    case 5:
      Do("table alter upgrade", {{"table", {"db.t"}}, {"format_version", {"3"}}});
      return {};
    default:
      Do("rewrite-data-files", {{"table", {"db.t"}}, {"options", {"min-input-files=2"}}});
      return {};
  }
}

Status History::Step() { return Chance(75) ? StepOfRows() : StepOfTable(); }

void History::PlantOrphans() {
  SetAgeOfAll(lake_.warehouse(), kAges[0]);
  std::vector<std::string> folders;
  for (const auto& [path, state] : ReadTree(lake_.warehouse() + "/db/t")) {
    if (state.is_folder && path.find("/_") == std::string::npos) folders.push_back(path);
  }
  if (folders.empty()) return;
  const uint64_t count = random_.Below(8);
  for (uint64_t i = 0; i < count; ++i) {
    const std::string path =
        folders[random_.Below(folders.size())] + "/" + kOrphans[random_.Below(std::size(kOrphans))];
    std::error_code failure;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failure);
    if (std::filesystem::exists(path, failure)) continue;
    std::ofstream(path) << std::string(random_.Below(100), 'x');
    SetAge(path, kAges[random_.Below(std::size(kAges))]);
    trace_("orphan " + path);
  }
}

}  // namespace firn::preview
