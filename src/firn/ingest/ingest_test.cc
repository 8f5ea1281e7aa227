#include "firn/ingest/ingest.h"

#include <gmock/gmock.h>

#include "firn/ingest/ingest_testing_internal.h"
#include "firn/testing/scripted_catalog.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(IngestTest, CreatesTheTableFirstAndAppendsByNameThen) {
  const auto first = Run({Put("a.csv", "id,name,amount\n1,ann,1.5\n2,\"b,\"\"o\"\"\",2\n3,,\n")});
  ASSERT_THAT(first, IsOk());
  EXPECT_TRUE(first->is_created);
  EXPECT_EQ(first->rows, 3);
  EXPECT_THAT(notices_, HasSubstr("column 'amount': double"));

  const auto second = Run({Put("b.csv", "AMOUNT,id,name\n7,4,dan\n")});
  ASSERT_THAT(second, IsOk());
  EXPECT_FALSE(second->is_created);
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1,"name":"ann","amount":1.5})",
                                  R"({"id":2,"name":"b,\"o\"","amount":2.0})",
                                  R"({"id":3,"name":null,"amount":null})",
                                  R"({"id":4,"name":"dan","amount":7.0})"));
}

TEST_F(IngestTest, TellsNullFromTheEmptyText) {
  ASSERT_THAT(Run({Put("a.csv", "a,b\n,\"\"\nx,NULL\n")}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"a":"x","b":"NULL"})", R"({"a":null,"b":""})"));
}

TEST_F(IngestTest, InfersFromAllFilesWhateverTheirOrderOfColumns) {
  ASSERT_THAT(Run({Put("a.csv", "x,y\n1,2\n"), Put("b.csv", "\xEF\xBB\xBFy,z\n2.5,true\n")}),
              IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"x":1,"y":2.0,"z":null})", R"({"x":null,"y":2.5,"z":true})"));
}

TEST_F(IngestTest, NamesColumnsThatHaveNoneOrShareOne) {
  ASSERT_THAT(Run({Put("a.csv", "a,,a, b \n1,2,3,4\n")}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"a":1,"column_2":2,"a_2":3,"b":4})"));
}

TEST_F(IngestTest, LoadsNothingOfAFileWithABadRowAndNamesItsPlace) {
  std::string text = "id,name\n";
  for (int line = 2; line <= 60'000; ++line)
    text += line == 50'001 ? "oops,x\n" : fmt::format("{},n\n", line);
  ASSERT_THAT(Run({Put("good.csv", "id,name\n1,a\n")}), IsOk());
  const std::vector<std::string> before = FilesBelow("memory:/warehouse");

  EXPECT_THAT(Run({Put("bad.csv", text)}),
              IsError(ErrorCode::kInvalidInput,
                      "'memory:/in/bad.csv' line 50001, column 'id': 'oops' is no long"));

  EXPECT_EQ(Rows().size(), 1U);
  EXPECT_EQ(FilesBelow("memory:/warehouse"), before);
}

TEST_F(IngestTest, LeavesNoTableBehindThatItMadeInVain) {
  EXPECT_THAT(Run({Put("bad.csv", "a,b\n1,2\n1,2,3\n")}),
              IsError(ErrorCode::kInvalidInput, "line 3: 3 fields, expected 2"));
  EXPECT_THAT(catalog_->Load(request_.table), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(FilesBelow("memory:/warehouse"), IsEmpty());
}

TEST_F(IngestTest, SkipsOrKeepsBadRowsOnRequest) {
  const std::string file = Put("a.csv", "id,d\n1,2026-01-31\nx,2026-01-31\n2,2026-02-30\n3,\n");
  ASSERT_THAT(Run({Put("good.csv", "id,d\n9,2026-01-01\n")}), IsOk());
  request_.bad_rows = BadRows::kSkip;
  const auto skipped = Run({file});
  ASSERT_THAT(skipped, IsOk());
  EXPECT_EQ(skipped->rows, 2);
  EXPECT_EQ(skipped->rejected, 2);

  request_.bad_rows = BadRows::kQuarantine;
  request_.reject_file = "memory:/out/rejects.jsonl";
  ASSERT_THAT(Run({file}), IsOk());
  const auto rejects = ReadFile(*io_, request_.reject_file);
  ASSERT_THAT(rejects, IsOk());
  EXPECT_EQ(
      rejects->view(),
      "{\"file\":\"memory:/in/a.csv\",\"line\":3,\"column\":\"id\",\"reason\":\"'x' is no "
      "long\",\"text\":\"x,2026-01-31\"}\n"
      "{\"file\":\"memory:/in/a.csv\",\"line\":4,\"column\":\"d\",\"reason\":\"'2026-02-30' is "
      "no date\",\"text\":\"2,2026-02-30\"}\n");
}

// The reject file may be the very source, or what an earlier run kept.
TEST_F(IngestTest, OverwritesNoFileWithRejectedRows) {
  const std::string file = Put("a.csv", "id\n1\nx,y\n");
  request_.bad_rows = BadRows::kQuarantine;
  request_.reject_file = file;
  EXPECT_THAT(Run({file}), IsError(ErrorCode::kAlreadyExists, "reject file"));
  EXPECT_EQ(ReadFile(*io_, file)->view(), "id\n1\nx,y\n");
}

TEST_F(IngestTest, AppendsToATableThatAnotherRunMadeMeanwhile) {
  ScriptedCatalog catalog(*catalog_);
  catalog.before_create = [&] {
    use_catalog_ = nullptr;
    ASSERT_THAT(Run({Put("other.csv", "id\n1\n")}), IsOk());
  };
  use_catalog_ = &catalog;
  request_.sources = {};
  const auto result = Run({Put("a.csv", "id\n2\n")});
  ASSERT_THAT(result, IsOk());
  EXPECT_FALSE(result->is_created);
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1})", R"({"id":2})"));
}

