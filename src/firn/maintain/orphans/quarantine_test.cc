#include "firn/maintain/orphans/quarantine.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "firn/base/random.h"
#include "firn/maintain/maintenance_testing_internal.h"
#include "firn/maintain/orphans/quarantine_list_internal.h"
#include "firn/testing/temporary_folder.h"

// On a real disk, where names are any bytes and links lead nowhere.

namespace firn {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kRun = "20260105T000000Z-00000001";

/// Everything below a folder: what each name is, and what it holds or leads to.
using Tree = std::map<std::string, std::string>;

Tree ReadTree(const std::string& folder) {
  Tree tree;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (entry.is_symlink()) {
      tree[path] = "link " + fs::read_symlink(entry.path()).string();
    } else if (entry.is_directory()) {
      tree[path] = "folder";
    } else {
      std::ifstream file(path, std::ios::binary);
      tree[path] = "file " + std::string(std::istreambuf_iterator<char>(file), {});
    }
  }
  return tree;
}

/// What is in one of both only.
std::string Compare(const Tree& found, const Tree& expected) {
  std::string text;
  for (const auto& [path, what] : found) {
    if (!expected.contains(path) || expected.at(path) != what)
      text += "+ " + path + ": " + what + "\n";
  }
  for (const auto& [path, what] : expected) {
    if (!found.contains(path) || found.at(path) != what) text += "- " + path + ": " + what + "\n";
  }
  return text;
}

