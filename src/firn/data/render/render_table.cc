#include <algorithm>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>

#include "firn/base/utf8.h"
#include "firn/data/render/cell_text_internal.h"
#include "firn/data/render/render_internal.h"

namespace firn {
namespace {

constexpr size_t kRowsMeasured = 1000;
// Fewer, if they have so much text.
constexpr size_t kTextBytesMax = size_t{4} << 20;
// Columns are no wider, and longer cells stick out.
constexpr size_t kWidthMax = 4096;

bool IsNumber(const Type& type) {
  const TypeId id = type.id();
  return id == TypeId::kInt || id == TypeId::kLong || type.is_float() || id == TypeId::kDecimal;
}

// Line ends and tabs inside a cell would break the table.
std::string OneLine(std::string text) {
  if (text.find_first_of("\n\r\t") == std::string::npos) return text;
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    if (c == '\n') {
      line += "\\n";
    } else if (c == '\r') {
      line += "\\r";
    } else if (c == '\t') {
      line += "\\t";
    } else {
      line += c;
    }
  }
  return line;
}

class TableRenderer final : public RowRenderer {
 public:
  TableRenderer(TypePtr type, const ByteSink& sink) : type_(std::move(type)), sink_(sink) {}

  Status Add(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    FIRN_ASSIGN(const std::vector<CellColumn> columns, MakeCellColumns(*type_, batch->columns()));
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      std::vector<std::string> cells;
      for (const CellColumn& column : columns) {
        std::string text;
        AppendCellPlain(text, column, row);
        cells.push_back(OneLine(std::move(text)));
        text_bytes_ += cells.back().size();
      }
      rows_.push_back(std::move(cells));
      if (rows_.size() >= kRowsMeasured || text_bytes_ >= kTextBytesMax) {
        FIRN_RETURN_IF_ERROR(WriteRows());
      }
    }
    return {};
  }

  Status Finish() override { return WriteRows(); }

 private:
  Status WriteRows() {
    if (widths_.empty()) FIRN_RETURN_IF_ERROR(WriteHeader());
    for (const std::vector<std::string>& cells : rows_)
      FIRN_RETURN_IF_ERROR(WriteLine(cells));
    rows_.clear();
    text_bytes_ = 0;
    return WriteText(0);
  }

  Status WriteText(size_t bytes_min) {
    if (text_.empty() || text_.size() < bytes_min) return {};
    FIRN_RETURN_IF_ERROR(sink_(AsBytes(text_)));
    text_.clear();
    return {};
  }

  Status WriteHeader() {
    std::vector<std::string> names;
    std::vector<std::string> rules;
    for (size_t i = 0; i < type_->fields().size(); ++i) {
      names.push_back(OneLine(type_->fields()[i].name));
      size_t width = CountCodePoints(names.back());
      for (const std::vector<std::string>& cells : rows_) {
        width = std::max(width, CountCodePoints(cells[i]));
      }
      widths_.push_back(std::min(width, kWidthMax));
      rules.emplace_back(widths_.back(), '-');
    }
    if (names.empty()) return {};
    FIRN_RETURN_IF_ERROR(WriteLine(names));
    return WriteLine(rules);
  }

  // Cells that are no longer than a column is wide wait for others.
  Status WriteLine(const std::vector<std::string>& cells) {
    for (size_t i = 0; i < cells.size(); ++i) {
      const size_t width = CountCodePoints(cells[i]);
      const std::string blanks(widths_[i] > width ? widths_[i] - width : 0, ' ');
      const bool is_last = i + 1 == cells.size();
      if (i > 0) text_ += "  ";
      if (cells[i].size() > kTextBytesMax) {
        FIRN_RETURN_IF_ERROR(WriteText(0));
        FIRN_RETURN_IF_ERROR(sink_(AsBytes(cells[i])));
        continue;
      }
      if (IsNumber(*type_->fields()[i].type)) {
        text_ += blanks + cells[i];
      } else {
        text_ += cells[i];
        if (!is_last) text_ += blanks;
      }
    }
    text_ += '\n';
    return WriteText(kTextBytesMax);
  }

  TypePtr type_;
  const ByteSink& sink_;
  std::vector<std::vector<std::string>> rows_;
  size_t text_bytes_ = 0;  // Of these.
  std::vector<size_t> widths_;
  std::string text_;
};

}  // namespace

std::unique_ptr<RowRenderer> MakeTableRenderer(TypePtr type, const ByteSink& sink) {
  return std::make_unique<TableRenderer>(std::move(type), sink);
}

}  // namespace firn
