#include <type_traits>
#include <utility>

#include "firn/base/int128.h"
#include "firn/data/orc/orc_column_internal.h"

namespace firn {
namespace {

using Column = std::unique_ptr<OrcColumn>;

constexpr int kShortDigitsMax = 18;
constexpr unsigned kVarintBitsMax = 128;

class BooleanColumn final : public OrcColumn {
 public:
  BooleanColumn(const OrcStripeSource& stripe, size_t column, const FileField& field)
      : OrcColumn(stripe, column, field.type),
        bits_(stripe.input, stripe.Find(column, OrcStreamKind::kData)),
        values_(stripe.input.pool) {}

  Status ReadValues(const OrcSlots& slots, arrow::ArrayData& out) override {
    FIRN_RETURN_IF_ERROR(FillOrcValues<uint8_t>(slots, values_, [&](uint8_t* first, int64_t count) {
      bits_.Read({first, static_cast<size_t>(count)});
      return bits_.bytes().status();
    }));
    FIRN_ASSIGN(auto packed, PackOrcBits(values_.data(), slots.count, pool()));
    out.buffers.push_back(std::move(packed));
    return {};
  }
  Status CheckValuesEnd() override { return CheckOrcEnd(bits_); }

 private:
  OrcBits bits_;
  OrcBuffer values_;
};

class ByteColumn final : public OrcColumn {
 public:
  ByteColumn(const OrcStripeSource& stripe, size_t column, const FileField& field)
      : OrcColumn(stripe, column, field.type),
        runs_(stripe.input, stripe.Find(column, OrcStreamKind::kData)) {}

  Status ReadValues(const OrcSlots& slots, arrow::ArrayData& out) override {
    OrcBuffer values(pool());
    FIRN_RETURN_IF_ERROR(FillOrcValues<uint8_t>(slots, values, [&](uint8_t* first, int64_t count) {
      runs_.Read({first, static_cast<size_t>(count)});
      return runs_.bytes().status();
    }));
    out.buffers.push_back(values.Take());
    return {};
  }
  Status CheckValuesEnd() override { return CheckOrcEnd(runs_); }

 private:
  OrcByteRuns runs_;
};

template <typename T>
class IntegerColumn final : public OrcColumn {
 public:
  IntegerColumn(const OrcStripeSource& stripe, size_t column, const FileField& field,
                OrcIntegerForm form)
      : OrcColumn(stripe, column, field.type),
        runs_(stripe.input, stripe.Find(column, OrcStreamKind::kData), form) {}

  Status ReadValues(const OrcSlots& slots, arrow::ArrayData& out) override {
    OrcBuffer values(pool());
    FIRN_RETURN_IF_ERROR(FillOrcValues<T>(
        slots, values, [&](T* first, int64_t count) { return Fill({first, size_t(count)}); }));
    out.buffers.push_back(values.Take());
    return {};
  }
  Status CheckValuesEnd() override { return CheckOrcEnd(runs_); }

 private:
  Status Fill(std::span<T> out) {
    if constexpr (std::is_same_v<T, int64_t>) {
      runs_.Read(out);
    } else {
      int64_t wide[1024];
      while (!out.empty()) {
        const size_t count = std::min(std::size(wide), out.size());
        runs_.Read({wide, count});
        for (size_t i = 0; i < count; ++i) {
          out[i] = static_cast<T>(wide[i]);
          if (out[i] == wide[i]) continue;
          return MakeError(ErrorCode::kCorrupt, "value {} does not fit its type", wide[i]);
        }
        out = out.subspan(count);
      }
    }
    return runs_.bytes().status();
  }

  OrcIntegers runs_;
};

// Numbers as they are in memory.
template <typename T>
class FloatColumn final : public OrcColumn {
 public:
  FloatColumn(const OrcStripeSource& stripe, size_t column, const FileField& field)
      : OrcColumn(stripe, column, field.type),
        bytes_(stripe.input, stripe.Find(column, OrcStreamKind::kData)) {}

  Status ReadValues(const OrcSlots& slots, arrow::ArrayData& out) override {
    OrcBuffer values(pool());
    FIRN_RETURN_IF_ERROR(FillOrcValues<T>(slots, values, [&](T* first, int64_t count) {
      bytes_.Read({reinterpret_cast<uint8_t*>(first), static_cast<size_t>(count) * sizeof(T)});
      return bytes_.status();
    }));
    out.buffers.push_back(values.Take());
    return {};
  }
  Status CheckValuesEnd() override { return CheckOrcEnd(*this); }

  bool AtEnd() { return bytes_.AtEnd(); }
  OrcBytes& bytes() { return bytes_; }

 private:
  OrcBytes bytes_;
};

// Unscaled values, each with a scale of its own.
class DecimalColumn final : public OrcColumn {
 public:
  DecimalColumn(const OrcStripeSource& stripe, size_t column, const FileField& field,
                OrcIntegerForm form)
      : OrcColumn(stripe, column, field.type),
        decimal_(stripe.tail->types[column]),
        bytes_(stripe.input, stripe.Find(column, OrcStreamKind::kData)),
        scales_(stripe.input, stripe.Find(column, OrcStreamKind::kSecondary), form),
        end_(PowerOfTen(decimal_.precision)) {}