class QuarantineTest : public MaintenanceTest {
 protected:
  std::string Path(const std::string& name) { return folder_.Join("t/" + name); }
  std::string Waiting(const std::string& name) {
    return folder_.Join("t/_firn_quarantine/" + std::string(kRun) + "/" + name);
  }
  void Put(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  void Link(const std::string& path, const std::string& target) {
    fs::create_directories(fs::path(path).parent_path());
    fs::create_symlink(target, path);
  }
  std::vector<FileToDelete> List() {
    std::vector<FileToDelete> files;
    EXPECT_THAT(io_->List(folder_.Join("t"),
                          [&](const FileInfo& file) -> Status {
                            files.push_back({FileKind::kOther, file.uri, file.size});
                            return {};
                          }),
                IsOk());
    return files;
  }
  void Quarantine(const std::vector<FileToDelete>& files) {
    const auto moved =
        MoveToQuarantine(context(), *io_, folder_.Join("t"), kRun,
                         [&](const std::function<Status(FileToDelete)>& visit) -> Status {
                           for (const FileToDelete& file : files)
                             FIRN_RETURN_IF_ERROR(visit(file));
                           return {};
                         });
    ASSERT_THAT(moved, IsOk());
    EXPECT_EQ(moved->moved, static_cast<int64_t>(files.size()));
  }
  Result<RestorePreview> Preview() {
    return PreviewRestoreQuarantine(context(), *io_, folder_.Join("t"), kRun);
  }
  Result<MovedFiles> Restore() {
    return RestoreQuarantine(context(), *io_, folder_.Join("t"), kRun);
  }
  Tree Now() { return ReadTree(folder_.Join("t")); }
  void ExpectAgreement(const std::string& trial);

  TemporaryFolder folder_;
  std::shared_ptr<FileIO> io_ = MakeLocalFileIO();
};

/// That the preview changes nothing, and that the run then does what it told.
void QuarantineTest::ExpectAgreement(const std::string& trial) {
  const Tree before = Now();
  const auto preview = Preview();
  ASSERT_THAT(preview, IsOk()) << trial;
  ASSERT_EQ(Compare(Now(), before), "") << trial;
  const auto restored = Restore();
  ASSERT_THAT(restored, IsOk()) << trial;
  const Tree after = Now();

  std::set<std::string> told;
  for (const FileToDelete& file : preview->restored)
    told.insert(file.path);
  EXPECT_EQ(told.size(), preview->restored.size()) << trial;
  std::set<std::string> came;
  for (const auto& [path, what] : after) {
    const auto old = before.find(path);
    if (what != "folder" && old == before.end()) came.insert(path);
    if (old != before.end()) {
      EXPECT_EQ(what, old->second) << trial << ": " << path;
    }
  }
  EXPECT_EQ(came, told) << trial;
  EXPECT_EQ(restored->moved, static_cast<int64_t>(told.size())) << trial;
  EXPECT_EQ(restored->failed, static_cast<int64_t>(preview->staying.size())) << trial;
  EXPECT_EQ(restored->already_gone, preview->missing) << trial;
  EXPECT_EQ(restored->first_failure.has_value(), preview->first_failure.has_value()) << trial;
  EXPECT_EQ(after.contains(Waiting("manifest.jsonl")), !preview->list.has_value()) << trial;
}

/// Names in folders, with what file systems allow.
std::string RandomName(Random& random) {
  static const std::vector<std::string> kNames = {
      "plain",          "with space", "new\nline",           "\xff\xfe not text", "a%20b",
      "manifest.jsonl", "\xc3\xa9",   "manifest.jsonl.file", "quote\"back\\",     "#?&"};
  static const std::vector<std::string> kFolders = {"", "data/", "data/day 1/", "\xf0 x/", "m\n/"};
  return kFolders[random.Next() % kFolders.size()] + kNames[random.Next() % kNames.size()];
}

TEST_F(QuarantineTest, ADryRunTellsWhatARunRestoresWhateverTheFilesAre) {
  constexpr uint64_t kTrials = 300;
  for (uint64_t trial = 0; trial < kTrials; ++trial) {
    const auto random = MakeSeededRandom(trial);
    const auto chance = [&](uint64_t percent) { return random->Next() % 100 < percent; };
    Put(folder_.Join("elsewhere"), "target");
    for (uint64_t i = random->Next() % 12 + 1; i > 0; --i) {
      const std::string path = Path(RandomName(*random));
      if (fs::exists(fs::symlink_status(path))) continue;
      const std::string other = Path(RandomName(*random));
      if (chance(50)) {
        Put(path, "text of " + path);
      } else if (chance(50)) {
        Link(path, chance(50) ? folder_.Join("elsewhere") : other);
      } else {
        Link(path, fs::path(other).lexically_relative(fs::path(path).parent_path()).string());
      }
    }
    const Tree original = Now();
    std::vector<FileToDelete> files = List();
    std::erase_if(files, [&](const FileToDelete&) { return chance(20); });
    Quarantine(files);

    const bool is_disturbed = chance(70);
    for (const FileToDelete& file : files) {
      const bool has_folder = fs::is_directory(fs::path(file.path).parent_path());
      if (!is_disturbed || !has_folder || !chance(30)) continue;
      const std::string above = fs::path(file.path).parent_path().string();
      if (chance(25)) {
        Put(file.path, "came later");
      } else if (chance(25)) {
        Link(file.path, "nowhere");
      } else if (chance(25)) {
        fs::create_directory(file.path);
      } else if (chance(50)) {
        fs::remove(Waiting(file.path.substr(Path("").size())));
      } else if (fs::is_empty(above)) {
        fs::remove(above);
        if (chance(50)) Put(above, "no folder");
        if (!fs::exists(above) && chance(50)) Link(above, "nowhere");
      }
    }
    const std::string name = "trial " + std::to_string(trial);
    ExpectAgreement(name);
    if (!is_disturbed) {
      fs::remove(Path("_firn_quarantine"));
      EXPECT_EQ(Compare(Now(), original), "") << name;
    }
    if (HasFailure()) return;
    fs::remove_all(folder_.Join("t"));
    fs::create_directory(folder_.Join("t"));
  }
}

TEST_F(QuarantineTest, LinksThatLeadNowhereFromWhereTheyWaitCountAndComeBack) {
  Put(Path("data/file"), "text");
  Link(Path("data/link"), "file");
  const Tree original = Now();
  Quarantine(List());
  EXPECT_FALSE(fs::exists(Waiting("data/nothing")));
  fs::remove(Waiting("data/file"));
  const auto runs = ListQuarantine(*io_, folder_.Join("t"));
  ASSERT_THAT(runs, IsOkAnd(testing::SizeIs(1)));
  EXPECT_EQ(runs->front().file_count, 1);
  const auto preview = Preview();
  ASSERT_THAT(preview, IsOk());
  ASSERT_EQ(preview->restored.size(), 1U);
  EXPECT_EQ(preview->restored.front().path, Path("data/link"));
  EXPECT_EQ(preview->missing, 1);
  ASSERT_THAT(Restore(), IsOk());
  EXPECT_TRUE(fs::is_symlink(Path("data/link")));
}

TEST_F(QuarantineTest, EmptyingLeavesNoLinkBehind) {
  Put(Path("data/file"), "text");
  Link(Path("data/link"), "file");
  Quarantine(List());
  const auto emptied = EmptyQuarantine(context(), *io_, folder_.Join("t"),
                                       table().clock().Now() + std::chrono::days(30));
  ASSERT_THAT(emptied, IsOk());
  EXPECT_EQ(emptied->deleted, 2);
  EXPECT_FALSE(fs::exists(folder_.Join("t/_firn_quarantine")));
}

TEST_F(QuarantineTest, AFileWhereAFolderWasKeepsWhatWaitsAndItsList) {
  Put(Path("data/file"), "text");
  Quarantine(List());
  fs::remove(Path("data"));
  Put(Path("data"), "no folder");
  const auto preview = Preview();
  ASSERT_THAT(preview, IsOk());
  EXPECT_THAT(preview->restored, IsEmpty());
  EXPECT_THAT(preview->staying, ElementsAre(Path("data/file")));
  const auto restored = Restore();
  ASSERT_THAT(restored, IsOk());
  EXPECT_EQ(restored->failed, 1);
  EXPECT_EQ(restored->already_gone, 0);
  EXPECT_TRUE(fs::exists(Waiting("data/file")));
  EXPECT_TRUE(fs::exists(Waiting("manifest.jsonl")));
}

}  // namespace
}  // namespace firn
