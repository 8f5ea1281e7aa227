#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/session/settings_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::map<std::string, std::string> Values(const Settings& settings) {
  std::map<std::string, std::string> values;
  for (const auto& [key, setting] : settings)
    values[key] = setting.value;
  return values;
}

TEST(TomlSettingsTest, FlattensTablesToDottedKeys) {
  const auto settings = ParseTomlSettings(R"(
default-catalog = "lake"
threads = 4
[catalog.lake]
type = "sql"
"s3.endpoint" = "http://h"
cache-enabled = false
ratio = 0.5
io.rewrite-prefix = ["a=b", "c=d"]
[catalog.lake.s3]
path-style-access = true
[s3]
region = "eu"
)",
                                          "firn.toml");
  ASSERT_THAT(settings, IsOk());
  EXPECT_THAT(
      Values(*settings),
      ElementsAre(Pair("catalog.lake.cache-enabled", "false"),
                  Pair("catalog.lake.io.rewrite-prefix", "a=b,c=d"),
                  Pair("catalog.lake.ratio", "0.5"), Pair("catalog.lake.s3.endpoint", "http://h"),
                  Pair("catalog.lake.s3.path-style-access", "true"),
                  Pair("catalog.lake.type", "sql"), Pair("default-catalog", "lake"),
                  Pair("s3.region", "eu"), Pair("threads", "4")));
  EXPECT_EQ(settings->at("threads").origin, "firn.toml line 3");
}

TEST(TomlSettingsTest, NamesFileAndLineOfAMistake) {
  const auto parse = [](std::string_view text) { return ParseTomlSettings(text, "f.toml"); };
  EXPECT_THAT(parse("a = 1\n"), IsError(ErrorCode::kInvalidInput, "f.toml line 1"));
  EXPECT_THAT(
      parse("\n\ndefault_catalog = 'x'"),
      IsError(ErrorCode::kInvalidInput, "f.toml line 3: unknown setting 'default_catalog'"));
  EXPECT_THAT(parse("default_catalog = 'x'"),
              IsError(ErrorCode::kInvalidInput, "did you mean 'default-catalog'?"));
  EXPECT_THAT(parse("[catalog.lake]\ntype ="), IsError(ErrorCode::kInvalidInput, "f.toml line 2"));
  EXPECT_THAT(parse("[catalog.a]\ns3.x = 1\n'io.y' = [[{}]]"),
              IsError(ErrorCode::kInvalidInput, "f.toml line 3: 'catalog.a.io.y'"));
  EXPECT_THAT(parse("[catalog.a]\n's3.x' = 1\n[catalog.a.s3]\nx = 2"),
              IsError(ErrorCode::kInvalidInput,
                      "f.toml line 2: 'catalog.a.s3.x' was set in f.toml "
                      "line 4 already"));
  EXPECT_THAT(parse("catalog = 1"), IsError(ErrorCode::kInvalidInput, "'catalog'"));
}

TEST(EnvironmentSettingsTest, MatchesNamesWithWhatIsKnown) {
  const Settings known = {{"catalog.my_lake.warehouse", {"/w", "f"}},
                          {"catalog.other.Some.Key", {"1", "f"}}};
  const std::map<std::string, std::string> environment = {
      {"FIRN_CATALOG__MY_LAKE__S3__ACCESS_KEY_ID", "k"},
      {"FIRN_CATALOG__OTHER__SOME__KEY", "2"},
      {"FIRN_CATALOG__NEW_ONE__TYPE", "sql"},
      {"FIRN_DEFAULT_CATALOG", "my_lake"},
      {"FIRN_MEMORY", "2GiB"},
      {"FIRN_IO__REWRITE_PREFIX", "a=b"},
      {"FIRN_S3__ENDPOINT", "http://h"},
      {"FIRN_ARROW_ROOT", "/somewhere"},
      {"FIRN_CONFIG", "f.toml"},
      {"PATH", "/bin"}};

  EXPECT_THAT(Values(ReadEnvironmentSettings(environment, known)),
              ElementsAre(Pair("catalog.my_lake.s3.access-key-id", "k"),
                          Pair("catalog.new-one.type", "sql"), Pair("catalog.other.Some.Key", "2"),
                          Pair("default-catalog", "my_lake"), Pair("io.rewrite-prefix", "a=b"),
                          Pair("memory", "2GiB"), Pair("s3.endpoint", "http://h")));
}

