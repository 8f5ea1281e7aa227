#include "firn/io/file_io_contract.h"

#include <rapidcheck.h>

#include "firn/testing/counting_file_io.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/faulty_file_io.h"
#include "firn/testing/temporary_folder.h"

namespace firn {
namespace {

FileIOUnderTest MakeLocal(const std::string& root_form) {
  const auto folder = std::make_shared<TemporaryFolder>();
  return {.owner = folder,
          .io = MakeLocalFileIO(),
          .root = root_form + folder->path(),
          .has_folders = true};
}

FileIOUnderTest MakeMemory(const std::string& root) {
  const auto clock = std::make_shared<FakeClock>();
  return {.owner = clock, .io = MakeMemoryFileIO(*clock), .root = root};
}

FileIOUnderTest MakePrefixed() {
  FileIOUnderTest under_test = MakeLocal("");
  // A part of the tree lies elsewhere.
  under_test.io = MakePrefixFileIO(std::move(under_test.io),
                                   {{.from = "s3://old/wh", .to = under_test.root + "/a"},
                                    {.from = "s3://old/wh/b", .to = under_test.root + "/c d"}});
  under_test.root = "s3://old/wh";
  return under_test;
}

FileIOUnderTest MakeRegistered() {
  FileIOUnderTest under_test = MakeMemory("s3a://bucket/wh");
  const auto registry = MakeSchemeRegistry();
  registry->Register("s3", under_test.io);
  under_test.io = registry->Make();
  return under_test;
}

// What tests wrap around a file system changes nothing unless it is told to.
FileIOUnderTest MakeWrapped() {
  FileIOUnderTest under_test = MakeLocal("");
  under_test.io =
      std::make_shared<FaultyFileIO>(std::make_shared<CountingFileIO>(std::move(under_test.io)));
  return under_test;
}

INSTANTIATE_TEST_SUITE_P(
    Io, FileIOContract,
    testing::Values(FileIOContractCase{"LocalPath", [] { return MakeLocal(""); }},
                    FileIOContractCase{"LocalFile", [] { return MakeLocal("file:"); }},
                    FileIOContractCase{"LocalFileWithSlashes", [] { return MakeLocal("file://"); }},
                    FileIOContractCase{"Memory", [] { return MakeMemory("memory:/wh"); }},
                    FileIOContractCase{"MemoryWithRepeatedSlashes",
                                       [] { return MakeMemory("s3://bkt/wh//t"); }},
                    FileIOContractCase{"Prefix", MakePrefixed},
                    FileIOContractCase{"Wrapped", MakeWrapped},
                    FileIOContractCase{"SchemeRegistry", MakeRegistered}),
    [](const auto& test) { return test.param.name; });

// A step of a random history: what happens to which file, with how many bytes.
struct Step {
  int action = 0;
  int name = 0;
  size_t size = 0;
};

std::ostream& operator<<(std::ostream& out, const Step& step) {
  return out << "{action " << step.action << ", name " << step.name << ", size " << step.size
             << "}";
}

std::vector<Step> AnyHistory() {
  const auto step =
      rc::gen::build<Step>(rc::gen::set(&Step::action, rc::gen::inRange(0, 5)),
                           rc::gen::set(&Step::name, rc::gen::inRange(0, 6)),
                           rc::gen::set(&Step::size, rc::gen::inRange<size_t>(0, 99)));
  // Short ones: each write waits for the disk.
  return *rc::gen::resize(15, rc::gen::container<std::vector<Step>>(step));
}

// Play `step` on the model and on `io`; both must agree.
void Play(const Step& step, std::map<std::string, std::string>& model, FileIO& io,
          const std::string& root) {
  constexpr const char* kNames[] = {"a", "b/a", "b/c/d", "b2", "x%20 y/z", "b/c/e"};
  const std::string uri = JoinUri(root, kNames[step.name]);
  const std::string content(step.size, static_cast<char>('a' + step.name));
  const bool exists = model.contains(uri);
  switch (step.action) {
    case 0:
      RC_ASSERT(WriteFile(io, uri, AsBytes(content)).ok());
      model[uri] = content;
      break;
    case 1: {
      const Status status = WriteFile(io, uri, AsBytes(content), {.exclusive = true});
      RC_ASSERT(status.ok() == !exists);
      if (status.ok()) model[uri] = content;
      break;
    }
    case 2:
      RC_ASSERT(io.Delete(uri).ok() == exists);
      model.erase(uri);
      break;
    case 3: {
      const Result<Buffer> bytes = ReadFile(io, uri);
      RC_ASSERT(bytes.ok() == exists);
      if (exists) RC_ASSERT(std::string(bytes->view()) == model[uri]);
      break;
    }
    default:
      RC_ASSERT(io.DeleteMany(std::vector{uri}).front().was_missing == !exists);
      model.erase(uri);
  }
}

// Local disk, memory and a rewritten prefix are one file system to their callers.
TEST_P(FileIOContract, BehavesLikeAMapOfNamesToBytes) {
  EXPECT_TRUE(rc::check([] {
    const FileIOUnderTest under_test = GetParam().make();
    std::map<std::string, std::string> model;
    RC_ASSERT(WriteFile(*under_test.io, JoinUri(under_test.root, "keep"), {}).ok());
    model[JoinUri(under_test.root, "keep")] = "";
    for (const Step& step : AnyHistory())
      Play(step, model, *under_test.io, under_test.root);
    std::map<std::string, std::string> listed;
    RC_ASSERT(under_test.io
                  ->List(under_test.root,
                         [&](const FileInfo& info) -> Status {
                           FIRN_ASSIGN(const Buffer bytes, ReadFile(*under_test.io, info.uri));
                           listed[info.uri] = bytes.view();
                           return {};
                         })
                  .ok());
    RC_ASSERT(listed == model);
  }));
}

}  // namespace
}  // namespace firn
