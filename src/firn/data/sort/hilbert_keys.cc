#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>

#include "firn/base/byte_prefix.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/data/sort/space_filling_keys.h"

namespace firn {
namespace {

// Quantiles of each column: far more than a table's files per column.
constexpr int kBits = 12;
constexpr size_t kQuantiles = size_t{1} << kBits;
// Keys that are kept of the sample; more are thinned out evenly.
constexpr size_t kSampleMax = size_t{1} << 17;

// A key with its first bytes as a number, which decides most comparisons.
struct Quantile {
  uint64_t prefix = 0;
  std::string key;

  bool operator<(const Quantile& other) const {
    return prefix != other.prefix ? prefix < other.prefix : key < other.key;
  }
};

// Evenly spaced values of one column, in its order.
class Scale {
 public:
  void Add(std::string_view key) {
    if (seen_++ % stride_ != 0) return;
    sample_.push_back({BytePrefix(key), std::string(key)});
    if (sample_.size() < kSampleMax) return;
    for (size_t i = 0; i < sample_.size() / 2; ++i)
      sample_[i] = std::move(sample_[2 * i]);
    sample_.resize(sample_.size() / 2);
    stride_ *= 2;
  }

  void Finish() {
    std::sort(sample_.begin(), sample_.end());
    if (sample_.size() <= kQuantiles) return;
    std::vector<Quantile> quantiles;
    for (size_t i = 0; i < kQuantiles; ++i)
      quantiles.push_back(std::move(sample_[i * sample_.size() / kQuantiles]));
    sample_ = std::move(quantiles);
  }

  // 0 to kQuantiles - 1; the middle of those that the value has.
  uint32_t Locate(std::string_view key) const {
    if (sample_.empty()) return 0;
    const uint64_t prefix = BytePrefix(key);
    const auto is_less = [&](const Quantile& quantile, std::string_view value) {
      return quantile.prefix != prefix ? quantile.prefix < prefix : quantile.key < value;
    };
    const auto is_greater = [&](std::string_view value, const Quantile& quantile) {
      return quantile.prefix != prefix ? prefix < quantile.prefix : value < quantile.key;
    };
    const auto begin = std::lower_bound(sample_.begin(), sample_.end(), key, is_less);
    const auto end = std::upper_bound(begin, sample_.end(), key, is_greater);
    const auto middle =
        static_cast<size_t>((begin - sample_.begin()) + (end - sample_.begin())) / 2;
    return static_cast<uint32_t>(std::min(middle * kQuantiles / sample_.size(), kQuantiles - 1));
  }

 private:
  std::vector<Quantile> sample_;
  size_t seen_ = 0;
  size_t stride_ = 1;
};

// From coordinates to the transposed place on the curve (J. Skilling, Programming the Hilbert
// curve, 2004).
void ToCurve(std::vector<uint32_t>& axes) {
  constexpr uint32_t kTop = uint32_t{1} << (kBits - 1);
  for (uint32_t bit = kTop; bit > 1; bit >>= 1) {
    const uint32_t below = bit - 1;
    for (uint32_t& axis : axes) {
      if ((axis & bit) != 0) {
        axes[0] ^= below;
      } else {
        const uint32_t swapped = (axes[0] ^ axis) & below;
        axes[0] ^= swapped;
        axis ^= swapped;
      }
    }
  }
  for (size_t i = 1; i < axes.size(); ++i)
    axes[i] ^= axes[i - 1];
  uint32_t turned = 0;
  for (uint32_t bit = kTop; bit > 1; bit >>= 1) {
    if ((axes.back() & bit) != 0) turned ^= bit - 1;
  }
  for (uint32_t& axis : axes)
    axis ^= turned;
}

void AppendInterleaved(const std::vector<uint32_t>& axes, std::string& out) {
  uint8_t filled = 0;
  int bits = 0;
  for (int bit = kBits - 1; bit >= 0; --bit) {
    for (const uint32_t axis : axes) {
      filled = static_cast<uint8_t>((filled << 1) | ((axis >> bit) & 1));
      if (++bits < 8) continue;
      bits = 0;
      out.push_back(static_cast<char>(filled));
    }
  }
  if (bits > 0) out.push_back(static_cast<char>(filled << (8 - bits)));
}

using Encoders = std::vector<std::unique_ptr<RowKeyEncoder>>;

// One for each column: its values in ascending order, nulls first.
Result<Encoders> ColumnEncoders(const std::vector<int32_t>& field_ids, const Schema& schema) {
  Encoders encoders;
  for (const int32_t id : field_ids) {
    FIRN_ASSIGN(auto encoder,
                MakeSortKeyEncoder({{.source_ids = {id}, .is_nulls_first = true}}, schema));
    encoders.push_back(std::move(encoder));
  }
  return encoders;
}

class HilbertEncoder final : public RowKeyEncoder {
 public:
  HilbertEncoder(Encoders columns, std::vector<Scale> scales)
      : columns_(std::move(columns)), scales_(std::move(scales)) {}

  Status AppendKeys(const arrow::RecordBatch& batch, arrow::MemoryPool* pool,
                    RowKeys& keys) override {
    std::vector<RowKeys> parts(columns_.size());
    for (size_t i = 0; i < columns_.size(); ++i)
      FIRN_RETURN_IF_ERROR(columns_[i]->AppendKeys(batch, pool, parts[i]));
    std::vector<uint32_t> axes(columns_.size());
    for (size_t row = 0; row < static_cast<size_t>(batch.num_rows()); ++row) {
      for (size_t i = 0; i < axes.size(); ++i)
        axes[i] = scales_[i].Locate(parts[i].at(row));
      ToCurve(axes);
      AppendInterleaved(axes, keys.bytes());
      keys.EndRow();
    }
    return {};
  }

 private:
  const Encoders columns_;
  const std::vector<Scale> scales_;
};

}  // namespace

Result<std::unique_ptr<RowKeyEncoder>> MakeHilbertEncoder(const std::vector<int32_t>& field_ids,
                                                          const Schema& schema,
                                                          const Schema& sample_schema,
                                                          RowStream sample) {
  FIRN_ASSIGN(Encoders columns, ColumnEncoders(field_ids, schema));
  FIRN_ASSIGN(const Encoders sample_columns, ColumnEncoders(field_ids, sample_schema));
  std::vector<Scale> scales(field_ids.size());
  FIRN_ASSIGN(RowStreamReader reader, RowStreamReader::Open(std::move(sample)));
  while (true) {
    FIRN_ASSIGN(const auto batch, reader.Next());
    if (batch == nullptr) break;
    for (size_t i = 0; i < scales.size(); ++i) {
      RowKeys keys;
      FIRN_RETURN_IF_ERROR(
          sample_columns[i]->AppendKeys(*batch, arrow::default_memory_pool(), keys));
      for (size_t row = 0; row < keys.size(); ++row)
        scales[i].Add(keys.at(row));
    }
  }
  for (Scale& scale : scales)
    scale.Finish();
  return std::make_unique<HilbertEncoder>(std::move(columns), std::move(scales));
}

}  // namespace firn
