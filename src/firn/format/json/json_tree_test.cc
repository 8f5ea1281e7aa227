#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/text.h"
#include "firn/format/json/json_tree_test_internal.h"
#include "firn/testing/testdata.h"

namespace firn {
namespace {

bool IsSameScalar(const JsonTree& before, const JsonTree& after, const std::string& path) {
  if (before == after) return true;
  const bool is_type = path.ends_with(".type") || path.ends_with(".element") ||
                       path.ends_with(".key") || path.ends_with(".value");
  if (!is_type || !before.is_string() || !after.is_string()) return false;
  const auto plain = [](std::string text) {
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return LowerAscii(text);
  };
  return plain(before.get<std::string>()) == plain(after.get<std::string>());
}

}  // namespace

std::vector<std::string> FindLosses(const JsonTree& before, const JsonTree& after,
                                    const std::string& path) {
  std::vector<std::string> losses;
  const auto descend = [&](const JsonTree& a, const JsonTree& b, const std::string& below) {
    const std::vector<std::string> found = FindLosses(a, b, below);
    losses.insert(losses.end(), found.begin(), found.end());
  };
  if (before.is_object() && after.is_object()) {
    for (const auto& [key, value] : before.items()) {
      const std::string below = path + "." + key;
      if (after.contains(key)) {
        descend(value, after[key], below);
      } else if (!value.is_null()) {
        losses.push_back(below + " is missing");
      }
    }
  } else if (before.is_array() && after.is_array()) {
    if (before.size() != after.size()) return {path + " has another size"};
    for (size_t i = 0; i < before.size(); ++i)
      descend(before[i], after[i], path + "[" + std::to_string(i) + "]");
  } else if (!before.is_null() && !IsSameScalar(before, after, path)) {
    losses.push_back(path + ": " + before.dump() + " became " + after.dump());
  }
  return losses;
}

std::string ReadTextFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string ReadGoldenMetadata(const std::string& name) {
  return ReadTextFile(TestDataPath("metadata/" + name + ".json"));
}

std::filesystem::path SharedFolder(const std::string& name) {
  const char* root = std::getenv("FIRN_SHARED");
  const std::filesystem::path shared =
      root != nullptr ? std::filesystem::path(root)
                      : std::filesystem::path(TestDataPath("")) / ".." / ".." / "shared";
  return shared / "data" / "apache-iceberg" / name;
}

namespace {

TEST(JsonTreeTest, FindsWhatARewriteLost) {
  const JsonTree before = {
      {"a", 1}, {"b", {{"type", "decimal(9, 2)"}, {"c", nullptr}}}, {"d", {1}}};
  JsonTree after = {{"a", 1}, {"b", {{"type", "decimal(9,2)"}}}, {"d", {1}}, {"e", 2}};
  EXPECT_THAT(FindLosses(before, after), testing::IsEmpty());
  after["a"] = 2;
  after["b"].erase("type");
  after["d"] = {1, 2};
  EXPECT_THAT(FindLosses(before, after),
              testing::ElementsAre(".a: 1 became 2", ".b.type is missing", ".d has another size"));
}

}  // namespace
}  // namespace firn
