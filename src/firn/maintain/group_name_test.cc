#include <gtest/gtest.h>

#include "firn/maintain/group_name_internal.h"

namespace firn {
namespace {

TEST(GroupNameTest, TellsThePartitionIfThereIsOne) {
  EXPECT_EQ(NameGroup(3, "cat=b"), "group 3 (cat=b)");
  EXPECT_EQ(NameGroup(0, ""), "group 0");
}

}  // namespace
}  // namespace firn
