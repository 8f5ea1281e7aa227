#include "firn/parquet/chunk_writer.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "firn/parquet/bloom_filter_internal.h"
#include "firn/parquet/chunk_encoder_internal.h"
#include "firn/parquet/dictionary_choice_internal.h"
#include "firn/parquet/distinct_guess_internal.h"
#include "firn/parquet/rle_internal.h"

namespace firn {
namespace {

// Levels between two looks at the size of the page.
constexpr size_t kStep = 1024;
constexpr size_t kPrefix = sizeof(uint32_t);
// Values after which the worth of a dictionary is judged.
constexpr int64_t kTrialValues = 16384;
// Between two looks at whether a dictionary still pays there are so many times as many pages.
constexpr size_t kLookFactor = 4;
// A dictionary is left only for plain values that are clearly smaller: its pages stay.
constexpr double kStayTolerance = 1.05;

}  // namespace

PageCodecPool::PageCodecPool() = default;
PageCodecPool::~PageCodecPool() = default;

std::unique_ptr<PageCodec> PageCodecPool::Take() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return std::make_unique<PageCodec>();
  std::unique_ptr<PageCodec> codec = std::move(idle_.back());
  idle_.pop_back();
  return codec;
}

void PageCodecPool::Return(std::unique_ptr<PageCodec> codec) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(codec));
}

struct ChunkWriter::State {
  State(const LeafNode& leaf_node, ValueOrder order, const ChunkOptions& chunk_options,
        int64_t expected)
      : leaf(leaf_node),
        options(chunk_options),
        rows_expected(expected),
        width(ValueWidth(leaf_node.element)),
        is_number(order == ValueOrder::kInt32 || order == ValueOrder::kInt64 ||
                  order == ValueOrder::kFloat || order == ValueOrder::kDouble),
        dictionary(width),
        encoder(leaf_node, order, options,
                order == ValueOrder::kBoolean || chunk_options.dictionary_bytes_max <= 0
                    ? nullptr
                    : &dictionary,
                ChunkEncoder::DictionaryState::kGrowing),
        is_on_trial(encoder.uses_dictionary()) {
    if (chunk_options.bloom_filter_bytes > 0) {
      bloom_filter.emplace(static_cast<size_t>(chunk_options.bloom_filter_bytes));
    }
  }

  void UseCodec(PageCodec& page_codec) {
    codec = &page_codec;
    encoder.UseCodec(page_codec);
  }

  struct Step {
    size_t levels = 0;
    size_t values = 0;
    size_t value_bytes = 0;  // PLAIN.
  };
  Status Add(const LeafRows& rows);
  Step FindStep(const LeafRows& rows, size_t level, size_t value, int64_t rows_max) const;
  Step FindNestedStep(const LeafRows& rows, size_t level, size_t value, int64_t rows_max) const;
  size_t BytesOf(const LeafRows& rows, size_t value, size_t count) const;
  void AddValues(const LeafRows& rows, size_t begin, size_t count);
  void AddNumbered(const LeafRows& rows, size_t begin, size_t count);
  void AddPlain(const LeafRows& rows, size_t begin, size_t count);
  bool IsTrialOver() const;
  Status Judge();
  double ExpectedValues() const;
  double GuessDistinctOf(double total) const;
  bool LooksPossible(double distinct_total, double total) const;
  Result<bool> LooksSmaller(double distinct_total, double total) const;
  bool IsLookDue() const;
  Status LookAgain();
  Status CheckDictionary();
  bool HoldsTooLarge(const LeafRows& rows, size_t value, const Step& step) const;
  Status DropDictionary();
  Status JudgeAll();
  void AddToBloomFilter();
  Result<EncodedChunk> Finish();

  const LeafNode& leaf;
  const ChunkOptions options;
  const int64_t rows_expected;
  const size_t width;
  const bool is_number;
  ValueDictionary dictionary;
  ChunkEncoder encoder;
  PageCodec* codec = nullptr;  // The one that the encoder uses, too.
  bool is_on_trial;
  std::optional<BloomFilter> bloom_filter;
  std::vector<uint32_t> numbers;
  std::vector<uint32_t> last_page;  // By number: the page, from 1, that has the value.

  int64_t value_count = 0;
  int64_t value_bytes = 0;  // PLAIN.
  // Half way through the trial; later, at the last look.
  int64_t count_before = 0;
  size_t distinct_before = 0;
  size_t next_look = 1;  // After so many pages.
};

size_t ChunkWriter::State::BytesOf(const LeafRows& rows, size_t value, size_t count) const {
  if (width > 0) return count * width;
  size_t sum = count * kPrefix;
  for (size_t i = value; i < value + count; ++i)
    sum += rows.bytes[i].size();
  return sum;
}

