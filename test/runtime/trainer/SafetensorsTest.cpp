//===- SafetensorsTest.cpp - Reading and writing safetensors --------------===//
//
// Good files round-trip; each rule of the reader has a file that breaks it.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/Safetensors.h"
#include "TestFiles.h"
#include <cstring>
#include <ctime>

using namespace reprise::rt;
using namespace reprise::rt::test;

static SafetensorsContent smallContent(Seal seal) {
  SafetensorsContent content;
  content.tensors = {{"b", DType::I8, {3}},
                     {"a", DType::F32, {2, 2}},
                     {"count", DType::I64, {}},
                     {"none", DType::F32, {0, 4}}};
  content.metadata = {{"who", "a \"quoted\" name"}};
  content.seal = seal;
  return content;
}

static Status fillPattern(size_t index, void *data, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    static_cast<uint8_t *>(data)[i] = uint8_t(index * 50 + i);
  return Status();
}

/// A file without a digest.
static Expected<SafetensorsFile> writeAndOpen(const std::string &path) {
  REPRISE_RETURN_IF_ERROR(
      writeSafetensors(path, smallContent(Seal::None), fillPattern));
  return SafetensorsFile::open(path);
}

TEST(Safetensors, WhatIsWrittenIsReadBack) {
  Folder folder;
  std::string path = folder / "t.safetensors";
  SafetensorsContent content = smallContent(Seal::Digest);
  ASSERT_TRUE(writeSafetensors(path, content, fillPattern).ok());
  auto file = SafetensorsFile::open(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_TRUE(file->verifyDigest().ok());
  EXPECT_EQ(file->header().metadata.at("who"), "a \"quoted\" name");
  ASSERT_EQ(file->header().tensors.size(), 4u);
  for (size_t i = 0; i < content.tensors.size(); ++i) {
    const TensorEntry *entry = file->header().find(content.tensors[i].name);
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->shape, content.tensors[i].shape);
    EXPECT_EQ(entry->type, content.tensors[i].type);
    std::vector<uint8_t> read(entry->bytes()), wanted(entry->bytes());
    ASSERT_TRUE(file->read(*entry, read.data()).ok());
    ASSERT_TRUE(fillPattern(i, wanted.data(), wanted.size()).ok());
    EXPECT_EQ(read, wanted);
  }
}

TEST(Safetensors, DataAreAlignedForEveryType) {
  Folder folder;
  std::string path = folder / "t.safetensors";
  auto file = writeAndOpen(path);
  ASSERT_TRUE(file.ok());
  uint64_t length = uint8_t(readFile(path)[0]);
  EXPECT_EQ((8 + length) % 8, 0u);
  for (const TensorEntry &entry : file->header().tensors)
    EXPECT_EQ(entry.begin % dtypeBytes(entry.type), 0u) << entry.name;
}

TEST(Safetensors, FileOfAnotherWriterIsRead) {
  Folder folder;
  std::string path = folder / "t.safetensors";
  writeFile(path, tensorFile("{\"x\":{\"dtype\":\"I32\",\"shape\":[2],\"data_"
                             "offsets\":[0,8]}}   ",
                             std::string("\1\0\0\0\2\0\0\0", 8)));
  auto file = SafetensorsFile::open(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  int32_t values[2];
  ASSERT_TRUE(file->read(*file->header().find("x"), values).ok());
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[1], 2);
  EXPECT_EQ(file->header().find("y"), nullptr);
}

namespace {
struct BadHeader {
  const char *header;
  size_t dataBytes;
  std::vector<std::string> message;
};
} // namespace

