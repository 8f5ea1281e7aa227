#include <algorithm>
#include <cstring>
#include <utility>

#include "firn/ingest/csv_records_internal.h"

namespace firn {
namespace {

constexpr size_t kRecordBytesMax = size_t{64} << 20;

// Behind the line end at `at`. False: a CR is the last character so far, and LF may follow.
bool SkipLineEnd(std::string_view text, size_t& at, bool is_end) {
  if (text[at] == '\n') {
    ++at;
    return true;
  }
  if (at + 1 == text.size() && !is_end) return false;
  at += at + 1 < text.size() && text[at + 1] == '\n' ? size_t{2} : size_t{1};
  return true;
}

}  // namespace

CsvSplitter::CsvSplitter(const CsvDialect& dialect, int64_t first_line, bool keeps_blank_lines)
    : dialect_(dialect),
      scanner_(dialect.delimiter, '\n', '\r', dialect.quote == '\0' ? '\n' : dialect.quote),
      line_(first_line),
      keeps_blank_lines_(keeps_blank_lines) {}

// The delimiter or line end that ends the field without quotes at `at`.
size_t CsvSplitter::FindFieldEnd(std::string_view text, size_t at) {
  at = scanner_.Next(at);
  while (at < text.size() && text[at] == dialect_.quote && dialect_.quote != dialect_.delimiter)
    at = scanner_.Next(at + 1);
  return at;
}

// What matters within quotes.
size_t CsvSplitter::FindWithin(std::string_view text, size_t at) {
  if (dialect_.escape != '\0') return at;  // Each character is looked at.
  at = scanner_.Next(at);
  while (at < text.size() && text[at] == dialect_.delimiter)
    at = scanner_.Next(at + 1);
  return at;
}

// From behind the opening quote to behind the closing one, and what should not be there.
CsvSplitter::End CsvSplitter::SplitQuoted(std::string_view text, size_t& at, bool is_end,
                                          CsvBlock& block, CsvRecord& record) {
  CsvField field;
  field.is_quoted = 1;
  field.offset = static_cast<uint32_t>(at);
  while (true) {
    at = FindWithin(text, at);
    if (at == text.size()) {
      if (!is_end) return End::kTextOut;
      record.fault = CsvFault::kOpenQuote;
      break;
    }
    const char c = text[at];
    if (c == '\n' || (c == '\r' && !(at + 1 < text.size() && text[at + 1] == '\n'))) {
      ++line_;
      ++at;
    } else if (dialect_.escape != '\0' && c == dialect_.escape && c != dialect_.quote) {
      if (at + 1 == text.size() && !is_end) return End::kTextOut;
      field.is_escaped = 1;
      at = std::min(at + 2, text.size());
    } else if (c == dialect_.quote) {
      if (at + 1 == text.size() && !is_end) return End::kTextOut;
      const bool is_doubled = at + 1 < text.size() && text[at + 1] == dialect_.quote &&
                              (dialect_.escape == '\0' || dialect_.escape == dialect_.quote);
      if (!is_doubled) break;
      field.is_escaped = 1;
      at += 2;
    } else {
      ++at;
    }
  }
  field.size = static_cast<uint32_t>(at - field.offset) & 0x3FFF'FFFF;
  block.fields.push_back(field);
  if (at < text.size()) ++at;  // The closing quote.
  const size_t behind = at;
  at = FindFieldEnd(text, at);
  const std::string_view rest = text.substr(behind, at - behind);
  if (rest.find_first_not_of(' ') != std::string_view::npos) {
    record.fault = CsvFault::kTextAfterQuote;
  }
  return End::kRecord;
}

CsvSplitter::End CsvSplitter::SplitRecord(std::string_view text, size_t& at, bool is_end,
                                          CsvBlock& block) {
  CsvRecord record;
  record.line = line_;
  record.first_field = static_cast<uint32_t>(block.fields.size());
  record.offset = static_cast<uint32_t>(at);
  const char delimiter = dialect_.delimiter;
  while (true) {
    if (at < text.size() && dialect_.quote != '\0' && text[at] == dialect_.quote) {
      if (SplitQuoted(text, ++at, is_end, block, record) == End::kTextOut) return End::kTextOut;
    } else {
      const size_t begin = at;
      at = FindFieldEnd(text, at);
      CsvField field;
      field.offset = static_cast<uint32_t>(begin);
      field.size = static_cast<uint32_t>(at - begin) & 0x3FFF'FFFF;
      block.fields.push_back(field);
    }
    if (at == text.size()) {
      if (!is_end) return End::kTextOut;
      break;
    }
    if (text[at] != delimiter) break;
    ++at;
  }
  record.size = static_cast<uint32_t>(at - record.offset);
  if (at < text.size() && !SkipLineEnd(text, at, is_end)) return End::kTextOut;
  ++line_;
  record.field_count = static_cast<uint32_t>(block.fields.size()) - record.first_field;
  if (record.size == 0 && !keeps_blank_lines_) {
    block.fields.resize(record.first_field);
    return End::kRecord;
  }
  block.records.push_back(record);
  return End::kRecord;
}

Status CsvSplitter::Split(std::string text, bool is_end, CsvBlock& block, size_t& text_left) {
  block.text = std::move(text);
  block.fields.clear();
  block.records.clear();
  block.fields.reserve(fields_expected_);
  scanner_.Reset(block.text);
  size_t at = 0;
  while (at < block.text.size()) {
    const size_t begin = at;
    const size_t fields_before = block.fields.size();
    const int64_t line_before = line_;
    if (SplitRecord(block.text, at, is_end, block) == End::kRecord) continue;
    block.fields.resize(fields_before);
    line_ = line_before;
    at = begin;
    if (block.text.size() - begin >= kRecordBytesMax) {
      return MakeError(
          ErrorCode::kInvalidInput,
          "line {}: a record that begins here has no end within {} MiB; a quote may be "
          "open, or the file is no CSV",
          line_, kRecordBytesMax >> 20);
    }
    break;
  }
  text_left = at;
  fields_expected_ = block.fields.size() + block.fields.size() / 8;
  return {};
}

std::string UnescapeCsv(std::string_view text, const CsvDialect& dialect) {
  std::string meaning;
  meaning.reserve(text.size());
  const char escape = dialect.escape == '\0' ? dialect.quote : dialect.escape;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == escape && i + 1 < text.size()) ++i;
    meaning += text[i];
  }
  return meaning;
}

}  // namespace firn
