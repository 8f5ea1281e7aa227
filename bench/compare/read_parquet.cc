#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include <arrow/c/abi.h>

#include "firn/base/clock.h"
#include "firn/base/number.h"
#include "firn/data/data.h"
#include "firn/io/io.h"

// Reads Parquet files as a scan does and throws the rows away: firn's side of read_parquet.py.
//
//   read_parquet SCHEMA.json THREADS MEMORY_MIB COLUMNS|- FILTER|- FILE...
//
// COLUMNS are names with commas between them. Prints the rows and the seconds they took, elapsed
// and of all threads together, as JSON.

namespace firn {
namespace {

constexpr size_t kFirstFile = 5;

struct Request {
  std::shared_ptr<const TableMetadata> metadata;
  size_t threads = 2;
  int64_t memory_bytes = 0;
  ReadOptions options;
  std::vector<FileScanTask> tasks;
};

std::vector<std::string> SplitNames(const std::string& text) {
  std::vector<std::string> names(1);
  for (const char c : text) {
    if (c == ',') {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  return names;
}

Result<Request> ParseRequest(FileIO& io, const std::vector<std::string>& arguments) {
  if (arguments.size() <= kFirstFile) {
    return MakeError(
        ErrorCode::kInvalidInput,
        "usage: read_parquet SCHEMA.json THREADS MEMORY_MIB COLUMNS|- FILTER|- FILE...");
  }
  FIRN_ASSIGN(const Buffer json, ReadFile(io, arguments[0]));
  FIRN_ASSIGN(const SchemaPtr schema, ParseSchemaJson(json.view(), arguments[0]));
  auto metadata = std::make_shared<TableMetadata>();
  metadata->schemas = {schema};
  metadata->current_schema_id = schema->schema_id();
  metadata->partition_specs = {std::make_shared<PartitionSpec>()};
  Request request{.metadata = metadata};
  request.threads = static_cast<size_t>(ParseInt64(arguments[1]).value_or(2));
  request.memory_bytes = ParseInt64(arguments[2]).value_or(1024) << 20;
  request.options.projection = schema;
  if (arguments[3] != "-") {
    FIRN_ASSIGN(request.options.projection,
                ProjectColumns(*metadata, *schema, SplitNames(arguments[3])));
  }
  if (arguments[4] != "-") {
    FIRN_ASSIGN(const ExpressionPtr parsed, ParseExpression(arguments[4]));
    FIRN_ASSIGN(request.options.filter, Bind(parsed, *schema));
  }
  for (size_t i = kFirstFile; i < arguments.size(); ++i) {
    FIRN_ASSIGN(const FileInfo info, io.Stat(arguments[i]));
    FileScanTask task;
    task.file.file_path = arguments[i];
    task.file.file_size_in_bytes = info.size;
    request.tasks.push_back(std::move(task));
  }
  return request;
}

Status Run(const std::vector<std::string>& arguments) {
  const auto start = SystemClock().Elapsed();
  const std::clock_t cpu_start = std::clock();
  const std::shared_ptr<FileIO> io = MakeLocalFileIO();
  FIRN_ASSIGN(Request request, ParseRequest(*io, arguments));
  const auto executor = MakeThreadPool(request.threads);
  MemoryBudget budget(request.memory_bytes);
  const ReadContext context{
      .io = io, .metadata = request.metadata, .executor = executor.get(), .budget = &budget};
  FIRN_ASSIGN(RowStream stream, ReadTasks(context, std::move(request.tasks), request.options));
  FIRN_ASSIGN(const int64_t rows, CountRows(std::move(stream)));
  const auto seconds = std::chrono::duration<double>(SystemClock().Elapsed() - start).count();
  const double cpu = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  std::printf("{\"rows\":%lld,\"seconds\":%.4f,\"cpu\":%.4f}\n", static_cast<long long>(rows),
              seconds, cpu);
  return {};
}

}  // namespace
}  // namespace firn

int main(int argc, char** argv) {
  const firn::Status status = firn::Run(std::vector<std::string>(argv + 1, argv + argc));
  if (status.ok()) return EXIT_SUCCESS;
  std::fprintf(stderr, "%s\n", status.error().Format().c_str());
  return firn::ExitCode(status.error().code());
}
