#include "firn/ingest/adoption/adopt_table.h"

#include <filesystem>

#include "firn/format/metadata/adopted_folders.h"
#include "firn/ingest/adoption/add_files.h"
#include "firn/ingest/adoption/adoption_claim_internal.h"
#include "firn/ingest/ingest_testing_internal.h"
#include "firn/io/forwarding_file_io.h"
#include "firn/testing/scripted_catalog.h"
#include "firn/testing/temporary_folder.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Files that a process uses which is killed: from some call on nothing happens any more.
class KilledFileIO final : public ForwardingFileIO {
 public:
  explicit KilledFileIO(std::shared_ptr<FileIO> inner) : ForwardingFileIO(std::move(inner)) {}

  // The process dies at the call with this number, from 0.
  void KillAt(int64_t call) { left_ = call; }
  void Revive() { left_.reset(); }
  bool is_dead() const { return left_ && *left_ < 0; }

  Result<std::shared_ptr<InputFile>> Open(std::string_view uri,
                                          std::optional<int64_t> known_size) override {
    FIRN_RETURN_IF_ERROR(Step());
    return ForwardingFileIO::Open(uri, known_size);
  }
  Result<std::unique_ptr<OutputFile>> Create(std::string_view uri,
                                             const CreateOptions& options) override {
    FIRN_RETURN_IF_ERROR(Step());
    FIRN_ASSIGN(auto file, ForwardingFileIO::Create(uri, options));
    return std::make_unique<Output>(*this, std::move(file));
  }
  Status List(std::string_view uri, const std::function<Status(const FileInfo&)>& visit) override {
    FIRN_RETURN_IF_ERROR(Step());
    return ForwardingFileIO::List(uri, visit);
  }
  Status Delete(std::string_view uri) override {
    FIRN_RETURN_IF_ERROR(Step());
    return ForwardingFileIO::Delete(uri);
  }
  std::vector<DeleteOutcome> DeleteMany(std::span<const std::string> uris) override {
    return FileIO::DeleteMany(uris);
  }
  Status DeleteFolder(std::string_view uri) override {
    FIRN_RETURN_IF_ERROR(Step());
    return ForwardingFileIO::DeleteFolder(uri);
  }

 private:
  class Output final : public OutputFile {
   public:
    Output(KilledFileIO& io, std::unique_ptr<OutputFile> file) : io_(io), file_(std::move(file)) {}
    const std::string& uri() const override { return file_->uri(); }
    Status Append(std::span<const std::byte> bytes) override { return file_->Append(bytes); }
    int64_t bytes_written() const override { return file_->bytes_written(); }
    Status Publish() override {
      FIRN_RETURN_IF_ERROR(io_.Step());
      return file_->Publish();
    }

   private:
    KilledFileIO& io_;
    std::unique_ptr<OutputFile> file_;
  };

  Status Step() {
    if (!left_ || --*left_ >= 0) return {};
    return Error(ErrorCode::kPermissionDenied, "killed");
  }

  std::optional<int64_t> left_;
};

class AdoptTableTest : public IngestTest {
 protected:
  // Two files of rows that ingest wrote, below `folder`.
  void MakeFiles(const std::string& folder) {
    int number = 0;
    for (const char* csv : {"id,x\n1,2\n", "id,x\n3,4\n"}) {
      request_.mode = IngestMode::kOverwrite;
      request_.table = source_;
      EXPECT_THAT(Run({Put("rows.csv", csv)}), IsOk());
      const Table table = *catalog_->Load(source_);
      const auto tasks = PlanAllFiles(*io_, *table.metadata, {}, *executor_, {});
      ASSERT_THAT(tasks, IsOk());
      const auto bytes = ReadFile(*io_, tasks->front().file.file_path);
      ASSERT_THAT(bytes, IsOk());
      ASSERT_THAT(
          WriteFile(*io_, folder + "/f" + std::to_string(++number) + ".parquet", bytes->span()),
          IsOk());
    }
  }

  IngestContext Context(Catalog& catalog, std::shared_ptr<FileIO> io) {
    IngestContext context;
    context.change.commit = {.catalog = &catalog,
                             .executor = executor_.get(),
                             .clock = &clock_,
                             .random = random_.get()};
    context.change.budget = &budget_;
    context.io = std::move(io);
    context.notice = [this](std::string_view text) { notices_ += std::string(text) + "\n"; };
    return context;
  }

  Result<AddFilesResult> Adopt(AdoptTableRequest request) {
    return AdoptTable(Context(*catalog_, io_), request);
  }
  static AdoptTableRequest Migrate(const std::string& folder, const std::string& name = "own") {
    AdoptTableRequest request;
    request.source = folder;
    request.table = {{"db"}, name};
    request.owns_files = true;
    return request;
  }
  static AdoptTableRequest Share(const std::string& folder, const std::string& location = "") {
    AdoptTableRequest request;
    request.source = folder;
    request.table = {{"db"}, "shared"};
    request.location = location;
    return request;
  }

