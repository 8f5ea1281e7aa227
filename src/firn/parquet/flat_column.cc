#include "firn/parquet/flat_column.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "firn/parquet/bits_internal.h"
#include "firn/parquet/compression_internal.h"
#include "firn/parquet/page_stream_internal.h"
#include "firn/parquet/plain_values_internal.h"
#include "firn/parquet/value_decoder_internal.h"

namespace firn {
namespace {

constexpr int32_t kDecimalBytesMax = 16;
constexpr int32_t kFixedBytesMax = 1 << 20;
constexpr size_t kWordBits = 64;

uint64_t WordAt(const std::byte* bits, size_t word) {
  uint64_t value = 0;
  std::memcpy(&value, bits + word * sizeof(value), sizeof(value));
  return value;
}

std::unique_ptr<ValueDecoder> MakeDecoder(const FlatLeaf& leaf, const MakeByteStore& make_store) {
  if (leaf.form == ValueForm::kBits) return MakeBitDecoder();
  if (leaf.form == ValueForm::kText) return MakeTextDecoder(make_store());
  return MakeFixedDecoder(leaf, make_store());
}

}  // namespace

struct FlatScratch::State {
  PageCodec codec;
  std::vector<uint32_t> picks;
  std::vector<uint32_t> value_picks;
  std::vector<std::byte> bits;

  std::byte* BitsFor(size_t count) {
    const size_t size = count / 8 + 1 + ByteStore::kSlack;
    if (bits.size() < size) bits.resize(size);
    return bits.data();
  }
};

FlatScratch::FlatScratch() : state_(std::make_unique<State>()) {}
FlatScratch::~FlatScratch() = default;

size_t FlatLeaf::width() const {
  switch (form) {
    case ValueForm::kBits:
    case ValueForm::kText:
      return 0;
    case ValueForm::kDecimal:
      return static_cast<size_t>(kDecimalBytesMax);
    case ValueForm::kFixed:
      break;
  }
  return stored_width();
}

size_t FlatLeaf::stored_width() const {
  if (form == ValueForm::kBits || form == ValueForm::kText) return 0;
  if (type == PhysicalType::kFixedLenByteArray) return static_cast<size_t>(type_length);
  return type == PhysicalType::kInt64 || type == PhysicalType::kDouble ? 8 : 4;
}

bool CanReadFlat(const FlatLeaf& leaf, ParquetCodec codec) {
  if (!IsSupported(codec)) return false;
  const bool is_integer = leaf.type == PhysicalType::kInt32 || leaf.type == PhysicalType::kInt64;
  const bool is_bytes = leaf.type == PhysicalType::kFixedLenByteArray && leaf.type_length > 0 &&
                        leaf.type_length <= kFixedBytesMax;
  switch (leaf.form) {
    case ValueForm::kBits:
      return leaf.type == PhysicalType::kBoolean;
    case ValueForm::kText:
      return leaf.type == PhysicalType::kByteArray;
    case ValueForm::kDecimal:
      return is_integer || (is_bytes && leaf.type_length <= kDecimalBytesMax);
    case ValueForm::kFixed:
      return is_integer || is_bytes || leaf.type == PhysicalType::kFloat ||
             leaf.type == PhysicalType::kDouble;
  }
  return false;
}

struct FlatColumnReader::State {
  State(const FlatLeaf& leaf_, std::vector<FlatChunk> chunks_, const FlatReadOptions& options,
        std::shared_ptr<FlatScratch> shared)
      : leaf(leaf_),
        is_optional(leaf_.is_optional),
        chunks(std::move(chunks_)),
        owner(std::move(shared)),
        scratch(owner->state()),
        pages(leaf_, options, scratch.codec),
        plain{options.make_store(), options.make_store()},
        decoder(MakeDecoder(leaf_, options.make_store)) {}

  // Go to a page that has rows left.
  Status Reach() {
    while (rows_left == 0) {
      if (is_in_chunk) {
        FIRN_ASSIGN(const std::optional<size_t> rows, pages.Next());
        is_in_chunk = rows.has_value();
        is_open = false;
        rows_passed = 0;
        rows_left = rows.value_or(0);
        continue;
      }
      if (next_chunk == chunks.size()) {
        return MakeError(ErrorCode::kCorrupt, "a column has fewer rows than the footer tells");
      }
      FIRN_ASSIGN(const std::optional<PageBody> dictionary, pages.Begin(chunks[next_chunk++]));
      if (dictionary && dictionary->encoding != ParquetEncoding::kPlain &&
          dictionary->encoding != ParquetEncoding::kPlainDictionary) {
        return UnsupportedEncoding(dictionary->encoding);
      }
      FIRN_RETURN_IF_ERROR(decoder->SetDictionary(dictionary ? &*dictionary : nullptr));
      is_in_chunk = true;
    }
    return {};
  }

