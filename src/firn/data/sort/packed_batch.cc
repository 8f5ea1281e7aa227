#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/dictionary.h>
#include <arrow/ipc/options.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/bit_util.h>

#include "firn/data/sort/packed_batch_internal.h"

namespace firn {
namespace {

// How a column is packed: the first byte of it.
enum class Form : uint8_t { kNumbers, kNarrowDecimals, kFixed, kBits, kTexts, kLargeTexts, kIpc };

// Arrow's IPC format wants its buffers at such places.
constexpr int64_t kAlignment = 64;

Form FormOf(const arrow::DataType& type) {
  const arrow::Type::type id = type.id();
  const bool is_count = id == arrow::Type::TIMESTAMP || id == arrow::Type::DURATION;
  if (arrow::is_integer(id) || arrow::is_date(id) || arrow::is_time(id) || is_count) {
    return Form::kNumbers;
  }
  if (id == arrow::Type::DECIMAL128) return Form::kNarrowDecimals;
  if (arrow::is_floating(id) || id == arrow::Type::FIXED_SIZE_BINARY) return Form::kFixed;
  if (id == arrow::Type::BOOL) return Form::kBits;
  if (arrow::is_binary_like(id)) return Form::kTexts;
  if (arrow::is_large_binary_like(id)) return Form::kLargeTexts;
  return Form::kIpc;
}

class Packer {
 public:
  /// Texts of so many bytes are only named, with their place in `out`.
  struct Aside {
    int64_t at = 0;
    std::span<const std::byte> texts;
  };

  Packer(arrow::MemoryPool* pool, arrow::BufferBuilder& out, int64_t aside_min)
      : pool_(pool), out_(out), aside_min_(aside_min) {}

  const std::vector<Aside>& asides() const { return asides_; }

  arrow::Status Pack(const arrow::RecordBatch& batch) {
    ARROW_RETURN_NOT_OK(Append(batch.num_rows()));
    for (int i = 0; i < batch.num_columns(); ++i)
      ARROW_RETURN_NOT_OK(PackColumn(*batch.column(i), *batch.schema()->field(i)));
    return arrow::Status::OK();
  }

 private:
  template <typename T>
  arrow::Status Append(T value) {
    return out_.Append(&value, sizeof value);
  }

  arrow::Status PackColumn(const arrow::Array& column, const arrow::Field& field) {
    const arrow::ArrayData& data = *column.data();
    Form form = FormOf(*data.type);
    if (form == Form::kNarrowDecimals && !FitsNumbers(data)) form = Form::kFixed;
    ARROW_RETURN_NOT_OK(Append(form));
    if (form == Form::kIpc) return PackIpc(column, field);
    const bool has_nulls = column.null_count() > 0;
    ARROW_RETURN_NOT_OK(Append(has_nulls));
    if (has_nulls) ARROW_RETURN_NOT_OK(PackBits(data, *data.buffers[0]));
    if (data.length == 0) return arrow::Status::OK();
    switch (form) {
      case Form::kNumbers:
        return PackNumbers(data);
      case Form::kNarrowDecimals:
        return PackRange<2>(data.GetValues<int64_t>(1, data.offset * 2), data.length);
      case Form::kFixed: {
        const int64_t width = data.type->byte_width();
        return out_.Append(data.buffers[1]->data() + data.offset * width, data.length * width);
      }
      case Form::kBits:
        return PackBits(data, *data.buffers[1]);
      case Form::kTexts:
        return PackTexts<int32_t>(data);
      case Form::kLargeTexts:
        return PackTexts<int64_t>(data);
      case Form::kIpc:
        break;
    }
    return arrow::Status::OK();
  }

  // Whether 8 of the 16 bytes of each are enough.
  static bool FitsNumbers(const arrow::ArrayData& data) {
    const auto* words = data.GetValues<int64_t>(1, data.offset * 2);
    int64_t differs = 0;
    for (int64_t i = 0; i < data.length; ++i)
      differs |= words[2 * i + 1] ^ (words[2 * i] >> 63);
    return differs == 0;
  }

