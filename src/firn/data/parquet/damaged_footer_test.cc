#include <cstring>
#include <map>

#include <fmt/format.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/row_table_testing_internal.h"
#include "firn/parquet/footer.h"
#include "firn/testing/matchers.h"

// Footers in which one bit is flipped: the rows are those that were written, or there is an error.

namespace firn {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr size_t kTailBytes = 8;

std::vector<NestedField> Fields() {
  return {Optional(1, "id", Primitive(TypeId::kLong)),
          Optional(2, "text", Primitive(TypeId::kString)),
          Optional(3, "number", Primitive(TypeId::kInt)),
          Optional(4, "time", Primitive(TypeId::kTimestamp)),
          Optional(5, "day", Primitive(TypeId::kDate)),
          Optional(6, "price", Type::Decimal(9, 2)),
          Optional(7, "list", Type::List(Optional(8, "element", Primitive(TypeId::kLong)))),
          Optional(9, "part", Type::Struct({Optional(10, "real", Primitive(TypeId::kDouble))})),
          Required(11, "must", Primitive(TypeId::kLong)),
          Required(12, "name", Primitive(TypeId::kString)),
          Optional(13, "kind", Primitive(TypeId::kString)),
          Optional(14, "flag", Primitive(TypeId::kBoolean))};
}

std::vector<StructValue> Rows() {
  std::vector<StructValue> rows;
  for (int32_t i = 1; i <= 20; ++i) {
    rows.push_back({{Value(int64_t{i}), Value(fmt::format("text {}", i)), Value(i * 3),
                     Value(int64_t{i} * 1'000'000), Value(i + 100), Value(Int128{i * 7}),
                     Value::List({Value(int64_t{i})}), Value::Struct({Value(i * 0.5)}),
                     Value(int64_t{i}), Value(fmt::format("name {}", i)),
                     Value(fmt::format("kind {}", i % 2)), Value(i % 3 == 0)}});
  }
  return rows;
}

const std::vector<int32_t> kCounted = {1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 13, 14};

// A file of all kinds of columns, and the same with damage in its footer.
class DamagedFooter {
 public:
  explicit DamagedFooter(bool is_of_another_writer) : table_(Fields()) {
    const FileScanTask task = table_.Write(Rows());
    bytes_ = *ReadText(task.file.file_path);
    expected_ = *table_.Read({task});
    record_count_ = task.file.record_count;
    const FileFooter footer = *ReadFooter(AsBytes(bytes_));
    const size_t size = FooterSize();
    start_ = bytes_.size() - kTailBytes - size;
    if (is_of_another_writer) Replace(footer);
  }

  size_t start() const { return start_; }
  size_t end() const { return bytes_.size() - kTailBytes; }
  const std::vector<std::string>& expected() const { return expected_; }

  Result<std::vector<std::string>> ReadWithout(size_t position, int bit,
                                               const std::string& where = "") {
    std::string damaged = bytes_;
    damaged[position] = static_cast<char>(damaged[position] ^ (1 << bit));
    FileScanTask task = table_.AddFile("damaged.parquet", damaged);
    task.file.record_count = record_count_;
    task.file.counted_columns = std::make_shared<const std::vector<int32_t>>(kCounted);
    return table_.Read({task}, {}, where);
  }

 private:
  Result<std::string> ReadText(const std::string& path) {
    FIRN_ASSIGN(const Buffer buffer, ReadFile(table_.io(), path));
    return std::string(AsText(buffer.span()));
  }

  size_t FooterSize() const {
    uint32_t size = 0;
    std::memcpy(&size, bytes_.data() + bytes_.size() - kTailBytes, sizeof(size));
    return size;
  }

  void Replace(FileFooter footer) {
    footer.created_by = "another writer";
    const std::string text = FormatFooter(footer);
    bytes_.resize(start_);
    bytes_ += text;
    const auto size = static_cast<uint32_t>(text.size());
    bytes_.append(reinterpret_cast<const char*>(&size), sizeof(size));
    bytes_ += "PAR1";
  }

  RowTable table_;
  std::string bytes_;
  std::vector<std::string> expected_;
  int64_t record_count_ = 0;
  size_t start_ = 0;
};

TEST(DamagedFooterTest, NoFlippedBitInAFooterOfFirnChangesWhatIsRead) {
  DamagedFooter file(false);
  const std::string where = "id >= 2 AND text > 'text 1'";
  const auto intact = file.ReadWithout(0, 0, where);  // The magic at the start is not read.
  ASSERT_THAT(intact, IsOkAnd(Not(IsEmpty())));
  std::vector<std::string> silent;
  for (size_t position = file.start(); position < file.end(); ++position) {
    for (int bit = 0; bit < 8; ++bit) {
      const auto rows = file.ReadWithout(position, bit, where);
      if (!rows.ok()) {
        EXPECT_THAT(rows.error().message(), HasSubstr("damaged.parquet"));
      } else if (*rows != *intact) {
        silent.push_back(fmt::format("{} bit {}", position - file.start(), bit));
      }
    }
  }
  EXPECT_THAT(silent, IsEmpty());
}

TEST(DamagedFooterTest, NoFlippedBitOfAnotherWriterGivesColumnsNullsOrTheValuesOfOthers) {
  DamagedFooter file(true);
  std::vector<std::string> silent;
  for (size_t position = file.start(); position < file.end(); ++position) {
    for (int bit = 0; bit < 8; ++bit) {
      const auto rows = file.ReadWithout(position, bit);
      if (!rows.ok() || *rows == file.expected()) continue;
      silent.push_back(fmt::format("{} bit {}: {}", position - file.start(), bit, (*rows)[0]));
    }
  }
  EXPECT_THAT(silent, IsEmpty());
}

TEST(DamagedFooterTest, AFileOfAnotherSizeIsNotTheOneThatWasCommitted) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kLong))});
  FileScanTask task = table.Write({{{Value(int64_t{1})}}});
  ++task.file.file_size_in_bytes;
  EXPECT_THAT(table.Read({task}), IsError(ErrorCode::kCorrupt, "bytes, but its manifest tells"));
}

TEST(DamagedFooterTest, AnEqualityDeleteFileWithoutItsColumnIsAnError) {
  RowTable table(
      {Optional(1, "id", Primitive(TypeId::kLong)), Optional(2, "kind", Primitive(TypeId::kLong))});
  FileScanTask task = table.Write({{{Value(int64_t{1}), Value()}}});
  task.deletes = {table.WriteDeletes(FileContent::kEqualityDeletes,
                                     {Optional(7, "kind", Primitive(TypeId::kLong))},
                                     {{{Value(int64_t{5})}}}, 2, {2})};
  EXPECT_THAT(table.Read({task}), IsError(ErrorCode::kCorrupt, "column 'kind' (field id 2)"));
}

}  // namespace
}  // namespace firn
