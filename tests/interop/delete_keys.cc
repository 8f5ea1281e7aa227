#include "firn/change/delete_keys.h"

#include <cstdio>
#include <string>
#include <vector>

#include "firn/base/number.h"
#include "firn/data/deletes/equality_delete_writer.h"
#include "firn/data/read/reader.h"
#include "firn/session/session.h"

// usage: delete_keys --conf k=v... TABLE COLUMN[,COLUMN] KEY[,KEY]...
//
// Deletes rows by key with equality delete files, for written_formats_test.py: what change streams
// do, and no command does. A key that is "null" is null.

namespace firn {
namespace {

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Result<StructValue> ParseKey(const std::string& text, const Schema& schema) {
  StructValue key;
  const std::vector<std::string> parts = Split(text);
  for (size_t i = 0; i < schema.fields().size(); ++i) {
    Value value;
    if (parts.at(i) != "null") {
      FIRN_ASSIGN(value, ParseValue(parts.at(i), *schema.fields()[i].type));
    }
    key.fields.push_back(std::move(value));
  }
  return key;
}

Status Run(const std::vector<std::string>& arguments) {
  SessionOptions options{.working_folder = ".", .home_folder = "."};
  std::vector<std::string> rest;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--conf") {
      options.conf.push_back(arguments.at(++i));
    } else {
      rest.push_back(arguments[i]);
    }
  }
  FIRN_ASSIGN(const auto session, OpenSession(options, {}));
  FIRN_ASSIGN(const TableReference reference, session->ResolveTable(rest.at(0)));
  const TableMetadata& metadata = *reference.table.metadata;
  DeleteKeysRequest request;
  for (const std::string& name : Split(rest.at(1)))
    request.key_ids.push_back(metadata.current_schema()->FindField(name)->id);
  FIRN_ASSIGN(const SchemaPtr schema, EqualityDeleteSchema(metadata, request.key_ids));
  std::vector<StructValue> keys;
  for (size_t i = 2; i < rest.size(); ++i) {
    FIRN_ASSIGN(StructValue key, ParseKey(rest[i], *schema));
    keys.push_back(std::move(key));
  }
  FIRN_ASSIGN(RowStream rows, MakeRowStream(schema->as_struct(), std::move(keys)));
  ChangeContext context;
  context.commit = {.catalog = reference.catalog.get(),
                    .executor = &session->executor(),
                    .clock = &session->clock(),
                    .random = &session->random()};
  context.budget = &session->budget();
  FIRN_ASSIGN(const CommitResult result,
              DeleteKeys(context, reference.table, std::move(rows), request));
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
