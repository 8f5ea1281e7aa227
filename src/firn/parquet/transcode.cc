#include "firn/parquet/transcode.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "firn/parquet/chunk_encoder_internal.h"
#include "firn/parquet/chunk_reader_internal.h"
#include "firn/parquet/dictionary_merge_internal.h"
#include "firn/parquet/row_walk_internal.h"
#include "firn/parquet/value_conversion_internal.h"
#include "firn/parquet/value_order_internal.h"

namespace firn {
namespace {

// Levels that are passed on between two looks at the size of the page.
constexpr size_t kStep = 1024;
constexpr int kLevelMax = 254;  // 255 stands for none.
// A number that no value of a dictionary has.
constexpr uint32_t kUnknown = UINT32_MAX;

bool IsKnown(ParquetEncoding encoding) {
  switch (encoding) {
    case ParquetEncoding::kPlain:
    case ParquetEncoding::kPlainDictionary:
    case ParquetEncoding::kRle:
    case ParquetEncoding::kBitPacked:  // Of levels that do not exist, as some writers say.
    case ParquetEncoding::kRleDictionary:
    case ParquetEncoding::kDeltaBinaryPacked:
    case ParquetEncoding::kDeltaLengthByteArray:
    case ParquetEncoding::kDeltaByteArray:
    case ParquetEncoding::kByteStreamSplit:
      return true;
  }
  return false;
}

template <size_t kWidth>
void GatherFixed(const std::byte* values, std::span<const uint32_t> indices, std::byte* out) {
  for (const uint32_t index : indices) {
    std::memcpy(out, values + size_t{index} * kWidth, kWidth);
    out += kWidth;
  }
}

// Wraps around, whatever the first value is.
int64_t ValueOf(const ChunkInput::Sequence& sequence, int64_t row) {
  return static_cast<int64_t>(static_cast<uint64_t>(sequence.first) +
                              static_cast<uint64_t>(row) * static_cast<uint64_t>(sequence.step));
}

// Lists of the same nodes.
bool HasSameLists(const LeafNode& from, const LeafNode& to, size_t nodes) {
  const auto is_alike = [](FieldRepetition a, FieldRepetition b) {
    return (a == FieldRepetition::kRepeated) == (b == FieldRepetition::kRepeated);
  };
  return std::equal(from.repetitions.begin(),
                    from.repetitions.begin() + static_cast<std::ptrdiff_t>(nodes),
                    to.repetitions.begin(), is_alike);
}

Status CheckLevelsAndPages(const LeafNode& from, const ColumnChunk& chunk, const LeafNode& to) {
  if (chunk.is_elsewhere) {
    return MakeError(ErrorCode::kUnsupported, "a chunk in another file, or encrypted");
  }
  if (std::max(from.max_definition_level, to.max_definition_level) > kLevelMax) {
    return MakeError(ErrorCode::kUnsupported, "columns nested too deep");
  }
  if (CanDecompress(chunk.codec)) return {};
  return MakeError(ErrorCode::kUnsupported, "pages of codec {}", static_cast<int>(chunk.codec));
}

// Values that no file holds are those of flat columns, nulls those of columns that are null.
Status CheckMissing(const LeafNode& to, const ChunkInput& input) {
  if (input.shared_nodes > 0) {
    return CheckShared(*input.leaf, *input.chunk, to, input.shared_nodes);
  }
  if (input.chunk != nullptr) return {};
  bool fits = to.repetitions.size() == 1 && to.max_repetition_level == 0;
  if (input.generated) {
    fits &= to.element.type == PhysicalType::kInt64;
  } else if (input.constant) {
    const size_t width = ValueWidth(to.element);
    fits &= width == 0 || input.constant->size() == width;
  } else {
    fits = to.repetitions.front() == FieldRepetition::kOptional;
  }
  if (fits) return {};
  return MakeError(ErrorCode::kInternal, "leaf '{}' cannot have values that no file holds",
                   to.element.name);
}

// Passes the kept values of one input on to the encoder.
class InputTransfer {
 public:
  InputTransfer(const ChunkInput& input, const LeafNode& to, const ChunkOptions& options,
                const MergedDictionary* dictionary, std::span<const uint32_t> numbers,
                ChunkEncoder& encoder, PageCodec& codec)
      : input_(input),
        to_(to),
        options_(options),
        dictionary_(dictionary),
        numbers_(numbers),
        width_(ValueWidth(to.element)),
        encoder_(encoder),
        codec_(codec) {}

