#include "firn/maintain/compaction/compaction_plan_json.h"

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "firn/expression/expression.h"
#include "firn/format/manifest/content_file_json.h"
#include "firn/format/metadata/metadata_json.h"
#include "firn/format/types/value_json.h"

namespace firn {
namespace {

constexpr int64_t kVersion = 1;
constexpr std::array<std::string_view, 4> kStrategies = {"binpack", "sort", "zorder", "hilbert"};

class PartitionTypes {
 public:
  explicit PartitionTypes(const TableMetadata& metadata) : metadata_(metadata) {}

  /// Null: there is no such spec.
  TypePtr Find(int32_t spec_id) const {
    const PartitionSpecPtr spec = metadata_.FindSpec(spec_id);
    return spec == nullptr ? nullptr : PartitionType(*spec, metadata_.SchemasNewestFirst());
  }

 private:
  const TableMetadata& metadata_;
};

using CountedColumns = std::shared_ptr<const std::vector<int32_t>>;

/// What several files share, by the order in which it is first met.
template <typename Pointer>
class SharedNumbers {
 public:
  size_t NumberOf(const Pointer& shared) {
    const auto [known, is_new] = numbers_.emplace(shared.get(), all_.size());
    if (is_new) all_.push_back(shared);
    return known->second;
  }
  const std::vector<Pointer>& all() const { return all_; }

 private:
  std::unordered_map<const void*, size_t> numbers_;
  std::vector<Pointer> all_;
};

class WorkWriter {
 public:
  WorkWriter(const CompactionWork& work, const TableMetadata& metadata)
      : work_(work), metadata_(metadata), types_(metadata) {}

  Result<std::string> Write() {
    json_.BeginObject();
    json_.IntField("format-version", kVersion);
    json_.StringField("table-uuid", metadata_.table_uuid);
    json_.IntField("starting-snapshot-id", work_.plan.starting_snapshot_id);
    json_.IntField("starting-sequence-number", work_.plan.starting_sequence_number);
    WriteOrder();
    json_.Key("groups");
    json_.BeginArray();
    for (const FileGroup& group : work_.plan.groups)
      WriteGroup(group);
    json_.EndArray();
    WriteNumbers("obsolete-deletes", work_.plan.obsolete_deletes);
    json_.Key("deletes");
    json_.BeginArray();
    for (const DeleteFilePtr& file : deletes_.all()) {
      json_.BeginObject();
      WriteFile(file->file);
      json_.IntField("sequence-number", file->sequence_number);
      json_.EndObject();
    }
    json_.EndArray();
    json_.Key("counted-columns");
    json_.BeginArray();
    for (const CountedColumns& columns : counted_.all())
      WriteInts(*columns);
    json_.EndArray();
    json_.EndObject();
    if (json_.is_lossless()) return std::move(json_).Take();
    return MakeError(ErrorCode::kUnsupported, "a path or value of the plan is not UTF-8");
  }

 private:
  void WriteOrder() {
    const RewriteOrder& order = work_.order;
    json_.Key("order");
    json_.BeginObject();
    json_.StringField("strategy", kStrategies[static_cast<size_t>(order.strategy)]);
    json_.Key("sort-order");
    WriteJson(json_, order.sort_order);
    json_.Key("columns");
    WriteInts(order.columns);
    json_.IntField("key-bytes-max", order.key_bytes_max);
    json_.IntField("text-bytes", order.text_bytes);
    json_.EndObject();
  }

