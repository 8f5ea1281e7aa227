#include "firn/format/metadata/view_metadata.h"

#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/gzip.h"
#include "firn/format/json/json_tree_test_internal.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Result<ViewMetadata> Parse(std::string_view text) { return ParseViewMetadata(AsBytes(text), "f"); }

std::vector<std::string> RoundTripLosses(const std::string& text) {
  const auto first = Parse(text);
  if (!first.ok()) return {first.error().Format()};
  const std::string written = FormatViewMetadata(*first);
  const auto second = Parse(written);
  if (!second.ok()) return {"written text: " + second.error().Format()};
  if (FormatViewMetadata(*second) != written) return {"a second round changes the text"};
  JsonTree before = JsonTree::parse(text);
  before["location"] = first->location;
  return FindLosses(before, JsonTree::parse(written));
}

TEST(ViewMetadataTest, LosesNothing) {
  EXPECT_THAT(RoundTripLosses(ReadGoldenMetadata("view_full")), IsEmpty());
  EXPECT_THAT(RoundTripLosses(ReadGoldenMetadata("view_minimal")), IsEmpty());
}

TEST(ViewMetadataTest, ReadsEveryPart) {
  const auto view = Parse(ReadGoldenMetadata("view_full"));
  ASSERT_THAT(view, IsOk());
  EXPECT_EQ(view->location, "s3://lake/views/recent");
  ASSERT_EQ(view->versions.size(), 2U);
  const ViewVersion& current = *view->current_version();
  EXPECT_EQ(current.version_id, 2);
  EXPECT_EQ(current.default_catalog, "lake");
  EXPECT_EQ(current.default_namespace, (std::vector<std::string>{"a", "b.c"}));
  EXPECT_EQ(current.summary.at("engine-name"), "Spark");
  ASSERT_EQ(current.representations.size(), 3U);
  EXPECT_EQ(current.representations[0].sql, "SELECT id, \"n\"\nFROM t");
  EXPECT_EQ(current.representations[1].dialect, "trino");
  EXPECT_EQ(current.representations[2].type, "plan");
  EXPECT_EQ(view->FindSchema(current.schema_id)->FindField("n")->id, 2);
  EXPECT_FALSE(view->versions[0].default_catalog.has_value());
}

TEST(ViewMetadataTest, RefusesBrokenFilesByName) {
  const std::string text = ReadGoldenMetadata("view_full");
  const auto damage = [&](const char* pointer, const JsonTree& value) {
    JsonTree tree = JsonTree::parse(text);
    const JsonTree::json_pointer at(pointer);
    if (value == "remove") {
      tree[at.parent_pointer()].erase(at.back());
    } else {
      tree[at] = value;
    }
    return Parse(tree.dump());
  };
  const auto is_corrupt = [](const char* part) { return IsError(ErrorCode::kCorrupt, part); };
  for (const char* key : {"view-uuid", "location", "schemas", "current-version-id", "versions",
                          "version-log", "format-version"}) {
    EXPECT_THAT(damage(("/" + std::string(key)).c_str(), "remove"),
                is_corrupt(("'" + std::string(key) + "' is missing").c_str()));
  }
  for (const char* key : {"version-id", "schema-id", "timestamp-ms", "summary", "representations",
                          "default-namespace"}) {
    EXPECT_THAT(damage(("/versions/1/" + std::string(key)).c_str(), "remove"),
                is_corrupt(("versions[1]: required field '" + std::string(key)).c_str()));
  }
  EXPECT_THAT(damage("/format-version", 2), IsError(ErrorCode::kUnsupported, "found 2"));
  EXPECT_THAT(damage("/view-uuid", ""), is_corrupt("view-uuid: found \"\""));
  EXPECT_THAT(damage("/current-version-id", 7), is_corrupt("current-version-id: found 7"));
  EXPECT_THAT(damage("/versions/0/schema-id", 9), is_corrupt("versions[0].schema-id: found 9"));
  EXPECT_THAT(damage("/versions/0/version-id", 2),
              is_corrupt("versions[1].version-id: 2 stands twice"));
  EXPECT_THAT(damage("/schemas/0/schema-id", 1), is_corrupt("schemas[1].schema-id: 1 stands"));
  EXPECT_THAT(damage("/versions/1/representations/1/dialect", "SPARK"),
              is_corrupt("versions[1].representations: dialect 'SPARK' stands twice"));
  EXPECT_THAT(damage("/versions/1/representations/0/sql", "remove"),
              is_corrupt("versions[1].representations[0]: a representation of type 'sql' needs"));
  EXPECT_THAT(damage("/versions/1/summary/engine-name", JsonTree::array()),
              is_corrupt("versions[1].summary.engine-name: found an array"));
}

TEST(ViewMetadataTest, WritesAndLoadsFiles) {
  FakeClock clock;
  const auto io = MakeMemoryFileIO(clock);
  const auto view = Parse(ReadGoldenMetadata("view_full"));
  ASSERT_THAT(view, IsOk());
  const std::string uri = "memory:/00000-a.gz.metadata.json";
  ASSERT_THAT(WriteViewMetadata(*io, uri, *view, {.exclusive = true}), IsOk());
  EXPECT_TRUE(IsGzip(ReadFile(*io, uri)->span()));
  const auto loaded = LoadViewMetadata(*io, uri);
  ASSERT_THAT(loaded, IsOk());
  EXPECT_EQ(FormatViewMetadata(*loaded), FormatViewMetadata(*view));
  EXPECT_THAT(LoadViewMetadata(*io, "memory:/gone"), IsError(ErrorCode::kNotFound));
}

TEST(ReferenceMetadataTest, ReadsTheValidViewAndRefusesTheInvalidOnes) {
  const std::filesystem::path folder = SharedFolder("view");
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no folder " << folder;
  const std::map<std::string, std::string> invalid = {
      {"ViewMetadataInvalidCurrentSchema.json", "versions[1].schema-id: found 1234"},
      {"ViewMetadataInvalidCurrentVersion.json", "current-version-id: found 1234"},
      {"ViewMetadataMissingCurrentVersion.json", "'current-version-id' is missing"},
      {"ViewMetadataMissingLocation.json", "'location' is missing"},
      {"ViewMetadataMultipleSQLsForDialect.json", "dialect 'spark-sql' stands twice"},
  };
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    const std::string text = ReadTextFile(entry.path());
    const auto expected = invalid.find(name);
    if (expected == invalid.end()) {
      EXPECT_THAT(RoundTripLosses(text), IsEmpty()) << name;
      continue;
    }
    const auto view = Parse(text);
    ASSERT_FALSE(view.ok()) << name;
    EXPECT_THAT(view.error().message(), HasSubstr(expected->second)) << name;
  }
}

}  // namespace
}  // namespace firn
