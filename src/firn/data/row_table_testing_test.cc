#include <algorithm>
#include <utility>

#include <arrow/array/data.h>

#include <gtest/gtest.h>

#include "firn/base/text.h"
#include "firn/data/arrow/budget_pool.h"
#include "firn/data/formats/data_file_internal.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/format/puffin/deletion_vector.h"
#include "firn/format/puffin/puffin.h"
#include "firn/testing/fake_clock.h"

namespace firn {

namespace {

// The one file that was written; tests cannot go on without it.
DataFile OnlyFile(const Result<std::vector<DataFile>>& files) {
  if (!files.ok()) ADD_FAILURE() << files.error().Format();
  FIRN_CHECK(files.ok() && files->size() == 1);
  return (*files)[0];
}

}  // namespace

NestedField Optional(int32_t id, std::string name, TypePtr type) {
  return {.id = id, .name = std::move(name), .type = std::move(type)};
}

NestedField Required(int32_t id, std::string name, TypePtr type) {
  return {.id = id, .name = std::move(name), .type = std::move(type), .required = true};
}

RowTable::RowTable(std::vector<NestedField> fields, int64_t budget_bytes, size_t threads)
    : clock_(std::make_unique<FakeClock>()),
      io_(MakeMemoryFileIO(*clock_)),
      executor_(threads == 0 ? MakeInlineExecutor() : MakeThreadPool(threads)),
      budget_(budget_bytes),
      random_(MakeSeededRandom(1)) {
  metadata_.location = "memory:/table";
  metadata_.schemas = {std::make_shared<Schema>(0, std::move(fields))};
  metadata_.partition_specs = {std::make_shared<PartitionSpec>()};
  metadata_.sort_orders = {SortOrder{}};
}

ReadContext RowTable::read_context() {
  return {.io = io_,
          .metadata = std::make_shared<TableMetadata>(metadata_),
          .executor = executor_.get(),
          .budget = &budget_};
}

WriteContext RowTable::write_context() {
  return {.io = io_,
          .metadata = std::make_shared<TableMetadata>(metadata_),
          .executor = executor_.get(),
          .budget = &budget_,
          .random = random_.get()};
}

void RowTable::EvolveTo(std::vector<NestedField> fields) {
  metadata_.current_schema_id = static_cast<int32_t>(metadata_.schemas.size());
  metadata_.schemas.push_back(
      std::make_shared<Schema>(metadata_.current_schema_id, std::move(fields)));
}

FileScanTask RowTable::Write(std::vector<StructValue> rows, int64_t sequence_number,
                             StructValue partition) {
  const SchemaPtr schema = metadata_.current_schema();
  auto stream = MakeRowStream(schema->as_struct(), std::move(rows));
  const WriteContext context = write_context();
  const DataWriteOptions options{
      .schema = schema, .spec = metadata_.default_spec(), .partition = std::move(partition)};
  const auto files = WriteDataFiles(context, options, std::move(*stream));
  return {.file = OnlyFile(files), .sequence_number = sequence_number};
}

FileScanTask RowTable::AddFile(const std::string& name, std::string_view bytes, FileFormat format) {
  const std::string uri = "memory:/table/data/" + name;
  FIRN_CHECK(WriteFile(*io_, uri, AsBytes(bytes)).ok());
  FileScanTask task{.sequence_number = 1};
  task.file.file_path = uri;
  task.file.file_format = format;
  task.file.file_size_in_bytes = static_cast<int64_t>(bytes.size());
  task.file.record_count = CountRows(uri, format);
  return task;
}

// As the file tells; 0 if it is damaged.
int64_t RowTable::CountRows(const std::string& uri, FileFormat format) {
  const NameMapping none;  // It may have no field ids.
  DataFileRequest request{.format = format,
                          .name_mapping = &none,
                          .matches_names = true,
                          .pool = BudgetPool::Make(int64_t{64} << 20)};
  auto file = io_->Open(uri);
  FIRN_CHECK(file.ok());
  request.file = *std::move(file);
  const auto opened = OpenDataFile(request);
  if (!opened.ok()) return 0;
  if (const auto count = (*opened)->row_count()) return *count;
  int64_t count = 0;
  const auto source = (*opened)->OpenPart(0, nullptr, nullptr);
  while (source.ok()) {
    const auto batch = (*source)->Next();
    if (!batch.ok() || !*batch) break;
    count += (*batch)->rows->length;
  }
  return count;
}

DeleteFilePtr RowTable::WriteDeletes(FileContent content, std::vector<NestedField> fields,
                                     std::vector<StructValue> rows, int64_t sequence_number,
                                     std::vector<int32_t> equality_ids) {
  const auto schema = std::make_shared<Schema>(0, std::move(fields));
  auto stream = MakeRowStream(schema->as_struct(), std::move(rows));
  const WriteContext context = write_context();
  const DataWriteOptions options{
      .schema = schema, .spec = metadata_.default_spec(), .partition = StructValue{}};
  const auto files = WriteDataFiles(context, options, std::move(*stream));
  DeleteFile deletes{.file = OnlyFile(files), .sequence_number = sequence_number};
  deletes.file.content = content;
  deletes.file.equality_ids = std::move(equality_ids);
  return std::make_shared<DeleteFile>(std::move(deletes));
}

DeleteFilePtr RowTable::WritePositionDeletes(
    const std::vector<std::pair<std::string, int64_t>>& path_and_position,
    int64_t sequence_number) {
  std::vector<StructValue> rows;
  for (const auto& [path, position] : path_and_position) {
    rows.push_back({{Value(path), Value(position)}});
  }
  return WriteDeletes(FileContent::kPositionDeletes,
                      {Required(kDeleteFilePathFieldId, "file_path", Primitive(TypeId::kString)),
                       Required(kDeleteFilePosFieldId, "pos", Primitive(TypeId::kLong))},
                      std::move(rows), sequence_number);
}

DeleteFilePtr RowTable::WriteDeletionVector(const std::string& data_path,
                                            const std::vector<int64_t>& positions) {
  PositionSet set;
  for (const int64_t position : positions)
    set.Add(position);
  const std::string uri = "memory:/table/data/dv-" + std::to_string(file_count_++) + ".puffin";
  auto output = io_->Create(uri);
  PuffinWriter writer(std::move(*output), {});
  const std::string blob = FormatDeletionVector(set);
  const auto written = writer.Add({.type = "deletion-vector-v1"}, AsBytes(blob));
  FIRN_CHECK(written.ok() && writer.Finish().ok());
  DeleteFile deletes{.sequence_number = 2};
  deletes.file.content = FileContent::kPositionDeletes;
  deletes.file.file_format = FileFormat::kPuffin;
  deletes.file.file_path = uri;
  deletes.file.record_count = set.cardinality();
  deletes.file.file_size_in_bytes = writer.bytes_written();
  deletes.file.referenced_data_file = data_path;
  deletes.file.content_offset = written->offset;
  deletes.file.content_size_in_bytes = written->length;
  return std::make_shared<DeleteFile>(std::move(deletes));
}

Result<std::vector<std::string>> RowTable::Read(std::vector<FileScanTask> tasks,
                                                const std::vector<std::string>& columns,
                                                const std::string& where, bool is_ordered) {
  const SchemaPtr schema = metadata_.current_schema();
  ReadOptions options{.is_ordered = is_ordered};
  FIRN_ASSIGN(options.projection, ProjectColumns(metadata_, *schema, columns));
  if (!where.empty()) {
    FIRN_ASSIGN(const ExpressionPtr parsed, ParseExpression(where));
    FIRN_ASSIGN(options.filter, Bind(parsed, *schema));
  }
  return ReadWith(std::move(tasks), std::move(options));
}

Result<std::vector<std::string>> RowTable::ReadWith(std::vector<FileScanTask> tasks,
                                                    ReadOptions options) {
  const bool is_ordered = options.is_ordered;
  const TypePtr type = options.projection->as_struct();
  FIRN_ASSIGN(auto stream, ReadTasks(read_context(), std::move(tasks), options));
  FIRN_ASSIGN(const std::string text, RenderText(std::move(stream), type, RowFormat::kJson));
  std::vector<std::string> lines;
  for (const std::string_view line : SplitText(text, '\n'))
    lines.emplace_back(line);
  lines.pop_back();  // Behind the last line end.
  if (!is_ordered) std::sort(lines.begin(), lines.end());
  return lines;
}

Result<std::string> RenderText(RowStream rows, const TypePtr& type, RowFormat format) {
  std::string text;
  const auto sink = [&text](std::span<const std::byte> bytes) -> Status {
    text += AsText(bytes);
    return {};
  };
  const auto count = RenderRows(std::move(rows), {.format = format, .type = type}, sink);
  if (!count.ok()) return count.error();
  return text;
}

}  // namespace firn
