#include <map>
#include <set>

#include <gmock/gmock.h>

#include "firn/base/executor.h"
#include "firn/catalog/catalog_contract.h"
#include "firn/catalog/commit_check.h"
#include "firn/io/uri.h"
#include "firn/testing/faulty_file_io.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"

namespace firn {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;

std::shared_ptr<Catalog> OpenHadoop(const std::string& warehouse, std::shared_ptr<FileIO> io,
                                    Clock& clock) {
  CatalogConfig config;
  config.name = "hadoop";
  config.type = "hadoop";
  config.properties = {{"warehouse", warehouse}};
  config.io = std::move(io);
  config.clock = &clock;
  config.random = &SystemRandom();
  return OpenCatalog(config).value();
}

CatalogUnderTest MakeUnderTest(std::shared_ptr<void> owner, std::shared_ptr<FileIO> io,
                               std::shared_ptr<FakeClock> clock, const std::string& warehouse) {
  CatalogUnderTest under_test;
  under_test.owner = std::move(owner);
  under_test.io = io;
  under_test.clock = clock;
  under_test.open = [warehouse, io, clock] { return OpenHadoop(warehouse, io, *clock); };
  under_test.has_properties = false;
  under_test.has_pointers = false;
  return under_test;
}

CatalogUnderTest MakeLocal() {
  const auto folder = std::make_shared<TemporaryFolder>();
  return MakeUnderTest(folder, MakeLocalFileIO(), std::make_shared<FakeClock>(),
                       "file://" + folder->Join("wh"));
}

CatalogUnderTest MakeObjectStore() {
  const auto clock = std::make_shared<FakeClock>();
  return MakeUnderTest(clock, MakeMemoryFileIO(*clock), clock, "memory:/wh");
}

INSTANTIATE_TEST_SUITE_P(Hadoop, CatalogContract,
                         testing::Values(CatalogContractCase{"Local", MakeLocal},
                                         CatalogContractCase{"ObjectStore", MakeObjectStore}),
                         [](const auto& test) { return test.param.name; });

// A table at version 5 on local disk, over a file system that fails on request.
class HadoopCatalogTest : public testing::Test {
 protected:
  void SetUp() override {
    catalog_ = OpenHadoop(folder_.path(), io_, clock_);
    ASSERT_THAT(catalog_->CreateNamespace({"db"}, {}), IsOk());
    CreateTableRequest request;
    NestedField field;
    field.id = 1;
    field.name = "id";
    field.type = Type::Primitive(TypeId::kLong);
    request.schema = Schema(0, {field});
    ASSERT_THAT(catalog_->Create(kName, request), IsOk());
    for (int version = 2; version <= 5; ++version) {
      ASSERT_THAT(Commit("version", std::to_string(version)), IsOk());
    }
  }

  Result<Table> Commit(const std::string& key, const std::string& value) {
    const std::vector<TableUpdate> updates = {SetProperties{{{key, value}}}};
    return catalog_->Commit(kName, {}, updates);
  }
  std::string Metadata(std::string_view name) const {
    return folder_.Join("db/t/metadata/" + std::string(name));
  }
  void WriteHint(std::string_view text) {
    ASSERT_THAT(WriteFile(*io_, Metadata("version-hint.text"), AsBytes(text)), IsOk());
  }
  void Copy(const std::string& from, const std::string& to) {
    ASSERT_THAT(WriteFile(*io_, to, ReadFile(*io_, from).value().span()), IsOk());
  }
  void Fail(FileOperation operation, const std::string& part, ErrorCode code, bool happens,
            int64_t count = 1, int64_t first = 1) {
    Fault fault;
    fault.operation = operation;
    fault.uri_part = part;
    fault.first_call = first;
    fault.call_count = count;
    fault.error = Error(code, "injected");
    fault.happens = happens;
    io_->Add(fault);
  }

