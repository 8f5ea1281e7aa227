#include <cstdio>
#include <string>
#include <vector>

#include "firn/base/number.h"
#include "firn/change/delete_keys.h"
#include "firn/data/deletes/equality_delete_writer.h"
#include "firn/data/read/reader.h"
#include "firn/session/session.h"

// usage: delete_many_keys CONFIG TABLE COLUMN COUNT STEP
//
// Deletes COUNT keys of a bigint column, multiples of STEP, with equality delete files: what change
// streams do, and no command does. For compaction.py.

namespace firn {
namespace {

Status Run(const std::vector<std::string>& arguments) {
  if (arguments.size() != 5) {
    return MakeError(ErrorCode::kInvalidInput,
                     "usage: delete_many_keys CONFIG TABLE COLUMN COUNT STEP");
  }
  SessionOptions options{.working_folder = ".", .home_folder = "."};
  options.config_path = arguments[0];
  FIRN_ASSIGN(const auto session, OpenSession(options, {}));
  FIRN_ASSIGN(const TableReference reference, session->ResolveTable(arguments[1]));
  const TableMetadata& metadata = *reference.table.metadata;
  const NestedField* column = metadata.current_schema()->FindField(arguments[2]);
  const auto count = ParseInt64(arguments[3]);
  const auto step = ParseInt64(arguments[4]);
  if (column == nullptr || !count || !step) {
    return MakeError(ErrorCode::kInvalidInput, "no such column, or no numbers");
  }
  DeleteKeysRequest request;
  request.key_ids = {column->id};
  FIRN_ASSIGN(const SchemaPtr schema, EqualityDeleteSchema(metadata, request.key_ids));
  FIRN_ASSIGN(RowStream keys, StreamRows(schema->as_struct(), [&](const auto& visit) -> Status {
                for (int64_t i = 0; i < *count; ++i)
                  FIRN_RETURN_IF_ERROR(visit(StructValue{{Value(i * *step)}}));
                return {};
              }));
  ChangeContext context;
  context.commit = {.catalog = reference.catalog.get(),
                    .executor = &session->executor(),
                    .clock = &session->clock(),
                    .random = &session->random()};
  context.budget = &session->budget();
  FIRN_ASSIGN(const CommitResult result,
              DeleteKeys(context, reference.table, std::move(keys), request));
  std::printf("%lld\n", static_cast<long long>(result.snapshot_id));
  return {};
}

}  // namespace
}  // namespace firn

int main(int count, char** arguments) {
  const firn::Status status = firn::Run({arguments + 1, arguments + count});
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.error().Format().c_str());
  return 1;
}
