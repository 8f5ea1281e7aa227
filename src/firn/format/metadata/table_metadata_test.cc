#include "firn/format/metadata/table_metadata.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/gzip.h"
#include "firn/format/json/json_tree_test_internal.h"
#include "firn/testing/matchers.h"
#include "firn/testing/testdata.h"

namespace firn {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

Result<TableMetadata> Parse(std::string_view text) {
  return ParseTableMetadata(AsBytes(text), "f");
}

JsonTree Tree(const std::string& golden) { return JsonTree::parse(ReadGoldenMetadata(golden)); }

// Reads, writes and reads again; returns what got lost of the text, or the error.
std::vector<std::string> RoundTripLosses(const std::string& text) {
  const auto first = Parse(text);
  if (!first.ok()) return {first.error().Format()};
  const std::string written = FormatTableMetadata(*first);
  const auto second = Parse(written);
  if (!second.ok()) return {"written text: " + second.error().Format()};
  if (FormatTableMetadata(*second) != written) return {"a second round changes the text"};
  JsonTree before = JsonTree::parse(text);
  if (before.contains("current-snapshot-id") && before["current-snapshot-id"] == -1) {
    before.erase("current-snapshot-id");
  }
  std::string location = before["location"];
  if (location.ends_with('/')) before["location"] = location.substr(0, location.size() - 1);
  return FindLosses(before, JsonTree::parse(written));
}

class RoundTripTest : public testing::TestWithParam<const char*> {};

TEST_P(RoundTripTest, LosesNothing) {
  EXPECT_THAT(RoundTripLosses(ReadGoldenMetadata(GetParam())), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Metadata, RoundTripTest,
                         testing::Values("v1_minimal", "v2_minimal", "v2_full", "v3_full"));

TEST(TableMetadataTest, LosesNothingOfWhatSparkWrote) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TestDataPath("spark"))) {
    if (!entry.path().string().ends_with(".metadata.json")) continue;
    EXPECT_THAT(RoundTripLosses(ReadTextFile(entry.path())), IsEmpty()) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 10U);
}

TEST(TableMetadataTest, ReadsTheOldFormsOfV1) {
  const auto metadata = Parse(ReadGoldenMetadata("v1_minimal"));
  ASSERT_THAT(metadata, IsOk());
  EXPECT_EQ(metadata->format_version, 1);
  EXPECT_EQ(metadata->table_uuid, "");
  EXPECT_EQ(metadata->location, "s3://lake/old/events");
  EXPECT_EQ(metadata->last_sequence_number, 0);
  EXPECT_EQ(metadata->current_schema()->schema_id(), 0);
  EXPECT_EQ(FormatType(*metadata->current_schema()->FindField("amount")->type), "decimal(9,2)");
  const PartitionSpec& spec = *metadata->default_spec();
  EXPECT_EQ(spec.fields[0].field_id, 1000);
  EXPECT_EQ(spec.fields[1].field_id, 1001);
  EXPECT_EQ(metadata->last_partition_id, 1001);
  EXPECT_THAT(metadata->sort_orders, ElementsAre(SortOrder{}));
  EXPECT_THAT(metadata->refs, IsEmpty());
  EXPECT_EQ(metadata->current_snapshot(), nullptr);
}

TEST(TableMetadataTest, ReadsSnapshotsWithInlineManifests) {
  const auto metadata = Parse(ReadGoldenMetadata("v1_inline_manifests"));
  ASSERT_THAT(metadata, IsOk());
  EXPECT_EQ(metadata->last_partition_id, 999);
  EXPECT_EQ(metadata->snapshots[1].manifests.size(), 2U);
  EXPECT_EQ(metadata->snapshots[1].manifest_list, "");
  EXPECT_EQ(metadata->snapshots[1].operation, "");
  EXPECT_EQ(metadata->snapshots[1].summary.Find("added-data-files"), "1");
  EXPECT_EQ(metadata->Property("written-rows", ""), "12");
  EXPECT_EQ(metadata->Property("is-raw", ""), "true");
  // The branch is made up from the current snapshot.  B118
  ASSERT_TRUE(metadata->refs.contains("main"));
  EXPECT_EQ(metadata->refs.at("main").snapshot_id, 2);
  const auto again = Parse(FormatTableMetadata(*metadata));
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->snapshots, metadata->snapshots);
}

