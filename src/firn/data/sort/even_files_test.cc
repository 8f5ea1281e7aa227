#include <bit>
#include <functional>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/sort/even_files_internal.h"

namespace firn {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

// Rows of each file, if rows come in steps of 1,000 and so many bytes of them are written, as far
// as is known before a file ends; then they are `inflation` times fewer.
std::vector<int64_t> FilesOf(const EvenFiles::Plan& plan, int64_t rows,
                             const std::function<double(int64_t row)>& bytes_of_row,
                             double inflation = 1) {
  EvenFiles even(plan);
  std::vector<int64_t> files;
  int64_t in_file = 0;
  double bytes = 0;
  for (int64_t row = 0; row < rows;) {
    const int64_t step = even.RowsAtOnce(std::min<int64_t>(1000, rows - row), in_file);
    bytes += static_cast<double>(step) * bytes_of_row(row);
    row += step;
    in_file += step;
    if (!even.IsFull(in_file, static_cast<int64_t>(bytes))) continue;
    files.push_back(in_file);
    even.EndFile(in_file, static_cast<int64_t>(bytes / inflation));
    in_file = 0;
    bytes = 0;
  }
  if (in_file > 0) files.push_back(in_file);
  return files;
}

double Ten(int64_t /*row*/) { return 10; }

TEST(EvenFilesTest, HaveAsManyRowsEach) {
  EXPECT_THAT(FilesOf({.rows = 100'000, .target_bytes = 300'000}, 100'000, Ten),
              ElementsAre(25'000, 25'000, 25'000, 25'000));
  EXPECT_THAT(FilesOf({.rows = 100'000, .target_bytes = 1'000'000}, 100'000, Ten),
              ElementsAre(100'000));
}

TEST(EvenFilesTest, AreRatherOneFewerThanSoSmallThatTheyAreCompactedAgain) {
  const auto files_of = [](int64_t rows) {
    return FilesOf({.rows = rows, .target_bytes = 1'000'000}, rows, Ten);
  };
  EXPECT_THAT(files_of(150'000), ElementsAre(150'000));
  EXPECT_THAT(files_of(156'000), ElementsAre(78'000, 78'000));
  EXPECT_THAT(files_of(230'000), SizeIs(2));
  EXPECT_THAT(files_of(240'000), SizeIs(3));
}

// Pages that are not compressed yet count too much.
TEST(EvenFilesTest, AreAsManyAlthoughOpenFilesAreTakenForLarger) {
  EXPECT_THAT(FilesOf(
                  {.rows = 200'000, .target_bytes = 1'000'000}, 200'000,
                  [](int64_t /*row*/) { return 11.4; }, 1.14),
              ElementsAre(100'000, 100'000));
}

// A border of the finest cells of `files` after every tenth row more or less than they should have.
std::shared_ptr<CurveCells> UnevenCells(int64_t rows, int level) {
  auto cells = std::make_shared<CurveCells>();
  const int64_t count = int64_t{1} << level;
  for (int64_t i = 1; i < count; ++i) {
    const int64_t shift = (i % 3 - 1) * (rows / count / 10);
    cells->Mark(rows * i / count + shift, level - std::countr_zero(static_cast<uint64_t>(i)));
  }
  return cells;
}

TEST(EvenFilesTest, AlongACurveEndWithItsCells) {
  for (const int64_t targets : {99, 128, 131, 150, 190}) {
    const int64_t rows = targets * 10'000;
    const auto cells = UnevenCells(rows, 7);

    const auto files = FilesOf({.rows = rows, .target_bytes = 100'000, .cells = cells}, rows, Ten);

    ASSERT_THAT(files, SizeIs(128)) << targets;
    const auto borders = UnevenCells(rows, 7);
    int64_t row = 0;
    for (size_t i = 0; i + 1 < files.size(); ++i) {
      row += files[i];
      EXPECT_EQ(borders->FindBorder(row - 1, row, 7), row) << targets << " file " << i;
    }
  }
}

TEST(EvenFilesTest, AlongACurveAreNotMuchLargerOrSmallerThanTheTarget) {
  const auto count_of = [](int64_t rows) {
    return FilesOf({.rows = rows, .target_bytes = 200'000, .cells = UnevenCells(rows, 3)}, rows,
                   Ten)
        .size();
  };
  EXPECT_EQ(count_of(20'000), 1);
  EXPECT_EQ(count_of(30'000), 1) << "two would be compacted again";
  EXPECT_EQ(count_of(32'000), 2);
  EXPECT_EQ(count_of(60'000), 2);
  EXPECT_EQ(count_of(65'000), 4);
}

TEST(EvenFilesTest, AlongACurveWithoutBordersStayNearTheTarget) {
  const auto files =
      FilesOf({.rows = 800'000, .target_bytes = 1'000'000, .cells = std::make_shared<CurveCells>()},
              800'000, Ten);

  EXPECT_THAT(files, SizeIs(testing::Ge(6)));
  EXPECT_THAT(files, Each(testing::Le(141'000)));
}

TEST(EvenFilesTest, StayNearTheTargetWhenRowsGetLarger) {
  const auto growing = [](int64_t row) { return row < 50'000 ? 10.0 : 40.0; };

  const auto files = FilesOf({.rows = 100'000, .target_bytes = 250'000}, 100'000, growing);

  EXPECT_EQ(std::accumulate(files.begin(), files.end(), int64_t{0}), 100'000);
  int64_t row = 0;
  for (const int64_t rows : files) {
    double bytes = 0;
    for (int64_t i = 0; i < rows; ++i)
      bytes += growing(row++);
    EXPECT_LE(bytes, 250'000 * 1.6);
  }
}

TEST(EvenFilesTest, TakeMoreAndFewerRowsThanWereExpected) {
  EXPECT_THAT(FilesOf({.rows = 50'000, .target_bytes = 250'000}, 100'000, Ten),
              Each(testing::Le(26'000)));
  EXPECT_THAT(FilesOf({.rows = 100'000, .target_bytes = 250'000}, 60'000, Ten),
              ElementsAre(25'000, 25'000, 10'000));
}

}  // namespace
}  // namespace firn