// The next levels that go into the page at once: at most `rows_max` rows, and of large values no
// more than make a page.
ChunkWriter::State::Step ChunkWriter::State::FindStep(const LeafRows& rows, size_t level,
                                                      size_t value, int64_t rows_max) const {
  if (!rows.repetition.empty()) return FindNestedStep(rows, level, value, rows_max);
  const auto page_bytes = static_cast<size_t>(std::max<int64_t>(options.page_bytes, 1));
  size_t levels = std::min({rows.level_count - level, static_cast<size_t>(rows_max), kStep});
  if (width > 0) levels = std::min(levels, std::max<size_t>(page_bytes / width, 1));
  while (true) {
    Step step{.levels = levels, .values = levels};
    if (!rows.definition.empty()) {
      const auto part = rows.definition.subspan(level, levels);
      step.values = static_cast<size_t>(
          std::count(part.begin(), part.end(), static_cast<uint8_t>(leaf.max_definition_level)));
    }
    step.value_bytes = BytesOf(rows, value, step.values);
    if (step.value_bytes <= page_bytes || levels == 1) return step;
    levels = std::max<size_t>(levels / 4, 1);
  }
}

// Ends where a row does.
ChunkWriter::State::Step ChunkWriter::State::FindNestedStep(const LeafRows& rows, size_t level,
                                                            size_t value, int64_t rows_max) const {
  const auto page_bytes = static_cast<size_t>(std::max<int64_t>(options.page_bytes, 1));
  const auto defined = static_cast<uint8_t>(leaf.max_definition_level);
  Step step;
  int64_t begun = 0;
  for (size_t at = level; at < rows.level_count; ++at) {
    if (rows.repetition[at] == 0) {
      if (begun == rows_max || at - level >= kStep || step.value_bytes >= page_bytes) break;
      ++begun;
    }
    ++step.levels;
    if (!rows.definition.empty() && rows.definition[at] != defined) continue;
    step.value_bytes += BytesOf(rows, value + step.values, 1);
    ++step.values;
  }
  return step;
}

Status ChunkWriter::State::Add(const LeafRows& rows) {
  size_t level = 0;
  size_t value = 0;
  while (level < rows.level_count) {
    if (IsTrialOver()) FIRN_RETURN_IF_ERROR(Judge());
    if (IsLookDue()) FIRN_RETURN_IF_ERROR(LookAgain());
    FIRN_ASSIGN(const int64_t room, encoder.RoomForRows());
    const Step step = FindStep(rows, level, value, room);
    FIRN_RETURN_IF_ERROR(encoder.CheckRoom(step.levels, step.value_bytes));
    if (HoldsTooLarge(rows, value, step)) FIRN_RETURN_IF_ERROR(DropDictionary());
    encoder.AddLevels(
        step.levels,
        rows.definition.empty() ? rows.definition : rows.definition.subspan(level, step.levels),
        rows.repetition.empty() ? rows.repetition : rows.repetition.subspan(level, step.levels),
        step.values);
    AddValues(rows, value, step.values);
    value_count += static_cast<int64_t>(step.values);
    value_bytes += static_cast<int64_t>(step.value_bytes);
    FIRN_RETURN_IF_ERROR(CheckDictionary());
    level += step.levels;
    value += step.values;
    if (encoder.IsPageLarge()) {
      if (IsTrialOver()) FIRN_RETURN_IF_ERROR(Judge());
      FIRN_RETURN_IF_ERROR(encoder.WriteFullPage());
    }
  }
  return {};
}

// Whether a value comes that no dictionary may have: it would be copied there in vain.
bool ChunkWriter::State::HoldsTooLarge(const LeafRows& rows, size_t value, const Step& step) const {
  const int64_t bytes_max = std::min(options.dictionary_bytes_max, kPageBytesMax);
  if (!encoder.uses_dictionary() || width > 0 ||
      static_cast<int64_t>(step.value_bytes) <= bytes_max) {
    return false;
  }
  return std::any_of(rows.bytes + value, rows.bytes + value + step.values,
                     [bytes_max](std::string_view bytes) {
                       return static_cast<int64_t>(bytes.size()) > bytes_max;
                     });
}

void ChunkWriter::State::AddValues(const LeafRows& rows, size_t begin, size_t count) {
  if (count == 0) return;
  if (encoder.uses_dictionary()) {
    AddNumbered(rows, begin, count);
  } else {
    AddPlain(rows, begin, count);
  }
}

