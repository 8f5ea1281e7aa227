#include "firn/parquet/byte_store.h"

#include "firn/parquet/compression_internal.h"

namespace firn {
namespace {

class HeapStore final : public ByteStore {
 public:
  Result<std::byte*> Hold(size_t size, size_t kept) override {
    // Callers write as far as the capacity, beyond the size that they asked for: all of it is kept.
    bytes_.Resize(kept);
    bytes_.Resize(size + kSlack);
    return bytes_.data();
  }
  size_t capacity() const override {
    return bytes_.capacity() < kSlack ? 0 : bytes_.capacity() - kSlack;
  }
  void Drop() override { bytes_ = PageBuffer(); }

 private:
  PageBuffer bytes_;
};

}  // namespace

std::unique_ptr<ByteStore> MakeHeapStore() { return std::make_unique<HeapStore>(); }

}  // namespace firn