  const TableName kName{{"db"}, "t"};
  TemporaryFolder folder_;
  FakeClock clock_;
  std::shared_ptr<FaultyFileIO> io_ = std::make_shared<FaultyFileIO>(MakeLocalFileIO());
  std::shared_ptr<Catalog> catalog_;
};

TEST_F(HadoopCatalogTest, NumbersItsMetadataFilesAndHints) {
  const auto table = catalog_->Load(kName);
  ASSERT_THAT(table, IsOk());
  EXPECT_THAT(table->metadata_location, EndsWith("/db/t/metadata/v5.metadata.json"));
  EXPECT_EQ(ReadFile(*io_, Metadata("version-hint.text")).value().view(), "5");
  EXPECT_EQ(table->metadata->location, folder_.Join("db/t"));
}

// B60
TEST_F(HadoopCatalogTest, OpensTheNewestVersionWhateverTheHintSays) {
  for (const char* hint : {"3", "9", "5\n", " 5 ", "v5", "", "-1", "99999999999999999999", "0",
                           "v5.metadata.json", "\xff\xfe"}) {
    WriteHint(hint);
    const auto table = catalog_->Load(kName);
    ASSERT_THAT(table, IsOk()) << "hint '" << hint << "'";
    EXPECT_THAT(table->metadata_location, EndsWith("/v5.metadata.json")) << "hint '" << hint << "'";
  }
  ASSERT_THAT(io_->Delete(Metadata("version-hint.text")), IsOk());
  EXPECT_THAT(catalog_->Load(kName)->metadata_location, EndsWith("/v5.metadata.json"));
  WriteHint(std::string(1 << 20, '5'));
  EXPECT_THAT(catalog_->Load(kName)->metadata_location, EndsWith("/v5.metadata.json"));
}

// B60: and the next version follows without a gap.
TEST_F(HadoopCatalogTest, CommitsTheNextVersionWhateverTheHintSays) {
  int current = 5;
  for (const char* hint : {"absent", "", "behind", "ahead", "line", "name"}) {
    const std::map<std::string, std::string> texts = {{"behind", std::to_string(current - 2)},
                                                      {"ahead", std::to_string(current + 4)},
                                                      {"line", fmt::format("{}\n", current)},
                                                      {"name", fmt::format("v{}", current)}};
    if (std::string_view(hint) == "absent") {
      ASSERT_THAT(io_->Delete(Metadata("version-hint.text")), IsOk());
    } else {
      WriteHint(texts.contains(hint) ? texts.at(hint) : "");
    }
    const auto read = catalog_->Load(kName);
    ASSERT_THAT(read, IsOk()) << hint;
    EXPECT_THAT(read->metadata_location, EndsWith(fmt::format("/v{}.metadata.json", current)));
    const auto next = Commit("hint", hint);
    ASSERT_THAT(next, IsOk()) << hint;
    ++current;
    EXPECT_THAT(next->metadata_location, EndsWith(fmt::format("/v{}.metadata.json", current)));
    EXPECT_EQ(ReadFile(*io_, Metadata("version-hint.text")).value().view(),
              std::to_string(current));
  }
}

// B60: versions before the hint may have been cleaned up.
TEST_F(HadoopCatalogTest, OpensTheNewestVersionWhenTheHintedOneIsGone) {
  WriteHint("2");
  for (const char* name : {"v1.metadata.json", "v2.metadata.json", "v3.metadata.json"}) {
    ASSERT_THAT(io_->Delete(Metadata(name)), IsOk());
  }
  EXPECT_THAT(catalog_->Load(kName)->metadata_location, EndsWith("/v5.metadata.json"));
}

// B115: magic bytes decide, and both spellings count.
TEST_F(HadoopCatalogTest, ReadsGzipMetadataInEverySpelling) {
  ASSERT_THAT(Commit("write.metadata.compression-codec", "gzip"), IsOk());
  ASSERT_THAT(Commit("last", "one"), IsOk());
  EXPECT_THAT(catalog_->Load(kName)->metadata_location, EndsWith("/v7.gz.metadata.json"));
  for (const char* name : {"v8.gz.metadata.json", "v8.metadata.json.gz", "v8.metadata.json"}) {
    Copy(Metadata("v7.gz.metadata.json"), Metadata(name));
    for (const char* hint : {"8", "7", "gone"}) {
      WriteHint(hint);
      const auto table = catalog_->Load(kName);
      ASSERT_THAT(table, IsOk()) << name;
      EXPECT_THAT(table->metadata_location, EndsWith(name));
      EXPECT_EQ(table->metadata->Property("last", ""), "one");
    }
    ASSERT_THAT(io_->Delete(Metadata(name)), IsOk());
  }
}

// B52
TEST_F(HadoopCatalogTest, TakesItsOwnFileForSuccessWhenTheAnswerWasLost) {
  for (const ErrorCode code : {ErrorCode::kCommitUnknown, ErrorCode::kAlreadyExists}) {
    Fail(FileOperation::kPublish, ".metadata.json", code, /*happens=*/true);
    const auto table = Commit("lost", std::string(FormatErrorCode(code)));
    ASSERT_THAT(table, IsOk());
    EXPECT_EQ(catalog_->Load(kName)->metadata_location, table->metadata_location);
    EXPECT_EQ(catalog_->Load(kName)->metadata->Property("lost", ""), FormatErrorCode(code));
  }
  EXPECT_EQ(io_->injected_count(), 2);
}

// B52
TEST_F(HadoopCatalogTest, WritesAgainWhenTheLostRequestDidNothing) {
  Fail(FileOperation::kPublish, "/v6.", ErrorCode::kCommitUnknown, /*happens=*/false);
  const auto table = Commit("a", "1");
  ASSERT_THAT(table, IsOk());
  EXPECT_THAT(table->metadata_location, EndsWith("/v6.metadata.json"));
  EXPECT_GT(clock_.slept(), std::chrono::milliseconds(500));
}

// B52
TEST_F(HadoopCatalogTest, DeletesNothingWhileTheOutcomeIsUnknown) {
  Fail(FileOperation::kPublish, "/v6.", ErrorCode::kCommitUnknown, /*happens=*/true);
  Fail(FileOperation::kOpen, "/v6.", ErrorCode::kUnavailable, /*happens=*/false, 100);
  Fail(FileOperation::kPublish, "/v6.", ErrorCode::kCommitUnknown, /*happens=*/true, 100);

  EXPECT_THAT(Commit("a", "1"), IsError(ErrorCode::kCommitUnknown, "v6.metadata.json"));

  io_->Clear();
  EXPECT_THAT(catalog_->Load(kName)->metadata_location, EndsWith("/v6.metadata.json"));
}

// What failed for certain the second time may still come of the first.
TEST_F(HadoopCatalogTest, KeepsAnUnknownOutcomeUnknown) {
  Fail(FileOperation::kPublish, "/v6.", ErrorCode::kCommitUnknown, /*happens=*/false);
  Fail(FileOperation::kPublish, "/v6.", ErrorCode::kUnavailable, /*happens=*/false, 100, 2);
  EXPECT_THAT(Commit("a", "1"), IsError(ErrorCode::kCommitUnknown, "v6.metadata.json"));
}

// Old metadata is deleted between the look for the newest version and its reading.
TEST_F(HadoopCatalogTest, LooksAgainIfTheVersionThatItFoundIsGone) {
  Copy(Metadata("v5.metadata.json"), Metadata("v6.metadata.json"));
  Fail(FileOperation::kStat, "/v6.metadata.json", ErrorCode::kNotFound, /*happens=*/false, 2);
  Fail(FileOperation::kOpen, "/v5.metadata.json", ErrorCode::kNotFound, /*happens=*/false);
  const auto table = catalog_->Load(kName);
  ASSERT_THAT(table, IsOk());
  EXPECT_THAT(table->metadata_location, EndsWith("/v6.metadata.json"));
  Fail(FileOperation::kOpen, "/v6.metadata.json", ErrorCode::kNotFound, /*happens=*/false, 100);
  EXPECT_THAT(catalog_->Load(kName), IsError(ErrorCode::kNotFound, "v6.metadata.json"));
}

TEST_F(HadoopCatalogTest, ReportsAFailedWriteAsSuch) {
  Fail(FileOperation::kPublish, "/v6.", ErrorCode::kResourceExhausted, /*happens=*/false);
  EXPECT_THAT(Commit("a", "1"), IsError(ErrorCode::kResourceExhausted));
  EXPECT_THAT(catalog_->Load(kName)->metadata_location, EndsWith("/v5.metadata.json"));
}

TEST_F(HadoopCatalogTest, CommitsWithoutItsHint) {
  Fail(FileOperation::kPublish, "version-hint", ErrorCode::kUnavailable, /*happens=*/false, 100);
  EXPECT_THAT(Commit("a", "1"), IsOk());
  EXPECT_THAT(Commit("a", "2"), IsOk());
  EXPECT_THAT(catalog_->Load(kName)->metadata_location, EndsWith("/v7.metadata.json"));
}

// B59: exactly one writer wins each version, and no version ever changes.
TEST_F(HadoopCatalogTest, ConcurrencyNeverOverwritesAVersion) {
  ASSERT_THAT(Commit("commit.retry.num-retries", "0"), IsOk());
  constexpr size_t kRounds = 200;
  const auto executor = MakeThreadPool(2);
  std::map<std::string, std::string> contents;
  size_t wins = 0;
  for (size_t round = 0; round < kRounds; ++round) {
    std::vector<std::string> won(2);
    const Status both = ParallelFor(*executor, 2, [&](size_t i) -> Status {
      const std::vector<TableUpdate> updates = {
          SetProperties{{{fmt::format("r{}-{}", round, i), "done"}}}};
      const auto table = OpenHadoop(folder_.path(), io_, clock_)->Commit(kName, {}, updates);
      if (table.ok()) won[i] = table->metadata_location;
      if (table.ok() || table.error().code() == ErrorCode::kCommitConflict) return {};
      return table.error();
    });
    ASSERT_THAT(both, IsOk());
    EXPECT_TRUE(won[0] != won[1]);
    for (const std::string& location : won) {
      if (location.empty()) continue;
      ++wins;
      EXPECT_TRUE(contents.emplace(location, ReadFile(*io_, location).value().view()).second);
    }
  }
  EXPECT_GE(wins, kRounds);
  for (const auto& [location, content] : contents) {
    EXPECT_EQ(ReadFile(*io_, location).value().view(), content) << location;
  }
  const auto last = catalog_->Load(kName);
  EXPECT_THAT(last->metadata_location, EndsWith(fmt::format("/v{}.metadata.json", 6 + wins)));
}

// B59: the same for the first version.
TEST_F(HadoopCatalogTest, ConcurrencyLetsOneOfTwoCreatorsWinEachTime) {
  const auto executor = MakeThreadPool(2);
  for (int round = 0; round < 200; ++round) {
    const TableName name{{"db"}, fmt::format("new{}", round)};
    std::vector<std::string> uuids(2);
    const Status both = ParallelFor(*executor, 2, [&](size_t i) -> Status {
      const auto table = OpenHadoop(folder_.path(), io_, clock_)->Create(name, {});
      if (table.ok()) uuids[i] = table->metadata->table_uuid;
      if (table.ok() || table.error().code() == ErrorCode::kAlreadyExists) return {};
      return table.error();
    });
    ASSERT_THAT(both, IsOk());
    EXPECT_TRUE(uuids[0].empty() != uuids[1].empty()) << "round " << round;
    EXPECT_EQ(catalog_->Load(name)->metadata->table_uuid, uuids[0] + uuids[1]);
  }
}

// A writer that slept while a hundred others came and went must not win a name that became free.
TEST_F(HadoopCatalogTest, DoesNotTakeAFreeNameForSuccessIfItsBaseWasCleanedUp) {
  // The table is at version 9, which does not follow the version 6 that is written now.
  Copy(Metadata("v5.metadata.json"), Metadata("v9.metadata.json"));
  Fail(FileOperation::kStat, "/v5.metadata.json", ErrorCode::kNotFound, /*happens=*/false, 100, 2);
  EXPECT_THAT(Commit("a", "1"), IsError(ErrorCode::kCommitUnknown, "may have come too late"));
  io_->Clear();
  // Nobody is led to version 5 again, although it is there and version 6 is not.
  EXPECT_THAT(catalog_->Load(kName)->metadata_location, EndsWith("/v9.metadata.json"));
}

// A writer that slept after its commit, while others came and its base was deleted.
TEST_F(HadoopCatalogTest, KnowsItsCommitByWhatFollowsIt) {
  Fail(FileOperation::kStat, "/v5.metadata.json", ErrorCode::kNotFound, /*happens=*/false, 100, 2);
  ASSERT_THAT(Commit("a", "1"), IsOk());
  io_->Clear();
  ASSERT_THAT(Commit("b", "1"), IsOk());  // Its log names version 6.
  ASSERT_THAT(io_->Delete(Metadata("v6.metadata.json")), IsOk());
  WriteHint("5");
  Fail(FileOperation::kStat, "/v5.metadata.json", ErrorCode::kNotFound, /*happens=*/false, 100, 2);
  const auto table = Commit("a", "2");
  ASSERT_THAT(table, IsOk());
  EXPECT_THAT(table->metadata_location, EndsWith("/v6.metadata.json"));
}

TEST_F(HadoopCatalogTest, RefusesToChangeACopyThatStillNamesTheOriginal) {
  for (int version = 1; version <= 5; ++version) {
    const std::string name = fmt::format("v{}.metadata.json", version);
    Copy(Metadata(name), folder_.Join("db/copy/metadata/" + name));
  }
  const std::vector<TableUpdate> updates = {SetProperties{{{"a", "1"}}}};
  EXPECT_THAT(catalog_->Load({{"db"}, "copy"}), IsOk());
  EXPECT_THAT(catalog_->Commit({{"db"}, "copy"}, {}, updates),
              IsError(ErrorCode::kInvalidInput, "io.rewrite-prefix"));
}

TEST_F(HadoopCatalogTest, TellsBeforeACommitThatItWouldBeRefused) {
  const Table table = *catalog_->Load(kName);
  EXPECT_THAT(CheckCanCommit(*catalog_, table), IsOk());
  const auto with = [&](const std::string& key, const std::string& value) {
    TableMetadata metadata = *table.metadata;
    metadata.properties[key] = value;
    Table changed = table;
    changed.metadata = std::make_shared<const TableMetadata>(metadata);
    return CheckCanCommit(*catalog_, changed);
  };
  EXPECT_THAT(with("write.metadata.path", "/elsewhere"), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(with("write.metadata.compression-codec", "lzma"),
              IsError(ErrorCode::kInvalidInput, "lzma"));
  TableMetadata moved = *table.metadata;
  moved.location = "/elsewhere";
  Table copy = table;
  copy.metadata = std::make_shared<const TableMetadata>(moved);
  EXPECT_THAT(CheckCanCommit(*catalog_, copy),
              IsError(ErrorCode::kInvalidInput, "io.rewrite-prefix"));
}

TEST_F(HadoopCatalogTest, RefusesToMoveATableOrItsMetadata) {
  const std::vector<TableUpdate> move = {SetLocation{"/elsewhere"}};
  EXPECT_THAT(catalog_->Commit(kName, {}, move), IsError(ErrorCode::kInvalidInput));
  EXPECT_THAT(Commit("write.metadata.path", "/elsewhere"), IsError(ErrorCode::kUnsupported));
}

TEST_F(HadoopCatalogTest, DropsATableByItsMetadata) {
  ASSERT_THAT(WriteFile(*io_, folder_.Join("db/t/data/f.parquet"), {}), IsOk());
  EXPECT_THAT(catalog_->Drop(kName), IsError(ErrorCode::kUnsupported, "delete that folder"));
  ASSERT_THAT(catalog_->Drop(kName, DropFiles::kDelete), IsOk());
  EXPECT_THAT(catalog_->Load(kName), IsError(ErrorCode::kNotFound));
  // Data is left to the caller.
  EXPECT_THAT(FileExists(*io_, folder_.Join("db/t/data/f.parquet")), IsOkAnd(true));
}

TEST_F(HadoopCatalogTest, TakesNoNamespaceForATableBecauseOfWhatItHolds) {
  CreateTableRequest request;
  request.schema = *catalog_->Load(kName)->metadata->current_schema();
  const TableName name{{"db"}, "metadata"};
  ASSERT_THAT(catalog_->Create(name, request), IsOk());
  ASSERT_THAT(catalog_->CreateNamespace({"ns"}, {}), IsOk());
  ASSERT_THAT(catalog_->CreateNamespace({"ns", "metadata"}, {}), IsOk());
  ASSERT_THAT(catalog_->Create({{"ns", "metadata"}, "t"}, request), IsOk());

  EXPECT_THAT(catalog_->ListNamespaces({}),
              IsOkAnd(testing::ElementsAre(Namespace{"db"}, Namespace{"ns"})));
  EXPECT_THAT(catalog_->ListTables({"db"}), IsOkAnd(testing::ElementsAre(name, kName)));
  EXPECT_THAT(catalog_->Load(name), IsOk());
}

TEST_F(HadoopCatalogTest, ChangesATableByItsFolderAlone) {
  CatalogConfig config;
  config.io = io_;
  config.clock = &clock_;
  config.random = &SystemRandom();
  const std::string folder = "file:" + folder_.Join("db/t");
  EXPECT_THAT(IsTableFolder(*io_, folder), IsOkAnd(true));
  const auto alone = OpenTableFolder(config, folder + "/");
  const std::vector<TableUpdate> updates = {SetProperties{{{"a", "1"}}}};

  ASSERT_THAT(alone->Commit({{}, folder}, {}, updates), IsOk());

  EXPECT_EQ(catalog_->Load(kName)->metadata->Property("a", ""), "1");
}

}  // namespace
}  // namespace firn
