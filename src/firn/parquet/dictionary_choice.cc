#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "firn/parquet/dictionary_choice_internal.h"
#include "firn/parquet/page_header_internal.h"
#include "firn/parquet/rle_internal.h"

namespace firn {
namespace {

constexpr size_t kPrefix = sizeof(uint32_t);
// A sample has one of so many values of the chunk, but not fewer than the least, of which codecs
// tell little.
constexpr double kSampleShare = 16;
constexpr size_t kSampleMin = 4096;
// Of the dictionary.
constexpr size_t kDictionaryBytes = size_t{64} << 10;

class Trial {
 public:
  Trial(const DictionaryTrial& trial, const ChunkOptions& options, PageCodec& codec)
      : trial_(trial), options_(options), codec_(codec) {}

  Result<bool> Run() {
    TakeValues();
    const double share = trial_.values_total / static_cast<double>(sample_.size());
    FIRN_ASSIGN(const double plain, Compress(plain_.span()));
    FIRN_ASSIGN(const double dictionary, DictionaryBytes());
    // Often that is enough to know.
    if (dictionary > plain * share * trial_.tolerance) return false;
    FIRN_ASSIGN(const double indices, IndexBytes());
    return dictionary + indices * share <= plain * share * trial_.tolerance;
  }

 private:
  Result<double> Compress(std::span<const std::byte> bytes) {
    stored_.Clear();
    FIRN_RETURN_IF_ERROR(
        codec_.Compress(options_.codec, options_.compression_level, bytes, stored_));
    return static_cast<double>(stored_.size());
  }

  // The last numbers, of which a page holds the values.
  void TakeValues() {
    const size_t size =
        std::min(trial_.numbers.size(), DictionarySampleSize(trial_.values_total, options_));
    sample_ = trial_.numbers.last(size);
    const auto page_bytes = static_cast<size_t>(std::max<int64_t>(options_.page_bytes, 1));
    for (size_t i = 0; i < sample_.size(); ++i) {
      const std::string_view value = trial_.dictionary.At(sample_[i]);
      if (trial_.dictionary.width() == 0) {
        const auto length = static_cast<uint32_t>(value.size());
        std::memcpy(plain_.Grow(kPrefix), &length, kPrefix);
      }
      plain_.Append(AsBytes(value));
      if (plain_.size() >= page_bytes) sample_ = sample_.first(i + 1);
    }
  }

  // A part of the dictionary tells how the rest, and what comes to it, will shrink.
  Result<double> DictionaryBytes() {
    const auto plain = trial_.dictionary.plain();
    const size_t part = std::min(plain.size(), kDictionaryBytes);
    FIRN_ASSIGN(const double stored, Compress(plain.subspan((plain.size() - part) / 2, part)));
    return stored * static_cast<double>(plain.size()) / static_cast<double>(part) *
           trial_.distinct_total / static_cast<double>(trial_.dictionary.size());
  }

  Result<double> IndexBytes() {
    const auto distinct = static_cast<uint64_t>(
        std::max(trial_.distinct_total, static_cast<double>(trial_.dictionary.size())));
    const int bits = distinct <= 1 ? 1 : BitWidth(distinct - 1);
    PageBuffer body;
    *body.Grow(1) = static_cast<std::byte>(bits);
    if (trial_.numbering == DictionaryNumbering::kSettled) {
      EncodeRle(sample_, bits, body);
    } else {
      EncodeRle(NumbersToCome(distinct), bits, body);
    }
    return Compress(body.span());
  }

  // The sample's numbers as they may be on pages to come. Where new values come as before, they go
  // on ascending; else those of a page come from all over the dictionary.
  std::vector<uint32_t> NumbersToCome(uint64_t distinct) const {
    const auto known = static_cast<double>(trial_.dictionary.size());
    const double to_come = std::max(trial_.values_total - trial_.values_seen, 1.0);
    const double rate = (trial_.distinct_total - known) / to_come;
    const bool goes_on = trial_.values_total <= trial_.values_seen ||
                         rate * 2 >= known / std::max(trial_.values_seen, 1.0);
    std::vector<uint32_t> numbers(sample_.begin(), sample_.end());
    if (goes_on) {
      const auto ahead = static_cast<uint32_t>(distinct - trial_.dictionary.size());
      for (uint32_t& number : numbers)
        number += ahead;
      return numbers;
    }
    // The golden section, made coprime: each number gets another one.
    auto factor = static_cast<uint64_t>(static_cast<double>(distinct) * 0.618) | 1;
    while (std::gcd(factor, distinct) != 1)
      factor += 2;
    for (uint32_t& number : numbers)
      number = static_cast<uint32_t>(number * factor % distinct);
    return numbers;
  }

  const DictionaryTrial& trial_;
  const ChunkOptions& options_;
  PageCodec& codec_;
  std::span<const uint32_t> sample_;
  PageBuffer plain_;
  PageBuffer stored_;
};

}  // namespace

size_t DictionarySampleSize(double values_total, const ChunkOptions& options) {
  const auto page = static_cast<size_t>(std::clamp(options.page_rows, int64_t{1}, kPageValuesMax));
  const auto share = static_cast<size_t>(std::max(values_total / kSampleShare, 0.0));
  return std::min(std::max(share, kSampleMin), std::max(page, kSampleMin));
}

Result<bool> IsSmallerWithDictionary(const DictionaryTrial& trial, const ChunkOptions& options,
                                     PageCodec& codec) {
  if (trial.numbers.empty()) return true;
  return Trial(trial, options, codec).Run();
}

}  // namespace firn