TEST_F(IngestTest, ListsAllThatDoesNotFitAtOnce) {
  ASSERT_THAT(Run({Put("a.csv", "id,name\n1,a\n")}), IsOk());
  EXPECT_THAT(Run({Put("b.csv", "id,extra,more\n1,2,3\n")}),
              IsError(ErrorCode::kInvalidInput,
                      "column 'extra' is not in the table; column 'more' is not in the table"));
}

TEST_F(IngestTest, ReadsPackedFiles) {
  const std::string_view gzip(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x4b\xd4\x49\xe2\x32\xd4\x31\xe2\x02\x00"
      "\x7b\x07\x97\x0a\x08\x00\x00\x00",
      28);
  const std::string_view bzip2(
      "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\xe6\x4b\xd7\x00\x00\x00\x03\x59\x00\x00"
      "\x10\x00\x04\x0c\x00\x30\x00\x20\x00\x30\xc0\x08\x69\xb2\x88\x23\x27\x8b\xb9\x22"
      "\x9c\x28\x48\x73\x25\xeb\x80\x00",
      48);
  ASSERT_THAT(Run({Put("a.csv.gz", gzip), Put("named_otherwise", bzip2)}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"a":1,"b":2})", R"({"a":3,"b":4})"));

  const std::string_view cut = gzip.substr(0, gzip.size() - 6);
  EXPECT_THAT(Run({Put("cut.csv.gz", cut)}), Not(IsOk()));
  EXPECT_EQ(Rows().size(), 2U);
}

TEST_F(IngestTest, TakesColumnsFromFoldersOfHive) {
  request_.hive_partitions = true;
  Put("year=2025/a.csv", "id\n1\n");
  Put("year=2026/b.csv", "id\n2\n");
  ASSERT_THAT(Run({"memory:/in"}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1,"year":2025})", R"({"id":2,"year":2026})"));
}

TEST_F(IngestTest, LoadsOnceForOneIdempotencyKey) {
  request_.idempotency_key = "k1";
  const std::string file = Put("a.csv", "id\n1\n");
  const auto first = Run({file});
  ASSERT_THAT(first, IsOk());
  const auto again = Run({file});
  ASSERT_THAT(again, IsOk());
  EXPECT_TRUE(again->is_repeat);
  EXPECT_EQ(again->snapshot_id, first->snapshot_id);
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1})"));
}

TEST_F(IngestTest, RefusesAnEmptySourceForANewTableAndLoadsNothingOfOneForAnOldTable) {
  const std::string empty = Put("empty.csv", "");
  EXPECT_THAT(Run({empty}), IsError(ErrorCode::kInvalidInput, "no columns"));
  ASSERT_THAT(Run({Put("a.csv", "id\n1\n")}), IsOk());
  const auto result = Run({empty});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->rows, 0);
  EXPECT_EQ((*catalog_->Load(request_.table)).metadata->snapshots.size(), 1U);
}

