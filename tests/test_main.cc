#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// main() of every test program. A test that skips itself proves nothing, so a skip that
// tests/allowed_skips.txt does not name makes the program fail.

namespace {

// Match `text` against `pattern`, in which `*` stands for any text.
bool MatchesPattern(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '*') {
    for (size_t skipped = 0; skipped <= text.size(); ++skipped) {
      if (MatchesPattern(pattern.substr(1), text.substr(skipped))) return true;
    }
    return false;
  }
  return !text.empty() && pattern.front() == text.front() &&
         MatchesPattern(pattern.substr(1), text.substr(1));
}

std::vector<std::string> ReadAllowedSkips() {
  std::vector<std::string> patterns;
  std::ifstream file(FIRN_ALLOWED_SKIPS);
  for (std::string line; std::getline(file, line);) {
    const std::string pattern = line.substr(0, line.find(' '));
    if (!pattern.empty() && pattern.front() != '#') patterns.push_back(pattern);
  }
  return patterns;
}

// Return the number of tests that skipped themselves without leave, and name each.
int CountUnexpectedSkips() {
  const std::vector<std::string> allowed = ReadAllowedSkips();
  const testing::UnitTest& run = *testing::UnitTest::GetInstance();
  int unexpected = 0;
  for (int i = 0; i < run.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *run.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      if (!test.should_run() || !test.result()->Skipped()) continue;
      const std::string name = std::string(suite.name()) + "." + test.name();
      const bool is_allowed =
          std::any_of(allowed.begin(), allowed.end(),
                      [&](const std::string& pattern) { return MatchesPattern(pattern, name); });
      if (is_allowed) continue;
      std::fprintf(stderr, "%s skipped itself, and tests/allowed_skips.txt does not name it\n",
                   name.c_str());
      ++unexpected;
    }
  }
  return unexpected;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  const int result = RUN_ALL_TESTS();
  const bool lists_only = testing::GTEST_FLAG(list_tests);
  if (!lists_only && CountUnexpectedSkips() > 0) return 1;
  return result;
}
