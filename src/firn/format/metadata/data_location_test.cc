#include "firn/format/metadata/data_location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace firn {
namespace {

class DataLocationTest : public testing::Test {
 protected:
  DataLocationTest() {
    metadata_.location = "s3://bucket/db/t";
    spec_.fields = {{.source_ids = {1}, .field_id = 1000, .name = "kind"}};
    NestedField field{.id = 1000, .name = "kind", .type = Type::Primitive(TypeId::kString)};
    partition_type_ = Type::Struct({field});
  }

  std::string Locate(const std::string& name) const {
    return DataFileLocation(metadata_, {}, *Type::Struct({}), {}, name);
  }
  std::string LocateIn(const std::string& partition, const std::string& name) const {
    return DataFileLocation(metadata_, spec_, *partition_type_, {{Value(partition)}}, name);
  }

  TableMetadata metadata_;
  PartitionSpec spec_;
  TypePtr partition_type_;
};

TEST_F(DataLocationTest, IsBelowTheTableByDefault) {
  EXPECT_EQ(Locate("a"), "s3://bucket/db/t/data/a");
  EXPECT_EQ(LocateIn("x y", "a"), "s3://bucket/db/t/data/kind=x+y/a");
}

TEST_F(DataLocationTest, FollowsTheDataPath) {
  metadata_.properties["write.folder-storage.path"] = "s3://old/files";
  EXPECT_EQ(Locate("a"), "s3://old/files/a");
  metadata_.properties["write.data.path"] = "s3://other/files/";
  EXPECT_EQ(Locate("a"), "s3://other/files/a");
  EXPECT_EQ(LocateIn("x", "a"), "s3://other/files/kind=x/a");
}

TEST_F(DataLocationTest, TakesTheObjectStoragePathForThatLayoutOnly) {
  metadata_.properties["write.object-storage.path"] = "s3://bucket/db/t/objects";
  EXPECT_EQ(Locate("a"), "s3://bucket/db/t/data/a");
  metadata_.properties["write.object-storage.enabled"] = "true";
  EXPECT_EQ(Locate("a"), "s3://bucket/db/t/objects/0101/0110/1001/10110010/a");
}

// The hashes are those that Java and PyIceberg give these names.
TEST_F(DataLocationTest, SpreadsFilesOfObjectStorageByTheHashOfTheirNames) {
  metadata_.properties["write.object-storage.enabled"] = "true";
  EXPECT_EQ(Locate("a"), "s3://bucket/db/t/data/0101/0110/1001/10110010/a");
  EXPECT_EQ(Locate("b"), "s3://bucket/db/t/data/1110/0111/1110/00000011/b");
  EXPECT_EQ(Locate("c"), "s3://bucket/db/t/data/0010/1101/0110/01011111/c");
  EXPECT_EQ(Locate("d"), "s3://bucket/db/t/data/1001/0001/0100/01110011/d");
}

TEST_F(DataLocationTest, HashesThePartitionPathToo) {
  metadata_.properties["write.object-storage.enabled"] = "true";
  const std::string location = LocateIn("x", "a");
  EXPECT_THAT(location, testing::MatchesRegex(
                            "s3://bucket/db/t/data/[01]{4}/[01]{4}/[01]{4}/[01]{8}/kind=x/a"));
  EXPECT_NE(location.substr(0, 44), Locate("a").substr(0, 44));
}

TEST_F(DataLocationTest, LeavesPartitionsOutOfThePathIfTold) {
  metadata_.properties["write.object-storage.enabled"] = "true";
  metadata_.properties["write.object-storage.partitioned-paths"] = "false";
  EXPECT_EQ(LocateIn("x", "a"), "s3://bucket/db/t/data/0101/0110/1001/10110010-a");
}

TEST_F(DataLocationTest, NamesTheTableWhereTablesMayShareAFolder) {
  metadata_.properties["write.object-storage.enabled"] = "true";
  metadata_.properties["write.data.path"] = "s3://shared/files";
  EXPECT_EQ(Locate("a"), "s3://shared/files/0101/0110/1001/10110010/db/t/a");
}

}  // namespace
}  // namespace firn
