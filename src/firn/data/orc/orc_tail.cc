#include <algorithm>
#include <set>
#include <string_view>

#include "firn/base/bytes.h"
#include "firn/data/orc/orc_bytes_internal.h"
#include "firn/data/orc/orc_message_internal.h"
#include "firn/data/orc/orc_tail_internal.h"

namespace firn {
namespace {

constexpr std::string_view kMagic = "ORC";
constexpr int64_t kTailGuessBytes = 16 << 10;
// A chunk's size has 23 bits, and writers keep to that before compression too.
constexpr int64_t kChunkBytesMax = int64_t{1} << 23;
constexpr int64_t kChunkBytesDefault = 256 << 10;
constexpr int64_t kSizeEnd = int64_t{1} << 60;  // Sums of four do not overflow.
constexpr int kPrecisionMax = 38;
// What a footer becomes at most: far beyond what names and statistics do.
constexpr int64_t kFooterExpansionMax = 256;
constexpr int64_t kFooterSlack = 1 << 20;
constexpr size_t kDepthMax = 200;
constexpr int64_t kJavaWriter = 0;
constexpr int64_t kCppWriter = 1;
constexpr uint64_t kShortDecimalVersion[] = {1, 9999};

Error Corrupt(std::string_view what) { return MakeError(ErrorCode::kCorrupt, "{}", what); }

struct Postscript {
  int64_t footer_bytes = 0;
  int64_t metadata_bytes = 0;
  int64_t size = 0;  // With its own length.
};

Result<Postscript> ParsePostscript(std::span<const std::byte> bytes, OrcTail& tail) {
  OrcMessage message(bytes);
  Postscript postscript{.size = static_cast<int64_t>(bytes.size()) + 1};
  int64_t codec = 0;
  tail.chunk_bytes_max = kChunkBytesDefault;
  std::vector<uint64_t> version;
  while (message.Next()) {
    if (message.field() == 1) postscript.footer_bytes = message.NumberBelow(kSizeEnd);
    if (message.field() == 2) codec = message.NumberBelow(kSizeEnd);
    if (message.field() == 3) tail.chunk_bytes_max = message.NumberBelow(kSizeEnd);
    if (message.field() == 4) message.AppendNumbers(version);
    if (message.field() == 5) postscript.metadata_bytes = message.NumberBelow(kSizeEnd);
  }
  if (!message.ok()) return Corrupt("the postscript is damaged");
  if (codec > static_cast<int64_t>(OrcCodec::kZstd)) {
    return MakeError(ErrorCode::kUnsupported,
                     "compression {} of the postscript, expected one of none, zlib, snappy, lzo, "
                     "lz4 and zstd (0 to 5)",
                     codec);
  }
  tail.codec = static_cast<OrcCodec>(codec);
  if (tail.codec != OrcCodec::kNone &&
      (tail.chunk_bytes_max < 1 || tail.chunk_bytes_max > kChunkBytesMax)) {
    return MakeError(ErrorCode::kCorrupt, "chunks of {} bytes, expected 1 to {}",
                     tail.chunk_bytes_max, kChunkBytesMax);
  }
  tail.has_short_decimals = std::ranges::equal(version, kShortDecimalVersion);
  return postscript;
}

OrcStripe ParseStripe(OrcMessage& message) {
  OrcStripe stripe;
  OrcMessage fields(message.Bytes());
  while (fields.Next()) {
    if (fields.field() == 1) stripe.offset = fields.NumberBelow(kSizeEnd);
    if (fields.field() == 2) stripe.index_bytes = fields.NumberBelow(kSizeEnd);
    if (fields.field() == 3) stripe.data_bytes = fields.NumberBelow(kSizeEnd);
    if (fields.field() == 4) stripe.footer_bytes = fields.NumberBelow(kSizeEnd);
    if (fields.field() == 5) stripe.row_count = fields.NumberBelow(kSizeEnd);
  }
  if (!fields.ok()) stripe.offset = -1;
  return stripe;
}

Result<OrcType> ParseType(std::span<const std::byte> bytes) {
  OrcType type;
  OrcMessage fields(bytes);
  int64_t kind = 0;
  std::vector<uint64_t> children;
  while (fields.Next()) {
    if (fields.field() == 1) kind = fields.NumberBelow(kSizeEnd);
    if (fields.field() == 2) fields.AppendNumbers(children);
    if (fields.field() == 3) type.names.emplace_back(fields.Text());
    if (fields.field() == 5) type.precision = static_cast<int>(fields.NumberBelow(INT32_MAX));
    if (fields.field() == 6) type.scale = static_cast<int>(fields.NumberBelow(INT32_MAX));
    if (fields.field() != 7) continue;
    OrcMessage pair(fields.Bytes());
    auto& [key, value] = type.attributes.emplace_back();
    while (pair.Next()) {
      if (pair.field() == 1) key = pair.Text();
      if (pair.field() == 2) value = pair.Text();
    }
    if (!pair.ok()) return Corrupt("an attribute is damaged");
  }
  if (!fields.ok()) return Corrupt("its description is damaged");
  if (kind > static_cast<int64_t>(OrcKind::kGeography)) {
    return MakeError(ErrorCode::kUnsupported, "is of kind {}, expected 0 to {}", kind,
                     static_cast<int>(OrcKind::kGeography));
  }
  type.kind = static_cast<OrcKind>(kind);
  type.children.assign(children.begin(), children.end());
  return type;
}

Status CheckType(OrcType& type) {
  size_t expected = 0;
  if (type.kind == OrcKind::kList) expected = 1;
  if (type.kind == OrcKind::kMap) expected = 2;
  if (type.kind == OrcKind::kStruct) expected = type.names.size();
  if (type.kind == OrcKind::kUnion) expected = type.children.size();
  if (type.children.size() != expected) {
    return MakeError(ErrorCode::kCorrupt, "has {} children, expected {}", type.children.size(),
                     expected);
  }
  if (type.kind != OrcKind::kDecimal) return {};
  if (type.precision == 0) {  // Hive 0.11 and 0.12 mean this.
    type.precision = kPrecisionMax;
    type.scale = 6;
  }
  if (type.precision > kPrecisionMax || type.scale > type.precision) {
    return MakeError(ErrorCode::kCorrupt, "is decimal({}, {}), expected at most {} digits",
                     type.precision, type.scale, kPrecisionMax);
  }
  return {};
}

// Whether the types are numbered depth first, each the child of one other.
Status CheckTree(const std::vector<OrcType>& types) {
  if (types.empty()) return Corrupt("the footer tells no types");
  if (types[0].kind != OrcKind::kStruct) {
    return Error(ErrorCode::kUnsupported, "the rows are no structs");
  }
  size_t next = 1;
  std::vector<std::pair<size_t, size_t>> open = {{0, 0}};  // Types and which child is next.
  while (!open.empty()) {
    auto& [id, child] = open.back();
    if (child == types[id].children.size()) {
      open.pop_back();
      continue;
    }
    if (types[id].children[child] != next || next >= types.size()) {
      return MakeError(ErrorCode::kCorrupt, "child {} of type {} is type {}, expected {} of {}",
                       child, id, types[id].children[child], next, types.size());
    }
    ++child;
    if (open.size() == kDepthMax) {
      return MakeError(ErrorCode::kUnsupported, "types are nested deeper than {}", kDepthMax);
    }
    open.emplace_back(next++, 0);
  }
  if (next == types.size()) return {};
  return MakeError(ErrorCode::kCorrupt, "{} types of {} belong to no column", types.size() - next,
                   types.size());
}

Status CheckStripes(const OrcTail& tail, int64_t content_end) {
  int64_t end = 0;
  int64_t rows = 0;
  for (size_t i = 0; i < tail.stripes.size(); ++i) {
    const OrcStripe& stripe = tail.stripes[i];
    const int64_t size = stripe.index_bytes + stripe.data_bytes + stripe.footer_bytes;
    if (stripe.offset < end || size > content_end - stripe.offset) {
      return MakeError(ErrorCode::kCorrupt,
                       "stripe {} is at offset {} with {} bytes, expected a place from {} to {}", i,
                       stripe.offset, size, end, content_end);
    }
    end = stripe.offset + size;
    if (stripe.row_count > tail.row_count - rows) {
      return MakeError(ErrorCode::kCorrupt, "the stripes have more than the {} rows of the footer",
                       tail.row_count);
    }
    rows += stripe.row_count;
  }
  if (rows == tail.row_count) return {};
  return MakeError(ErrorCode::kCorrupt, "the stripes have {} rows, the footer tells {}", rows,
                   tail.row_count);
}

Status ParseFooter(std::span<const std::byte> bytes, OrcTail& tail) {
  OrcMessage message(bytes);
  int64_t writer = kJavaWriter;
  bool is_encrypted = false;
  std::vector<std::span<const std::byte>> types;
  while (message.Next()) {
    switch (message.field()) {
      case 3:
        tail.stripes.push_back(ParseStripe(message));
        break;
      case 4:
        types.push_back(message.Bytes());
        break;
      case 6:
        tail.row_count = message.NumberBelow(kSizeEnd);
        break;
      case 9:
        writer = message.NumberBelow(kSizeEnd);
        break;
      case 10:
        is_encrypted = true;
        break;
      default:
        break;
    }
  }
  if (!message.ok()) return Corrupt("the footer is damaged");
  for (const std::span<const std::byte> bytes_of_type : types) {
    FIRN_ASSIGN(OrcType type, ParseType(bytes_of_type), "type {}", tail.types.size());
    FIRN_RETURN_IF_ERROR(CheckType(type), "type {}", tail.types.size());
    tail.types.push_back(std::move(type));
  }
  tail.is_tight = (writer == kJavaWriter || writer == kCppWriter) && !is_encrypted;
  return CheckTree(tail.types);
}

// The bytes of one message of the file.
Result<std::vector<std::byte>> ReadMessage(InputFile& file, const OrcTail& tail, ByteRange range,
                                           arrow::MemoryPool* pool) {
  OrcDecompressor decompressor;
  OrcBytes bytes({.file = &file,
                  .codec = tail.codec,
                  .chunk_bytes_max = tail.chunk_bytes_max,
                  .pool = pool,
                  .decompressor = &decompressor},
                 range);
  const auto limit = static_cast<size_t>(range.length * kFooterExpansionMax + kFooterSlack);
  std::vector<std::byte> message;
  while (!bytes.AtEnd()) {
    const std::span<const uint8_t> some = bytes.Some(limit);
    if (some.size() > limit - message.size()) {
      return MakeError(ErrorCode::kCorrupt, "the footer becomes more than {} bytes", limit);
    }
    const std::span<const std::byte> more = std::as_bytes(some);
    message.insert(message.end(), more.begin(), more.end());
  }
  FIRN_RETURN_IF_ERROR(bytes.status());
  return message;
}

}  // namespace

Result<OrcTail> ReadOrcTail(InputFile& file, arrow::MemoryPool* pool) {
  FIRN_ASSIGN(const int64_t file_bytes, file.Size());
  Buffer end(static_cast<size_t>(std::min(file_bytes, kTailGuessBytes)));
  FIRN_ASSIGN(const int64_t read,
              file.ReadAt(file_bytes - static_cast<int64_t>(end.size()), end.span()));
  const auto end_bytes = static_cast<int64_t>(end.size());
  if (read < end_bytes) {
    return MakeError(ErrorCode::kCorrupt, "the file has {} bytes less than it should",
                     end_bytes - read);
  }
  const int64_t postscript_bytes = end_bytes == 0 ? 0 : std::to_integer<int64_t>(end.span().back());
  if (postscript_bytes == 0 || postscript_bytes >= end_bytes) {
    return MakeError(ErrorCode::kCorrupt,
                     "no ORC file: a postscript of {} bytes in a file of {} bytes",
                     postscript_bytes, file_bytes);
  }
  const auto postscript_at = end.span().subspan(
      static_cast<size_t>(end_bytes - 1 - postscript_bytes), static_cast<size_t>(postscript_bytes));
  if (!AsText(postscript_at).ends_with(kMagic)) {  // Hive 0.11 has it at the start alone.
    Buffer start(kMagic.size());
    FIRN_RETURN_IF_ERROR(file.ReadAt(0, start.span()));
    if (start.view() != kMagic) return Corrupt("no ORC file: 'ORC' is not where it must be");
  }
  OrcTail tail;
  FIRN_ASSIGN(const Postscript postscript, ParsePostscript(postscript_at, tail));
  const int64_t content_end =
      file_bytes - postscript.size - postscript.footer_bytes - postscript.metadata_bytes;
  if (content_end < 0) {
    return MakeError(ErrorCode::kCorrupt,
                     "a footer of {} bytes and metadata of {} bytes in a file of {} bytes",
                     postscript.footer_bytes, postscript.metadata_bytes, file_bytes);
  }
  FIRN_ASSIGN(const auto footer,
              ReadMessage(file, tail,
                          {.offset = content_end + postscript.metadata_bytes,
                           .length = postscript.footer_bytes},
                          pool),
              "the footer");
  FIRN_RETURN_IF_ERROR(ParseFooter(footer, tail));
  FIRN_RETURN_IF_ERROR(CheckStripes(tail, content_end));
  return tail;
}

namespace {

// A stream as its message tells, of any kind.
struct StreamPlace {
  int64_t kind = 0;
  int64_t column = 0;
  int64_t length = 0;
};

constexpr int64_t kIndexKinds[] = {6, 7, 8};  // Row index and Bloom filters.

StreamPlace ParseStream(OrcMessage& message) {
  StreamPlace place;
  OrcMessage fields(message.Bytes());
  while (fields.Next()) {
    if (fields.field() == 1) place.kind = fields.NumberBelow(kSizeEnd);
    if (fields.field() == 2) place.column = fields.NumberBelow(kSizeEnd);
    if (fields.field() == 3) place.length = fields.NumberBelow(kSizeEnd);
  }
  if (!fields.ok()) place.column = -1;
  return place;
}

OrcEncoding ParseEncoding(OrcMessage& message) {
  OrcEncoding encoding;
  OrcMessage fields(message.Bytes());
  while (fields.Next()) {
    if (fields.field() == 1) encoding.kind = static_cast<OrcEncodingKind>(fields.NumberBelow(4));
    if (fields.field() == 2) encoding.dictionary_size = fields.NumberBelow(UINT32_MAX);
  }
  if (!fields.ok()) encoding.dictionary_size = -1;
  return encoding;
}

class StripeFooterParser {
 public:
  StripeFooterParser(const OrcTail& tail, const OrcStripe& stripe)
      : tail_(tail), stripe_(stripe), offset_(stripe.offset) {}

