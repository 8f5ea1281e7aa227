#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/base/random.h"
#include "firn/parquet/thrift_compact_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

std::string Bytes(const std::vector<int>& bytes) {
  std::string text;
  for (const int byte : bytes)
    text.push_back(static_cast<char>(byte));
  return text;
}

// Pass over the struct that `bytes` are.
Status SkipStruct(const std::string& bytes, size_t* position = nullptr) {
  ThriftReader in(AsBytes(bytes));
  in.Skip(ThriftType::kStruct);
  if (position != nullptr) *position = in.position();
  return in.status();
}

TEST(ThriftCompactTest, WritesTheBytesOfTheProtocol) {
  ThriftWriter out;
  const int16_t outer = out.EnterStruct();
  out.WriteI32(1, -1);
  out.WriteI64(3, 150);
  out.WriteBool(4, true);
  out.WriteBool(5, false);
  out.WriteBinary(20, "ab");  // 15 further: the short form.
  out.WriteByte(100, 7);      // The long form.
  out.BeginList(101, ThriftType::kI32, 2);
  out.WriteElement(int32_t{1});
  out.WriteElement(int32_t{-2});
  out.LeaveStruct(outer);

  EXPECT_EQ(out.bytes(), Bytes({0x15, 0x01, 0x26, 0xAC, 0x02, 0x11, 0x12, 0xF8, 0x02, 'a',
                                'b',  0x03, 0xC8, 0x01, 0x07, 0x19, 0x25, 0x02, 0x03, 0x00}));
}

TEST(ThriftCompactTest, GivesBackNumbersOfEverySize) {
  std::vector<int64_t> numbers = {0, -1, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};
  for (int bit = 0; bit < 63; ++bit) {
    const int64_t power = int64_t{1} << bit;
    numbers.insert(numbers.end(), {power, power - 1, -power, -power - 1});
  }
  ThriftWriter out;
  const int16_t outer = out.EnterStruct();
  out.BeginList(1, ThriftType::kI64, numbers.size());
  for (const int64_t number : numbers)
    out.WriteElement(number);
  out.LeaveStruct(outer);

  ThriftReader in(AsBytes(out.bytes()));
  in.EnterStruct();
  ASSERT_EQ(in.NextField().type, ThriftType::kList);
  ASSERT_EQ(in.ReadList().size, numbers.size());
  for (const int64_t number : numbers)
    EXPECT_EQ(in.ReadI64(), number);
  EXPECT_TRUE(in.NextField().is_stop());
  EXPECT_THAT(in.status(), IsOk());
  EXPECT_EQ(in.position(), out.bytes().size());
}

TEST(ThriftCompactTest, KeepsIdsOfFieldsApartThatGoBackAndForth) {
  const std::vector<int16_t> ids = {1, 2, 17, 18, 500, 3, -4, INT16_MAX, INT16_MIN, 0};
  ThriftWriter out;
  const int16_t outer = out.EnterStruct();
  for (const int16_t id : ids) {
    out.BeginStructField(id);
    const int16_t inner = out.EnterStruct();
    out.WriteI32(9, id);
    out.LeaveStruct(inner);
  }
  out.LeaveStruct(outer);

  ThriftReader in(AsBytes(out.bytes()));
  in.EnterStruct();
  for (const int16_t id : ids) {
    EXPECT_EQ(in.NextField().id, id);
    const int16_t between = in.EnterStruct();
    EXPECT_EQ(in.NextField().id, 9);
    EXPECT_EQ(in.ReadI32(), id);
    EXPECT_TRUE(in.NextField().is_stop());
    in.LeaveStruct(between);
  }
  EXPECT_TRUE(in.NextField().is_stop());
  EXPECT_THAT(in.status(), IsOk());
}

TEST(ThriftCompactTest, PassesOverValuesOfEveryType) {
  const std::string bytes = Bytes({
      0x11,                                           // true
      0x12,                                           // false
      0x13, 0xFF,                                     // byte
      0x14, 0x01,                                     // i16
      0x15, 0x80, 0x01,                               // i32
      0x16, 0x80, 0x01,                               // i64
      0x17, 1,    2,    3,    4,    5,    6, 7,   8,  // double
      0x18, 0x03, 'a',  'b',  'c',                    // binary
      0x19, 0x21, 0x01, 0x02,                         // list of booleans, a byte each
      0x1A, 0x2C, 0x15, 0x02, 0x00, 0x00,             // set of structs
      0x1B, 0x02, 0x85, 1,    'k',  0x02, 1, 'l', 4,  // map of binary to i32
      0x1B, 0x00,                                     // an empty map has no types
      0x1C, 0x1C, 0x00, 0x00,                         // structs
      0x00,                                           //
      0x77,                                           // what follows
  });
  size_t position = 0;

  ASSERT_THAT(SkipStruct(bytes, &position), IsOk());

  EXPECT_EQ(position, bytes.size() - 1);
}

