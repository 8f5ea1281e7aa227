#pragma once

#include <cstdint>
#include <span>

#include "firn/parquet/transcode.h"
#include "firn/parquet/value_dictionary_internal.h"

namespace firn {

enum class DictionaryNumbering {
  kFirstSight,  ///< As the values came; more of them come later.
  kSettled,     ///< Pages to come have numbers as those of the sample.
};

/// What is known of the values of a column chunk before its pages are written.
struct DictionaryTrial {
  const ValueDictionary& dictionary;  ///< Of the values so far.
  std::span<const uint32_t> numbers;  ///< Of a sample: values that follow each other.
  DictionaryNumbering numbering = DictionaryNumbering::kSettled;
  double values_seen = 0;     ///< Of which the dictionary knows.
  double values_total = 0;    ///< Of the chunk, about.
  double tolerance = 1.01;    ///< So much larger the chunk may be: reading with one is cheaper.
  double distinct_total = 0;  ///< Of them, about: those that the dictionary is charged for.
};

/// How many values a sample of a chunk of `values_total` should have: no more than a page, and few
/// enough that compressing it twice does not show.
size_t DictionarySampleSize(double values_total, const ChunkOptions& options);

/// Whether a chunk takes less in the file with its dictionary than with plain values: the end of
/// the sample is compressed both ways, and so is a part of the dictionary. Errors: those of
/// `codec`.
Result<bool> IsSmallerWithDictionary(const DictionaryTrial& trial, const ChunkOptions& options,
                                     PageCodec& codec);

}  // namespace firn