  void WriteGroup(const FileGroup& group) {
    json_.BeginObject();
    json_.IntField("output-spec-id", group.output_spec_id);
    if (group.partition) {
      json_.RawField("partition", FormatValueJson(Value::Struct(group.partition->fields),
                                                  *types_.Find(group.output_spec_id)));
    }
    json_.StringField("partition-path", group.partition_path);
    json_.IntField("input-bytes", group.input_bytes);
    json_.IntField("expected-outputs", group.expected_outputs);
    json_.IntField("split-bytes", group.split_bytes);
    json_.Key("inputs");
    json_.BeginArray();
    for (const FileScanTask& task : group.inputs) {
      json_.BeginObject();
      WriteFile(task.file);
      json_.IntField("sequence-number", task.sequence_number);
      if (task.added_snapshot_id) json_.IntField("added-snapshot-id", *task.added_snapshot_id);
      WriteNumbers("deletes", task.deletes);
      const CountedColumns& columns = task.file.counted_columns;
      if (columns != nullptr) json_.IntField("counted-columns", counted_.NumberOf(columns));
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
  }

  void WriteFile(const DataFile& file) {
    json_.Key("file");
    WriteContentFileJson(json_, file, *types_.Find(file.partition_spec_id));
  }

  void WriteInts(const std::vector<int32_t>& numbers) {
    json_.BeginArray();
    for (const int32_t number : numbers)
      json_.Int(number);
    json_.EndArray();
  }

  void WriteNumbers(std::string_view key, const std::vector<DeleteFilePtr>& files) {
    json_.Key(key);
    json_.BeginArray();
    for (const DeleteFilePtr& file : files)
      json_.Int(deletes_.NumberOf(file));
    json_.EndArray();
  }

  const CompactionWork& work_;
  const TableMetadata& metadata_;
  const PartitionTypes types_;
  SharedNumbers<DeleteFilePtr> deletes_;
  SharedNumbers<CountedColumns> counted_;
  JsonWriter json_;
};

/// As it stands in the text: references to what is shared are numbers.
struct ReadTask {
  FileScanTask task;
  std::vector<int64_t> deletes;
  std::optional<int64_t> counted_columns;
};

class WorkReader {
 public:
  explicit WorkReader(const TableMetadata& metadata) : metadata_(metadata), types_(metadata) {}

  Result<CompactionWork> Read(std::string_view text, std::string_view where) {
    FIRN_RETURN_IF_ERROR(VisitJson(text, where, [&](JsonValue& json) { return ReadWork(json); }));
    for (size_t group = 0; group < tasks_.size(); ++group) {
      for (ReadTask& read : tasks_[group]) {
        FIRN_ASSIGN(read.task.deletes, Resolve(read.deletes), "{}", where);
        FIRN_ASSIGN(read.task.file.counted_columns, ResolveCounted(read.counted_columns), "{}",
                    where);
        read.task.residual = Expression::True();
        work_.plan.groups[group].inputs.push_back(std::move(read.task));
      }
    }
    FIRN_ASSIGN(work_.plan.obsolete_deletes, Resolve(obsolete_), "{}", where);
    return std::move(work_);
  }

 private:
  Status ReadWork(JsonValue& json) {
    int64_t version = 0;
    std::string uuid;
    FIRN_RETURN_IF_ERROR(json.VisitMembers([&](std::string_view key, JsonValue& value) -> Status {
      if (key == "format-version") return ReadJson(value, version);
      if (key == "table-uuid") return ReadJson(value, uuid);
      if (key == "starting-snapshot-id") return ReadJson(value, work_.plan.starting_snapshot_id);
      if (key == "starting-sequence-number") {
        return ReadJson(value, work_.plan.starting_sequence_number);
      }
      if (key == "order") return ReadOrder(value);
      if (key == "groups") {
        return value.VisitElements([&](JsonValue& group) { return ReadGroup(group); });
      }
      if (key == "obsolete-deletes") return ReadJson(value, obsolete_);
      if (key == "deletes") {
        return value.VisitElements([&](JsonValue& file) { return ReadDelete(file); });
      }
      if (key == "counted-columns") return ReadCountedColumns(value);
      return {};
    }));
    if (version != kVersion) {
      return MakeError(ErrorCode::kInvalidInput,
                       "format-version is {}, expected {}: was the plan made by this version of "
                       "firn?",
                       version, kVersion);
    }
    if (uuid != metadata_.table_uuid) {
      return MakeError(ErrorCode::kInvalidInput,
                       "the plan is of the table with UUID '{}', but this one has '{}'", uuid,
                       metadata_.table_uuid);
    }
    return {};
  }

