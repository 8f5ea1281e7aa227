#include "firn/data/deletes/delete_paths.h"

#include <utility>

#include <arrow/array/builder_binary.h>
#include <arrow/record_batch.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/formats/file_rows_internal.h"
#include "firn/data/formats/write_properties_internal.h"
#include "firn/data/write/file_formats_internal.h"

namespace firn {
namespace {

NestedField RequiredColumn(int32_t id, std::string name, TypeId type) {
  return {.id = id, .name = std::move(name), .type = Type::Primitive(type), .required = true};
}

class RenamedDeletes {
 public:
  RenamedDeletes(const WriteContext& context, const DataFile& file, const RenamePath& rename)
      : context_(context),
        file_(file),
        rename_(rename),
        schema_(0, {RequiredColumn(kDeleteFilePathFieldId, "file_path", TypeId::kString),
                    RequiredColumn(kDeleteFilePosFieldId, "pos", TypeId::kLong)}),
        pool_(BudgetPool::Make(context.budget->total_bytes())) {}

  Result<int64_t> Write(const std::string& uri) {
    FIRN_ASSIGN(arrow_schema_, ToArrowSchema(schema_.fields()));
    FIRN_ASSIGN(const auto input, context_.io->Open(file_.file_path, file_.file_size_in_bytes));
    FIRN_ASSIGN(output_, context_.io->Create(uri, {.exclusive = true}));
    FIRN_ASSIGN(
        EncodeOptions options,
        EncodeOptionsFrom(WriteProperties(*context_.metadata, FileContent::kPositionDeletes),
                          schema_, context_.budget->total_bytes(), 0));
    options.format = file_.file_format;
    const ByteSink sink = [this](std::span<const std::byte> bytes) {
      return output_->Append(bytes);
    };
    PageCodecPool codecs;
    FIRN_ASSIGN(
        const auto encoder,
        MakeEncoder(
            {.schema = &schema_, .uri = uri, .sink = &sink, .pool = pool_.get(), .codecs = &codecs},
            options));
    const DataFileRequest request{
        .file = input, .format = file_.file_format, .wanted = schema_.fields(), .pool = pool_};
    FIRN_RETURN_IF_ERROR(
        VisitFileRows(request, context_.cancel,
                      [&](int64_t, int64_t rows,
                          const std::vector<std::shared_ptr<arrow::Array>>& columns) -> Status {
                        FIRN_ASSIGN(const auto batch, Rename(columns, rows));
                        return encoder->Write(batch);
                      }));
    FIRN_RETURN_IF_ERROR(encoder->Finish());
    FIRN_RETURN_IF_ERROR(output_->Publish());
    return output_->bytes_written();
  }

 private:
  Result<std::shared_ptr<arrow::RecordBatch>> Rename(
      const std::vector<std::shared_ptr<arrow::Array>>& columns, int64_t rows) {
    const auto& paths = static_cast<const arrow::StringArray&>(*columns[0]);
    arrow::StringBuilder builder(pool_.get());
    for (int64_t i = 0; i < rows; ++i) {
      const std::string_view path = paths.GetView(i);
      if (path != last_path_ || last_renamed_.empty()) {
        last_path_ = std::string(path);
        FIRN_ASSIGN(last_renamed_, rename_(path));
      }
      const arrow::Status appended = builder.Append(last_renamed_);
      if (!appended.ok()) return FromArrowStatus(appended, ErrorCode::kInternal);
    }
    FIRN_ASSIGN(const auto renamed,
                GuardArrowResult(ErrorCode::kInternal, [&] { return builder.Finish(); }));
    return arrow::RecordBatch::Make(arrow_schema_, rows, {renamed, columns[1]});
  }

  const WriteContext& context_;
  const DataFile& file_;
  const RenamePath& rename_;
  const Schema schema_;
  std::shared_ptr<BudgetPool> pool_;
  std::shared_ptr<arrow::Schema> arrow_schema_;
  std::unique_ptr<OutputFile> output_;
  std::string last_path_;
  std::string last_renamed_;
};

}  // namespace

Result<int64_t> WriteRenamedDeletes(const WriteContext& context, const DataFile& file,
                                    const std::string& uri, const RenamePath& rename) {
  const Result<int64_t> written = RenamedDeletes(context, file, rename).Write(uri);
  if (!written.ok()) return written.error().Within("delete file '" + file.file_path + "'");
  return written;
}

}  // namespace firn