  Status Run() {
    if (input_.chunk == nullptr) {
      if (input_.generated) return Generate();
      return input_.constant ? Repeat() : AddNulls();
    }
    const int64_t rows_before = encoder_.row_count();
    FIRN_RETURN_IF_ERROR(AddPages());
    const int64_t rows = encoder_.row_count() - rows_before;
    if (rows == input_.kept_rows()) return {};
    return MakeError(ErrorCode::kCorrupt,
                     "the pages gave {} rows, expected {} of the {} that the "
                     "footer tells",
                     rows, input_.kept_rows(), input_.row_count);
  }

 private:
  Status AddPages() {
    ChunkReader reader(input_, to_, codec_, options_.input_page_bytes_max);
    FIRN_ASSIGN(own_, reader.ReadDictionary());
    if (own_) {
      for (const std::string_view value : own_->bytes)
        own_largest_ = std::max(own_largest_, value.size());
    }
    RowWalk walk(to_, input_.kept);
    while (true) {
      FIRN_ASSIGN(const int64_t passed, reader.SkipPages(walk.RowsToPass()));
      walk.Pass(passed);
      FIRN_ASSIGN(const std::optional<DataPage> page, reader.Next());
      if (!page) return {};
      rest_ = page->plain;
      rest_index_ = 0;
      step_ = StepOf(*page);
      FIRN_RETURN_IF_ERROR(
          walk.Page(*page, [&](const PageSegment& segment) { return AddSegment(*page, segment); }));
    }
  }

  // Of the column as a whole.
  Status AddNulls() {
    const std::vector<uint8_t> zeros(kStep, uint8_t{0});
    return InSteps(input_.kept_rows(), [&](size_t count) -> Status {
      const auto levels = std::span(zeros).first(count);
      encoder_.AddLevels(count, levels, levels.first(to_.max_repetition_level > 0 ? count : 0), 0);
      return {};
    });
  }

  Status Repeat() {
    const std::string& value = *input_.constant;
    const size_t bytes = value.size() + (width_ == 0 ? sizeof(uint32_t) : 0);
    if (dictionary_ == nullptr) step_ = StepOf(bytes);
    return InSteps(input_.kept_rows(), [&](size_t count) -> Status {
      FIRN_RETURN_IF_ERROR(encoder_.CheckRoom(count, dictionary_ == nullptr ? count * bytes : 0));
      encoder_.AddLevels(count, {}, {}, count);
      if (dictionary_ != nullptr) {
        buffer_.assign(count, NumberOf(value));
        return AddNumbers();
      }
      for (size_t i = 0; i < count; ++i) {
        if (width_ > 0) {
          encoder_.AddFixed(AsBytes(value).data(), 1);
        } else {
          encoder_.AddBytes(value);
        }
      }
      return {};
    });
  }

  Status Generate() {
    const std::vector<RowSpan> all = {{0, input_.row_count}};
    std::vector<int64_t> values(kStep);
    for (const RowSpan& span : input_.kept == nullptr ? all : *input_.kept) {
      int64_t row = span.begin;
      FIRN_RETURN_IF_ERROR(InSteps(span.end - span.begin, [&](size_t count) {
        for (size_t i = 0; i < count; ++i)
          values[i] = ValueOf(*input_.generated, row + static_cast<int64_t>(i));
        row += static_cast<int64_t>(count);
        encoder_.AddLevels(count, {}, {}, count);
        return AddPlainFixed(reinterpret_cast<const std::byte*>(values.data()), count);
      }));
    }
    return {};
  }

  template <typename Body>
  Status InSteps(int64_t rows, const Body& body) {
    while (rows > 0) {
      FIRN_ASSIGN(const int64_t room, encoder_.RoomForRows());
      const int64_t count = std::min({rows, room, static_cast<int64_t>(step_)});
      FIRN_RETURN_IF_ERROR(body(static_cast<size_t>(count)));
      rows -= count;
    }
    return {};
  }

  // Levels of the page that are passed on at once, so that their values make about a page at most.
  size_t StepOf(const DataPage& page) const {
    if (dictionary_ != nullptr) return kStep;
    size_t value_bytes = width_;
    if (width_ == 0) {
      value_bytes = page.is_dictionary_encoded
                        ? own_largest_
                        : page.plain.size() / std::max<size_t>(page.value_count, 1);
    }
    return StepOf(value_bytes);
  }

  size_t StepOf(size_t value_bytes) const {
    const auto page_bytes = static_cast<size_t>(std::max<int64_t>(options_.page_bytes, 1));
    return std::clamp(page_bytes / std::max<size_t>(value_bytes, 1), size_t{1}, kStep);
  }