  std::vector<std::string> RowsOf(const TableName& name) {
    request_.table = name;
    return Rows();
  }

  const TableName source_{{"db"}, "t"};
};

// A kill at every call in turn: there is no table or the whole one, and a second run does the rest.
class KilledAdoptionTest : public AdoptTableTest {
 protected:
  void KillEverywhere(AdoptTableRequest request) {
    bool was_killed = true;
    int64_t made_before_death = 0;
    for (int64_t call = 0; was_killed; ++call) {
      ASSERT_LT(call, 500);
      const std::string place = "memory:/round" + std::to_string(call);
      MakeFiles(place + "/in");
      const auto killed = std::make_shared<KilledFileIO>(io_);
      const auto catalog = *OpenCatalog({.name = "test",
                                         .type = "memory",
                                         .properties = {{"warehouse", place + "/wh"}},
                                         .io = killed,
                                         .clock = &clock_,
                                         .random = random_.get()});
      ASSERT_THAT(catalog->CreateNamespace({"db"}, {}), IsOk());
      request.source = place + "/in";
      if (!request.location.empty()) request.location = place + "/elsewhere";
      killed->KillAt(call);
      const auto first = AdoptTable(Context(*catalog, killed), request);
      was_killed = killed->is_dead();
      killed->Revive();
      const bool is_made = catalog->Load(request.table).ok();
      EXPECT_TRUE(is_made || !first.ok()) << call;
      if (was_killed && is_made) ++made_before_death;
      if (is_made) ExpectWhole(*catalog, request.table, call);
      const auto second = AdoptTable(Context(*catalog, killed), request);
      if (is_made) {
        EXPECT_THAT(second, IsError(ErrorCode::kAlreadyExists)) << call;
      } else {
        ASSERT_THAT(second, IsOk()) << call;
        EXPECT_EQ(second->added_files, 2) << call;
      }
      ExpectWhole(*catalog, request.table, call);
      EXPECT_THAT(FindAdoptionClaim(*io_, request.source), IsOkAnd(testing::Eq(std::nullopt)));
    }
    // The last calls are those after the table was made, such as to give up the claim.
    EXPECT_GT(made_before_death, 0);
  }

  void ExpectWhole(Catalog& catalog, const TableName& name, int64_t call) {
    const Result<Table> table = catalog.Load(name);
    ASSERT_THAT(table, IsOk()) << call;
    const auto tasks = PlanAllFiles(*io_, *table->metadata, {}, *executor_, {});
    ASSERT_THAT(tasks, IsOk()) << call;
    EXPECT_EQ(tasks->size(), 2U) << call;
    EXPECT_TRUE(table->metadata->metadata_log.empty()) << call;
  }
};

TEST_F(KilledAdoptionTest, MigrateLeavesNoTableOrAWholeOne) { KillEverywhere(Migrate("")); }

TEST_F(KilledAdoptionTest, SnapshotLeavesNoTableOrAWholeOne) { KillEverywhere(Share("")); }

TEST_F(KilledAdoptionTest, SnapshotAtALocationLeavesNoTableOrAWholeOne) {
  KillEverywhere(Share("", "set for each round"));
}

TEST_F(AdoptTableTest, OfTwoThatTakeOverOneFolderAtOnceOneIsRefused) {
  MakeFiles("memory:/in/folder");
  ScriptedCatalog catalog(*catalog_);
  catalog.before_commit = [&] {
    catalog.before_commit = nullptr;
    EXPECT_THAT(Adopt(Migrate("memory:/in/folder", "other")),
                IsError(ErrorCode::kAlreadyExists, "'db.own' of catalog unknown"));
    EXPECT_THAT(Adopt(Migrate("memory:/in", "around")),
                IsError(ErrorCode::kAlreadyExists, "_firn_adoption.json"));
  };
  EXPECT_THAT(AdoptTable(Context(catalog, io_), Migrate("memory:/in/folder")), IsOk());
  EXPECT_THAT(RowsOf({{"db"}, "own"}), ElementsAre(R"({"id":1,"x":2})", R"({"id":3,"x":4})"));
  EXPECT_THAT(catalog_->Load({{"db"}, "other"}), IsError(ErrorCode::kNotFound));
}

