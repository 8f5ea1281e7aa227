#include <algorithm>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>

#include "firn/base/utf8.h"
#include "firn/data/cell_text_internal.h"
#include "firn/data/render_internal.h"

namespace firn {
namespace {

constexpr size_t kRowsMeasured = 1000;

bool IsNumber(const Type& type) {
  const TypeId id = type.id();
  return id == TypeId::kInt || id == TypeId::kLong || type.is_float() || id == TypeId::kDecimal;
}

// Line ends and tabs inside a cell would break the table.
std::string OneLine(std::string_view text) {
  std::string line;
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
        cells.push_back(OneLine(text));
      }
      rows_.push_back(std::move(cells));
      if (rows_.size() >= kRowsMeasured) FIRN_RETURN_IF_ERROR(WriteRows());
    }
    return {};
  }

  Status Finish() override { return WriteRows(); }

 private:
  Status WriteRows() {
    if (widths_.empty()) WriteHeader();
    for (const std::vector<std::string>& cells : rows_)
      AppendLine(cells);
    rows_.clear();
    if (text_.empty()) return {};
    FIRN_RETURN_IF_ERROR(sink_(AsBytes(text_)));
    text_.clear();
    return {};
  }

  void WriteHeader() {
    std::vector<std::string> names;
    std::vector<std::string> rules;
    for (size_t i = 0; i < type_->fields().size(); ++i) {
      names.push_back(OneLine(type_->fields()[i].name));
      size_t width = CountCodePoints(names.back());
      for (const std::vector<std::string>& cells : rows_) {
        width = std::max(width, CountCodePoints(cells[i]));
      }
      widths_.push_back(width);
      rules.emplace_back(width, '-');
    }
    if (names.empty()) return;
    AppendLine(names);
    AppendLine(rules);
  }

  void AppendLine(const std::vector<std::string>& cells) {
    for (size_t i = 0; i < cells.size(); ++i) {
      const size_t width = CountCodePoints(cells[i]);
      const std::string blanks(widths_[i] > width ? widths_[i] - width : 0, ' ');
      const bool is_last = i + 1 == cells.size();
      if (i > 0) text_ += "  ";
      if (IsNumber(*type_->fields()[i].type)) {
        text_ += blanks + cells[i];
      } else {
        text_ += cells[i];
        if (!is_last) text_ += blanks;
      }
    }
    text_ += '\n';
  }

  TypePtr type_;
  const ByteSink& sink_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> widths_;
  std::string text_;
};

}  // namespace

std::unique_ptr<RowRenderer> MakeTableRenderer(TypePtr type, const ByteSink& sink) {
  return std::make_unique<TableRenderer>(std::move(type), sink);
}

}  // namespace firn