  Status AddSegment(const DataPage& page, const PageSegment& segment) {
    size_t level = segment.level_begin;
    size_t value = segment.value_begin;
    const auto defined = static_cast<uint8_t>(to_.max_definition_level);
    while (level < segment.level_end) {
      size_t end = segment.level_end;
      if (page.repetition.empty()) {
        FIRN_ASSIGN(const int64_t room, encoder_.RoomForRows());
        end = std::min(end, level + std::min(step_, static_cast<size_t>(room)));
      } else {
        int64_t room = 0;
        if (page.repetition[level] == 0) {
          FIRN_ASSIGN(room, encoder_.RoomForRows());
        }
        end = EndOfRows(page, level, end, room);
      }
      const size_t count = end - level;
      const auto definition =
          page.definition.empty() ? page.definition : page.definition.subspan(level, count);
      const auto repetition =
          page.repetition.empty() ? page.repetition : page.repetition.subspan(level, count);
      const size_t values =
          definition.empty()
              ? count
              : static_cast<size_t>(std::count(definition.begin(), definition.end(), defined));
      FIRN_RETURN_IF_ERROR(encoder_.CheckRoom(count, BytesOf(page, value, values)));
      encoder_.AddLevels(count, definition, repetition, values);
      FIRN_RETURN_IF_ERROR(AddValues(page, value, values));
      level = end;
      value += values;
    }
    return {};
  }

  // Where the last of at most `rows` rows ends that begin within a step. What goes on at `level` is
  // the rest of a row: it comes alone, with `rows` 0.
  size_t EndOfRows(const DataPage& page, size_t level, size_t end, int64_t rows) const {
    int64_t begun = 0;
    for (size_t at = level; at < end; ++at) {
      if (page.repetition[at] != 0) continue;
      if (begun == rows || at - level >= step_) return at;
      ++begun;
    }
    return end;
  }

  // Bytes that values take which are written plain.
  size_t BytesOf(const DataPage& page, size_t begin, size_t count) const {
    if (dictionary_ != nullptr) return 0;
    if (width_ > 0) return count * width_;
    if (!page.is_dictionary_encoded) return page.plain.size();
    const size_t most = count * (own_largest_ + sizeof(uint32_t));
    if (most <= static_cast<size_t>(kPageBytesMax)) return most;
    size_t sum = 0;
    for (const uint32_t index : page.indices.subspan(begin, count))
      sum += own_->bytes[index].size() + sizeof(uint32_t);
    return sum;
  }

  Status AddValues(const DataPage& page, size_t begin, size_t count) {
    if (count == 0) return {};
    if (page.is_dictionary_encoded) {
      const auto indices = page.indices.subspan(begin, count);
      if (dictionary_ != nullptr) return AddRenumbered(indices);
      Gather(indices);
      return {};
    }
    if (width_ > 0) return AddPlainFixed(page.plain.data() + begin * width_, count);
    // Byte arrays are walked from the start of the page on.
    rest_ = ForEachByteArray(rest_, begin - rest_index_, [](std::string_view) {});
    rest_index_ = begin + count;
    const auto start = rest_;
    if (dictionary_ != nullptr) {
      buffer_.clear();
      rest_ = ForEachByteArray(
          rest_, count, [this](std::string_view value) { buffer_.push_back(NumberOf(value)); });
      return AddNumbers();
    }
    rest_ = ForEachByteArray(rest_, count,
                             [this](std::string_view value) { encoder_.AddBound(value); });
    encoder_.AddPlainBytes(start.first(start.size() - rest_.size()));
    return {};
  }

  Status AddPlainFixed(const std::byte* values, size_t count) {
    if (dictionary_ == nullptr) {
      encoder_.AddFixed(values, count);
      return {};
    }
    buffer_.clear();
    for (size_t i = 0; i < count; ++i)
      buffer_.push_back(NumberOf(AsText({values + i * width_, width_})));
    return AddNumbers();
  }

  uint32_t NumberOf(std::string_view value) const {
    return dictionary_->values.Find(value).value_or(kUnknown);
  }

  // The numbers of values, of which the merge may not know all: it does not look at pages where the
  // footer says that all of them refer to the dictionary.
  Status AddNumbers() {
    uint32_t largest = 0;
    for (const uint32_t number : buffer_)
      largest = std::max(largest, number);
    if (largest >= dictionary_->values.size()) {
      return MakeError(ErrorCode::kCorrupt,
                       "a page has values of its own, the footer tells of dictionary pages only");
    }
    encoder_.AddIndices(buffer_);
    return {};
  }

  Status AddRenumbered(std::span<const uint32_t> indices) {
    buffer_.resize(indices.size());
    for (size_t i = 0; i < indices.size(); ++i)
      buffer_[i] = numbers_[indices[i]];
    return AddNumbers();
  }

