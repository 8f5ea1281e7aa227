#include "firn/format/metadata/table_properties.h"

#include <gmock/gmock.h>

#include "firn/testing/matchers.h"

namespace firn {
namespace {

TEST(TablePropertiesTest, ValuesThatIcebergDocumentsAreFine) {
  EXPECT_THAT(CheckTableProperties(
                  {{"commit.retry.num-retries", "0"},
                   {"gc.enabled", "FALSE"},
                   {"write.format.default", "ORC"},
                   {"write.metadata.metrics.default", "truncate(16)"},
                   {"write.metadata.metrics.column.a.b", "Full"},
                   {"write.parquet.bloom-filter-fpp.column.id", "0.01"},
                   {"write.parquet.compression-codec", "zstd"},
                   {"write.parquet.compression-level", "-3"},
                   {"write.delete.parquet.page-version", "v2"},
                   {"history.expire.max-ref-age-ms", "9223372036854775807"},
                   {"schema.name-mapping.default", R"([{"field-id": 1, "names": ["id"]}])"}}),
              IsOk());
}

TEST(TablePropertiesTest, NamesThatAreNotKnownAreFineWhateverTheirValue) {
  EXPECT_THAT(CheckTableProperties({{"owner", "sales"},
                                    {"write.parquet.future-option", "?"},
                                    {"write.metadata.metrics.column.", "x"},
                                    {"commit.retry.num-retries.x", "many"}}),
              IsOk());
}

TEST(TablePropertiesTest, AnImpossibleValueIsNamedWithWhatWasExpected) {
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {"commit.retry.num-retries", "many", "a whole number from 0"},
      {"commit.retry.num-retries", "-1", "a whole number from 0"},
      {"history.expire.min-snapshots-to-keep", "0", "a whole number from 1"},
      {"write.target-file-size-bytes", "512MB", "a whole number from 1"},
      {"gc.enabled", "no", "true or false"},
      {"write.distribution-mode", "sorted", "one of none, hash, range"},
      {"write.update.mode", "mor", "one of copy-on-write, merge-on-read"},
      {"write.metadata.metrics.default", "truncate(0)", "none, counts, full or truncate(N)"},
      {"write.metadata.metrics.column.a", "truncate", "none, counts, full or truncate(N)"},
      {"write.parquet.bloom-filter-fpp.column.a", "1", "a number between 0 and 1"},
      {"write.parquet.bloom-filter-fpp.column.a", "nan", "a number between 0 and 1"},
      {"write.delete.avro.compression-codec", "rar", "one of gzip"},
      {"schema.name-mapping.default", "{", "a name mapping"},
  };
  for (const auto& [name, value, expected] : cases) {
    EXPECT_THAT(CheckTableProperties({{name, value}}),
                IsError(ErrorCode::kInvalidInput,
                        "table property '" + name + "' is '" + value + "', expected " + expected));
  }
}

TEST(TablePropertiesTest, AllImpossibleValuesAreToldAtOnce) {
  const Properties properties = {{"gc.enabled", "no"}, {"write.format.default", "csv"}};
  EXPECT_THAT(CheckTableProperties(properties),
              IsError(ErrorCode::kInvalidInput, "true or false; table property 'write.format."));
}

}  // namespace
}  // namespace firn
