#include "firn/parquet/byte_store.h"

#include "firn/parquet/compression_internal.h"

namespace firn {
namespace {

class HeapStore final : public ByteStore {
 public:
  Result<std::byte*> Hold(size_t size, size_t kept) override {
    if (kept == 0) bytes_.Clear();
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
