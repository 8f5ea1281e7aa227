#include <span>

#include "firn/format/json/json_writer.h"
#include "firn/ingest/input/reject_file_internal.h"

namespace firn {

Status RejectFile::Add(const RejectedRow& row) {
  if (output_ == nullptr) {
    FIRN_ASSIGN(output_, io_.Create(uri_, {.exclusive = true}), "reject file '{}'", uri_);
  }
  JsonWriter json;
  json.BeginObject();
  json.StringField("file", row.file);
  json.IntField("line", row.line);
  json.StringField("column", row.column);
  json.StringField("reason", row.reason);
  json.StringField("text", row.text);
  json.EndObject();
  const std::string line = std::move(json).Take() + "\n";
  FIRN_RETURN_IF_ERROR(output_->Append(AsBytes(line)), "reject file '{}'", uri_);
  return {};
}

Status RejectFile::Publish() {
  if (output_ == nullptr) return {};
  const std::unique_ptr<OutputFile> output = std::move(output_);
  FIRN_RETURN_IF_ERROR(output->Publish(), "reject file '{}'", uri_);
  return {};
}

}  // namespace firn
