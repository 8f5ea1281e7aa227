#include <algorithm>
#include <cstring>

#include "firn/parquet/dictionary_choice_internal.h"
#include "firn/parquet/dictionary_merge_internal.h"
#include "firn/parquet/distinct_guess_internal.h"
#include "firn/parquet/row_walk_internal.h"

namespace firn {
namespace {

// A number that is not known yet.
constexpr uint32_t kUnset = UINT32_MAX;
// As many distinct values are needed to guess how many there will be in the end.
constexpr size_t kGuessMin = 8192;
// Of fewer values it hardly matters how they are stored.
constexpr int64_t kSampleMin = 512;
// Inputs that are read once more for the sample: there may be many with a few rows each.
constexpr size_t kSampleInputs = 16;

bool HasOnlyDictionaryPages(const ColumnChunk& chunk) {
  if (chunk.encoding_stats.empty()) return false;
  for (const PageEncodingStats& stats : chunk.encoding_stats) {
    if (stats.page_type == static_cast<int32_t>(PageType::kDictionary) || stats.count == 0) {
      continue;
    }
    if (stats.encoding != ParquetEncoding::kRleDictionary &&
        stats.encoding != ParquetEncoding::kPlainDictionary) {
      return false;
    }
  }
  return true;
}

class DictionaryMerge {
 public:
  DictionaryMerge(const LeafNode& to, const ChunkOptions& options, PageCodec& codec)
      : to_(to),
        options_(options),
        width_(ValueWidth(to.element)),
        bytes_max_(static_cast<size_t>(std::min(options.dictionary_bytes_max, kPageBytesMax))),
        codec_(codec),
        values_(width_) {}

  Result<std::optional<MergedDictionary>> Run(ValueOrder order,
                                              std::span<const ChunkInput> inputs) {
    numbers_.resize(inputs.size());
    for (const ChunkInput& input : inputs)
      total_ += CountTaken(input);
    for (size_t i = 0; i < inputs.size(); ++i) {
      FIRN_RETURN_IF_ERROR(Add(inputs[i], numbers_[i]), "{}", NameOf(inputs[i], i));
      if (IsTooLarge()) return std::optional<MergedDictionary>();
    }
    if (values_.size() == 0 || !PaysOff()) return std::optional<MergedDictionary>();
    const std::vector<uint32_t> sorted = values_.Sort(order);
    for (std::vector<uint32_t>& numbers : numbers_) {
      for (uint32_t& number : numbers)
        if (number != kUnset) number = sorted[number];
    }
    FIRN_ASSIGN(const bool is_smaller, IsSmaller(inputs));
    if (!is_smaller) return std::optional<MergedDictionary>();
    return std::optional<MergedDictionary>(
        MergedDictionary{.values = std::move(values_), .numbers = std::move(numbers_)});
  }

 private:
  Status Add(const ChunkInput& input, std::vector<uint32_t>& numbers) {
    if (input.chunk == nullptr) return AddGenerated(input);
    if (input.shared_nodes > 0) return {};
    ChunkReader reader(input, to_, codec_, options_.input_page_bytes_max);
    FIRN_ASSIGN(const auto dictionary, reader.ReadDictionary());
    if (dictionary) numbers.assign(dictionary->count, kUnset);
    if (dictionary && input.kept == nullptr && HasOnlyDictionaryPages(*input.chunk)) {
      count_ += input.chunk->num_values;
      for (size_t i = 0; i < dictionary->count; ++i) {
        numbers[i] = values_.Insert(dictionary->At(i));
        if (values_.plain_bytes() > bytes_max_) break;
      }
      return {};
    }
    RowWalk walk(to_, input.kept);
    while (!IsTooLarge()) {
      FIRN_ASSIGN(const int64_t passed, reader.SkipPages(walk.RowsToPass()));
      walk.Pass(passed);
      FIRN_ASSIGN(const std::optional<DataPage> page, reader.Next());
      if (!page) break;
      FIRN_RETURN_IF_ERROR(walk.Page(*page, [&](const PageSegment& segment) -> Status {
        AddSegment(*page, segment, dictionary, numbers);
        return {};
      }));
    }
    return {};
  }

  Status AddGenerated(const ChunkInput& input) {
    if (input.constant && input.kept_rows() > 0) {
      count_ += input.kept_rows();
      values_.Insert(*input.constant);
    }
    if (!input.generated) return {};
    has_sequence_ |= input.generated->step != 0;
    count_ += input.kept_rows();
    const int64_t value = input.generated->first;
    values_.Insert({reinterpret_cast<const char*>(&value), sizeof(value)});
    return {};
  }

  void AddSegment(const DataPage& page, const PageSegment& segment,
                  const std::optional<DictionaryValues>& dictionary,
                  std::vector<uint32_t>& numbers) {
    const size_t count = segment.value_end - segment.value_begin;
    count_ += static_cast<int64_t>(count);
    if (page.is_dictionary_encoded) {
      for (const uint32_t index : page.indices.subspan(segment.value_begin, count)) {
        if (numbers[index] == kUnset) numbers[index] = values_.Insert(dictionary->At(index));
      }
      return;
    }
    if (width_ > 0) {
      inserted_.resize(std::min(count, kGuessMin));
      for (size_t i = 0; i < count && !IsTooLarge(); i += kGuessMin) {
        values_.InsertFixed(page.plain.data() + (segment.value_begin + i) * width_,
                            std::min(count - i, kGuessMin), inserted_.data());
      }
      return;
    }
    const auto rest = ForEachByteArray(page.plain, segment.value_begin, [](std::string_view) {});
    ForEachByteArray(rest, count, [this](std::string_view value) { values_.Insert(value); });
  }