  Result<OrcStripeFooter> Parse(std::span<const std::byte> bytes) {
    OrcMessage message(bytes);
    bool is_encrypted = false;
    std::vector<StreamPlace> places;
    while (message.Next()) {
      if (message.field() == 1) places.push_back(ParseStream(message));
      if (message.field() == 2) footer_.encodings.push_back(ParseEncoding(message));
      if (message.field() == 3) footer_.time_zone = message.Text();
      if (message.field() == 4) is_encrypted = true;
    }
    if (!message.ok()) return Corrupt("it is damaged");
    for (const StreamPlace& place : places)
      FIRN_RETURN_IF_ERROR(AddStream(place));
    if (std::ranges::any_of(footer_.encodings, [](const OrcEncoding& encoding) {
          return encoding.dictionary_size < 0;
        })) {
      return Corrupt("the encoding of a column is damaged");
    }
    if (footer_.encodings.size() != tail_.types.size()) {
      return MakeError(ErrorCode::kCorrupt, "it tells {} encodings of {} columns",
                       footer_.encodings.size(), tail_.types.size());
    }
    if (tail_.is_tight && !is_encrypted && offset_ != End()) {
      return MakeError(ErrorCode::kCorrupt, "its streams have {} bytes less than the stripe",
                       End() - offset_);
    }
    std::ranges::sort(footer_.streams, {}, PlaceOf);
    return std::move(footer_);
  }

