#include "firn/catalog/table_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace firn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TableNameTest, IsSplitAtDotsOutsideBackquotes) {
  EXPECT_THAT(SplitName("lake.db.t").value(), ElementsAre("lake", "db", "t"));
  EXPECT_THAT(SplitName("`a.b`.t").value(), ElementsAre("a.b", "t"));
  EXPECT_THAT(SplitName("db.`t``x.y`").value(), ElementsAre("db", "t`x.y"));
  EXPECT_THAT(SplitName("größe.表").value(), ElementsAre("größe", "表"));
  EXPECT_THAT(SplitName("with blank.t#1").value(), ElementsAre("with blank", "t#1"));
}

TEST(TableNameTest, RefusesEmptyPartsAndOpenQuotesWithTheirPlace) {
  EXPECT_THAT(SplitName("").error().message(), HasSubstr("part 1 is empty"));
  EXPECT_THAT(SplitName("a..b").error().message(), HasSubstr("part 2 is empty"));
  EXPECT_THAT(SplitName("a.").error().message(), HasSubstr("part 2 is empty"));
  EXPECT_THAT(SplitName("a.``").error().message(), HasSubstr("part 2 is empty"));
  EXPECT_THAT(SplitName("a.`b").error().message(), HasSubstr("backquote at position 3"));
  EXPECT_THAT(SplitName("`a`b").error().message(), HasSubstr("at position 4, found 'b'"));
  EXPECT_THAT(SplitName("a`b`").error().message(), HasSubstr("at position 2, found '`'"));
  EXPECT_EQ(SplitName("a..b").error().code(), ErrorCode::kInvalidInput);
}

TEST(TableNameTest, IsPrintedSoThatItSplitsIntoTheSameParts) {
  const TableName name{{"a.b", "c`d", "plain"}, "t.1"};

  const std::string text = FormatTableName(name);

  EXPECT_EQ(text, "`a.b`.`c``d`.plain.`t.1`");
  EXPECT_THAT(SplitName(text).value(), ElementsAre("a.b", "c`d", "plain", "t.1"));
  EXPECT_EQ(FormatNamespace({"x", "y"}), "x.y");
  EXPECT_EQ(FormatNamespace({}), "");
}

}  // namespace
}  // namespace firn