TEST(ConfSettingsTest, ReadsOneSettingOrAChain) {
  const auto settings = ParseConfSettings(
      {"catalog.a.uri=x=y", " memory = 1GiB ",
       "spark.sql.catalog.glue=C --conf spark.sql.catalog.glue.warehouse=s3://b/w --conf "
       "catalog.a.note=keeps --config and --confx"});
  ASSERT_THAT(settings, IsOk());
  EXPECT_THAT(Values(*settings), ElementsAre(Pair("catalog.a.note", "keeps --config and --confx"),
                                             Pair("catalog.a.uri", "x=y"), Pair("memory", "1GiB"),
                                             Pair("spark.sql.catalog.glue", "C"),
                                             Pair("spark.sql.catalog.glue.warehouse", "s3://b/w")));
  EXPECT_THAT(ParseConfSettings({"novalue"}), IsError(ErrorCode::kInvalidInput, "'novalue'"));
  EXPECT_THAT(ParseConfSettings({"=x"}), IsError(ErrorCode::kInvalidInput, "KEY=VALUE"));
  EXPECT_THAT(ParseConfSettings({"wrong=x"}), IsError(ErrorCode::kInvalidInput, "'wrong'"));
}

TEST(SparkSettingsTest, BecomeOurs) {
  Settings settings = *ParseConfSettings(
      {"spark.sql.catalog.glue=org.apache.iceberg.spark.SparkCatalog",
       "spark.sql.catalog.glue.catalog-impl=org.apache.iceberg.aws.glue.GlueCatalog",
       "spark.sql.catalog.glue.s3.endpoint=http://h", "spark.sql.defaultCatalog=glue",
       "spark.executor.memory=1g", "spark.sql.extensions=x", "memory=1GiB"});

  const auto ignored = TranslateSparkSettings(settings).value();

  EXPECT_THAT(
      Values(settings),
      ElementsAre(Pair("catalog.glue.catalog-impl", "org.apache.iceberg.aws.glue.GlueCatalog"),
                  Pair("catalog.glue.s3.endpoint", "http://h"),
                  Pair("catalog.glue.spark-class", "org.apache.iceberg.spark.SparkCatalog"),
                  Pair("default-catalog", "glue"), Pair("memory", "1GiB")));
  EXPECT_THAT(ignored, ElementsAre("spark.executor.memory", "spark.sql.extensions"));
}

// What decides where rows go is not ignored.
TEST(SparkSettingsTest, ThatStageOrBranchAreRefusedWithTheArgumentForIt) {
  const auto translate = [](const char* conf) {
    Settings settings = *ParseConfSettings({conf});
    return TranslateSparkSettings(settings);
  };
  EXPECT_THAT(translate("spark.wap.id=audit-7"),
              IsError(ErrorCode::kInvalidInput,
                      "--conf: 'spark.wap.id' is no setting of firn; give the command that writes "
                      "--wap-id audit-7 instead"));
  EXPECT_THAT(translate("spark.wap.branch=b"), IsError(ErrorCode::kInvalidInput, "--branch b"));
}

TEST(CatalogKeysTest, ThatMeanNothingAreTold) {
  for (const char* key :
       {"type", "uri", "warehouse", "io.rewrite-prefix", "jdbc.user", "table-default.write.format",
        "s3.endpoint", "client.region", "glue.skip-archive", "lock-impl", "cache-enabled",
        "spark-class", "io-impl", "cache.expiration-interval-ms"}) {
    EXPECT_EQ(FindCatalogKeyFault(key), "") << key;
  }
  EXPECT_THAT(FindCatalogKeyFault("warehous"),
              testing::StartsWith("no catalog has 'warehous' (did you mean 'warehouse'?); keys of "
                                  "catalogs are type, uri, warehouse, "));
  EXPECT_THAT(FindCatalogKeyFault("jdbc.pasword"), testing::HasSubstr("mean 'jdbc.password'?"));
  EXPECT_THAT(FindCatalogKeyFault("colour"), testing::HasSubstr("no catalog has 'colour'; keys"));
  EXPECT_THAT(FindCatalogKeyFault("colour"),
              testing::EndsWith(", table-default.KEY, table-override.KEY"));
}

TEST(ByteSizeTest, ReadsDecimalAndBinaryUnits) {
  EXPECT_THAT(ParseByteSize("1048576"), IsOkAnd(1048576));
  EXPECT_THAT(ParseByteSize("1GiB"), IsOkAnd(1LL << 30));
  EXPECT_THAT(ParseByteSize("2 gb"), IsOkAnd(2'000'000'000LL));
  EXPECT_THAT(ParseByteSize("512m"), IsOkAnd(512LL << 20));
  for (const char* text : {"", "GiB", "-1", "1.5GiB", "1XB", "99999999999TiB", "1 2"}) {
    EXPECT_THAT(ParseByteSize(text), IsError(ErrorCode::kInvalidInput)) << text;
  }
}

}  // namespace
}  // namespace firn
