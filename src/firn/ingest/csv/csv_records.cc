#include <algorithm>
#include <cstring>
#include <utility>

#include "firn/ingest/csv/csv_records_internal.h"

namespace firn {
namespace {

constexpr size_t kRecordBytesMax = size_t{64} << 20;

bool IsPair(std::string_view text, size_t at) {
  return at + 1 < text.size() && text[at] == '\r' && text[at + 1] == '\n';
}

}  // namespace

CsvLineEnds::CsvLineEnds(LineEnd kind)
    : is_detecting_(kind == LineEnd::kDetect),
      has_lf_(kind == LineEnd::kDetect || kind == LineEnd::kLf),
      has_crlf_(kind == LineEnd::kDetect || kind == LineEnd::kCrLf),
      has_cr_(kind == LineEnd::kDetect || kind == LineEnd::kCr) {}

std::optional<size_t> CsvLineEnds::SizeAt(std::string_view text, size_t at, bool is_end) {
  size_t size = 0;
  if (text[at] == '\n') {
    size = has_lf_ ? 1 : 0;
  } else if (has_crlf_ && at + 1 == text.size() && !is_end) {
    return std::nullopt;
  } else if (has_crlf_ && IsPair(text, at)) {
    size = 2;
  } else {
    size = has_cr_ ? 1 : 0;
  }
  if (is_detecting_) {
    is_detecting_ = false;
    has_cr_ = text[at] == '\r' && size == 1;
  }
  return size;
}

bool CsvLineEnds::EndsLine(std::string_view text, size_t at) const {
  if (text[at] == '\r') return has_cr_ && !(has_crlf_ && IsPair(text, at));
  return has_lf_ || (has_crlf_ && at > 0 && text[at - 1] == '\r');
}

CsvSplitter::CsvSplitter(const CsvDialect& dialect, const CsvLineEnds& line_ends,
                         int64_t first_line, bool keeps_blank_lines)
    : dialect_(dialect),
      scanner_(dialect.delimiter, '\n', '\r', dialect.quote == '\0' ? '\n' : dialect.quote),
      line_ends_(line_ends),
      line_(first_line),
      keeps_blank_lines_(keeps_blank_lines) {}

// The delimiter, CR or LF that may end the field without quotes at `at`.
size_t CsvSplitter::FindFieldEnd(std::string_view text, size_t at) {
  at = scanner_.Next(at);
  while (at < text.size() && text[at] == dialect_.quote && dialect_.quote != dialect_.delimiter)
    at = scanner_.Next(at + 1);
  return at;
}

// From a CR or LF to where the field ends: some are characters of it. False: more text decides.
bool CsvSplitter::PassText(std::string_view text, size_t& at, bool is_end) {
  while (at < text.size() && text[at] != dialect_.delimiter) {
    const auto size = line_ends_.SizeAt(text, at, is_end);
    if (!size) return false;
    if (*size > 0) return true;
    at = FindFieldEnd(text, at + 1);
  }
  return true;
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
    if (c == '\n' || c == '\r') {
      if (line_ends_.EndsLine(text, at)) ++line_;
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
  if (!PassText(text, at, is_end)) return End::kTextOut;
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
      const bool may_be_line = at < text.size() && text[at] != delimiter;
      if (may_be_line && !PassText(text, at, is_end)) return End::kTextOut;
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
  if (at < text.size()) at += line_ends_.SizeAt(text, at, is_end).value_or(0);
  ++line_;
  record.field_count = static_cast<uint32_t>(block.fields.size()) - record.first_field;
  if (record.size == 0 && !keeps_blank_lines_) {
    block.fields.resize(record.first_field);
    return End::kRecord;
  }
  block.records.push_back(record);
  return End::kRecord;
}

Status CsvSplitter::Split(std::string text, bool is_end, CsvBlock& block, size_t& text_left,
                          size_t records_max) {
  block.text = std::move(text);
  block.fields.clear();
  block.records.clear();
  block.fields.reserve(fields_expected_);
  scanner_.Reset(block.text);
  size_t at = 0;
  while (at < block.text.size() && block.records.size() < records_max) {
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