TEST(Safetensors, BadHeadersAreRefusedWithBothNumbers) {
  const std::vector<BadHeader> cases = {
      {"", 0, {"does not begin"}},
      {"[]", 0, {"does not begin"}},
      {"{\"x\":", 0, {"not JSON"}},
      {"{} x", 0, {"not JSON"}},
      {"{}", 3, {"end at byte 0", "3 bytes"}},
      {"{\"x\":1}", 0, {"'x'", "exactly dtype, shape"}},
      {R"({"x":{"dtype":"F32","shape":[1]}})", 0, {"'x'", "exactly"}},
      {R"({"x":{"dtype":"F99","shape":[1],"data_offsets":[0,4]}})",
       4,
       {"'x'", "'F99'"}},
      {R"({"x":{"dtype":3,"shape":[1],"data_offsets":[0,4]}})",
       4,
       {"'x'", "no type"}},
      {R"({"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})",
       4,
       {"'x'", "'-1'"}},
      {R"({"x":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})",
       4,
       {"'x'", "'1.5'"}},
      {R"({"x":{"dtype":"F32","shape":[18446744073709551615],)"
       R"("data_offsets":[0,4]}})",
       4,
       {"'x'", "18446744073709551615"}},
      {R"({"x":{"dtype":"F32","shape":"1","data_offsets":[0,4]}})",
       4,
       {"'x'", "no list"}},
      {R"({"x":{"dtype":"F32","shape":[4294967296,4294967296],)"
       R"("data_offsets":[0,4]}})",
       4,
       {"'x'", "2^64"}},
      {R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})",
       4,
       {"'x'", "needs 8 bytes", "has 4"}},
      {R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})",
       4,
       {"'x'", "begins at byte 4", "end at 0"}},
      {R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
       4,
       {"'x'", "byte 8", "4 bytes"}},
      {R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0]}})",
       4,
       {"'x'", "two offsets"}},
      {R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
       8,
       {"'x'", "hole", "byte 4", "at 0"}},
      {R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
       R"("y":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})",
       6,
       {"'y'", "byte 2", "ends at 4"}},
      {R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
       8,
       {"byte 4", "8 bytes"}},
      {R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
       R"("x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
       4,
       {"'x' twice"}},
      {R"({"x":{"dtype":"F32","dtype":"I32","shape":[1],)"
       R"("data_offsets":[0,4]}})",
       4,
       {"'dtype' twice"}},
      {R"({"__metadata__":[]})", 0, {"metadata"}},
      {R"({"__metadata__":{"a":1}})", 0, {"'a'"}},
      {R"({"x":[[[[[[[[1]]]]]]]]})", 0, {"nested"}},
      {"{\"\xff\":1}", 0, {"not JSON"}}};
  for (const BadHeader &bad : cases) {
    auto header = parseSafetensorsHeader("f", bad.header, bad.dataBytes);
    SCOPED_TRACE(bad.header);
    expectError(header.status(), RP_DATA_LOSS, bad.message);
  }
}

TEST(Safetensors, BadPrefixIsRefused) {
  Folder folder;
  std::string path = folder / "t.safetensors";
  writeFile(path, "abc");
  expectError(SafetensorsFile::open(path).status(), RP_DATA_LOSS,
              {path, "3 bytes"});
  writeFile(path, std::string(8, '\xff') + "{}");
  expectError(SafetensorsFile::open(path).status(), RP_DATA_LOSS,
              {path, "18446744073709551615", "only 2"});
  expectError(SafetensorsFile::open(folder / "absent").status(), RP_IO_ERROR,
              {"absent", "no such file"});
  expectError(SafetensorsFile::open(folder.path).status(), RP_IO_ERROR,
              {"not a regular file"});
}

