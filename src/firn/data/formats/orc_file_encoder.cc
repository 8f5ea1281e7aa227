#include <algorithm>
#include <utility>

#include <arrow/adapters/orc/adapter.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>

#include "firn/base/text.h"
#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/formats/orc_columns_internal.h"
#include "firn/data/formats/orc_file_encoder_internal.h"
#include "firn/data/render/arrow_file.h"

namespace firn {
namespace {

struct OrcCodec {
  std::string_view name;
  arrow::Compression::type type;
};
constexpr OrcCodec kCodecs[] = {{"lz4", arrow::Compression::LZ4},
                                {"none", arrow::Compression::UNCOMPRESSED},
                                {"snappy", arrow::Compression::SNAPPY},
                                {"zlib", arrow::Compression::GZIP},
                                {"zstd", arrow::Compression::ZSTD}};

class OrcEncoder final : public DataFileEncoder {
 public:
  explicit OrcEncoder(const EncodeContext& context)
      : fields_(context.schema->fields()),
        pool_(context.pool),
        output_(MakeArrowOutput(*context.sink)) {}

  Status Open(const OrcWriteOptions& options) {
    FIRN_ASSIGN(schema_, ToOrcSchema(fields_));
    using arrow::adapters::orc::CompressionStrategy;
    arrow::adapters::orc::WriteOptions orc;
    orc.compression = options.codec;
    orc.stripe_size = options.stripe_bytes;
    orc.compression_strategy =
        options.is_for_size ? CompressionStrategy::kCompression : CompressionStrategy::kSpeed;
    orc.dictionary_key_size_threshold = 0.8;  // As Java's writer.
    FIRN_ASSIGN(writer_, GuardArrowResult(ErrorCode::kInternal, [&] {
                  return arrow::adapters::orc::ORCFileWriter::Open(output_.get(), orc);
                }));
    return {};
  }

  Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    FIRN_RETURN_IF_ERROR(CheckRequiredColumns(fields_, *batch));
    FIRN_ASSIGN(auto columns, ToOrcColumns(fields_, batch->column_data(), pool_));
    const auto rows = arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(columns));
    FIRN_RETURN_IF_ERROR(GuardArrow(ErrorCode::kInternal, [&] { return writer_->Write(*rows); }));
    row_count_ += batch->num_rows();
    return {};
  }

  int64_t estimated_bytes() const override {
    const auto position = output_->Tell();
    return position.ok() ? *position : 0;
  }
  int64_t buffered_bytes() const override { return 0; }  // None of it can be given back.
  Status Flush() override { return {}; }

  Result<EncodedFile> Finish() override {
    FIRN_RETURN_IF_ERROR(GuardArrow(ErrorCode::kInternal, [&] { return writer_->Close(); }));
    return EncodedFile{.row_count = row_count_};
  }

 private:
  const std::vector<NestedField> fields_;
  arrow::MemoryPool* pool_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::io::OutputStream> output_;
  std::unique_ptr<arrow::adapters::orc::ORCFileWriter> writer_;  // Uses `output_`.
  int64_t row_count_ = 0;
};

}  // namespace

Result<OrcWriteOptions> OrcOptionsFrom(const WriteProperties& properties) {
  OrcWriteOptions options;
  constexpr std::string_view kCodecKey = "orc.compression-codec";
  const std::string codec = LowerAscii(properties.Text(kCodecKey, "zlib"));
  const auto* const found =
      std::find_if(std::begin(kCodecs), std::end(kCodecs),
                   [&](const OrcCodec& known) { return known.name == codec; });
  if (found == std::end(kCodecs)) {
    return MakeError(ErrorCode::kInvalidInput,
                     "table property '{}' is '{}', expected one of lz4, none, snappy, zlib, zstd",
                     properties.NameOf(kCodecKey), codec);
  }
  options.codec = found->type;
  constexpr std::string_view kStrategyKey = "orc.compression-strategy";
  const std::string strategy = LowerAscii(properties.Text(kStrategyKey, "speed"));
  if (strategy != "speed" && strategy != "compression") {
    return MakeError(ErrorCode::kInvalidInput,
                     "table property '{}' is '{}', expected speed or compression",
                     properties.NameOf(kStrategyKey), strategy);
  }
  options.is_for_size = strategy == "compression";
  FIRN_ASSIGN(options.stripe_bytes,
              properties.Positive("orc.stripe-size-bytes", options.stripe_bytes));
  return options;
}

Result<std::unique_ptr<DataFileEncoder>> MakeOrcEncoder(const EncodeContext& context,
                                                        const OrcWriteOptions& options) {
  auto encoder = std::make_unique<OrcEncoder>(context);
  FIRN_RETURN_IF_ERROR(encoder->Open(options));
  return encoder;
}

}  // namespace firn