TEST_F(AdoptTableTest, OfTwoRunsForOneNameOneMakesTheTable) {
  MakeFiles("memory:/in/folder");
  ScriptedCatalog catalog(*catalog_);
  catalog.before_commit = [&] {
    catalog.before_commit = nullptr;
    EXPECT_THAT(Adopt(Migrate("memory:/in/folder")), IsOk());
  };
  EXPECT_THAT(AdoptTable(Context(catalog, io_), Migrate("memory:/in/folder")),
              IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(RowsOf({{"db"}, "own"}), ElementsAre(R"({"id":1,"x":2})", R"({"id":3,"x":4})"));
}

TEST_F(AdoptTableTest, AFolderInOrAroundThatOfAnotherTableIsRefused) {
  MakeFiles("memory:/warehouse/db/t/data/folder");
  MakeFiles("memory:/other/t/data");
  ASSERT_THAT(WriteFile(*io_, "memory:/other/t/metadata/v1.metadata.json", AsBytes("{}")), IsOk());
  EXPECT_THAT(Adopt(Migrate("memory:/warehouse/db/t/data/folder")),
              IsError(ErrorCode::kAlreadyExists, "table 'db.t' has files at"));
  EXPECT_THAT(Adopt(Migrate("memory:/warehouse")),
              IsError(ErrorCode::kAlreadyExists, "table 'db.t' has files at"));
  EXPECT_THAT(Adopt(Migrate("memory:/other/t/data")),
              IsError(ErrorCode::kAlreadyExists, "lies in the folder of another table"));
  EXPECT_THAT(Adopt(Migrate("memory:/other")),
              IsError(ErrorCode::kAlreadyExists, "it is the metadata of another table"));
  EXPECT_THAT(Adopt(Share("memory:/other/t/data/*.parquet", "memory:/warehouse/db/t/x")),
              IsError(ErrorCode::kAlreadyExists, "table 'db.t' has files at"));
}

TEST_F(AdoptTableTest, ATableThatSharesFilesSaysWhereTheyAre) {
  MakeFiles("memory:/in/hive/x=1");
  const auto shared = Adopt(Share("memory:/in/hive/x=1"));
  ASSERT_THAT(shared, IsOk());
  EXPECT_THAT(ParseAdoptedFolders(shared->table.metadata->properties),
              IsOkAnd(ElementsAre("memory:/in/hive")));
  const auto own = Adopt(Migrate("memory:/in/hive"));
  EXPECT_THAT(own, IsError(ErrorCode::kInvalidInput, "in the file and, as 'x',"));
  MakeFiles("memory:/in/flat");
  const auto migrated = Adopt(Migrate("memory:/in/flat"));
  ASSERT_THAT(migrated, IsOk());
  EXPECT_THAT(ParseAdoptedFolders(migrated->table.metadata->properties), IsOkAnd(IsEmpty()));
}

TEST_F(AdoptTableTest, FoldersThatDifferInCaseAloneAreRefused) {
  MakeFiles("memory:/in/hive/k=1");
  MakeFiles("memory:/in/hive/K=2");
  EXPECT_THAT(Adopt(Share("memory:/in/hive")),
              IsError(ErrorCode::kInvalidInput, "differ in case alone"));
  EXPECT_THAT(Adopt(Migrate("memory:/in/hive")),
              IsError(ErrorCode::kInvalidInput, "differ in case alone"));
  MakeFiles("memory:/in/deep/k=1/K=2");
  EXPECT_THAT(Adopt(Share("memory:/in/deep")),
              IsError(ErrorCode::kInvalidInput, "name one column twice"));
  MakeFiles("memory:/in/uneven/k=1");
  MakeFiles("memory:/in/uneven");
  EXPECT_THAT(Adopt(Share("memory:/in/uneven")),
              IsError(ErrorCode::kInvalidInput, "in folders of the same columns"));
}

TEST_F(AdoptTableTest, NamesThatAreNoTextAreRefused) {
  MakeFiles("memory:/in/n\xff");
  EXPECT_THAT(Adopt(Share("memory:/in/n\xff")),
              IsError(ErrorCode::kInvalidInput, "n\\xff/f1.parquet': its name is not UTF-8"));
  MakeFiles("memory:/in/hive/k=%FF");
  EXPECT_THAT(Adopt(Share("memory:/in/hive")),
              IsError(ErrorCode::kInvalidInput, "k=\\xff' is not UTF-8"));
}

TEST_F(AdoptTableTest, AFolderOfAPartitionThatBeginsWithAnUnderscoreIsNotHidden) {
  MakeFiles("memory:/in/hive/_k=1");
  MakeFiles("memory:/in/hive/_temporary/_k=1");
  const auto shared = Adopt(Share("memory:/in/hive"));
  ASSERT_THAT(shared, IsOk());
  EXPECT_EQ(shared->added_files, 2);
}

// Files of local disk, where links give them other names.
class LinkedFilesTest : public AdoptTableTest {
 protected:
  LinkedFilesTest() {
    io_ = MakeLocalFileIO(*random_);
    auto catalog = OpenCatalog({.name = "test",
                                .type = "memory",
                                .properties = {{"warehouse", At("warehouse")}},
                                .io = io_,
                                .clock = &clock_,
                                .random = random_.get()});
    EXPECT_THAT(catalog, IsOk());
    catalog_ = std::move(*catalog);
    EXPECT_THAT(catalog_->CreateNamespace({"db"}, {}), IsOk());
    MakeFilesHere();
    std::filesystem::create_directory_symlink(At("in"), At("link"));
  }

  std::string At(const std::string& name) const { return folder_.Join(name); }

  void MakeFilesHere() {
    request_.table = source_;
    int number = 0;
    for (const char* csv : {"id,x\n1,2\n", "id,x\n3,4\n"}) {
      request_.mode = IngestMode::kOverwrite;
      const std::string rows = At("rows.csv");
      EXPECT_THAT(WriteFile(*io_, rows, AsBytes(csv)), IsOk());
      EXPECT_THAT(Run({rows}), IsOk());
      const Table table = *catalog_->Load(source_);
      const auto tasks = PlanAllFiles(*io_, *table.metadata, {}, *executor_, {});
      ASSERT_THAT(tasks, IsOk());
      const auto bytes = ReadFile(*io_, tasks->front().file.file_path);
      ASSERT_THAT(bytes, IsOk());
      const std::string name = "in/f" + std::to_string(++number) + ".parquet";
      ASSERT_THAT(WriteFile(*io_, At(name), bytes->span()), IsOk());
    }
  }

  Result<AddFilesResult> Add(const std::string& source) {
    AddFilesRequest request;
    request.sources = {source};
    return AddFiles(Context(*catalog_, io_), *catalog_->Load(source_), request);
  }

  TemporaryFolder folder_;
};

TEST_F(LinkedFilesTest, AFileThatTheTableHasByAnotherNameIsRefused) {
  ASSERT_THAT(Add(At("link")), IsOk());
  EXPECT_THAT(Add(At("in/f1.parquet")),
              IsError(ErrorCode::kInvalidInput, "has 1 of the files already"));
  std::filesystem::create_symlink(At("in/f2.parquet"), At("named.parquet"));
  EXPECT_THAT(Add(At("named.parquet")),
              IsError(ErrorCode::kInvalidInput, "has 1 of the files already"));
}

TEST_F(LinkedFilesTest, OneFileUnderTwoNamesInAFolderIsRefused) {
  std::filesystem::create_symlink("f1.parquet", At("in/latest.parquet"));
  EXPECT_THAT(Add(At("in")), IsError(ErrorCode::kInvalidInput, "are one file, by way of a link"));
  EXPECT_THAT(Adopt(Share(At("in"))),
              IsError(ErrorCode::kInvalidInput, "are one file, by way of a link"));
}

TEST_F(LinkedFilesTest, ALocationThatALinkLeadsIntoTheSourceIsRefused) {
  EXPECT_THAT(Adopt(Share(At("in"), At("link/table"))),
              IsError(ErrorCode::kInvalidInput, "share that folder with the source"));
  EXPECT_THAT(Adopt(Share(At("link"), At("in/table"))),
              IsError(ErrorCode::kInvalidInput, "share that folder with the source"));
  std::filesystem::create_directory_symlink(At("warehouse/db/t/data"), At("inside"));
  EXPECT_THAT(Adopt(Migrate(At("inside"))),
              IsError(ErrorCode::kAlreadyExists, "table 'db.t' has files at"));
}

TEST_F(LinkedFilesTest, AFolderOfTheTableItselfIsItsOwnByWhateverName) {
  const auto bytes = ReadFile(*io_, At("in/f1.parquet"));
  ASSERT_THAT(bytes, IsOk());
  ASSERT_THAT(WriteFile(*io_, At("warehouse/db/t/landing/a.parquet"), bytes->span()), IsOk());
  std::filesystem::create_directory_symlink(At("warehouse/db/t/landing"), At("landing"));
  const auto own = Add(At("landing"));
  ASSERT_THAT(own, IsOk());
  EXPECT_THAT(ParseAdoptedFolders(own->table.metadata->properties), IsOkAnd(IsEmpty()));
  EXPECT_THAT(notices_, HasSubstr("lies in the table's own folder"));
  const auto others = Add(At("in"));
  ASSERT_THAT(others, IsOk());
  EXPECT_THAT(ParseAdoptedFolders(others->table.metadata->properties),
              IsOkAnd(ElementsAre(At("in"))));
}

}  // namespace
}  // namespace firn
