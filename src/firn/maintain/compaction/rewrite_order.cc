#include "firn/maintain/compaction/rewrite_order.h"

#include <algorithm>
#include <utility>

#include "firn/base/log.h"
#include "firn/base/text.h"
#include "firn/data/sort/sort_keys.h"
#include "firn/data/sort/space_filling_keys.h"
#include "firn/format/layout/layout_text.h"
#include "firn/format/schema/column_lookup.h"

namespace firn {
namespace {

using Strategy = RewriteOrder::Strategy;

// "zorder(a, b), zorder(c)" as the names of its columns; nullopt if `text` is no such thing.
Result<std::optional<std::vector<std::string>>> ParseCurve(std::string_view text,
                                                           std::string_view name) {
  std::vector<std::string> columns;
  std::string_view rest = TrimText(text);
  while (true) {
    const size_t open = rest.find('(');
    if (open == std::string_view::npos || LowerAscii(TrimText(rest.substr(0, open))) != name) {
      if (columns.empty()) return std::optional<std::vector<std::string>>();
      return MakeError(ErrorCode::kInvalidInput,
                       "sort_order '{}' mixes {}(...) with other terms, expected one kind", text,
                       name);
    }
    const size_t close = rest.find(')', open);
    if (close == std::string_view::npos) {
      return MakeError(ErrorCode::kInvalidInput, "sort_order '{}' lacks a closing parenthesis",
                       text);
    }
    for (const std::string_view column : SplitText(rest.substr(open + 1, close - open - 1), ','))
      columns.emplace_back(TrimText(column));
    rest = TrimText(rest.substr(close + 1));
    if (rest.empty()) return std::optional(std::move(columns));
    if (rest.front() != ',') {
      return MakeError(ErrorCode::kInvalidInput, "sort_order '{}' has '{}' after a parenthesis",
                       text, rest);
    }
    rest = TrimText(rest.substr(1));
  }
}

// Every row of a file has the same value there.
bool IsIdentityPartition(const TableMetadata& metadata, int32_t field_id) {
  const PartitionSpecPtr spec = metadata.default_spec();
  return std::any_of(spec->fields.begin(), spec->fields.end(), [&](const PartitionField& field) {
    return field.transform.kind == TransformKind::kIdentity && field.source_id() == field_id;
  });
}

Result<std::vector<int32_t>> FindColumns(const TableMetadata& metadata,
                                         const std::vector<std::string>& names) {
  const SchemaPtr schema = metadata.current_schema();
  std::vector<int32_t> ids;
  for (const std::string& name : names) {
    FIRN_ASSIGN(const NestedField* field, FindColumn(*schema, name), "sort_order");
    if (schema->ParentId(field->id)) {
      return MakeError(ErrorCode::kUnsupported,
                       "sort_order names '{}', which is part of another column", name);
    }
    if (std::find(ids.begin(), ids.end(), field->id) != ids.end()) {
      return MakeError(ErrorCode::kInvalidInput, "sort_order names '{}' twice", name);
    }
    if (IsIdentityPartition(metadata, field->id)) {
      Log(LogLevel::kWarning, "column '{}' is the same in all rows of a partition; it is left out",
          name);
      continue;
    }
    ids.push_back(field->id);
  }
  if (ids.empty()) {
    return MakeError(ErrorCode::kInvalidInput,
                     "sort_order has no column in which rows of a partition differ");
  }
  return ids;
}

// Types that have no order are refused before any work.
Status CheckKeys(const RewriteOrder& order, const Schema& schema) {
  if (order.strategy == Strategy::kZOrder) {
    FIRN_RETURN_IF_ERROR(MakeZOrderEncoder(order.columns, schema, {}), "sort_order");
    return {};
  }
  std::vector<SortField> fields = order.sort_order.fields;
  for (const int32_t id : order.columns)
    fields.push_back({.source_ids = {id}});
  FIRN_RETURN_IF_ERROR(MakeSortKeyEncoder(fields, schema), "sort_order");
  return {};
}

Result<RewriteOrder> ParseOrder(const TableMetadata& metadata, const std::string& text) {
  FIRN_ASSIGN(const auto z_order, ParseCurve(text, "zorder"));
  FIRN_ASSIGN(const auto hilbert, ParseCurve(text, "hilbert"));
  RewriteOrder order;
  if (z_order || hilbert) {
    order.strategy = z_order ? Strategy::kZOrder : Strategy::kHilbert;
    FIRN_ASSIGN(order.columns, FindColumns(metadata, z_order ? *z_order : *hilbert));
    FIRN_RETURN_IF_ERROR(CheckKeys(order, *metadata.current_schema()));
    return order;
  }
  order.strategy = Strategy::kSort;
  FIRN_ASSIGN(const std::vector<SortTerm> terms, ParseSortOrderText(text), "sort_order");
  FIRN_ASSIGN(order.sort_order, MakeSortOrder(terms, *metadata.current_schema()), "sort_order");
  if (order.sort_order.fields.empty()) {
    return MakeError(ErrorCode::kInvalidInput, "sort_order is empty");
  }
  FIRN_RETURN_IF_ERROR(CheckKeys(order, *metadata.current_schema()));
  order.sort_order.order_id = 0;
  for (const SortOrder& known : metadata.sort_orders) {
    if (known.fields == order.sort_order.fields) order.sort_order.order_id = known.order_id;
  }
  return order;
}

}  // namespace

Result<RewriteOrder> ParseRewriteOrder(const TableMetadata& metadata,
                                       const std::optional<std::string>& strategy,
                                       const std::optional<std::string>& sort_order) {
  const std::string lower = LowerAscii(strategy.value_or(sort_order ? "sort" : "binpack"));
  if (lower != "binpack" && lower != "sort") {
    return MakeError(ErrorCode::kInvalidInput,
                     "strategy is '{}', expected binpack or sort; curves are sort orders: "
                     "zorder(a, b) or hilbert(a, b)",
                     *strategy);
  }
  if (lower == "binpack") {
    if (!sort_order) return RewriteOrder();
    return MakeError(ErrorCode::kInvalidInput,
                     "strategy binpack takes no sort_order; leave one of them out");
  }
  if (sort_order) return ParseOrder(metadata, *sort_order);
  for (const SortOrder& order : metadata.sort_orders) {
    if (order.order_id == metadata.default_sort_order_id && !order.fields.empty()) {
      return RewriteOrder{.strategy = Strategy::kSort, .sort_order = order};
    }
  }
  return MakeError(ErrorCode::kInvalidInput,
                   "strategy sort needs a sort_order, since the table has none");
}

}  // namespace firn
