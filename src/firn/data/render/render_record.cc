#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include "firn/base/utf8.h"
#include "firn/data/render/cell_text_internal.h"
#include "firn/data/render/render_internal.h"

namespace firn {
namespace {

// The lines of one cell: an element of a list, or an entry of a map, on each.
std::vector<std::string> CellLines(const CellColumn& column, int64_t row) {
  std::vector<std::string> lines;
  const TypeId id = column.type->id();
  if (column.array->IsNull(row) || (id != TypeId::kList && id != TypeId::kMap)) {
    AppendCellPlain(lines.emplace_back(), column, row);
    return lines;
  }
  const auto& list = static_cast<const arrow::ListArray&>(*column.array);  // A map is a list, too.
  for (int64_t i = list.value_offset(row); i < list.value_offset(row + 1); ++i) {
    std::string& line = lines.emplace_back();
    AppendCellPlain(line, column.children[0], i);
    if (id == TypeId::kList) continue;
    line += " = ";
    AppendCellPlain(line, column.children[1], i);
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

class RecordRenderer final : public RowRenderer {
 public:
  RecordRenderer(TypePtr type, const ByteSink& sink) : type_(std::move(type)), sink_(sink) {
    for (const NestedField& field : type_->fields()) {
      name_width_ = std::max(name_width_, CountCodePoints(field.name));
    }
  }

  Status Add(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    FIRN_ASSIGN(const std::vector<CellColumn> columns, MakeCellColumns(*type_, batch->columns()));
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      std::string text = std::exchange(is_first_, false) ? "" : "\n";
      for (size_t i = 0; i < columns.size(); ++i) {
        AppendField(text, type_->fields()[i].name, CellLines(columns[i], row));
      }
      FIRN_RETURN_IF_ERROR(sink_(AsBytes(text)));
    }
    return {};
  }
  Status Finish() override { return {}; }

 private:
  void AppendField(std::string& text, std::string_view name,
                   const std::vector<std::string>& lines) const {
    for (const std::string& line : lines) {
      text += name;
      if (!line.empty()) text += std::string(name_width_ - CountCodePoints(name) + 2, ' ') + line;
      text += '\n';
      name = "";
    }
  }

  TypePtr type_;
  const ByteSink& sink_;
  size_t name_width_ = 0;
  bool is_first_ = true;
};

}  // namespace

std::unique_ptr<RowRenderer> MakeRecordRenderer(TypePtr type, const ByteSink& sink) {
  return std::make_unique<RecordRenderer>(std::move(type), sink);
}

}  // namespace firn
