#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <arrow/io/buffered.h>
#include <arrow/io/compressed.h>
#include <arrow/util/compression.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/render/arrow_file.h"
#include "firn/ingest/input/byte_stream_internal.h"

namespace firn {
namespace {

constexpr int64_t kReadBytes = int64_t{1} << 20;
constexpr size_t kMagicBytesMax = 4;

struct Magic {
  std::string_view bytes;
  arrow::Compression::type codec;
};
constexpr std::array<Magic, 3> kMagics = {{{"\x1f\x8b", arrow::Compression::GZIP},
                                           {"\x28\xb5\x2f\xfd", arrow::Compression::ZSTD},
                                           {"BZh", arrow::Compression::BZ2}}};

std::optional<arrow::Compression::type> CodecOf(std::string_view start) {
  for (const Magic& magic : kMagics) {
    if (start.starts_with(magic.bytes)) return magic.codec;
  }
  return std::nullopt;
}

// The codec lives as long as the stream that uses it.
class UnpackedStream final : public arrow::io::InputStream {
 public:
  UnpackedStream(std::unique_ptr<arrow::util::Codec> codec,
                 std::shared_ptr<arrow::io::InputStream> stream)
      : codec_(std::move(codec)), stream_(std::move(stream)) {}

  arrow::Status Close() override { return stream_->Close(); }
  bool closed() const override { return stream_->closed(); }
  arrow::Result<int64_t> Tell() const override { return stream_->Tell(); }
  arrow::Result<int64_t> Read(int64_t size, void* out) override { return stream_->Read(size, out); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t size) override {
    return stream_->Read(size);
  }

 private:
  std::unique_ptr<arrow::util::Codec> codec_;
  std::shared_ptr<arrow::io::InputStream> stream_;
};

}  // namespace

Result<std::shared_ptr<arrow::io::InputStream>> OpenByteStream(FileIO& io, const SourceFile& file,
                                                               arrow::MemoryPool* pool) {
  FIRN_ASSIGN(auto input, io.Open(file.info.uri, file.info.size));
  FIRN_ASSIGN(auto raw, MakeArrowInput(std::move(input), pool));
  return GuardArrowResult(
      ErrorCode::kInvalidInput, [&]() -> arrow::Result<std::shared_ptr<arrow::io::InputStream>> {
        std::array<char, kMagicBytesMax> start{};
        ARROW_ASSIGN_OR_RAISE(const int64_t read, raw->ReadAt(0, kMagicBytesMax, start.data()));
        const auto codec_type = CodecOf({start.data(), static_cast<size_t>(read)});
        if (!codec_type) return raw;  // Whoever reads text takes large pieces.
        ARROW_ASSIGN_OR_RAISE(auto buffered,
                              arrow::io::BufferedInputStream::Create(kReadBytes, pool, raw));
        ARROW_ASSIGN_OR_RAISE(auto codec, arrow::util::Codec::Create(*codec_type));
        ARROW_ASSIGN_OR_RAISE(auto unpacked,
                              arrow::io::CompressedInputStream::Make(codec.get(), buffered, pool));
        return std::make_shared<UnpackedStream>(std::move(codec), std::move(unpacked));
      });
}

}  // namespace firn