  // Decompress the page, of which some rows were passed over.
  Status Open() {
    if (is_open) return {};
    FIRN_ASSIGN(PageBody body, pages.Open());
    if (is_optional) FIRN_RETURN_IF_ERROR(levels.Begin(body.levels, 1));
    if (IsRewritten(body.encoding)) {
      FIRN_ASSIGN(body.values, ToPlain(body.encoding, leaf, body.values, body.value_count, plain));
      body.encoding = ParquetEncoding::kPlain;
    }
    FIRN_RETURN_IF_ERROR(decoder->SetPage(body.encoding, body.values));
    is_open = true;
    return SkipValues(std::exchange(rows_passed, 0));
  }

  // `rows` rows of the page were read, picked or left out.
  Status Pass(size_t rows) {
    rows_left -= rows;
    if (rows_left > 0 || !is_open) return {};
    if (!IsPagePadding(decoder->Rest())) {
      return MakeError(ErrorCode::kCorrupt, "a page holds more values than its header tells");
    }
    pages.Close();
    plain.values->DropIfLarge();
    plain.lengths->DropIfLarge();
    return {};
  }

  // How many of the next `rows` rows of the page have room; the first has, if there are no others.
  Result<size_t> CountFitting(size_t rows, const FlatOutput& out) {
    if (out.text_bytes_max == SIZE_MAX || leaf.form != ValueForm::kText) return rows;
    const bool is_first = out.row_count == 0;
    // Large pages are not opened beside large texts.
    if (!is_first && !is_open && pages.page_bytes() > out.text_bytes_max) return size_t{0};
    FIRN_RETURN_IF_ERROR(Open());
    const size_t room = out.text_bytes_max - std::min(out.text_bytes, out.text_bytes_max);
    const size_t count = decoder->CountWithin(rows, room);
    return is_first ? std::max<size_t>(count, 1) : count;
  }

  Status SkipValues(size_t rows) {
    if (!is_optional || rows == 0) return decoder->Skip(rows);
    FIRN_ASSIGN(const size_t values, levels.ReadBits(rows, scratch.BitsFor(rows), 0));
    return decoder->Skip(values);
  }

  Status ReadRows(size_t rows, FlatOutput& out) {
    FIRN_RETURN_IF_ERROR(Open());
    size_t values = rows;
    if (is_optional) {
      FIRN_ASSIGN(values, levels.ReadBits(rows, out.validity, out.row_count));
    }
    FIRN_RETURN_IF_ERROR(decoder->Read(values, out));
    Settle(rows, values, out);
    return {};
  }

  Status ReadRowIndices(size_t rows, FlatOutput& out) {
    FIRN_RETURN_IF_ERROR(Open());
    size_t values = rows;
    if (is_optional) {
      FIRN_ASSIGN(values, levels.ReadBits(rows, out.validity, out.row_count));
    }
    FIRN_RETURN_IF_ERROR(decoder->ReadIndices(values, out));
    if (values < rows) {
      SpreadValues(out.values + out.row_count * sizeof(uint32_t), sizeof(uint32_t), rows, values,
                   out.validity, out.row_count);
    }
    out.row_count += rows;
    out.null_count += rows - values;
    return {};
  }

  Status PickRows(size_t rows, std::span<const uint32_t> picks, FlatOutput& out) {
    FIRN_RETURN_IF_ERROR(Open());
    std::span<const uint32_t> value_picks = picks;
    size_t values = rows;
    if (is_optional) {
      std::byte* const bits = scratch.BitsFor(rows);
      FIRN_ASSIGN(values, levels.ReadBits(rows, bits, 0));
      if (values == rows) {
        FillBits(true, out.validity, out.row_count, picks.size());
      } else {
        value_picks = PickValues(bits, picks, out);
      }
    }
    FIRN_RETURN_IF_ERROR(decoder->Pick(values, value_picks, out));
    Settle(picks.size(), value_picks.size(), out);
    return {};
  }

  // The picked rows that have a value, counted in values; the others become null.
  std::span<const uint32_t> PickValues(const std::byte* bits, std::span<const uint32_t> picks,
                                       const FlatOutput& out) {
    std::vector<uint32_t>& places = scratch.value_picks;
    places.clear();
    size_t word = 0;
    size_t before = 0;  // Values in the words before `word`.
    for (size_t i = 0; i < picks.size(); ++i) {
      for (; word < picks[i] / kWordBits; ++word)
        before += static_cast<size_t>(std::popcount(WordAt(bits, word)));
      const uint64_t below = (uint64_t{1} << (picks[i] % kWordBits)) - 1;
      const bool has_value = TestBit(bits, picks[i]);
      PutBit(out.validity, out.row_count + i, has_value);
      if (!has_value) continue;
      const int within = std::popcount(WordAt(bits, word) & below);
      places.push_back(static_cast<uint32_t>(before + static_cast<size_t>(within)));
    }
    return places;
  }

  void Settle(size_t rows, size_t values, FlatOutput& out) {
    if (values < rows) decoder->Spread(rows, values, out);
    out.row_count += rows;
    out.null_count += rows - values;
  }