TEST(TableMetadataTest, KeepsAllBitsOfLargeIds) {  // B118
  const auto metadata = Parse(ReadGoldenMetadata("v2_full"));
  ASSERT_THAT(metadata, IsOk());
  EXPECT_EQ(metadata->current_snapshot_id, 9007199254740993);
  EXPECT_EQ(metadata->last_sequence_number, 9007199254740995);
  EXPECT_EQ(metadata->snapshots[1].parent_snapshot_id, 9007199254740993);
  EXPECT_EQ(metadata->refs.at("audit").max_ref_age_ms, INT64_MAX);
}

TEST(TableMetadataTest, KeepsUnknownNumbersAsTheyWereWritten) {
  const std::string text = ReadGoldenMetadata("v2_minimal");
  const std::string number = "[1.50, 1e400, 123456789012345678901234567890]";
  const auto metadata = Parse("{\"x\": " + number + "," + text.substr(text.find('{') + 1));
  ASSERT_THAT(metadata, IsOk());
  EXPECT_THAT(metadata->extra, ElementsAre(Pair("x", number)));
  EXPECT_THAT(FormatTableMetadata(*metadata), HasSubstr("\"x\":" + number));
}

TEST(TableMetadataTest, TakesEveryFormOfNoCurrentSnapshot) {  // B118
  for (const JsonTree& none : {JsonTree(-1), JsonTree(nullptr)}) {
    JsonTree tree = Tree("v2_minimal");
    tree["current-snapshot-id"] = none;
    const auto metadata = Parse(tree.dump());
    ASSERT_THAT(metadata, IsOk()) << none;
    EXPECT_FALSE(metadata->current_snapshot_id.has_value());
    EXPECT_THAT(metadata->refs, IsEmpty());
    EXPECT_FALSE(JsonTree::parse(FormatTableMetadata(*metadata)).contains("current-snapshot-id"));
  }
}

TEST(TableMetadataTest, DoesWithoutWhatIsOptional) {  // B118
  JsonTree tree = Tree("v2_full");
  for (const char* key : {"refs", "metadata-log", "snapshot-log", "statistics",
                          "partition-statistics", "properties"}) {
    tree[key] = nullptr;
  }
  tree["snapshots"][0]["summary"].erase("operation");
  tree["snapshots"][1].erase("summary");
  tree["snapshots"][0]["parent-snapshot-id"] = nullptr;
  const auto metadata = Parse(tree.dump());
  ASSERT_THAT(metadata, IsOk());
  EXPECT_EQ(metadata->refs.at("main").snapshot_id, 9007199254740993);
  EXPECT_EQ(metadata->snapshots[0].operation, "");
  EXPECT_FALSE(metadata->snapshots[0].parent_snapshot_id.has_value());
}

TEST(TableMetadataTest, RefusesVersionsOfTheFuture) {  // B118
  EXPECT_THAT(
      Parse(R"({"format-version": 4})"),
      IsError(ErrorCode::kUnsupported, "f: format-version: found 4, firn reads and writes"));
  // Whatever else such a file may hold, and wherever the version stands.
  EXPECT_THAT(Parse(R"({"schemas": "new", "x": [[]], "format-version": 42})"),
              IsError(ErrorCode::kUnsupported, "found 42"));
  EXPECT_THAT(Parse(R"({"format-version": 0})"), IsError(ErrorCode::kCorrupt, "found 0"));
  EXPECT_THAT(Parse(R"({"format-version": "2"})"),
              IsError(ErrorCode::kCorrupt, "format-version: found \"2\""));
  EXPECT_THAT(Parse(R"({})"), IsError(ErrorCode::kCorrupt, "'format-version' is missing"));
  EXPECT_THAT(Parse("[]"), IsError(ErrorCode::kCorrupt, "found an array, expected an object"));
  EXPECT_THAT(Parse("\xEF\xBB\xBF{}"), IsError(ErrorCode::kCorrupt));
}

TEST(TableMetadataTest, FindsTheSnapshotThatWasCurrentAtATime) {
  TableMetadata metadata = *Parse(ReadGoldenMetadata("v2_full"));
  metadata.snapshot_log = {{Timestamp(milliseconds(100)), 9007199254740993, {}},
                           {Timestamp(milliseconds(200)), 9007199254740997, {}}};
  EXPECT_THAT(FindSnapshotAsOf(metadata, Timestamp(milliseconds(99))),
              IsError(ErrorCode::kNotFound, "as of 1970-01-01T00:00:00.099Z; its history begins"));
  EXPECT_EQ((*FindSnapshotAsOf(metadata, Timestamp(milliseconds(199))))->snapshot_id,
            9007199254740993);
  EXPECT_EQ((*FindSnapshotAsOf(metadata, Timestamp(milliseconds(200))))->snapshot_id,
            9007199254740997);
  metadata.snapshots.pop_back();
  EXPECT_THAT(FindSnapshotAsOf(metadata, Timestamp(milliseconds(500))),
              IsError(ErrorCode::kNotFound, "is not in the table any more"));
}