  Status ReadCountedColumns(JsonValue& json) {
    return json.VisitElements([&](JsonValue& columns) -> Status {
      std::vector<int32_t> ids;
      FIRN_RETURN_IF_ERROR(ReadJson(columns, ids));
      std::ranges::sort(ids);
      counted_.push_back(std::make_shared<const std::vector<int32_t>>(std::move(ids)));
      return {};
    });
  }

  Status ReadOrder(JsonValue& json) {
    RewriteOrder& order = work_.order;
    return json.VisitMembers([&](std::string_view key, JsonValue& value) -> Status {
      if (key == "strategy") return ReadStrategy(value);
      if (key == "sort-order") return ReadJson(value, order.sort_order);
      if (key == "columns") return ReadJson(value, order.columns);
      if (key == "key-bytes-max") return ReadJson(value, order.key_bytes_max);
      if (key == "text-bytes") return ReadJson(value, order.text_bytes);
      return {};
    });
  }

  Status ReadStrategy(JsonValue& json) {
    FIRN_ASSIGN(const std::string_view name, json.ReadString());
    for (size_t i = 0; i < kStrategies.size(); ++i) {
      if (kStrategies[i] != name) continue;
      work_.order.strategy = static_cast<RewriteOrder::Strategy>(i);
      return {};
    }
    return json.MakePathError(
        fmt::format("strategy is '{}', expected one of {}", name, fmt::join(kStrategies, ", ")));
  }

  Status ReadGroup(JsonValue& json) {
    FileGroup& group = work_.plan.groups.emplace_back();
    group.index = static_cast<int64_t>(work_.plan.groups.size()) - 1;
    group.expected_outputs = 0;
    std::vector<ReadTask>& tasks = tasks_.emplace_back();
    std::optional<RawJson> partition;
    FIRN_RETURN_IF_ERROR(json.VisitMembers([&](std::string_view key, JsonValue& value) -> Status {
      if (key == "output-spec-id") return ReadJson(value, group.output_spec_id);
      if (key == "partition") return ReadJson(value, partition);
      if (key == "partition-path") return ReadJson(value, group.partition_path);
      if (key == "input-bytes") return ReadJson(value, group.input_bytes);
      if (key == "expected-outputs") return ReadJson(value, group.expected_outputs);
      if (key == "split-bytes") return ReadJson(value, group.split_bytes);
      if (key != "inputs") return {};
      return value.VisitElements(
          [&](JsonValue& input) { return ReadInput(input, tasks.emplace_back()); });
    }));
    const TypePtr type = types_.Find(group.output_spec_id);
    if (type == nullptr) {
      return json.MakePathError(
          fmt::format("output-spec-id is {}, which the table lacks", group.output_spec_id));
    }
    if (tasks.empty() || group.split_bytes <= 0 || group.expected_outputs <= 0) {
      return json.MakePathError(
          "expected inputs, and split-bytes and expected-outputs above 0, in each group");
    }
    if (!partition) return {};
    FIRN_ASSIGN(const Value value, ParseValueJson(partition->text, *type), "partition");
    if (value.is_null()) return json.MakePathError("expected an object as partition");
    group.partition = value.as_struct();
    group.partition->fields.resize(type->fields().size());
    return {};
  }

  Status ReadInput(JsonValue& json, ReadTask& read) {
    bool has_file = false;
    FIRN_RETURN_IF_ERROR(json.VisitMembers([&](std::string_view key, JsonValue& value) -> Status {
      if (key == "sequence-number") return ReadJson(value, read.task.sequence_number);
      if (key == "added-snapshot-id") return ReadJson(value, read.task.added_snapshot_id);
      if (key == "deletes") return ReadJson(value, read.deletes);
      if (key == "counted-columns") return ReadJson(value, read.counted_columns);
      if (key != "file") return {};
      has_file = true;
      FIRN_ASSIGN(read.task.file, ReadFile(value));
      return {};
    }));
    if (has_file && read.task.file.content == FileContent::kData) return {};
    return json.MakePathError("expected a data file");
  }