  // Values, with nulls, that are taken over of an input.
  static int64_t CountTaken(const ChunkInput& input) {
    if (input.chunk == nullptr || input.shared_nodes > 0) return 0;
    const double share = input.row_count == 0 ? 0
                                              : static_cast<double>(input.kept_rows()) /
                                                    static_cast<double>(input.row_count);
    return static_cast<int64_t>(static_cast<double>(input.chunk->num_values) * share);
  }

  // Or will be, as it looks.
  bool IsTooLarge() {
    if (is_guessed_too_large_ || has_sequence_ || values_.plain_bytes() > bytes_max_) return true;
    if (values_.size() < next_guess_) return false;
    next_guess_ = values_.size() * 2;
    const auto distinct = static_cast<double>(values_.size());
    const double guess =
        GuessDistinct(distinct, static_cast<double>(count_), static_cast<double>(total_));
    // Twice: it is only a guess.
    const double value_bytes = static_cast<double>(values_.plain_bytes()) / distinct;
    is_guessed_too_large_ = guess * value_bytes > 2 * static_cast<double>(bytes_max_);
    return is_guessed_too_large_;
  }

  // Before compression: what is larger then does not become smaller by it.
  bool PaysOff() const {
    if (options_.dictionary_use == DictionaryUse::kWherePossible) return true;
    const auto plain = static_cast<double>(values_.plain_bytes());
    const double count = static_cast<double>(count_);
    const double bits = values_.index_bits();
    const double value_bytes = plain / static_cast<double>(values_.size());
    return plain + count * bits / 8 < count * value_bytes;
  }

  // As they will be stored, going by values of some inputs.
  Result<bool> IsSmaller(std::span<const ChunkInput> inputs) {
    if (options_.dictionary_use == DictionaryUse::kWherePossible || count_ < kSampleMin) {
      return true;
    }
    FIRN_ASSIGN(const std::vector<uint32_t> sample, TakeSample(inputs));
    if (sample.empty()) return true;
    return IsSmallerWithDictionary({.dictionary = values_,
                                    .numbers = sample,
                                    .numbering = DictionaryNumbering::kSettled,
                                    .values_seen = static_cast<double>(count_),
                                    .values_total = static_cast<double>(count_),
                                    .distinct_total = static_cast<double>(values_.size())},
                                   options_, codec_);
  }

  // Numbers of values that follow each other, from the middle of the rows on.
  Result<std::vector<uint32_t>> TakeSample(std::span<const ChunkInput> inputs) {
    const size_t wanted = DictionarySampleSize(static_cast<double>(count_), options_);
    std::vector<uint32_t> sample;
    size_t read = 0;
    for (size_t i = 0; i < inputs.size() && read < kSampleInputs && sample.size() < wanted; ++i) {
      const size_t index = (inputs.size() / 2 + i) % inputs.size();
      if (inputs[index].chunk == nullptr || inputs[index].shared_nodes > 0) continue;
      FIRN_RETURN_IF_ERROR(AddToSample(inputs[index], numbers_[index], wanted, sample), "{}",
                           NameOf(inputs[index], index));
      ++read;
    }
    return sample;
  }

  Status AddToSample(const ChunkInput& input, std::span<const uint32_t> numbers, size_t wanted,
                     std::vector<uint32_t>& sample) {
    ChunkReader reader(input, to_, codec_, options_.input_page_bytes_max);
    FIRN_RETURN_IF_ERROR(reader.ReadDictionary());
    while (sample.size() < wanted) {
      FIRN_ASSIGN(const std::optional<DataPage> page, reader.Next());
      if (!page) break;
      // Of values of deleted rows there is no number.
      const auto add = [&](std::string_view value) {
        if (const auto number = values_.Find(value)) sample.push_back(*number);
      };
      if (page->is_dictionary_encoded) {
        for (const uint32_t index : page->indices)
          if (numbers[index] != kUnset) sample.push_back(numbers[index]);
      } else if (width_ > 0) {
        for (size_t i = 0; i < page->value_count; ++i)
          add(AsText(page->plain.subspan(i * width_, width_)));
      } else {
        ForEachByteArray(page->plain, page->value_count, add);
      }
    }
    sample.resize(std::min(sample.size(), wanted));
    return {};
  }

  const LeafNode& to_;
  const ChunkOptions& options_;
  const size_t width_;
  const size_t bytes_max_;
  PageCodec& codec_;
  ValueDictionary values_;
  std::vector<std::vector<uint32_t>> numbers_;
  int64_t count_ = 0;  // Values that take one of the dictionary.
  int64_t total_ = 0;  // Values of all inputs, with nulls.
  size_t next_guess_ = kGuessMin;
  bool has_sequence_ = false;
  bool is_guessed_too_large_ = false;  // For good: values of the input were left out.
  std::vector<uint32_t> inserted_;
};

}  // namespace

std::string NameOf(const ChunkInput& input, size_t index) {
  return input.name.empty() ? "input " + std::to_string(index)
                            : "'" + std::string(input.name) + "'";
}

Result<std::optional<MergedDictionary>> MergeDictionaries(const LeafNode& to, ValueOrder order,
                                                          std::span<const ChunkInput> inputs,
                                                          const ChunkOptions& options,
                                                          PageCodec& codec) {
  if (options.dictionary_bytes_max <= 0 || order == ValueOrder::kBoolean) {
    return std::optional<MergedDictionary>();
  }
  return DictionaryMerge(to, options, codec).Run(order, inputs);
}

}  // namespace firn