TEST(TableMetadataTest, WalksAncestorsAsFarAsTheyAreListed) {
  TableMetadata metadata = *Parse(ReadGoldenMetadata("v2_full"));
  metadata.snapshots[0].parent_snapshot_id = 77;  // Expired.
  const auto ancestors = AncestorsOf(metadata, 9007199254740997);
  ASSERT_EQ(ancestors.size(), 2U);
  EXPECT_EQ(ancestors[0]->snapshot_id, 9007199254740997);
  EXPECT_EQ(ancestors[1]->snapshot_id, 9007199254740993);
  EXPECT_THAT(AncestorsOf(metadata, 5), IsEmpty());
}

TEST(TableMetadataTest, FindsTheSnapshotOfABranchOrTag) {
  const TableMetadata metadata = *Parse(ReadGoldenMetadata("v2_full"));
  const SnapshotId audit = metadata.refs.at("audit").snapshot_id;
  EXPECT_EQ(metadata.RefSnapshotId("audit"), audit);
  EXPECT_EQ(metadata.RefSnapshot("audit"), metadata.FindSnapshot(audit));
  EXPECT_EQ(metadata.RefSnapshotId("nothing"), std::nullopt);
  EXPECT_EQ(metadata.RefSnapshot("nothing"), nullptr);
}

TEST(SummaryTest, FindsNumbers) {
  const Summary summary{{"files", "12"}, {"rows", "many"}};
  EXPECT_EQ(summary.FindNumber("files"), 12);
  EXPECT_EQ(summary.FindNumber("rows"), std::nullopt);
  EXPECT_EQ(summary.FindNumber("bytes"), std::nullopt);
}

TEST(TableMetadataTest, KnowsWhereMetadataLies) {
  TableMetadata metadata = *Parse(ReadGoldenMetadata("v2_minimal"));
  EXPECT_EQ(metadata.MetadataLocation(), "s3://lake/empty/metadata");
  metadata.properties["write.metadata.path"] = "s3://meta/x/";
  EXPECT_EQ(metadata.MetadataLocation(), "s3://meta/x");
}

TEST(TableMetadataTest, RefusesAPropertyThatIsNoNumber) {
  TableMetadata metadata = *Parse(ReadGoldenMetadata("v2_minimal"));
  EXPECT_EQ(*metadata.IntProperty("n", 5), 5);
  metadata.properties["n"] = "12";
  EXPECT_EQ(*metadata.IntProperty("n", 5), 12);
  metadata.properties["n"] = "12k";
  EXPECT_THAT(metadata.IntProperty("n", 5),
              IsError(ErrorCode::kInvalidInput, "'n' is '12k', expected a whole number"));
}

TEST(ReferenceMetadataTest, ReadsTheValidFilesAndRefusesTheInvalidOnes) {
  const std::filesystem::path folder = SharedFolder("table-metadata");
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no folder " << folder;
  const std::map<std::string, std::string> invalid = {
      {"TableMetadataUnsupportedVersion.json", "format-version: found 42"},
      {"TableMetadataV1MissingSchemaType.json", "schema: required field 'type' is missing"},
      {"TableMetadataV2CurrentSchemaNotFound.json", "current-schema-id: found 2"},
      {"TableMetadataV2MissingLastPartitionId.json", "'last-partition-id' is missing"},
      {"TableMetadataV2MissingPartitionSpecs.json", "'partition-specs' is missing"},
      {"TableMetadataV2MissingSchemas.json", "'schemas' is missing"},
      {"TableMetadataV2MissingSortOrder.json", "'sort-orders' is missing"},
  };
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    const std::string text = ReadTextFile(entry.path());
    const auto expected = invalid.find(name);
    if (expected == invalid.end()) {
      EXPECT_THAT(RoundTripLosses(text), IsEmpty()) << name;
    } else {
      const auto metadata = Parse(text);
      ASSERT_FALSE(metadata.ok()) << name;
      EXPECT_THAT(metadata.error().message(), HasSubstr(expected->second)) << name;
    }
  }
}

}  // namespace
}  // namespace firn
