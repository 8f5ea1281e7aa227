#include <algorithm>
#include <set>
#include <utility>

#include "firn/base/utf8.h"
#include "firn/data/arrow_bridge.h"
#include "firn/ingest/csv_file_internal.h"
#include "firn/ingest/text_column_internal.h"

namespace firn {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kWideMarks[] = {"\xFF\xFE", "\xFE\xFF"};
constexpr int64_t kHeaderBytes = int64_t{64} << 10;
constexpr size_t kColumnsMax = 65536;

std::vector<std::string> MakeUnique(std::vector<std::string> names) {
  std::set<std::string> taken;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string name(TrimBlanks(names[i]));
    if (name.empty()) name = fmt::format("column_{}", i + 1);
    std::string unique = name;
    for (int copy = 2; !taken.insert(unique).second; ++copy) {
      unique = fmt::format("{}_{}", name, copy);
    }
    names[i] = std::move(unique);
  }
  return names;
}

int64_t CountLineEnds(std::string_view text) {
  int64_t count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (text[i] == '\n' || (text[i] == '\r' && !is_pair)) ++count;
  }
  return count;
}

}  // namespace

Result<std::unique_ptr<CsvFile>> CsvFile::Open(FileIO& io, const SourceFile& file,
                                               const CsvDialect& dialect, int64_t block_bytes,
                                               arrow::MemoryPool* pool) {
  FIRN_ASSIGN(auto stream, OpenByteStream(io, file, pool), "'{}'", file.info.uri);
  std::unique_ptr<CsvFile> csv(new CsvFile(std::move(stream), file, dialect, block_bytes));
  FIRN_RETURN_IF_ERROR(csv->ReadHeader(), "'{}'", file.info.uri);
  return csv;
}

Status CsvFile::Fill() {
  const size_t size = rest_.size();
  const int64_t wanted = splitter_ == nullptr ? std::min(kHeaderBytes, block_bytes_) : block_bytes_;
  rest_.resize(size + static_cast<size_t>(wanted));
  int64_t filled = 0;
  while (filled < wanted) {
    FIRN_ASSIGN(const int64_t read, GuardArrowResult(ErrorCode::kInvalidInput, [&] {
                  return stream_->Read(wanted - filled, rest_.data() + size + filled);
                }));
    if (read == 0) break;
    filled += read;
  }
  rest_.resize(size + static_cast<size_t>(filled));
  is_at_end_ = filled < wanted;
  return {};
}

Status CsvFile::SkipLines(int64_t count) {
  for (; count > 0; --count) {
    size_t end = rest_.find('\n');
    while (end == std::string::npos && !is_at_end_) {
      FIRN_RETURN_IF_ERROR(Fill());
      end = rest_.find('\n');
    }
    if (end == std::string::npos) {
      rest_.clear();
      return {};
    }
    rest_.erase(0, end + 1);
    ++line_;
  }
  return {};
}

Status CsvFile::ReadHeader() {
  FIRN_RETURN_IF_ERROR(Fill());
  for (const std::string_view mark : kWideMarks) {
    if (rest_.starts_with(mark)) {
      return Error(ErrorCode::kInvalidInput, "the text is UTF-16, expected UTF-8");
    }
  }
  if (rest_.starts_with(kByteOrderMark)) rest_.erase(0, kByteOrderMark.size());
  FIRN_RETURN_IF_ERROR(SkipLines(dialect_.skip_lines));
  CsvBlock block;
  size_t used = 0;
  while (true) {
    CsvSplitter splitter(dialect_, line_, /*keeps_blank_lines=*/false);
    FIRN_RETURN_IF_ERROR(splitter.Split(rest_, is_at_end_, block, used));
    if (!block.records.empty() || is_at_end_) break;
    FIRN_RETURN_IF_ERROR(Fill());
  }
  if (block.records.empty()) return {};
  const CsvRecord& header = block.records[0];
  if (header.field_count > kColumnsMax) {
    return MakeError(ErrorCode::kInvalidInput, "line {}: {} columns, expected {} at most",
                     header.line, header.field_count, kColumnsMax);
  }
  std::vector<std::string> names(header.field_count);
  for (uint32_t i = 0; dialect_.has_header && i < header.field_count; ++i) {
    const CsvField& field = block.fields[header.first_field + i];
    names[i] = std::string(block.FieldText(field));
    if (field.is_escaped) names[i] = UnescapeCsv(names[i], dialect_);
    if (!IsValidUtf8(names[i])) {
      return MakeError(ErrorCode::kInvalidInput,
                       "line {}: the name of column {} is not UTF-8; convert the file first",
                       header.line, i + 1);
    }
  }
  columns_ = MakeUnique(std::move(names));
  if (dialect_.has_header) {
    const std::string_view text = block.RecordText(header);
    line_ = header.line + CountLineEnds(text) + 1;
    size_t end = header.offset + header.size;
    if (end < rest_.size()) end += rest_.compare(end, 2, "\r\n") == 0 ? size_t{2} : size_t{1};
    rest_.erase(0, end);
  } else {
    line_ = header.line;
    rest_.erase(0, header.offset);
  }
  splitter_ = std::make_unique<CsvSplitter>(dialect_, line_, columns_.size() == 1);
  return {};
}

Result<std::shared_ptr<CsvBlock>> CsvFile::Next() {
  if (splitter_ == nullptr) return std::shared_ptr<CsvBlock>();
  while (!rest_.empty() || !is_at_end_) {
    if (!is_at_end_) FIRN_RETURN_IF_ERROR(Fill(), "'{}'", uri_);
    auto block = std::make_shared<CsvBlock>();
    size_t used = 0;
    FIRN_RETURN_IF_ERROR(splitter_->Split(std::move(rest_), is_at_end_, *block, used), "'{}'",
                         uri_);
    rest_ = block->text.substr(used);
    block->text.resize(used);
    if (!block->records.empty()) return block;
  }
  return std::shared_ptr<CsvBlock>();
}

}  // namespace firn