TEST(ThriftCompactTest, PassesOverAFieldOfAnotherTypeThanExpected) {
  ThriftWriter out;
  const int16_t outer = out.EnterStruct();
  out.WriteBinary(1, "not a number");
  out.WriteI32(2, 5);
  out.WriteBool(3, true);
  out.WriteI64(4, 6);
  out.LeaveStruct(outer);
  ThriftReader in(AsBytes(out.bytes()));
  in.EnterStruct();

  EXPECT_FALSE(in.Expect(in.NextField(), ThriftType::kI32));
  EXPECT_FALSE(in.ReadBool(in.NextField()));
  EXPECT_TRUE(in.ReadBool(in.NextField()));
  EXPECT_TRUE(in.Expect(in.NextField(), ThriftType::kI64));
  EXPECT_EQ(in.ReadI64(), 6);
  EXPECT_TRUE(in.NextField().is_stop());
  EXPECT_THAT(in.status(), IsOk());
}

TEST(ThriftCompactTest, NamesThePlaceOfDamage) {
  EXPECT_THAT(SkipStruct(Bytes({0x15})),
              IsError(ErrorCode::kCorrupt, "byte 1 of 1: the structure"));
  EXPECT_THAT(SkipStruct(Bytes({})), IsError(ErrorCode::kCorrupt, "ends too early"));
  EXPECT_THAT(SkipStruct(Bytes({0x1D, 0})), IsError(ErrorCode::kCorrupt, "unknown type"));
  EXPECT_THAT(SkipStruct(Bytes({0x10, 0})), IsError(ErrorCode::kCorrupt, "unknown type"));
  EXPECT_THAT(SkipStruct(Bytes({0x19, 0x1F, 0})), IsError(ErrorCode::kCorrupt, "unknown type"));
  EXPECT_THAT(SkipStruct(Bytes({0x18, 0x05, 'a'})), IsError(ErrorCode::kCorrupt, "longer"));
  EXPECT_THAT(SkipStruct(Bytes({0x19, 0xE5, 0x01})), IsError(ErrorCode::kCorrupt, "longer"));
  EXPECT_THAT(SkipStruct(Bytes({0x19, 0xF5, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0})),
              IsError(ErrorCode::kCorrupt, "longer"));
  EXPECT_THAT(SkipStruct(Bytes({0x05, 0x80, 0x80, 0x08, 0})),
              IsError(ErrorCode::kCorrupt, "impossible id"));
}

TEST(ThriftCompactTest, RefusesNumbersThatAreTooLarge) {
  std::string varint(9, '\xFF');
  const auto read = [](const std::string& bytes, bool is_i32) {
    ThriftReader in(AsBytes(bytes));
    if (is_i32) {
      EXPECT_EQ(in.ReadI32(), 0) << "the value after an error";
    } else {
      (void)in.ReadI64();
    }
    return in.status();
  };

  EXPECT_THAT(read(varint + '\x01', false), IsOk());
  EXPECT_THAT(read(varint + '\x02', false), IsError(ErrorCode::kCorrupt, "64 bits"));
  EXPECT_THAT(read(varint + "\xFF\x01", false), IsError(ErrorCode::kCorrupt, "64 bits"));
  EXPECT_THAT(read(Bytes({0x80, 0x80, 0x80, 0x80, 0x10}), true),
              IsError(ErrorCode::kCorrupt, "32 bits"));
}

TEST(ThriftCompactTest, RefusesStructuresThatAreNestedWithoutEnd) {
  EXPECT_THAT(SkipStruct(std::string(40, '\x1C') + std::string(41, '\0')), IsOk());
  EXPECT_THAT(SkipStruct(std::string(1'000'000, '\x1C')),
              IsError(ErrorCode::kCorrupt, "nested too deeply"));
  EXPECT_THAT(SkipStruct(std::string(1'000'000, '\x19')), IsError(ErrorCode::kCorrupt));
}

TEST(ThriftCompactTest, TakesTimeInProportionToTheBytesWhateverCountsTheyTell) {
  // A map of 2^60 booleans.
  EXPECT_THAT(SkipStruct(Bytes({0x1B, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10, 0x11})),
              IsError(ErrorCode::kCorrupt, "ends too early"));
}

TEST(ThriftCompactTest, SurvivesRandomBytes) {
  const auto random = MakeSeededRandom(5);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random->Below(60), '\0');
    for (char& byte : bytes)
      byte = static_cast<char>(random->Next());
    size_t position = 0;
    (void)SkipStruct(bytes, &position);
    ASSERT_LE(position, bytes.size());
  }
}

}  // namespace
}  // namespace firn
