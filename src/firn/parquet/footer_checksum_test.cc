#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/parquet/footer.h"
#include "firn/parquet/footer_checksum_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::HasSubstr;
using testing::Not;

FileFooter MakeFooter() {
  FileFooter footer;
  footer.version = 2;
  footer.created_by = "firn version 1";
  footer.key_value_metadata = {{"key", "value"}};
  return footer;
}

bool HasChecksum(const std::string& footer) { return HasFooterChecksum(AsBytes(footer)); }

Status Check(const std::string& footer) { return CheckFooterChecksum(AsBytes(footer)); }

TEST(FooterChecksumTest, IsWrittenByFirnAlone) {
  FileFooter footer = MakeFooter();
  EXPECT_TRUE(HasChecksum(FormatFooter(footer)));
  EXPECT_THAT(Check(FormatFooter(footer)), IsOk());

  footer.created_by = "parquet-cpp-arrow version 21";
  EXPECT_THAT(FormatFooter(footer), Not(HasSubstr(kFooterChecksumKey)));
}

TEST(FooterChecksumTest, IsMissedByNoBitButThoseThatHideIt) {
  const std::string footer = FormatFooter(MakeFooter());
  size_t hidden = 0;
  for (size_t i = 0; i < footer.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = footer;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      if (HasChecksum(damaged)) {
        EXPECT_THAT(Check(damaged), IsError(ErrorCode::kCorrupt, "checksum"));
      } else {
        ++hidden;
      }
    }
  }
  // The key, what surrounds the value, and the beginning of the name of the writer.
  EXPECT_EQ(hidden, 8 * (kFooterChecksumKey.size() + 2 + 2 + std::string_view("firn ").size()));
}

// Arrow writes what it read of the metadata of one file into another.
TEST(FooterChecksumTest, OfAnotherFileIsNotTakenForThatOfACopy) {
  std::string copy = FormatFooter(MakeFooter());
  const size_t writer = copy.rfind("firn version 1");
  copy.replace(writer, 4, "moss");

  EXPECT_FALSE(HasChecksum(copy));
  EXPECT_THAT(Check(copy), IsOk());
}

}  // namespace
}  // namespace firn