TEST(Safetensors, WeightsInOtherFormatsAreNamed) {
  Folder folder;
  std::string path = folder / "w.pth";
  const std::string rest(64, '\x7f');
  writeFile(path, "PK\3\4" + rest);
  expectError(SafetensorsFile::open(path).status(), RP_DATA_LOSS,
              {path, "zip archive", "torch.save", "save_file"});
  writeFile(path, "\x80\2\x8a" + rest);
  expectError(SafetensorsFile::open(path).status(), RP_DATA_LOSS,
              {path, "Python pickle", "save_file"});
  writeFile(path, "\x89HDF\r\n\x1a\n" + rest);
  expectError(SafetensorsFile::open(path).status(), RP_DATA_LOSS,
              {path, "HDF5", "convert it to safetensors"});
  writeFile(path, "\x93NUMPY\1" + rest);
  expectError(SafetensorsFile::open(path).status(), RP_DATA_LOSS,
              {path, "NumPy", "convert it to safetensors"});
  writeFile(path, "GGUF\3" + rest);
  expectError(SafetensorsFile::open(path).status(), RP_DATA_LOSS,
              {path, "GGUF", "convert it to safetensors"});
}

TEST(Safetensors, DigestIsDemandedWhenAsked) {
  Folder folder;
  std::string path = folder / "t.safetensors";
  auto file = writeAndOpen(path);
  ASSERT_TRUE(file.ok());
  expectError(file->verifyDigest(), RP_DATA_LOSS, {path, "no digest"});
}

TEST(Safetensors, NamesThatCannotBeWrittenAreRefused) {
  Folder folder;
  std::string path = folder / "t.safetensors";
  for (const char *name : {"__metadata__", "\xff"}) {
    SafetensorsContent content;
    content.tensors = {{name, DType::F32, {1}}};
    expectError(writeSafetensors(path, content, fillPattern),
                RP_INVALID_ARGUMENT, {path});
  }
  SafetensorsContent twice;
  twice.tensors = {{"x", DType::F32, {1}}, {"x", DType::F32, {1}}};
  expectError(writeSafetensors(path, twice, fillPattern), RP_INVALID_ARGUMENT,
              {"'x'"});
  EXPECT_FALSE(std::filesystem::exists(path));
}

/// Of this process, whatever else the machine does.
static double secondsSince(std::clock_t start) {
  return double(std::clock() - start) / CLOCKS_PER_SEC;
}

/// Seconds to write, and to read, a file of `count` tensors.
static std::pair<double, double> secondsFor(size_t count) {
  Folder folder;
  std::string path = folder / "t.safetensors";
  SafetensorsContent content;
  content.seal = Seal::Digest;
  for (size_t i = 0; i < count; ++i)
    content.tensors.push_back(
        {"layer" + std::to_string(i) + ".weight", DType::F32, {1}});
  std::clock_t start = std::clock();
  EXPECT_TRUE(writeSafetensors(path, content, fillPattern).ok());
  double write = secondsSince(start);
  start = std::clock();
  auto file = SafetensorsFile::open(path);
  EXPECT_TRUE(file.ok() && file->verifyDigest().ok());
  EXPECT_EQ(file->header().tensors.size(), count);
  return {write, secondsSince(start)};
}

TEST(Safetensors, TimeGrowsAsTheNumberOfTensors) {
  auto [writeFew, readFew] = secondsFor(10000);
  auto [writeMany, readMany] = secondsFor(80000);
  // 8 times as many; 64 times the seconds when they are compared in pairs.
  EXPECT_LT(writeMany, 24 * writeFew + 0.1);
  EXPECT_LT(readMany, 24 * readFew + 0.1);
}

TEST(Safetensors, ReadsBeyondATensorAreRefused) {
  Folder folder;
  std::string path = folder / "t.safetensors";
  auto file = writeAndOpen(path);
  ASSERT_TRUE(file.ok());
  uint8_t byte[32];
  const TensorEntry &entry = *file->header().find("a");
  EXPECT_TRUE(file->readPart(entry, 15, byte, 1).ok());
  expectError(file->readPart(entry, 15, byte, 2), RP_INVALID_ARGUMENT, {"'a'"});
  expectError(file->readPart(entry, UINT64_MAX, byte, 2), RP_INVALID_ARGUMENT,
              {"'a'"});
}
