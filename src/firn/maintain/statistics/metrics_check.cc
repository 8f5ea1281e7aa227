#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/ranges.h>

#include "firn/maintain/statistics/metrics_check_internal.h"

namespace firn {
namespace {

template <typename T>
void Erase(FieldMap<T>& map, int32_t id) {
  std::erase_if(map, [id](const auto& entry) { return entry.first == id; });
}

template <typename T>
void Put(FieldMap<T>& map, int32_t id, T value) {
  Erase(map, id);
  const auto place =
      std::find_if(map.begin(), map.end(), [id](const auto& entry) { return entry.first > id; });
  map.emplace(place, id, std::move(value));
}

// -1, 0 or 1; both zeros are the same, as writers do not tell them apart.
int Compare(const Value& a, const Value& b) {
  const auto is_zero = [](const Value& value) {
    return (value.is<double>() && value.get<double>() == 0) ||
           (value.is<float>() && value.get<float>() == 0);
  };
  if (is_zero(a) && is_zero(b)) return 0;
  const auto order = CompareValues(a, b);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

class MetricsCheck {
 public:
  MetricsCheck(const Schema& schema, const FileFacts& facts, DataFile& file)
      : schema_(schema), facts_(facts), file_(file) {}

  std::vector<MetricsDifference> Run() {
    CheckFile();
    CheckFields(schema_.fields());
    return std::move(differences_);
  }

 private:
  void Tell(const std::string& column, std::string metric, std::string recorded,
            std::string found) {
    differences_.push_back(
        {file_.file_path, column, std::move(metric), std::move(recorded), std::move(found)});
  }

  void CheckFile() {
    if (file_.record_count != facts_.record_count) {
      Tell("", "record_count", std::to_string(file_.record_count),
           std::to_string(facts_.record_count));
      file_.record_count = facts_.record_count;
    }
    if (file_.file_size_in_bytes != facts_.file_size) {
      Tell("", "file_size_in_bytes", std::to_string(file_.file_size_in_bytes),
           std::to_string(facts_.file_size));
      file_.file_size_in_bytes = facts_.file_size;
    }
    // None at all are no mistake: readers can do without.
    const bool has_wrong_offsets = !file_.split_offsets.empty() && !facts_.split_offsets.empty() &&
                                   file_.split_offsets != facts_.split_offsets;
    if (has_wrong_offsets) {
      Tell("", "split_offsets", fmt::format("{}", fmt::join(file_.split_offsets, ",")),
           fmt::format("{}", fmt::join(facts_.split_offsets, ",")));
      file_.split_offsets = facts_.split_offsets;
    }
  }

  void CheckFields(const std::vector<NestedField>& fields) {
    for (const NestedField& field : fields) {
      if (field.type->is_nested()) {
        CheckFields(field.type->fields());
      } else if (facts_.found_ids.contains(field.id)) {
        CheckPresent(field);
      } else {
        CheckAbsent(field);
      }
    }
  }

  void CheckPresent(const NestedField& field) {
    FileMetrics& mine = file_.metrics;
    const FileMetrics& found = facts_.metrics;
    CheckCount(field, "column_size", mine.column_sizes, found.column_sizes);
    CheckCount(field, "value_count", mine.value_counts, found.value_counts);
    CheckCount(field, "null_value_count", mine.null_value_counts, found.null_value_counts);
    CheckCount(field, "nan_value_count", mine.nan_value_counts, found.nan_value_counts);
    CheckBound(field, "lower_bound", mine.lower_bounds, found.lower_bounds, false);
    CheckBound(field, "upper_bound", mine.upper_bounds, found.upper_bounds, true);
  }

  void CheckCount(const NestedField& field, const char* metric, FieldMap<int64_t>& mine,
                  const FieldMap<int64_t>& found) {
    const int64_t* wanted = FindInFieldMap(found, field.id);
    if (wanted == nullptr) return;
    const int64_t* recorded = FindInFieldMap(mine, field.id);
    if (recorded != nullptr && *recorded == *wanted) return;
    Tell(schema_.FullName(field.id), metric, recorded ? std::to_string(*recorded) : "",
         std::to_string(*wanted));
    Put(mine, field.id, *wanted);
  }

  // What a bound must not lie inside of: the least or greatest value, as far as it is known.
  Value ExtremeOf(const NestedField& field, const FieldMap<std::string>& found,
                  bool is_upper) const {
    const auto range = facts_.ranges.find(field.id);
    if (range != facts_.ranges.end()) {
      if (!range->second.is_exact) return {};
      return is_upper ? range->second.upper : range->second.lower;
    }
    const std::string* bytes = FindInFieldMap(found, field.id);
    return bytes == nullptr ? Value() : FromBoundBytes(AsBytes(*bytes), *field.type);
  }

  void CheckBound(const NestedField& field, const char* metric, FieldMap<std::string>& mine,
                  const FieldMap<std::string>& found, bool is_upper) {
    const std::string* wanted = FindInFieldMap(found, field.id);
    const std::string* recorded = FindInFieldMap(mine, field.id);
    if (recorded == nullptr && wanted == nullptr) return;
    if (recorded != nullptr) {
      const Value bound = FromBoundBytes(AsBytes(*recorded), *field.type);
      const Value extreme = ExtremeOf(field, found, is_upper);
      // Without a value to compare with, the bound may be right.
      if (!bound.is_null() && extreme.is_null()) return;
      const int order = bound.is_null() ? 0 : Compare(bound, extreme);
      if (!bound.is_null() && (is_upper ? order >= 0 : order <= 0)) return;
      if (bound.is_null() && wanted == nullptr) return;
    }
    Tell(schema_.FullName(field.id), metric, BoundText(field, recorded), BoundText(field, wanted));
    if (wanted == nullptr) {
      Erase(mine, field.id);
    } else {
      Put(mine, field.id, *wanted);
    }
  }

  static std::string BoundText(const NestedField& field, const std::string* bytes) {
    if (bytes == nullptr) return "";
    return FormatValue(FromBoundBytes(AsBytes(*bytes), *field.type), *field.type);
  }

  // Metrics of a column that the file lacks are those of another.
  void CheckAbsent(const NestedField& field) {
    FileMetrics& mine = file_.metrics;
    const bool has_any = FindInFieldMap(mine.lower_bounds, field.id) != nullptr ||
                         FindInFieldMap(mine.upper_bounds, field.id) != nullptr ||
                         IsWrongForNulls(field.id);
    if (!has_any) return;
    Tell(schema_.FullName(field.id), "all", "metrics", "");
    Erase(mine.column_sizes, field.id);
    Erase(mine.value_counts, field.id);
    Erase(mine.null_value_counts, field.id);
    Erase(mine.nan_value_counts, field.id);
    Erase(mine.lower_bounds, field.id);
    Erase(mine.upper_bounds, field.id);
  }

  // Some writers count the nulls that stand for a column that is not there.
  bool IsWrongForNulls(int32_t id) const {
    const int64_t* values = FindInFieldMap(file_.metrics.value_counts, id);
    const int64_t* nulls = FindInFieldMap(file_.metrics.null_value_counts, id);
    return values != nullptr && (nulls == nullptr || *nulls != *values);
  }

  const Schema& schema_;
  const FileFacts& facts_;
  DataFile& file_;
  std::vector<MetricsDifference> differences_;
};

}  // namespace

std::vector<MetricsDifference> CorrectMetrics(const Schema& schema, const FileFacts& facts,
                                              DataFile& file) {
  return MetricsCheck(schema, facts, file).Run();
}

}  // namespace firn