  arrow::Status PackNumbers(const arrow::ArrayData& data) {
    switch (data.type->byte_width()) {
      case 1:
        return PackRange<1>(data.GetValues<int8_t>(1), data.length);
      case 2:
        return PackRange<1>(data.GetValues<int16_t>(1), data.length);
      case 4:
        return PackRange<1>(data.GetValues<int32_t>(1), data.length);
      default:
        return PackRange<1>(data.GetValues<int64_t>(1), data.length);
    }
  }

  // Every `kStride`th of `values`.
  template <int64_t kStride, typename T>
  arrow::Status PackRange(const T* values, int64_t count) {
    T least = std::numeric_limits<T>::max();
    T most = std::numeric_limits<T>::min();
    for (int64_t i = 0; i < count; ++i) {
      least = std::min(least, values[i * kStride]);
      most = std::max(most, values[i * kStride]);
    }
    const uint64_t range = static_cast<uint64_t>(most) - static_cast<uint64_t>(least);
    ARROW_RETURN_NOT_OK(Append(static_cast<int64_t>(least)));
    if (range == 0) return Append(uint8_t{0});
    if (range <= UINT8_MAX) return PackAs<uint8_t, kStride>(values, count, least);
    if (range <= UINT16_MAX) return PackAs<uint16_t, kStride>(values, count, least);
    if (range <= UINT32_MAX) return PackAs<uint32_t, kStride>(values, count, least);
    return PackAs<uint64_t, kStride>(values, count, least);
  }

  template <typename Narrow, int64_t kStride, typename T>
  arrow::Status PackAs(const T* values, int64_t count, T least) {
    ARROW_RETURN_NOT_OK(Append(static_cast<uint8_t>(sizeof(Narrow))));
    const int64_t bytes = count * static_cast<int64_t>(sizeof(Narrow));
    ARROW_RETURN_NOT_OK(out_.Reserve(bytes));
    uint8_t* to = out_.mutable_data() + out_.length();
    const auto base = static_cast<uint64_t>(least);
    for (int64_t i = 0; i < count; ++i) {
      const auto distance = static_cast<Narrow>(static_cast<uint64_t>(values[i * kStride]) - base);
      std::memcpy(to + i * static_cast<int64_t>(sizeof distance), &distance, sizeof distance);
    }
    out_.UnsafeAdvance(bytes);
    return arrow::Status::OK();
  }

  arrow::Status PackBits(const arrow::ArrayData& data, const arrow::Buffer& bits) {
    const int64_t bytes = arrow::bit_util::BytesForBits(data.length);
    if (data.offset % 8 == 0) return out_.Append(bits.data() + data.offset / 8, bytes);
    ARROW_RETURN_NOT_OK(out_.Reserve(bytes));
    uint8_t* to = out_.mutable_data() + out_.length();
    std::memset(to, 0, static_cast<size_t>(bytes));
    for (int64_t i = 0; i < data.length; ++i) {
      if (arrow::bit_util::GetBit(bits.data(), static_cast<uint64_t>(data.offset + i))) {
        arrow::bit_util::SetBit(to, i);
      }
    }
    out_.UnsafeAdvance(bytes);
    return arrow::Status::OK();
  }

  template <typename Offset>
  arrow::Status PackTexts(const arrow::ArrayData& data) {
    const auto* ends = data.GetValues<Offset>(1);
    lengths_.resize(static_cast<size_t>(data.length));
    for (size_t i = 0; i < lengths_.size(); ++i)
      lengths_[i] = ends[i + 1] - ends[i];
    ARROW_RETURN_NOT_OK(PackRange<1>(lengths_.data(), data.length));
    const int64_t bytes = ends[data.length] - ends[0];
    ARROW_RETURN_NOT_OK(Append(bytes));
    if (bytes == 0) return arrow::Status::OK();
    const uint8_t* texts = data.buffers[2]->data() + ends[0];
    if (bytes < aside_min_) return out_.Append(texts, bytes);
    asides_.push_back({out_.length(), std::as_bytes(std::span(texts, static_cast<size_t>(bytes)))});
    aside_bytes_ += bytes;
    return arrow::Status::OK();
  }