  Status ReadDelete(JsonValue& json) {
    DeleteFile file;
    FIRN_RETURN_IF_ERROR(json.VisitMembers([&](std::string_view key, JsonValue& value) -> Status {
      if (key == "sequence-number") return ReadJson(value, file.sequence_number);
      if (key != "file") return {};
      FIRN_ASSIGN(file.file, ReadFile(value));
      return {};
    }));
    if (file.file.content == FileContent::kData) {
      return json.MakePathError("expected a delete file");
    }
    deletes_.push_back(std::make_shared<const DeleteFile>(std::move(file)));
    return {};
  }

  Result<DataFile> ReadFile(JsonValue& json) const {
    return ReadContentFileJson(json, [this](int32_t spec_id) { return types_.Find(spec_id); });
  }

  Result<CountedColumns> ResolveCounted(std::optional<int64_t> number) const {
    if (!number) return CountedColumns();
    if (*number >= 0 && *number < std::ssize(counted_)) {
      return counted_[static_cast<size_t>(*number)];
    }
    return MakeError(ErrorCode::kCorrupt, "counted-columns {} are referred to, but there are {}",
                     *number, counted_.size());
  }

  Result<std::vector<DeleteFilePtr>> Resolve(const std::vector<int64_t>& numbers) const {
    std::vector<DeleteFilePtr> files;
    for (const int64_t number : numbers) {
      if (number < 0 || number >= static_cast<int64_t>(deletes_.size())) {
        return MakeError(ErrorCode::kCorrupt, "delete file {} is referred to, but there are {}",
                         number, deletes_.size());
      }
      files.push_back(deletes_[static_cast<size_t>(number)]);
    }
    return files;
  }

  const TableMetadata& metadata_;
  const PartitionTypes types_;
  CompactionWork work_;
  std::vector<std::vector<ReadTask>> tasks_;  // Of each group.
  std::vector<int64_t> obsolete_;
  std::vector<DeleteFilePtr> deletes_;
  std::vector<CountedColumns> counted_;
};

}  // namespace

Result<std::string> FormatCompactionWork(const CompactionWork& work,
                                         const TableMetadata& metadata) {
  return WorkWriter(work, metadata).Write();
}

Result<CompactionWork> ParseCompactionWork(std::string_view text, std::string_view where,
                                           const TableMetadata& metadata) {
  return WorkReader(metadata).Read(text, where);
}

Result<std::string> FormatGroupResult(const GroupResult& result, const TableMetadata& metadata) {
  const PartitionTypes types(metadata);
  JsonWriter json;
  json.BeginObject();
  json.IntField("group", result.index);
  json.Key("outputs");
  json.BeginArray();
  for (const DataFile& file : result.outputs)
    WriteContentFileJson(json, file, *types.Find(file.partition_spec_id));
  json.EndArray();
  json.EndObject();
  if (json.is_lossless()) return std::move(json).Take();
  return MakeError(ErrorCode::kUnsupported, "a path or value of an output is not UTF-8");
}

Result<GroupResult> ParseGroupResult(std::string_view text, std::string_view where,
                                     const TableMetadata& metadata) {
  const PartitionTypes types(metadata);
  const auto find_type = [&](int32_t spec_id) { return types.Find(spec_id); };
  GroupResult result;
  result.index = -1;
  FIRN_RETURN_IF_ERROR(VisitJson(text, where, [&](JsonValue& json) {
    return json.VisitMembers([&](std::string_view key, JsonValue& value) -> Status {
      if (key == "group") return ReadJson(value, result.index);
      if (key != "outputs") return {};
      return value.VisitElements([&](JsonValue& output) -> Status {
        FIRN_ASSIGN(result.outputs.emplace_back(), ReadContentFileJson(output, find_type));
        return {};
      });
    });
  }));
  if (result.index < 0) {
    return MakeError(ErrorCode::kCorrupt, "{}: expected a group of 0 or more", where);
  }
  return result;
}

}  // namespace firn
