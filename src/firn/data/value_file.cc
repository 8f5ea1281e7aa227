#include "firn/data/value_file.h"

#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "firn/base/text.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/data/columns/value_arrays.h"
#include "firn/data/formats/file_rows_internal.h"
#include "firn/data/write/file_formats_internal.h"

namespace firn {
namespace {

Status WriteRows(DataFileEncoder& encoder, RowStream rows) {
  FIRN_ASSIGN(RowStreamReader reader, RowStreamReader::Open(std::move(rows)));
  while (true) {
    FIRN_ASSIGN(const auto batch, reader.Next());
    if (batch == nullptr) break;
    FIRN_RETURN_IF_ERROR(encoder.Write(batch));
  }
  FIRN_RETURN_IF_ERROR(encoder.Finish());
  return {};
}

Result<FileFormat> FormatOf(const std::string& path) {
  for (const FileFormat format : {FileFormat::kParquet, FileFormat::kAvro, FileFormat::kOrc}) {
    if (path.ends_with(FileSuffix(format))) return format;
  }
  return MakeError(ErrorCode::kUnsupported,
                   "file '{}' has none of the suffixes .parquet, .avro and .orc", path);
}

}  // namespace

Result<WrittenValueFile> WriteValueFile(const WriteContext& context, const Schema& schema,
                                        const std::string& uri_stem,
                                        std::vector<StructValue> rows) {
  const WriteProperties properties(*context.metadata, FileContent::kData);
  const int64_t memory = context.budget->total_bytes();
  FIRN_ASSIGN(const EncodeOptions options, EncodeOptionsFrom(properties, schema, memory, 0));
  const auto pool = BudgetPool::Make(memory);
  PageCodecPool codecs;
  WrittenValueFile file{.path = fmt::format("{}{}", uri_stem, FileSuffix(options.format))};
  FIRN_ASSIGN(const auto output, context.io->Create(file.path, {.exclusive = true}));
  const ByteSink sink = [&output](std::span<const std::byte> bytes) {
    return output->Append(bytes);
  };
  FIRN_ASSIGN(const auto encoder, MakeEncoder({.schema = &schema,
                                               .uri = file.path,
                                               .sink = &sink,
                                               .pool = pool.get(),
                                               .codecs = &codecs},
                                              options));
  FIRN_ASSIGN(RowStream stream, MakeRowStream(schema.as_struct(), std::move(rows)));
  FIRN_RETURN_IF_ERROR(WriteRows(*encoder, std::move(stream)), "writing '{}'", file.path);
  FIRN_RETURN_IF_ERROR(output->Publish());
  file.bytes = output->bytes_written();
  return file;
}

Status ReadValueFile(const ReadContext& context, const std::string& path,
                     std::optional<int64_t> known_size, const Schema& schema,
                     const std::function<Status(StructValue&&)>& visit) {
  DataFileRequest request{.wanted = schema.fields(),
                          .pool = BudgetPool::Make(context.budget->total_bytes())};
  FIRN_ASSIGN(request.format, FormatOf(path));
  FIRN_ASSIGN(request.file, context.io->Open(path, known_size));
  const auto take = [&](int64_t, int64_t rows,
                        const std::vector<std::shared_ptr<arrow::Array>>& columns) -> Status {
    for (int64_t row = 0; row < rows; ++row) {
      StructValue values;
      for (size_t i = 0; i < columns.size(); ++i)
        values.fields.push_back(ReadValue(*schema.fields()[i].type, *columns[i], row));
      FIRN_RETURN_IF_ERROR(visit(std::move(values)));
    }
    return {};
  };
  FIRN_RETURN_IF_ERROR(VisitFileRows(request, context.cancel, take), "file '{}'", path);
  return {};
}

}  // namespace firn