  Status ReadValues(const OrcSlots& slots, arrow::ArrayData& out) override {
    OrcBuffer values(pool());
    FIRN_RETURN_IF_ERROR(FillOrcValues<Int128>(slots, values, [&](Int128* first, int64_t count) {
      return Fill({first, static_cast<size_t>(count)});
    }));
    out.buffers.push_back(values.Take());
    return {};
  }
  Status CheckValuesEnd() override {
    FIRN_RETURN_IF_ERROR(CheckOrcEnd(*this));
    return CheckOrcEnd(scales_);
  }

  bool AtEnd() { return bytes_.AtEnd(); }
  OrcBytes& bytes() { return bytes_; }

 private:
  Status Fill(std::span<Int128> out) {
    int64_t scales[1024];
    while (!out.empty()) {
      const size_t count = std::min(std::size(scales), out.size());
      scales_.Read({scales, count});
      FIRN_RETURN_IF_ERROR(scales_.bytes().status());
      for (size_t i = 0; i < count; ++i)
        FIRN_RETURN_IF_ERROR(ReadOne(scales[i], out[i]));
      FIRN_RETURN_IF_ERROR(bytes_.status());
      out = out.subspan(count);
    }
    return {};
  }

  Status ReadOne(int64_t scale, Int128& value) {
    value = Unscaled();
    if (scale != decimal_.scale) FIRN_RETURN_IF_ERROR(Rescale(scale, value));
    if (value < end_ && value > -end_) return {};
    return MakeError(ErrorCode::kCorrupt, "a decimal has more than {} digits", decimal_.precision);
  }

  Int128 Unscaled() {
    UInt128 value = 0;
    for (unsigned shift = 0; shift < kVarintBitsMax; shift += 7) {
      const uint8_t byte = bytes_.Byte();
      value |= UInt128{byte & 0x7fU} << shift;
      if (byte >= 0x80) continue;
      return static_cast<Int128>(value >> 1) ^ -static_cast<Int128>(value & 1);
    }
    bytes_.Fail("a decimal of it has more than 128 bits");
    return 0;
  }

  Status Rescale(int64_t scale, Int128& value) const {
    const bool is_digits = scale >= 0 && scale <= 38;
    if (is_digits && scale > decimal_.scale) {
      value /= PowerOfTen(static_cast<int>(scale) - decimal_.scale);
      return {};
    }
    const Int128 factor = is_digits ? PowerOfTen(decimal_.scale - static_cast<int>(scale)) : 0;
    if (is_digits && value < end_ && value > -end_ &&
        !__builtin_mul_overflow(value, factor, &value)) {
      return {};
    }
    return MakeError(ErrorCode::kCorrupt, "a decimal of scale {} does not fit {}", scale,
                     type()->ToString());
  }

  const OrcType& decimal_;
  OrcBytes bytes_;
  OrcIntegers scales_;
  Int128 end_;
};

// Unscaled values of up to 18 digits, all of the scale of the type.
class ShortDecimalColumn final : public OrcColumn {
 public:
  ShortDecimalColumn(const OrcStripeSource& stripe, size_t column, const FileField& field)
      : OrcColumn(stripe, column, field.type),
        runs_(stripe.input, stripe.Find(column, OrcStreamKind::kData), {}) {}

  Status ReadValues(const OrcSlots& slots, arrow::ArrayData& out) override {
    OrcBuffer values(pool());
    FIRN_RETURN_IF_ERROR(FillOrcValues<Int128>(slots, values, [&](Int128* first, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        int64_t value = 0;
        runs_.Read({&value, 1});
        first[i] = value;
      }
      return runs_.bytes().status();
    }));
    out.buffers.push_back(values.Take());
    return {};
  }
  Status CheckValuesEnd() override { return CheckOrcEnd(runs_); }

 private:
  OrcIntegers runs_;
};

}  // namespace

Result<Column> MakeOrcNumberColumn(const OrcStripeSource& stripe, size_t column,
                                   const FileField& field) {
  const OrcType& type = stripe.tail->types[column];
  if (type.kind == OrcKind::kBoolean) return std::make_unique<BooleanColumn>(stripe, column, field);
  if (type.kind == OrcKind::kByte) return std::make_unique<ByteColumn>(stripe, column, field);
  if (type.kind == OrcKind::kFloat)
    return std::make_unique<FloatColumn<float>>(stripe, column, field);
  if (type.kind == OrcKind::kDouble)
    return std::make_unique<FloatColumn<double>>(stripe, column, field);
  const bool is_decimal = type.kind == OrcKind::kDecimal;
  if (is_decimal && stripe.tail->has_short_decimals && type.precision <= kShortDigitsMax) {
    return std::make_unique<ShortDecimalColumn>(stripe, column, field);
  }
  FIRN_ASSIGN(const OrcIntegerForm form, stripe.IntegerForm(column, /*is_signed=*/true));
  if (is_decimal) return std::make_unique<DecimalColumn>(stripe, column, field, form);
  if (type.kind == OrcKind::kShort)
    return std::make_unique<IntegerColumn<int16_t>>(stripe, column, field, form);
  if (type.kind == OrcKind::kLong)
    return std::make_unique<IntegerColumn<int64_t>>(stripe, column, field, form);
  return std::make_unique<IntegerColumn<int32_t>>(stripe, column, field, form);
}

}  // namespace firn