  arrow::Status PackIpc(const arrow::Array& column, const arrow::Field& field) {
    const auto batch = arrow::RecordBatch::Make(
        arrow::schema({field.Copy()}), column.length(),
        std::vector<std::shared_ptr<arrow::Array>>{arrow::MakeArray(column.data())});
    arrow::ipc::IpcWriteOptions options;
    options.memory_pool = pool_;
    options.use_threads = false;
    int64_t size = 0;
    ARROW_RETURN_NOT_OK(arrow::ipc::GetRecordBatchSize(*batch, options, &size));
    ARROW_RETURN_NOT_OK(Append(size));
    const int64_t at = out_.length() + aside_bytes_;
    const int64_t gap = arrow::bit_util::RoundUp(at, kAlignment) - at;
    ARROW_RETURN_NOT_OK(out_.Append(gap, uint8_t{0}));
    ARROW_RETURN_NOT_OK(out_.Reserve(size));
    arrow::io::FixedSizeBufferWriter sink(
        std::make_shared<arrow::MutableBuffer>(out_.mutable_data() + out_.length(), size));
    ARROW_RETURN_NOT_OK(arrow::ipc::SerializeRecordBatch(*batch, options, &sink));
    out_.UnsafeAdvance(size);
    return arrow::Status::OK();
  }

  arrow::MemoryPool* pool_;
  arrow::BufferBuilder& out_;
  const int64_t aside_min_;
  std::vector<Aside> asides_;
  int64_t aside_bytes_ = 0;
  std::vector<int64_t> lengths_;
};

class Unpacker {
 public:
  Unpacker(std::shared_ptr<arrow::Buffer> bytes, arrow::MemoryPool* pool)
      : bytes_(std::move(bytes)), pool_(pool) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Unpack(
      const std::shared_ptr<arrow::Schema>& schema) {
    ARROW_ASSIGN_OR_RAISE(rows_, Take<int64_t>());
    if (rows_ < 0) return arrow::Status::Invalid("a negative number of rows");
    std::vector<std::shared_ptr<arrow::ArrayData>> columns;
    for (const auto& field : schema->fields()) {
      ARROW_ASSIGN_OR_RAISE(auto column, UnpackColumn(field));
      columns.push_back(std::move(column));
    }
    return arrow::RecordBatch::Make(schema, rows_, std::move(columns));
  }

 private:
  using Buffers = std::vector<std::shared_ptr<arrow::Buffer>>;

  arrow::Result<std::shared_ptr<arrow::Buffer>> TakeBytes(int64_t size) {
    if (size < 0 || size > bytes_->size() - at_) {
      return arrow::Status::Invalid("a scratch file ends within a column");
    }
    return arrow::SliceBuffer(bytes_, std::exchange(at_, at_ + size), size);
  }

  template <typename T>
  arrow::Result<T> Take() {
    ARROW_ASSIGN_OR_RAISE(const auto from, TakeBytes(sizeof(T)));
    T value;
    std::memcpy(&value, from->data(), sizeof value);
    return value;
  }

  arrow::Result<std::shared_ptr<arrow::ArrayData>> UnpackColumn(
      const std::shared_ptr<arrow::Field>& field) {
    ARROW_ASSIGN_OR_RAISE(const Form form, Take<Form>());
    if (form == Form::kIpc) return UnpackIpc(field);
    ARROW_ASSIGN_OR_RAISE(const auto has_nulls, Take<uint8_t>());
    std::shared_ptr<arrow::Buffer> validity;
    if (has_nulls != 0) {
      ARROW_ASSIGN_OR_RAISE(validity, TakeBytes(arrow::bit_util::BytesForBits(rows_)));
    }
    ARROW_ASSIGN_OR_RAISE(Buffers buffers, UnpackValues(form, *field->type()));
    buffers.insert(buffers.begin(), std::move(validity));
    return arrow::ArrayData::Make(field->type(), rows_, std::move(buffers),
                                  has_nulls != 0 ? arrow::kUnknownNullCount : 0);
  }

