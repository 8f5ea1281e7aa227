#include <algorithm>
#include <set>
#include <utility>

#include "firn/base/utf8.h"
#include "firn/ingest/csv_file_internal.h"
#include "firn/ingest/text_column_internal.h"

namespace firn {
namespace {

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
  FIRN_ASSIGN(
      auto input,
      TextInput::Open(io, file, std::min(kHeaderBytes, block_bytes), pool, dialect.encoding),
      "'{}'", file.info.uri);
  std::unique_ptr<CsvFile> csv(new CsvFile(std::move(input), file, dialect, block_bytes));
  FIRN_RETURN_IF_ERROR(csv->ReadHeader(), "'{}'", file.info.uri);
  return csv;
}

Status CsvFile::SkipLines(int64_t count) {
  for (; count > 0; --count) {
    size_t end = input_.text.find('\n');
    while (end == std::string::npos && !input_.is_at_end) {
      FIRN_RETURN_IF_ERROR(input_.Fill(kHeaderBytes));
      end = input_.text.find('\n');
    }
    if (end == std::string::npos) {
      input_.text.clear();
      return {};
    }
    input_.text.erase(0, end + 1);
    ++line_;
  }
  return {};
}

Status CsvFile::ReadHeader() {
  FIRN_RETURN_IF_ERROR(SkipLines(dialect_.skip_lines));
  CsvBlock block;
  size_t used = 0;
  while (true) {
    CsvSplitter splitter(dialect_, line_, /*keeps_blank_lines=*/false);
    FIRN_RETURN_IF_ERROR(splitter.Split(input_.text, input_.is_at_end, block, used));
    if (!block.records.empty() || input_.is_at_end) break;
    FIRN_RETURN_IF_ERROR(input_.Fill(kHeaderBytes));
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
                       "line {}: the name of column {} is not UTF-8; say what it is (--encoding)",
                       header.line, i + 1);
    }
  }
  columns_ = MakeUnique(std::move(names));
  if (dialect_.has_header) {
    const std::string_view text = block.RecordText(header);
    line_ = header.line + CountLineEnds(text) + 1;
    size_t end = header.offset + header.size;
    if (end < input_.text.size())
      end += input_.text.compare(end, 2, "\r\n") == 0 ? size_t{2} : size_t{1};
    input_.text.erase(0, end);
  } else {
    line_ = header.line;
    input_.text.erase(0, header.offset);
  }
  splitter_ = std::make_unique<CsvSplitter>(dialect_, line_, columns_.size() == 1);
  return {};
}

Result<std::shared_ptr<CsvBlock>> CsvFile::Next() {
  if (splitter_ == nullptr) return std::shared_ptr<CsvBlock>();
  while (!input_.text.empty() || !input_.is_at_end) {
    if (!input_.is_at_end) FIRN_RETURN_IF_ERROR(input_.Fill(block_bytes_), "'{}'", uri_);
    auto block = std::make_shared<CsvBlock>();
    size_t used = 0;
    FIRN_RETURN_IF_ERROR(splitter_->Split(std::move(input_.text), input_.is_at_end, *block, used),
                         "'{}'", uri_);
    input_.text = block->text.substr(used);
    block->text.resize(used);
    if (!block->records.empty()) return block;
  }
  return std::shared_ptr<CsvBlock>();
}

}  // namespace firn
