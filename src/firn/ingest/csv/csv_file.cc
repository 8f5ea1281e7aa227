#include <algorithm>
#include <set>
#include <utility>

#include "firn/base/utf8.h"
#include "firn/ingest/csv/csv_file_internal.h"
#include "firn/ingest/text/text_column_internal.h"

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

// Behind the first line of the text so far; 0: it does not end there.
size_t CsvFile::SkipLine() {
  const std::string& text = input_.text;
  for (size_t at = text.find_first_of("\r\n"); at != std::string::npos;
       at = text.find_first_of("\r\n", at + 1)) {
    const auto size = line_ends_.SizeAt(text, at, input_.is_at_end);
    if (!size) break;
    if (*size > 0) return at + *size;
  }
  return 0;
}

Status CsvFile::SkipLines(int64_t count) {
  for (; count > 0; --count) {
    size_t end = SkipLine();
    while (end == 0 && !input_.is_at_end) {
      FIRN_RETURN_IF_ERROR(input_.FillMore(kHeaderBytes));
      end = SkipLine();
    }
    if (end == 0) {
      input_.text.clear();
      return {};
    }
    input_.text.erase(0, end);
    ++line_;
  }
  return {};
}

Status CsvFile::ReadHeader() {
  FIRN_RETURN_IF_ERROR(SkipLines(dialect_.skip_lines));
  CsvBlock block;
  size_t used = 0;
  CsvSplitter splitter(dialect_, line_ends_, line_, /*keeps_blank_lines=*/false);
  while (true) {
    FIRN_RETURN_IF_ERROR(splitter.Split(input_.text, input_.is_at_end, block, used, 1));
    if (!block.records.empty() || input_.is_at_end) break;
    splitter = CsvSplitter(dialect_, line_ends_, line_, /*keeps_blank_lines=*/false);
    FIRN_RETURN_IF_ERROR(input_.FillMore(kHeaderBytes));
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
  line_ = dialect_.has_header ? splitter.line() : header.line;
  input_.text.erase(0, dialect_.has_header ? used : header.offset);
  splitter_ = std::make_unique<CsvSplitter>(dialect_, splitter.line_ends(), line_,
                                            /*keeps_blank_lines=*/columns_.size() == 1);
  return {};
}

Result<std::shared_ptr<CsvBlock>> CsvFile::Next() {
  if (splitter_ == nullptr) return std::shared_ptr<CsvBlock>();
  bool is_cut = false;  // The text is the start of a record.
  while (!input_.text.empty() || !input_.is_at_end) {
    if (!input_.is_at_end) {
      FIRN_RETURN_IF_ERROR(is_cut ? input_.FillMore(block_bytes_) : input_.Fill(block_bytes_),
                           "'{}'", uri_);
    }
    auto block = std::make_shared<CsvBlock>();
    size_t used = 0;
    FIRN_RETURN_IF_ERROR(splitter_->Split(std::move(input_.text), input_.is_at_end, *block, used),
                         "'{}'", uri_);
    is_cut = used == 0 && !input_.is_at_end;
    if (is_cut) {
      input_.text = std::move(block->text);
      continue;
    }
    input_.text = block->text.substr(used);
    block->text.resize(used);
    if (!block->records.empty()) return block;
  }
  return std::shared_ptr<CsvBlock>();
}

}  // namespace firn
