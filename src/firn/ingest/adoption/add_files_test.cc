#include "firn/ingest/adoption/add_files.h"

#include "firn/format/avro/avro_value.h"
#include "firn/format/avro/avro_writer.h"
#include "firn/ingest/adoption/adopt_table.h"
#include "firn/ingest/ingest_testing_internal.h"
#include "firn/testing/scripted_catalog.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Files that ingest wrote for the table db.t become those of db.copy.
class AddFilesTest : public IngestTest {
 protected:
  // Load rows into db.t; the one data file that it has for them.
  std::string Load(const std::string& csv) {
    request_.mode = IngestMode::kOverwrite;
    EXPECT_THAT(Run({Put("rows.csv", csv)}), IsOk());
    const Table table = *catalog_->Load(request_.table);
    const auto tasks = PlanAllFiles(*io_, *table.metadata, {}, *executor_, {});
    EXPECT_THAT(tasks, IsOk());
    EXPECT_EQ(tasks->size(), 1U);
    return tasks->front().file.file_path;
  }

  // A copy of a file elsewhere.
  std::string CopyTo(const std::string& from, const std::string& to) {
    const auto bytes = ReadFile(*io_, from);
    EXPECT_THAT(bytes, IsOk());
    EXPECT_THAT(WriteFile(*io_, to, bytes->span()), IsOk());
    return to;
  }

  void MakeCopy(const Properties& properties = {}) {
    const Table table = *catalog_->Load(request_.table);
    const auto made = catalog_->Create(
        copy_, {.schema = *table.metadata->current_schema(), .properties = properties});
    ASSERT_THAT(made, IsOk());
  }

  IngestContext Context(Catalog& catalog) {
    IngestContext context;
    context.change.commit = {.catalog = &catalog,
                             .executor = executor_.get(),
                             .clock = &clock_,
                             .random = random_.get()};
    context.change.budget = &budget_;
    context.io = io_;
    context.notice = [this](std::string_view text) { notices_ += std::string(text) + "\n"; };
    return context;
  }

  Result<AddFilesResult> Add(const std::string& source, Catalog* catalog = nullptr) {
    AddFilesRequest request;
    request.sources = {source};
    return AddFiles(Context(catalog == nullptr ? *catalog_ : *catalog), *catalog_->Load(copy_),
                    request);
  }

  std::vector<std::string> CopiedRows() {
    request_.table = copy_;
    return Rows();
  }

  const TableName copy_{{"db"}, "copy"};
};

TEST_F(AddFilesTest, AFileThatAnotherWriterAddsMeanwhileIsNotAddedTwice) {
  const std::string file = CopyTo(Load("id,x\n1,2\n"), "memory:/in/a.parquet");
  MakeCopy({{"commit.retry.min-wait-ms", "0"}});
  ScriptedCatalog catalog(*catalog_);
  catalog.before_commit = [&] {
    catalog.before_commit = nullptr;
    EXPECT_THAT(Add(file), IsOk());
  };
  EXPECT_THAT(Add(file, &catalog), IsError(ErrorCode::kInvalidInput, "has 1 of the files already"));
  EXPECT_THAT(CopiedRows(), ElementsAre(R"({"id":1,"x":2})"));
}

TEST_F(AddFilesTest, OtherFilesThatAnotherWriterAddsMeanwhileAreNoConflict) {
  const std::string file = CopyTo(Load("id,x\n1,2\n"), "memory:/in/a.parquet");
  const std::string other = CopyTo(Load("id,x\n3,4\n"), "memory:/in/b.parquet");
  MakeCopy();
  ScriptedCatalog catalog(*catalog_);
  catalog.before_commit = [&] {
    catalog.before_commit = nullptr;
    EXPECT_THAT(Add(other), IsOk());
  };
  EXPECT_THAT(Add(file, &catalog), IsOk());
  EXPECT_THAT(CopiedRows(), ElementsAre(R"({"id":1,"x":2})", R"({"id":3,"x":4})"));
}

TEST_F(AddFilesTest, WarnsOfFilesThatHaveAnotherOwner) {
  const std::string file = Load("id,x\n1,2\n");
  MakeCopy();
  EXPECT_THAT(Add(file), IsOk());
  EXPECT_THAT(notices_, AllOf(HasSubstr("are those of another table"),
                              HasSubstr(catalog_->Load(request_.table)->metadata->location)));
  notices_.clear();
  EXPECT_THAT(Add(CopyTo(file, "memory:/in/a.parquet")), IsOk());
  EXPECT_THAT(notices_, Not(HasSubstr("warning")));
  const std::string own = catalog_->Load(copy_)->metadata->location + "/data/a.parquet";
  EXPECT_THAT(Add(CopyTo(file, own)), IsOk());
  EXPECT_THAT(notices_, HasSubstr("lies in the table's own folder"));
}

TEST_F(AddFilesTest, FilesWithoutFieldIdsComeWithANameMappingInOneCommit) {
  Load("id,x\n1,2\n");
  MakeCopy();
  constexpr std::string_view kSchema =
      R"({"type":"record","name":"r","fields":[{"name":"x","type":"long"}]})";
  auto output = io_->Create("memory:/in/a.avro");
  ASSERT_THAT(output, IsOk());
  const auto schema = ParseAvroSchema(kSchema, "test");
  ASSERT_THAT(schema, IsOk());
  auto writer = AvroWriter::Make(std::move(*output), **schema);
  ASSERT_THAT(writer, IsOk());
  AppendAvroLong((*writer)->record(), 5);
  ASSERT_THAT((*writer)->EndRecord(), IsOk());
  ASSERT_THAT((*writer)->Finish(), IsOk());
  ScriptedCatalog catalog(*catalog_);
  const auto added = Add("memory:/in/a.avro", &catalog);
  ASSERT_THAT(added, IsOk());
  EXPECT_EQ(catalog.commit_count, 1);
  EXPECT_THAT(added->table.metadata->Property("schema.name-mapping.default", ""),
              HasSubstr("\"x\""));
  EXPECT_THAT(CopiedRows(), ElementsAre(R"({"id":null,"x":5})"));
}

TEST_F(AddFilesTest, ATableThatCannotBeFilledIsTakenBack) {
  CopyTo(Load("id,x\n1,2\n"), "memory:/in/folder/a.parquet");
  ScriptedCatalog catalog(*catalog_);
  catalog.before_commit = [&] {
    catalog.lost_answer = MakeError(ErrorCode::kPermissionDenied, "no");
    catalog.lost_commit_happens = false;
  };
  AdoptTableRequest request;
  request.source = "memory:/in/folder";
  request.table = copy_;
  request.owns_files = true;
  EXPECT_THAT(AdoptTable(Context(catalog), request), IsError(ErrorCode::kPermissionDenied));
  EXPECT_THAT(catalog_->Load(copy_), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(FilesBelow("memory:/in/folder"), ElementsAre("memory:/in/folder/a.parquet"));
  EXPECT_THAT(AdoptTable(Context(*catalog_), request), IsOk());
  EXPECT_THAT(CopiedRows(), ElementsAre(R"({"id":1,"x":2})"));
}

}  // namespace
}  // namespace firn