void ChunkWriter::State::AddNumbered(const LeafRows& rows, size_t begin, size_t count) {
  numbers.resize(count);
  if (width > 0) {
    dictionary.InsertFixed(rows.fixed + begin * width, count, numbers.data());
  } else {
    dictionary.InsertBytes({rows.bytes + begin, count}, numbers.data());
  }
  encoder.AddIndices(numbers);
  if (is_number) {
    encoder.AddBounds(rows.fixed + begin * width, count);
    return;
  }
  // Each value is compared once in a page.
  last_page.resize(std::max(last_page.size(), dictionary.size()), 0);
  const auto page = static_cast<uint32_t>(encoder.page_count() + 1);
  for (const uint32_t number : numbers) {
    if (last_page[number] == page) continue;
    last_page[number] = page;
    encoder.AddBound(dictionary.At(number));
  }
}

void ChunkWriter::State::AddPlain(const LeafRows& rows, size_t begin, size_t count) {
  if (width > 0) {
    encoder.AddFixed(rows.fixed + begin * width, count);
  } else {
    for (size_t i = begin; i < begin + count; ++i)
      encoder.AddBytes(rows.bytes[i]);
  }
  if (!bloom_filter) return;
  for (size_t i = begin; i < begin + count; ++i) {
    bloom_filter->Insert(width > 0 ? AsText({rows.fixed + i * width, width}) : rows.bytes[i]);
  }
}

// No later than the page would be full with the values themselves.
bool ChunkWriter::State::IsTrialOver() const {
  return is_on_trial &&
         (value_count >= kTrialValues || value_bytes >= options.page_bytes || encoder.IsPageFull());
}

// Values of the chunk, about; at least those that are there.
double ChunkWriter::State::ExpectedValues() const {
  const auto seen = static_cast<double>(value_count);
  const double rows = static_cast<double>(std::max<int64_t>(encoder.row_count(), 1));
  return std::max(seen, seen / rows * static_cast<double>(rows_expected));
}

// How many of `total` values will be distinct, going by now and by the last look.
double ChunkWriter::State::GuessDistinctOf(double total) const {
  return GuessGrowingDistinct(
      static_cast<double>(distinct_before), static_cast<double>(count_before),
      static_cast<double>(dictionary.size()), static_cast<double>(value_count), total);
}

// The first values are in: whether all of the chunk would be smaller with a dictionary.
Status ChunkWriter::State::Judge() {
  is_on_trial = false;
  if (value_count == 0 || options.dictionary_use == DictionaryUse::kWherePossible) return {};
  const double total = ExpectedValues();
  const double distinct_total = GuessDistinctOf(total);
  if (!LooksPossible(distinct_total, total)) return DropDictionary();
  FIRN_ASSIGN(const bool is_smaller, LooksSmaller(distinct_total, total));
  return is_smaller ? Status() : DropDictionary();
}

// Whether it will fit, and is smaller at least before it is compressed, which needs no trial.
bool ChunkWriter::State::LooksPossible(double distinct_total, double total) const {
  const double size = distinct_total * static_cast<double>(dictionary.plain_bytes()) /
                      static_cast<double>(dictionary.size());
  // Twice: it is only a guess.
  if (size > 2 * static_cast<double>(options.dictionary_bytes_max)) return false;
  const double index_bits = BitWidth(static_cast<uint64_t>(distinct_total));
  return size + total * index_bits / 8 <
         total * static_cast<double>(value_bytes) / static_cast<double>(value_count);
}

Result<bool> ChunkWriter::State::LooksSmaller(double distinct_total, double total) const {
  return IsSmallerWithDictionary({.dictionary = dictionary,
                                  .numbers = encoder.page_indices(),
                                  .numbering = DictionaryNumbering::kFirstSight,
                                  .values_seen = static_cast<double>(value_count),
                                  .values_total = total,
                                  .distinct_total = distinct_total},
                                 options, *codec);
}

// Where a page is about to be written. Rows that are sorted need not go on as they began.
bool ChunkWriter::State::IsLookDue() const {
  return !is_on_trial && encoder.uses_dictionary() && encoder.page_count() >= next_look &&
         encoder.IsPageFull() && options.dictionary_use == DictionaryUse::kIfSmaller;
}

