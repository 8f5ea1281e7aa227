#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <fmt/format.h>

#include "firn/ingest/text/decoded_stream_internal.h"

namespace firn {
namespace {

constexpr size_t kRawBytes = size_t{64} << 10;

/// Characters of Windows-1252 from 0x80 to 0x9F; 0: none.
constexpr std::array<uint16_t, 32> kWindows1252 = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

struct Mark {
  std::string_view bytes;
  TextEncoding encoding;
};
constexpr Mark kMarks[] = {{"\xEF\xBB\xBF", TextEncoding::kUtf8},
                           {"\xFF\xFE", TextEncoding::kUtf16Le},
                           {"\xFE\xFF", TextEncoding::kUtf16Be}};

void AppendUtf8(std::string& out, uint32_t code) {
  const auto byte = [](uint32_t value) { return static_cast<char>(value & 0xFF); };
  if (code < 0x80) {
    out += byte(code);
  } else if (code < 0x800) {
    out += byte(0xC0 | code >> 6);
    out += byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += byte(0xE0 | code >> 12);
    out += byte(0x80 | (code >> 6 & 0x3F));
    out += byte(0x80 | (code & 0x3F));
  } else {
    out += byte(0xF0 | code >> 18);
    out += byte(0x80 | (code >> 12 & 0x3F));
    out += byte(0x80 | (code >> 6 & 0x3F));
    out += byte(0x80 | (code & 0x3F));
  }
}

bool IsHighSurrogate(uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool IsLowSurrogate(uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

class DecodedStream final : public arrow::io::InputStream {
 public:
  DecodedStream(std::shared_ptr<arrow::io::InputStream> stream, std::string start,
                TextEncoding encoding)
      : stream_(std::move(stream)), raw_(std::move(start)), encoding_(encoding) {}

  arrow::Status Close() override { return stream_->Close(); }
  bool closed() const override { return stream_->closed(); }
  arrow::Result<int64_t> Tell() const override { return told_; }

  arrow::Result<int64_t> Read(int64_t size, void* out) override {
    int64_t filled = 0;
    while (filled < size) {
      if (taken_ == decoded_.size()) {
        ARROW_ASSIGN_OR_RAISE(const bool has_more, DecodeMore());
        if (!has_more) break;
        continue;
      }
      const size_t count = std::min(static_cast<size_t>(size - filled), decoded_.size() - taken_);
      std::memcpy(static_cast<char*>(out) + filled, decoded_.data() + taken_, count);
      taken_ += count;
      filled += static_cast<int64_t>(count);
    }
    told_ += filled;
    return filled;
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t size) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(size));
    ARROW_ASSIGN_OR_RAISE(const int64_t read, Read(size, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(read));
    return buffer;
  }

 private:
  // Decode what was read, or read more. False at the end.
  arrow::Result<bool> DecodeMore() {
    decoded_.clear();
    taken_ = 0;
    if (raw_.size() < kLongestCharacter && !is_at_end_) {
      const size_t kept = raw_.size();
      raw_.resize(kept + kRawBytes);
      ARROW_ASSIGN_OR_RAISE(const int64_t read,
                            stream_->Read(static_cast<int64_t>(kRawBytes), raw_.data() + kept));
      raw_.resize(kept + static_cast<size_t>(read));
      is_at_end_ = read == 0;
    }
    const bool is_wide = encoding_ == TextEncoding::kUtf16Le || encoding_ == TextEncoding::kUtf16Be;
    ARROW_ASSIGN_OR_RAISE(const size_t used, is_wide ? DecodeWide() : DecodeBytes());
    raw_.erase(0, used);
    offset_ += used;
    return !is_at_end_ || !raw_.empty() || !decoded_.empty();
  }

  arrow::Result<size_t> DecodeBytes() {
    for (size_t i = 0; i < raw_.size(); ++i) {
      uint32_t code = static_cast<unsigned char>(raw_[i]);
      if (encoding_ == TextEncoding::kWindows1252 && code >= 0x80 && code < 0xA0) {
        const uint32_t known = kWindows1252[code - 0x80];
        if (known == 0) {
          return arrow::Status::Invalid(
              fmt::format("byte {} of the text is 0x{:02x}, which is no character of windows-1252",
                          offset_ + i, code));
        }
        code = known;
      }
      AppendUtf8(decoded_, code);
    }
    return raw_.size();
  }

  // The unit at `at`; empty if the text ends before its second byte.
  std::optional<uint32_t> UnitAt(size_t at) const {
    if (at + 1 >= raw_.size()) return std::nullopt;
    const uint32_t first = static_cast<unsigned char>(raw_[at]);
    const uint32_t second = static_cast<unsigned char>(raw_[at + 1]);
    return encoding_ == TextEncoding::kUtf16Le ? second << 8 | first : first << 8 | second;
  }

  arrow::Result<size_t> DecodeWide() {
    size_t at = 0;
    while (at < raw_.size()) {
      const auto unit = UnitAt(at);
      const auto next = UnitAt(at + 2);
      const bool is_cut = !unit || (IsHighSurrogate(*unit) && !next);
      if (is_cut && !is_at_end_) break;
      if (!unit) return Broken(at, "half a character");
      if (!IsHighSurrogate(*unit) && !IsLowSurrogate(*unit)) {
        AppendUtf8(decoded_, *unit);
        at += 2;
        continue;
      }
      if (IsLowSurrogate(*unit) || !next || !IsLowSurrogate(*next)) {
        return Broken(at, "half of a surrogate pair");
      }
      AppendUtf8(decoded_, 0x10000 + ((*unit - 0xD800) << 10) + (*next - 0xDC00));
      at += 4;
    }
    return at;
  }

  arrow::Status Broken(size_t at, std::string_view what) const {
    return arrow::Status::Invalid(fmt::format("byte {} of the text begins {}, which is no {}",
                                              offset_ + at, what, FormatTextEncoding(encoding_)));
  }

  static constexpr size_t kLongestCharacter = 4;

  std::shared_ptr<arrow::io::InputStream> stream_;
  std::string raw_;      // Read, but not decoded.
  size_t offset_ = 0;    // Of the start of `raw_` in the text.
  std::string decoded_;  // UTF-8.
  size_t taken_ = 0;     // Of it.
  int64_t told_ = 0;
  bool is_at_end_ = false;
  TextEncoding encoding_;
};

}  // namespace

Result<TextEncoding> ChooseEncoding(TextEncoding wanted, std::string_view start) {
  using namespace std::string_view_literals;
  if (start.starts_with("\xFF\xFE\0\0"sv) || start.starts_with("\0\0\xFE\xFF"sv)) {
    return Error(ErrorCode::kInvalidInput, "the text is UTF-32, which is not read; convert it");
  }
  for (const Mark& mark : kMarks) {
    if (!start.starts_with(mark.bytes)) continue;
    if (wanted == TextEncoding::kMarked || wanted == mark.encoding) return mark.encoding;
    return MakeError(ErrorCode::kInvalidInput,
                     "the text begins with the byte order mark of {}, but is to be read as {}",
                     FormatTextEncoding(mark.encoding), FormatTextEncoding(wanted));
  }
  return wanted == TextEncoding::kMarked ? TextEncoding::kUtf8 : wanted;
}

std::shared_ptr<arrow::io::InputStream> DecodeStream(std::shared_ptr<arrow::io::InputStream> stream,
                                                     std::string start, TextEncoding encoding) {
  return std::make_shared<DecodedStream>(std::move(stream), std::move(start), encoding);
}

}  // namespace firn