 private:
  static std::pair<size_t, OrcStreamKind> PlaceOf(const OrcStream& stream) {
    return {stream.column, stream.kind};
  }
  int64_t End() const { return stripe_.offset + stripe_.index_bytes + stripe_.data_bytes; }

  Status AddStream(const StreamPlace& place) {
    if (place.column < 0 || place.column >= std::ssize(tail_.types)) {
      return Corrupt("the description of a stream is damaged");
    }
    if (place.length > End() - offset_) {
      return MakeError(ErrorCode::kCorrupt, "its streams have more bytes than the stripe");
    }
    const int64_t offset = offset_;
    offset_ += place.length;
    if (!seen_.emplace(place.column, place.kind).second) {
      return MakeError(ErrorCode::kCorrupt, "column {} has two streams of kind {}", place.column,
                       place.kind);
    }
    const bool is_index = std::ranges::count(kIndexKinds, place.kind) > 0;
    if (tail_.is_tight && is_index != (offset < stripe_.offset + stripe_.index_bytes) &&
        place.length > 0) {
      return MakeError(ErrorCode::kCorrupt, "a stream of kind {} is not where it must be",
                       place.kind);
    }
    if (place.kind > static_cast<int64_t>(OrcStreamKind::kSecondary)) return {};
    footer_.streams.push_back({.kind = static_cast<OrcStreamKind>(place.kind),
                               .column = static_cast<size_t>(place.column),
                               .offset = offset,
                               .length = place.length});
    return {};
  }

  const OrcTail& tail_;
  const OrcStripe& stripe_;
  int64_t offset_;
  std::set<std::pair<int64_t, int64_t>> seen_;
  OrcStripeFooter footer_;
};

}  // namespace

Result<OrcStripeFooter> ReadOrcStripeFooter(InputFile& file, const OrcTail& tail,
                                            const OrcStripe& stripe, arrow::MemoryPool* pool) {
  const ByteRange range{.offset = stripe.offset + stripe.index_bytes + stripe.data_bytes,
                        .length = stripe.footer_bytes};
  FIRN_ASSIGN(const auto bytes, ReadMessage(file, tail, range, pool), "its footer");
  FIRN_ASSIGN(OrcStripeFooter footer, StripeFooterParser(tail, stripe).Parse(bytes), "its footer");
  return footer;
}

}  // namespace firn
