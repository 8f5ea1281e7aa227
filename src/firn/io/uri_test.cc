#include "firn/io/uri.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(UriTest, FindsTheScheme) {
  EXPECT_EQ(UriScheme("s3://b/k"), "s3");
  EXPECT_EQ(UriScheme("S3A://b/k"), "s3a");
  EXPECT_EQ(UriScheme("file:/p"), "file");
  EXPECT_EQ(UriScheme("abfss://c@a.dfs/p"), "abfss");
  for (const char* path : {"/p", "p", "", "a/b:c", "C:/x", "p=12:00/f", "2026-01-01T10:00", ":x",
                           "./s3://b/k", "//host/p"}) {
    EXPECT_EQ(UriScheme(path), "") << path;
  }
}

TEST(UriTest, TellsAbsoluteFromRelative) {
  for (const char* uri :
       {"/a", "file:/a", "file:///a", "file://localhost/a", "s3://b/k", "memory:x", "FILE:/a"}) {
    EXPECT_TRUE(IsAbsoluteUri(uri)) << uri;
  }
  for (const char* uri : {"", "a/b", "./a", "file:a/b", "file://data/persistent/t", "file:"}) {
    EXPECT_FALSE(IsAbsoluteUri(uri)) << uri;
  }
}

TEST(UriTest, JoinsWithOneSlash) {
  EXPECT_EQ(JoinUri("/a", "b"), "/a/b");
  EXPECT_EQ(JoinUri("/a/", "/b"), "/a/b");
  EXPECT_EQ(JoinUri("s3://b//k//", "x"), "s3://b//k/x");
  EXPECT_EQ(JoinUri("/", "a"), "/a");
  EXPECT_EQ(JoinUri("file:/", "a"), "file:/a");
  EXPECT_EQ(JoinUri("file:///", "a"), "file:///a");
  EXPECT_EQ(JoinUri("s3://b", "a/c"), "s3://b/a/c");
  EXPECT_EQ(JoinUri("", "a"), "a");
  EXPECT_EQ(JoinUri("a", ""), "a/");
}

TEST(UriTest, FindsTheFileName) {
  EXPECT_EQ(UriFileName("s3://b/k.avro"), "k.avro");
  EXPECT_EQ(UriFileName("plain"), "plain");
  EXPECT_EQ(UriFileName("/a/"), "");
}

// B86: new keys use a stripped trailing slash.
TEST(UriTest, StripsTrailingSlashesButNotRoots) {
  EXPECT_EQ(StripTrailingSlash("s3://bkt/wh//t/"), "s3://bkt/wh//t");
  EXPECT_EQ(StripTrailingSlash("/a///"), "/a");
  EXPECT_EQ(StripTrailingSlash("a"), "a");
  for (const char* root : {"/", "file:/", "file:///", "s3://", "file://", "memory:/", ""}) {
    EXPECT_EQ(StripTrailingSlash(root), root);
  }
  EXPECT_EQ(StripTrailingSlash("s3://b/"), "s3://b");
}

// B87: all these name one local folder.
TEST(UriTest, ReadsEveryLocalForm) {
  for (const char* uri : {"file:/data/x y#/t", "file:///data/x y#/t", "/data/x y#/t",
                          "file://localhost/data/x y#/t", "File:/data/x y#/t"}) {
    EXPECT_EQ(LocalPath(uri), "/data/x y#/t") << uri;
    EXPECT_EQ(CanonicalUriKey(uri), "/data/x y#/t") << uri;
  }
  EXPECT_EQ(LocalPath("file:/a%20b"), "/a%20b");
  EXPECT_EQ(LocalPath("file://data/persistent"), "data/persistent");
  EXPECT_EQ(LocalPath("file:data"), "data");
  EXPECT_EQ(LocalPath("file://localhost"), "/");
  EXPECT_EQ(LocalPath("data"), "data");
  EXPECT_EQ(LocalPath("s3://b/k"), "");
}

// B86: on local disk both spellings are one file, on an object store two.
TEST(UriTest, FoldsSpellingsOfOnePlaceToOneKey) {
  for (const char* uri : {"/wh//t/f", "file:/wh/t//f", "file:////wh/t/f", "/wh/./t/f",
                          "/wh/x/../t/f", "/../wh/t/f"}) {
    EXPECT_EQ(CanonicalUriKey(uri), "/wh/t/f") << uri;
  }
  EXPECT_EQ(CanonicalUriKey("a/../../b"), "../b");
  EXPECT_EQ(CanonicalUriKey("s3a://b//k"), "s3://b//k");
  EXPECT_EQ(CanonicalUriKey("S3N://b/k"), "s3://b/k");
  EXPECT_EQ(CanonicalUriKey("s3://b/k"), "s3://b/k");
  EXPECT_NE(CanonicalUriKey("s3://b/k"), CanonicalUriKey("s3://b//k"));
  EXPECT_EQ(CanonicalUriKey("s3://b/a%2Fb"), "s3://b/a%2Fb");
  EXPECT_EQ(CanonicalUriKey("gs://b/./k"), "gs://b/./k");
}

}  // namespace
}  // namespace firn