  void Gather(std::span<const uint32_t> indices) {
    if (width_ == 0) {
      for (const uint32_t index : indices)
        encoder_.AddBytes(own_->bytes[index]);
      return;
    }
    std::byte* to = encoder_.GrowFixed(indices.size());
    if (width_ == 8) {
      GatherFixed<8>(own_->fixed, indices, to);
    } else if (width_ == 4) {
      GatherFixed<4>(own_->fixed, indices, to);
    } else {
      for (size_t i = 0; i < indices.size(); ++i)
        std::memcpy(to + i * width_, own_->fixed + indices[i] * width_, width_);
    }
    encoder_.FixedFilled(to, indices.size());
  }

  const ChunkInput& input_;
  const LeafNode& to_;
  const ChunkOptions& options_;
  const MergedDictionary* dictionary_;
  const std::span<const uint32_t> numbers_;  // Of the input's dictionary in the merged one.
  const size_t width_;
  ChunkEncoder& encoder_;
  PageCodec& codec_;
  std::optional<DictionaryValues> own_;
  std::span<const std::byte> rest_;  // Byte arrays of the page from `rest_index_` on.
  size_t rest_index_ = 0;
  size_t own_largest_ = 0;  // Byte array of the input's dictionary.
  size_t step_ = kStep;
  std::vector<uint32_t> buffer_;
};

}  // namespace

int64_t ChunkInput::kept_rows() const {
  if (kept == nullptr) return row_count;
  int64_t rows = 0;
  for (const RowSpan& span : *kept)
    rows += span.end - span.begin;
  return rows;
}

Status CheckTranscode(const LeafNode& from, const ColumnChunk& chunk, const LeafNode& to) {
  FIRN_RETURN_IF_ERROR(CheckLevelsAndPages(from, chunk, to));
  if (!FindConversion(from.element, to.element)) {
    return MakeError(ErrorCode::kUnsupported, "type {} with meaning {}, expected {} with {}",
                     static_cast<int>(*from.element.type),
                     static_cast<int>(from.element.meaning.kind),
                     static_cast<int>(*to.element.type), static_cast<int>(to.element.meaning.kind));
  }
  // What may be missing may differ, lists may not.
  const size_t nodes = from.repetitions.size();
  if (nodes != to.repetitions.size() || !HasSameLists(from, to, nodes)) {
    return MakeError(ErrorCode::kUnsupported, "lists of an old form");
  }
  for (const ParquetEncoding encoding : chunk.encodings) {
    if (!IsKnown(encoding)) {
      return MakeError(ErrorCode::kUnsupported, "values of encoding {}",
                       static_cast<int>(encoding));
    }
  }
  return {};
}

Status CheckShared(const LeafNode& from, const ColumnChunk& chunk, const LeafNode& to,
                   size_t shared_nodes) {
  FIRN_RETURN_IF_ERROR(CheckLevelsAndPages(from, chunk, to));
  if (shared_nodes > 0 && shared_nodes < from.repetitions.size() &&
      shared_nodes < to.repetitions.size() &&
      to.repetitions[shared_nodes] == FieldRepetition::kOptional &&
      HasSameLists(from, to, shared_nodes)) {
    return {};
  }
  return MakeError(ErrorCode::kUnsupported, "no leaf that tells where it is missing");
}

bool CanTranscode(const LeafNode& from, const ColumnChunk& chunk, const LeafNode& to) {
  return CheckTranscode(from, chunk, to).ok();
}

Result<EncodedChunk> TranscodeChunk(const LeafNode& to, std::span<const ChunkInput> inputs,
                                    const ChunkOptions& options) {
  FIRN_ASSIGN(const ValueOrder order, OrderOf(to.element));
  for (const ChunkInput& input : inputs)
    FIRN_RETURN_IF_ERROR(CheckMissing(to, input));
  PageCodec codec;
  FIRN_ASSIGN(const std::optional<MergedDictionary> dictionary,
              MergeDictionaries(to, order, inputs, options, codec));
  ChunkEncoder encoder(to, order, options, dictionary ? &dictionary->values : nullptr,
                       ChunkEncoder::DictionaryState::kSorted);
  encoder.UseCodec(codec);
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::span<const uint32_t> numbers;
    if (dictionary) numbers = dictionary->numbers[i];
    FIRN_RETURN_IF_ERROR(InputTransfer(inputs[i], to, options, dictionary ? &*dictionary : nullptr,
                                       numbers, encoder, codec)
                             .Run(),
                         "{}", NameOf(inputs[i], i));
  }
  return encoder.Finish();
}

}  // namespace firn
