#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "firn/procedure/reference_page_internal.h"
#include "firn/testing/testdata.h"

namespace firn {
namespace {

TEST(ReferencePageTest, IsUpToDate) {
  const std::string path = std::string(FIRN_TESTDATA) + "/../docs/reference/procedures.md";
  if (std::getenv("FIRN_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << FormatReferencePage();
  }
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(text, FormatReferencePage()) << "run this test with FIRN_UPDATE_GOLDEN=1";
}

}  // namespace
}  // namespace firn