  const FlatLeaf leaf;
  const bool is_optional;
  const std::vector<FlatChunk> chunks;
  const std::shared_ptr<FlatScratch> owner;
  FlatScratch::State& scratch;
  PageStream pages;
  PlainMemory plain;  // Values of a page of deltas.
  std::unique_ptr<ValueDecoder> decoder;
  NumberStream levels;
  size_t next_chunk = 0;
  bool is_in_chunk = false;
  bool is_open = false;
  size_t rows_passed = 0;  // Of a page that is not open.
  size_t rows_left = 0;    // Of the page.
};

FlatColumnReader::FlatColumnReader(const FlatLeaf& leaf, std::vector<FlatChunk> chunks,
                                   const FlatReadOptions& options,
                                   std::shared_ptr<FlatScratch> scratch)
    : state_(std::make_unique<State>(leaf, std::move(chunks), options, std::move(scratch))) {}
FlatColumnReader::FlatColumnReader(FlatColumnReader&&) noexcept = default;
FlatColumnReader::~FlatColumnReader() = default;

Status FlatColumnReader::Read(size_t count, FlatOutput& out) {
  while (count > 0) {
    FIRN_RETURN_IF_ERROR(state_->Reach());
    FIRN_ASSIGN(const size_t rows, state_->CountFitting(std::min(count, state_->rows_left), out));
    if (rows == 0) break;
    FIRN_RETURN_IF_ERROR(state_->ReadRows(rows, out));
    FIRN_RETURN_IF_ERROR(state_->Pass(rows));
    count -= rows;
  }
  return {};
}

Result<size_t> FlatColumnReader::CountIndexed(size_t count, size_t size_max) {
  FIRN_RETURN_IF_ERROR(state_->Reach());
  const size_t size = state_->decoder->dictionary_size();
  if (size == 0 || size > size_max || !HoldsIndices(state_->pages.encoding())) return size_t{0};
  size_t rows = state_->rows_left;
  if (rows < count) {
    const std::optional<PageBody> next = state_->pages.Peek();
    if (next && HoldsIndices(next->encoding)) rows += next->value_count;
  }
  return std::min(rows, count);
}

Status FlatColumnReader::ReadIndices(size_t count, FlatOutput& out) {
  while (count > 0) {
    FIRN_RETURN_IF_ERROR(state_->Reach());
    const size_t rows = std::min(count, state_->rows_left);
    FIRN_RETURN_IF_ERROR(state_->ReadRowIndices(rows, out));
    FIRN_RETURN_IF_ERROR(state_->Pass(rows));
    count -= rows;
  }
  return {};
}

Status FlatColumnReader::ReadDictionary(FlatOutput& out) const {
  const size_t size = state_->decoder->dictionary_size();
  FIRN_RETURN_IF_ERROR(state_->decoder->ReadDictionary(out));
  out.row_count += size;
  return {};
}

size_t FlatColumnReader::dictionary_size() const { return state_->decoder->dictionary_size(); }
size_t FlatColumnReader::dictionary_bytes() const { return state_->decoder->dictionary_bytes(); }
size_t FlatColumnReader::chunk_count() const { return state_->next_chunk; }

Status FlatColumnReader::Skip(size_t count) {
  while (count > 0) {
    FIRN_RETURN_IF_ERROR(state_->Reach());
    const size_t rows = std::min(count, state_->rows_left);
    if (state_->is_open) {
      FIRN_RETURN_IF_ERROR(state_->SkipValues(rows));
    } else {
      state_->rows_passed += rows;
    }
    FIRN_RETURN_IF_ERROR(state_->Pass(rows));
    count -= rows;
  }
  return {};
}

Status FlatColumnReader::Pick(size_t count, std::span<const uint32_t> picks, FlatOutput& out) {
  std::vector<uint32_t>& places = state_->scratch.picks;  // In the page.
  size_t begin = 0;
  while (begin < count) {
    FIRN_RETURN_IF_ERROR(state_->Reach());
    const size_t rows = std::min(count - begin, state_->rows_left);
    const auto end = std::lower_bound(picks.begin(), picks.end(), begin + rows);
    if (end == picks.begin()) {
      FIRN_RETURN_IF_ERROR(Skip(rows));
      begin += rows;
      continue;
    }
    if (begin < picks.front() && out.text_bytes_max < SIZE_MAX) {
      FIRN_RETURN_IF_ERROR(Skip(picks.front() - begin));
      begin = picks.front();
      continue;
    }
    FIRN_ASSIGN(const size_t fitting, state_->CountFitting(rows, out));
    if (fitting == 0) break;
    const auto last = std::lower_bound(picks.begin(), end, begin + fitting);
    places.assign(picks.begin(), last);
    for (uint32_t& place : places)
      place -= static_cast<uint32_t>(begin);
    FIRN_RETURN_IF_ERROR(state_->PickRows(fitting, places, out));
    FIRN_RETURN_IF_ERROR(state_->Pass(fitting));
    picks = picks.subspan(static_cast<size_t>(last - picks.begin()));
    begin += fitting;
  }
  return {};
}

}  // namespace firn
