#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include <gmock/gmock.h>

#include "firn/procedure/reference_page_internal.h"
#include "firn/testing/testdata.h"

namespace firn {
namespace {

using Pages = std::map<std::string, std::string>;

void WritePages(const std::filesystem::path& folder, const Pages& pages) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : pages)
    std::ofstream(folder / name, std::ios::binary) << text;
}

Pages ReadPages(const std::filesystem::path& folder) {
  Pages pages;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    std::ifstream file(entry.path(), std::ios::binary);
    pages[entry.path().filename().string()] =
        std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return pages;
}

TEST(ReferencePageTest, IsUpToDate) {
  const std::string folder = std::string(FIRN_TESTDATA) + "/../docs/procedures";
  if (std::getenv("FIRN_UPDATE_GOLDEN") != nullptr) WritePages(folder, FormatReferencePages());
  EXPECT_THAT(ReadPages(folder), testing::ContainerEq(FormatReferencePages()))
      << "run this test with FIRN_UPDATE_GOLDEN=1";
}

}  // namespace
}  // namespace firn