  arrow::Result<Buffers> UnpackValues(Form form, const arrow::DataType& type) {
    switch (form) {
      case Form::kNumbers:
        return UnpackNumbers(type.byte_width());
      case Form::kNarrowDecimals:
        return UnpackDecimals();
      case Form::kFixed: {
        const int64_t size = rows_ * type.byte_width();
        ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> out, Allocate(size));
        ARROW_ASSIGN_OR_RAISE(const auto from, TakeBytes(size));
        // Copied, so that values lie where processors like them.
        if (size > 0) std::memcpy(out->mutable_data(), from->data(), static_cast<size_t>(size));
        return Buffers{std::move(out)};
      }
      case Form::kBits: {
        ARROW_ASSIGN_OR_RAISE(auto bits, TakeBytes(arrow::bit_util::BytesForBits(rows_)));
        return Buffers{std::move(bits)};
      }
      case Form::kTexts:
        return UnpackTexts<int32_t>();
      case Form::kLargeTexts:
        return UnpackTexts<int64_t>();
      case Form::kIpc:
        break;
    }
    return arrow::Status::Invalid("an unknown form of a column in a scratch file");
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> Allocate(int64_t size) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                          arrow::AllocateBuffer(size, pool_));
    return buffer;
  }

  template <typename T>
  static auto StoreAt(const std::shared_ptr<arrow::Buffer>& out) {
    return [to = reinterpret_cast<T*>(out->mutable_data())](int64_t i, uint64_t value) {
      to[i] = static_cast<T>(value);
    };
  }