// Whether what follows is smaller in the dictionary, of which what is there costs nothing more.
Status ChunkWriter::State::LookAgain() {
  next_look *= kLookFactor;
  const auto known = static_cast<double>(dictionary.size());
  const auto seen = static_cast<double>(value_count);
  const double total = std::max(ExpectedValues(), seen + kTrialValues);
  const double distinct = GuessDistinctOf(total);
  count_before = value_count;
  distinct_before = dictionary.size();
  FIRN_ASSIGN(const bool is_smaller,
              IsSmallerWithDictionary({.dictionary = dictionary,
                                       .numbers = encoder.page_indices(),
                                       .numbering = DictionaryNumbering::kSettled,
                                       .values_seen = seen,
                                       .values_total = total - seen,
                                       .tolerance = kStayTolerance,
                                       .distinct_total = std::max(distinct - known, 0.0)},
                                      options, *codec));
  return is_smaller ? Status() : DropDictionary();
}

Status ChunkWriter::State::CheckDictionary() {
  if (!encoder.uses_dictionary()) return {};
  if (is_on_trial && count_before == 0 && value_count >= kTrialValues / 2) {
    count_before = value_count;
    distinct_before = dictionary.size();
  }
  const auto bytes = static_cast<int64_t>(dictionary.plain_bytes());
  return bytes > std::min(options.dictionary_bytes_max, kPageBytesMax) ? DropDictionary()
                                                                       : Status();
}

void ChunkWriter::State::AddToBloomFilter() {
  if (!bloom_filter) return;
  for (uint32_t number = 0; number < dictionary.size(); ++number)
    bloom_filter->Insert(dictionary.At(number));
}

Status ChunkWriter::State::DropDictionary() {
  is_on_trial = false;
  AddToBloomFilter();
  FIRN_RETURN_IF_ERROR(encoder.LeaveDictionary());
  last_page = {};
  if (encoder.page_count() == 0) dictionary = ValueDictionary(width);
  return {};
}

size_t PlainWidth(const LeafNode& leaf) { return ValueWidth(leaf.element); }

Result<std::unique_ptr<ChunkWriter>> ChunkWriter::Make(const LeafNode& leaf,
                                                       const ChunkOptions& options,
                                                       int64_t rows_expected) {
  FIRN_ASSIGN(const ValueOrder order, OrderOf(leaf.element));
  return std::unique_ptr<ChunkWriter>(
      new ChunkWriter(std::make_unique<State>(leaf, order, options, rows_expected)));
}

ChunkWriter::ChunkWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ChunkWriter::~ChunkWriter() = default;

Status ChunkWriter::Add(const LeafRows& rows, PageCodecPool& codecs) {
  std::unique_ptr<PageCodec> codec = codecs.Take();
  state_->UseCodec(*codec);
  Status status = state_->Add(rows);
  codecs.Return(std::move(codec));
  return status;
}

int64_t ChunkWriter::estimated_bytes() const {
  const bool has_dictionary = state_->encoder.uses_dictionary();
  return state_->encoder.stored_bytes() + state_->encoder.page_bytes() +
         (has_dictionary ? static_cast<int64_t>(state_->dictionary.plain_bytes()) : 0);
}

int64_t ChunkWriter::held_bytes() const {
  const State& state = *state_;
  return state.encoder.held_bytes() + static_cast<int64_t>(state.dictionary.held_bytes()) +
         static_cast<int64_t>((state.numbers.capacity() + state.last_page.capacity()) *
                              sizeof(uint32_t)) +
         (state.bloom_filter ? state.options.bloom_filter_bytes : 0);
}

// Of few values, what they take decides, not a guess.
Status ChunkWriter::State::JudgeAll() {
  if (options.dictionary_use == DictionaryUse::kWherePossible) return {};
  const auto index_bytes = value_count * dictionary.index_bits() / 8;
  const auto bytes = static_cast<int64_t>(dictionary.plain_bytes()) + index_bytes;
  if (bytes >= value_bytes) return DropDictionary();
  FIRN_ASSIGN(const bool is_smaller, LooksSmaller(static_cast<double>(dictionary.size()),
                                                  static_cast<double>(value_count)));
  return is_smaller ? Status() : DropDictionary();
}

Result<EncodedChunk> ChunkWriter::State::Finish() {
  if (is_on_trial) FIRN_RETURN_IF_ERROR(JudgeAll());
  if (encoder.uses_dictionary()) AddToBloomFilter();
  FIRN_ASSIGN(EncodedChunk chunk, encoder.Finish());
  if (bloom_filter) chunk.bloom_filter = bloom_filter->Format();
  return chunk;
}

Result<EncodedChunk> ChunkWriter::Finish(PageCodecPool& codecs) {
  std::unique_ptr<PageCodec> codec = codecs.Take();
  state_->UseCodec(*codec);
  Result<EncodedChunk> chunk = state_->Finish();
  codecs.Return(std::move(codec));
  return chunk;
}

}  // namespace firn
