#include "firn/format/avro/avro_writer.h"

#include <cstring>
#include <utility>

#include "firn/base/hash.h"
#include "firn/format/avro/avro_value.h"

namespace firn {
namespace {

// Enough of a difference between files: their names and headers go in.
AvroSyncMarker MakeSyncMarker(const std::string& uri, const std::string& header) {
  AvroSyncMarker marker{};
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t part = HashMurmur3(AsBytes(header), HashMurmur3(AsBytes(uri), i));
    std::memcpy(marker.data() + 4 * i, &part, sizeof(part));
  }
  return marker;
}

}  // namespace

AvroWriter::AvroWriter(std::unique_ptr<OutputFile> file, AvroWriterOptions options)
    : file_(std::move(file)), options_(std::move(options)), compressor_(options_.codec) {}

Result<std::unique_ptr<AvroWriter>> AvroWriter::Make(std::unique_ptr<OutputFile> file,
                                                     const AvroNode& schema,
                                                     AvroWriterOptions options) {
  std::unique_ptr<AvroWriter> writer(new AvroWriter(std::move(file), std::move(options)));
  FIRN_RETURN_IF_ERROR(writer->WriteHeader(schema));
  return writer;
}

Status AvroWriter::WriteHeader(const AvroNode& schema) {
  std::string header("Obj\x01", 4);
  AppendAvroLong(header, static_cast<int64_t>(options_.metadata.size()) + 2);
  AppendAvroBytes(header, "avro.schema");
  AppendAvroBytes(header, FormatAvroSchema(schema));
  AppendAvroBytes(header, "avro.codec");
  AppendAvroBytes(header, FormatAvroCodec(options_.codec));
  for (const auto& [key, value] : options_.metadata) {
    AppendAvroBytes(header, key);
    AppendAvroBytes(header, value);
  }
  AppendAvroLong(header, 0);
  sync_ = MakeSyncMarker(file_->uri(), header);
  header += AsText(sync_);
  return file_->Append(AsBytes(header));
}

Status AvroWriter::EndRecord() {
  block_end_ = block_.size();
  ++block_records_;
  ++record_count_;
  return static_cast<int64_t>(block_.size()) < options_.block_bytes ? Status() : WriteBlock();
}

int64_t AvroWriter::bytes_written() const {
  const double ratio = content_bytes_ == 0 ? 1.0
                                           : static_cast<double>(stored_bytes_) /
                                                 static_cast<double>(content_bytes_);
  return file_->bytes_written() + static_cast<int64_t>(ratio * static_cast<double>(block_.size()));
}

Status AvroWriter::WriteBlock() {
  if (block_records_ == 0) return {};
  const auto content = AsBytes(std::string_view(block_).substr(0, block_end_));
  FIRN_ASSIGN(const auto stored, compressor_.CompressAvro(content), "{}", file_->uri());
  std::string prefix;
  AppendAvroLong(prefix, block_records_);
  AppendAvroLong(prefix, static_cast<int64_t>(stored.size()));
  FIRN_RETURN_IF_ERROR(file_->Append(AsBytes(prefix)));
  FIRN_RETURN_IF_ERROR(file_->Append(stored));
  FIRN_RETURN_IF_ERROR(file_->Append(sync_));
  content_bytes_ += static_cast<int64_t>(content.size());
  stored_bytes_ += static_cast<int64_t>(stored.size());
  block_.clear();
  block_end_ = 0;
  block_records_ = 0;
  return {};
}

Result<int64_t> AvroWriter::Finish() {
  DropRecord();
  FIRN_RETURN_IF_ERROR(WriteBlock());
  const int64_t size = file_->bytes_written();
  FIRN_RETURN_IF_ERROR(file_->Publish());
  return size;
}

}  // namespace firn