  arrow::Result<Buffers> UnpackNumbers(int width) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> out, Allocate(rows_ * width));
    switch (width) {
      case 1:
        ARROW_RETURN_NOT_OK(UnpackRange(StoreAt<int8_t>(out)));
        break;
      case 2:
        ARROW_RETURN_NOT_OK(UnpackRange(StoreAt<int16_t>(out)));
        break;
      case 4:
        ARROW_RETURN_NOT_OK(UnpackRange(StoreAt<int32_t>(out)));
        break;
      default:
        ARROW_RETURN_NOT_OK(UnpackRange(StoreAt<int64_t>(out)));
        break;
    }
    return Buffers{std::move(out)};
  }

  arrow::Result<Buffers> UnpackDecimals() {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> out, Allocate(rows_ * 16));
    auto* words = reinterpret_cast<int64_t*>(out->mutable_data());
    ARROW_RETURN_NOT_OK(UnpackRange([words](int64_t i, uint64_t value) {
      words[2 * i] = static_cast<int64_t>(value);
      words[2 * i + 1] = static_cast<int64_t>(value) >> 63;
    }));
    return Buffers{std::move(out)};
  }

  // Tells `store` each number and where it stands.
  template <typename Store>
  arrow::Status UnpackRange(const Store& store) {
    if (rows_ == 0) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const auto least, Take<int64_t>());
    ARROW_ASSIGN_OR_RAISE(const auto width, Take<uint8_t>());
    const auto base = static_cast<uint64_t>(least);
    switch (width) {
      case 0:
        for (int64_t i = 0; i < rows_; ++i)
          store(i, base);
        return arrow::Status::OK();
      case 1:
        return UnpackAs<uint8_t>(base, store);
      case 2:
        return UnpackAs<uint16_t>(base, store);
      case 4:
        return UnpackAs<uint32_t>(base, store);
      case 8:
        return UnpackAs<uint64_t>(base, store);
      default:
        return arrow::Status::Invalid("an unknown width of numbers in a scratch file");
    }
  }

  template <typename Narrow, typename Store>
  arrow::Status UnpackAs(uint64_t base, const Store& store) {
    constexpr auto kWidth = static_cast<int64_t>(sizeof(Narrow));
    ARROW_ASSIGN_OR_RAISE(const auto from, TakeBytes(rows_ * kWidth));
    const uint8_t* bytes = from->data();
    for (int64_t i = 0; i < rows_; ++i) {
      Narrow distance;
      std::memcpy(&distance, bytes + i * kWidth, sizeof distance);
      store(i, base + distance);
    }
    return arrow::Status::OK();
  }

  template <typename Offset>
  arrow::Result<Buffers> UnpackTexts() {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> offsets,
                          Allocate((rows_ + 1) * static_cast<int64_t>(sizeof(Offset))));
    auto* ends = reinterpret_cast<Offset*>(offsets->mutable_data());
    ends[0] = 0;
    if (rows_ == 0) return Buffers{std::move(offsets), arrow::SliceBuffer(bytes_, 0, 0)};
    uint64_t end = 0;
    ARROW_RETURN_NOT_OK(UnpackRange([ends, &end](int64_t i, uint64_t length) {
      end += length;
      ends[i + 1] = static_cast<Offset>(end);
    }));
    ARROW_ASSIGN_OR_RAISE(const auto size, Take<int64_t>());
    if (static_cast<uint64_t>(size) != end) {
      return arrow::Status::Invalid("lengths of texts in a scratch file that do not add up");
    }
    ARROW_ASSIGN_OR_RAISE(auto texts, TakeBytes(size));
    return Buffers{std::move(offsets), std::move(texts)};
  }

  arrow::Result<std::shared_ptr<arrow::ArrayData>> UnpackIpc(
      const std::shared_ptr<arrow::Field>& field) {
    ARROW_ASSIGN_OR_RAISE(const auto size, Take<int64_t>());
    at_ = arrow::bit_util::RoundUp(at_, kAlignment);
    ARROW_ASSIGN_OR_RAISE(auto bytes, TakeBytes(size));
    auto options = arrow::ipc::IpcReadOptions::Defaults();
    options.memory_pool = pool_;
    options.use_threads = false;
    arrow::io::BufferReader reader(std::move(bytes));
    const arrow::ipc::DictionaryMemo dictionaries;
    ARROW_ASSIGN_OR_RAISE(
        const auto batch,
        arrow::ipc::ReadRecordBatch(arrow::schema({field}), &dictionaries, options, &reader));
    return batch->column_data(0);
  }

  std::shared_ptr<arrow::Buffer> bytes_;
  arrow::MemoryPool* pool_;
  int64_t at_ = 0;
  int64_t rows_ = 0;
};

}  // namespace

arrow::Status PackBatch(const arrow::RecordBatch& batch, arrow::MemoryPool* pool,
                        arrow::BufferBuilder& out) {
  return Packer(pool, out, std::numeric_limits<int64_t>::max()).Pack(batch);
}

arrow::Result<std::vector<std::span<const std::byte>>> PackInPieces(const arrow::RecordBatch& batch,
                                                                    arrow::MemoryPool* pool,
                                                                    arrow::BufferBuilder& out) {
  constexpr int64_t kLargeBytes = int64_t{256} << 10;
  Packer packer(pool, out, kLargeBytes);
  ARROW_RETURN_NOT_OK(packer.Pack(batch));
  std::vector<std::span<const std::byte>> pieces;
  std::span rest = std::as_bytes(std::span(out.data(), static_cast<size_t>(out.length())));
  int64_t done = 0;
  for (const Packer::Aside& aside : packer.asides()) {
    const auto before = static_cast<size_t>(aside.at - done);
    pieces.push_back(rest.first(before));
    pieces.push_back(aside.texts);
    rest = rest.subspan(before);
    done = aside.at;
  }
  pieces.push_back(rest);
  return pieces;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> UnpackBatch(
    const std::shared_ptr<arrow::Schema>& schema, const std::shared_ptr<arrow::Buffer>& bytes,
    arrow::MemoryPool* pool) {
  return Unpacker(bytes, pool).Unpack(schema);
}

}  // namespace firn