TEST_F(IngestTest, OverwritesTheTableOrThePartitionsThatGetRows) {
  request_.layout.partition_spec = [](const Schema& schema) -> Result<PartitionSpec> {
    PartitionSpec spec;
    spec.fields.push_back({.source_ids = {schema.FindField("day")->id},
                           .field_id = 1000,
                           .name = "day",
                           .transform = {}});
    return spec;
  };
  ASSERT_THAT(Run({Put("a.csv", "id,day\n1,2026-01-01\n2,2026-01-02\n3,2026-01-02\n")}), IsOk());
  request_.mode = IngestMode::kOverwritePartitions;
  ASSERT_THAT(Run({Put("b.csv", "id,day\n9,2026-01-02\n8,2026-01-03\n")}), IsOk());
  EXPECT_THAT(Rows(),
              ElementsAre(R"({"id":1,"day":"2026-01-01"})", R"({"id":8,"day":"2026-01-03"})",
                          R"({"id":9,"day":"2026-01-02"})"));
  request_.mode = IngestMode::kOverwrite;
  ASSERT_THAT(Run({Put("c.csv", "id,day\n7,2026-01-07\n")}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":7,"day":"2026-01-07"})"));
  ASSERT_THAT(Run({Put("d.csv", "id,day\n")}), IsOk());
  EXPECT_THAT(Rows(), IsEmpty());
}

TEST_F(IngestTest, AddsColumnsOnRequest) {
  ASSERT_THAT(Run({Put("a.csv", "id,name\n1,a\n")}), IsOk());
  request_.evolves = true;
  ASSERT_THAT(Run({Put("b.csv", "id,day,Name\n2,2026-01-31,b\n")}), IsOk());
  EXPECT_THAT(notices_, HasSubstr("adding column 'day': date"));
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1,"name":"a","day":null})",
                                  R"({"id":2,"name":"b","day":"2026-01-31"})"));
}

// The columns come with the rows or not at all.
TEST_F(IngestTest, AddsNoColumnForRowsThatCannotBeLoaded) {
  ASSERT_THAT(Run({Put("a.csv", "id,name\n1,a\n")}), IsOk());
  request_.evolves = true;
  EXPECT_THAT(Run({Put("b.csv", "id,day\nx,2026-01-31\n")}),
              IsError(ErrorCode::kInvalidInput, "'x' is no long"));
  EXPECT_EQ(catalog_->Load(request_.table)->metadata->current_schema()->fields().size(), 2U);
}

// A value that the table cannot hold is the user's to mend; the file is not damaged.
TEST_F(IngestTest, RefusesTimesThatWouldLoseDigits) {
  request_.layout.format_version = 3;
  NestedField field;
  field.id = 1;
  field.name = "t";
  field.type = Type::Primitive(TypeId::kTimestampNs);
  request_.layout.schema = Schema(0, {field});
  ASSERT_THAT(Run({Put("a.csv", "t\n2026-01-31T10:00:00.123456789\n")}), IsOk());
  std::string data_file;
  for (const std::string& uri : FilesBelow("memory:/warehouse/db/t")) {
    if (uri.ends_with(".parquet")) data_file = uri;
  }
  request_.table = {{"db"}, "micros"};
  request_.layout = {};
  request_.format = SourceFormat::kParquet;
  EXPECT_THAT(Run({data_file}), IsError(ErrorCode::kInvalidInput, "does not fit"));
}

// The rows may be there: neither they nor the table are taken back.
TEST_F(IngestTest, KeepsAllWhileTheOutcomeIsUnknown) {
  ScriptedCatalog catalog(*catalog_);
  catalog.lost_answer = MakeError(ErrorCode::kCommitUnknown, "the answer was lost");
  catalog.lost_commit_happens = false;
  use_catalog_ = &catalog;

  EXPECT_THAT(Run({Put("a.csv", "id\n1\n")}), IsError(ErrorCode::kCommitUnknown));

  EXPECT_THAT(catalog_->Load(request_.table), IsOk());
  EXPECT_THAT(FilesBelow("memory:/warehouse"), testing::Contains(HasSubstr(".parquet")));
}

// Files of another table carry its field ids, which mean nothing here.
TEST_F(IngestTest, MatchesColumnsOfParquetByNameWhateverTheirIds) {
  ASSERT_THAT(Run({Put("a.csv", "id,name\n1,a\n")}), IsOk());
  std::string data_file;
  for (const std::string& uri : FilesBelow("memory:/warehouse/db/t")) {
    if (uri.ends_with(".parquet")) data_file = uri;
  }
  request_.table = {{"db"}, "other"};
  ASSERT_THAT(Run({Put("b.csv", "name,x,id\nb,7,2\n")}), IsOk());
  request_.format = SourceFormat::kParquet;
  const auto bytes = ReadFile(*io_, data_file);
  ASSERT_THAT(bytes, IsOk());
  const std::string copy = Put("copy.parquet", bytes->view());

  const auto result = Run({copy});

  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->rows, 1);
  EXPECT_THAT(Rows(),
              ElementsAre(R"({"name":"a","x":null,"id":1})", R"({"name":"b","x":7,"id":2})"));
  request_.table = {{"db"}, "third"};
  ASSERT_THAT(Run({copy}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1,"name":"a"})"));
}

}  // namespace
}  // namespace firn
