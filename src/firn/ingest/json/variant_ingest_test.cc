#include <gmock/gmock.h>

#include "firn/ingest/ingest_testing_internal.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Values of the type `variant`, from each kind of source.
class VariantIngestTest : public IngestTest {
 protected:
  VariantIngestTest() {
    request_.format = SourceFormat::kJson;
    std::vector<NestedField> fields(2);
    fields[0] = {.id = 1, .name = "id", .type = Type::Primitive(TypeId::kLong)};
    fields[1] = {.id = 2, .name = "v", .type = Type::Primitive(TypeId::kVariant)};
    CreateTableRequest create;
    create.schema = Schema(0, std::move(fields));
    create.format_version = 3;
    EXPECT_THAT(catalog_->Create(request_.table, create), IsOk());
  }

  // The table's only data file, as the source of another run.
  std::string DataFileUri() {
    for (const std::string& uri : FilesBelow("memory:/warehouse")) {
      if (uri.ends_with(".parquet") || uri.ends_with(".avro") || uri.ends_with(".orc")) return uri;
    }
    return "";
  }
};

TEST_F(VariantIngestTest, TakesEveryJsonValue) {
  ASSERT_THAT(Run({Put("a.json",
                       "{\"id\":1,\"v\":{\"b\":[1,2.50,null],\"a\":\"x\"}}\n"
                       "{\"id\":2,\"v\":null}\n{\"id\":3}\n{\"id\":4,\"v\":\"t\\u00e4\"}\n"
                       "{\"id\":5,\"v\":[]}\n{\"id\":6,\"v\":-7}\n{\"id\":7,\"v\":true}\n")}),
              IsOk());
  EXPECT_THAT(Rows(),
              ElementsAre(R"({"id":1,"v":{"a":"x","b":[1,2.5,null]}})", R"({"id":2,"v":null})",
                          R"({"id":3,"v":null})", R"({"id":4,"v":"tä"})", R"({"id":5,"v":[]})",
                          R"({"id":6,"v":-7})", R"({"id":7,"v":true})"));
}

TEST_F(VariantIngestTest, NamesThePlaceOfAValueThatIsNone) {
  const auto result =
      Run({Put("a.json", "{\"id\":1,\"v\":1}\n{\"id\":2,\"v\":{\"a\":1,\"a\":2}}\n")});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code(), ErrorCode::kInvalidInput);
  EXPECT_THAT(result.error().message(), HasSubstr("line 2"));
  EXPECT_THAT(result.error().message(), HasSubstr("key 'a' stands twice in its object"));
}

TEST_F(VariantIngestTest, ReadsCellsOfCsvAsJson) {
  request_.format = SourceFormat::kCsv;
  ASSERT_THAT(Run({Put("a.csv", "id,v\n1,\"{\"\"a\"\":1}\"\n2,\n3,4.5\n4,\"\"\"x\"\"\"\n")}),
              IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1,"v":{"a":1}})", R"({"id":2,"v":null})",
                                  R"({"id":3,"v":4.5})", R"({"id":4,"v":"x"})"));
  const auto bad = Run({Put("b.csv", "id,v\n1,x y\n")});
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(bad.error().message(), HasSubstr("'x y' is no variant"));
}

TEST_F(VariantIngestTest, TakesVariantsOfParquetFilesIntoNewAndOldTables) {
  ASSERT_THAT(Run({Put("a.json", "{\"id\":1,\"v\":{\"a\":[1]}}\n{\"id\":2}\n")}), IsOk());
  const std::string source = DataFileUri();
  request_.format = SourceFormat::kParquet;
  ASSERT_THAT(Run({source}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1,"v":{"a":[1]}})", R"({"id":1,"v":{"a":[1]}})",
                                  R"({"id":2,"v":null})", R"({"id":2,"v":null})"));

  request_.table.name = "other";
  const auto refused = Run({source});
  ASSERT_FALSE(refused.ok());  // A new table has version 2.
  EXPECT_THAT(refused.error().message(), HasSubstr("variant"));
  request_.layout.format_version = 3;
  ASSERT_THAT(Run({source}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1,"v":{"a":[1]}})", R"({"id":2,"v":null})"));
}

TEST_F(VariantIngestTest, MergesByKeyAndKeepsTheOthers) {
  ASSERT_THAT(Run({Put("a.json", "{\"id\":1,\"v\":{\"a\":1}}\n{\"id\":2,\"v\":[2]}\n")}), IsOk());
  request_.mode = IngestMode::kMerge;
  request_.key = {"id"};
  for (const WriteMode mode : {WriteMode::kCopyOnWrite, WriteMode::kMergeOnRead}) {
    request_.write_mode = mode;
    ASSERT_THAT(Run({Put("b.json", "{\"id\":2,\"v\":\"two\"}\n{\"id\":3,\"v\":{}}\n")}), IsOk());
    EXPECT_THAT(Rows(), ElementsAre(R"({"id":1,"v":{"a":1}})", R"({"id":2,"v":"two"})",
                                    R"({"id":3,"v":{}})"));
  }
}

}  // namespace
}  // namespace firn
