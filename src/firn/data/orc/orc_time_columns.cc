#include <algorithm>
#include <limits>
#include <utility>

#include "firn/data/orc/orc_column_internal.h"
#include "firn/data/orc/time_zone_internal.h"

// Timestamps: seconds since 2015 began where the writer was, and nanoseconds. A timestamp without
// zone is what the writer's clock showed, which is what Iceberg means by it; so seconds of a writer
// in another zone than UTC are moved to it.

namespace firn {
namespace {

constexpr int64_t kOrcEpoch = 1'420'070'400;  // 2015-01-01 00:00:00 UTC.
constexpr int64_t kNanosPerSecond = 1'000'000'000;
// Beyond, no 64 bits hold the nanoseconds since 1970.
constexpr int64_t kSecondsMax = std::numeric_limits<int64_t>::max() / kNanosPerSecond;
constexpr int64_t kSecondsStoredMax = 2 * kSecondsMax;  // The sum with an epoch does not overflow.

Error OutOfRange(int64_t seconds) {
  return MakeError(ErrorCode::kUnsupported,
                   "ORC files are read with timestamps of the years 1678 to 2261 only; leave the "
                   "column out or rewrite the file as Parquet: a value is {} seconds from 1970",
                   seconds);
}

bool IsUtc(std::string_view zone) {
  constexpr std::string_view kNames[] = {"",        "UTC",      "GMT",       "Etc/UTC",
                                         "Etc/GMT", "Z",        "UCT",       "Zulu",
                                         "Etc/UCT", "Etc/Zulu", "Universal", "Greenwich"};
  return std::ranges::find(kNames, zone) != std::end(kNames);
}

// What clocks of the writer showed.
class WallClock {
 public:
  static Result<WallClock> Open(std::string_view zone) {
    WallClock clock;
    if (IsUtc(zone)) return clock;
    FIRN_ASSIGN(clock.zone_, TimeZone::Load(zone), "its writer");
    clock.epoch_ = kOrcEpoch - clock.zone_->OffsetAt(kOrcEpoch);
    return clock;
  }

  // Make of each second of the file what the clock showed, in seconds since 1970.
  void Convert(std::span<int64_t> seconds) {
    for (int64_t& value : seconds) {
      value += epoch_;
      if (zone_) value += zone_->OffsetAt(value);
    }
  }

 private:
  std::optional<TimeZone> zone_;  // None: UTC.
  int64_t epoch_ = kOrcEpoch;     // The file's second 0.
};

class TimestampColumn final : public OrcColumn {
 public:
  struct Forms {
    OrcIntegerForm seconds;
    OrcIntegerForm nanos;
  };

  TimestampColumn(const OrcStripeSource& stripe, size_t column, const FileField& field,
                  const Forms& forms, WallClock clock)
      : OrcColumn(stripe, column, field.type),
        seconds_(stripe.input, stripe.Find(column, OrcStreamKind::kData), forms.seconds),
        nanos_(stripe.input, stripe.Find(column, OrcStreamKind::kSecondary), forms.nanos),
        clock_(std::move(clock)) {}

  Status ReadValues(const OrcSlots& slots, arrow::ArrayData& out) override {
    OrcBuffer values(pool());
    FIRN_RETURN_IF_ERROR(FillOrcValues<int64_t>(slots, values, [&](int64_t* first, int64_t count) {
      return Fill({first, static_cast<size_t>(count)});
    }));
    out.buffers.push_back(values.Take());
    return {};
  }
  Status CheckValuesEnd() override {
    FIRN_RETURN_IF_ERROR(CheckOrcEnd(seconds_));
    return CheckOrcEnd(nanos_);
  }

 private:
  Status Fill(std::span<int64_t> out) {
    seconds_.Read(out);
    FIRN_RETURN_IF_ERROR(seconds_.bytes().status());
    for (const int64_t seconds : out) {
      if (seconds > kSecondsStoredMax || seconds < -kSecondsStoredMax) return OutOfRange(seconds);
    }
    clock_.Convert(out);
    int64_t nanos[1024];
    while (!out.empty()) {
      const size_t count = std::min(std::size(nanos), out.size());
      nanos_.Read({nanos, count});
      FIRN_RETURN_IF_ERROR(nanos_.bytes().status());
      for (size_t i = 0; i < count; ++i)
        FIRN_RETURN_IF_ERROR(Join(nanos[i], out[i]));
      out = out.subspan(count);
    }
    return {};
  }

  // From seconds to nanoseconds. The lowest three bits of `stored` tell how many zeros to append.
  static Status Join(int64_t stored, int64_t& value) {
    int64_t nanos = stored >> 3;
    if ((stored & 7) != 0 && nanos < kNanosPerSecond && nanos > -kNanosPerSecond) {
      for (int64_t zeros = (stored & 7) + 1; zeros > 0; --zeros)
        nanos *= 10;
    }
    if (nanos >= kNanosPerSecond || nanos <= -kNanosPerSecond) {
      return MakeError(ErrorCode::kCorrupt, "a timestamp has {} nanoseconds beside its seconds",
                       nanos);
    }
    const int64_t seconds = value;
    // Java rounds seconds towards zero, but for those of the first millisecond.
    const bool is_rounded_up = seconds < 0 && nanos > 999'999;
    if (__builtin_mul_overflow(seconds - (is_rounded_up ? 1 : 0), kNanosPerSecond, &value) ||
        __builtin_add_overflow(value, nanos, &value)) {
      return OutOfRange(seconds);
    }
    return {};
  }

  OrcIntegers seconds_;
  OrcIntegers nanos_;
  WallClock clock_;
};

}  // namespace

Result<std::unique_ptr<OrcColumn>> MakeOrcTimestampColumn(const OrcStripeSource& stripe,
                                                          size_t column, const FileField& field) {
  TimestampColumn::Forms forms;
  FIRN_ASSIGN(forms.seconds, stripe.IntegerForm(column, /*is_signed=*/true));
  FIRN_ASSIGN(forms.nanos, stripe.IntegerForm(column, /*is_signed=*/false));
  const bool is_instant = stripe.tail->types[column].kind == OrcKind::kTimestampInstant;
  FIRN_ASSIGN(WallClock clock, WallClock::Open(is_instant ? "" : stripe.footer->time_zone));
  return std::make_unique<TimestampColumn>(stripe, column, field, forms, std::move(clock));
}

}  // namespace firn
