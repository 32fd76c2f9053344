//===- ReaderTest.cpp - The messages of an ONNX file ----------------------===//

#include "Elements.h"
#include "Encode.h"
#include "gtest/gtest.h"
#include <filesystem>
#include <fstream>
#include <random>

using namespace reprise::onnx;
namespace fs = std::filesystem;
using encode::bytes;
using encode::number;

/// A product of an input with a weight of 3x2.
static std::string smallGraph() {
  return bytes(1, encode::node("MatMul", {"x", "w"}, {"y"})) +
         bytes(5, encode::tensor("w", {3, 2}, {1, 2, 3, 4, 5, 6})) +
         bytes(11, encode::value("x", {-1, 3})) +
         bytes(12, encode::value("y", {-1, 2}));
}

static std::string errorOf(const std::string &file) {
  std::string error;
  EXPECT_FALSE(readModel(file, error));
  return error;
}

static std::optional<Elements> decoded(const std::string &message,
                                       std::string &error) {
  auto tensor = readTensor(message, error);
  return tensor ? decode(*tensor, nullptr, error) : std::nullopt;
}

TEST(OnnxReader, ReadsAGraph) {
  std::string error, file = encode::model(smallGraph());
  auto model = readModel(file, error);
  ASSERT_TRUE(model) << error;
  EXPECT_EQ(model->irVersion, 8);
  ASSERT_EQ(model->opsets.size(), 1u);
  EXPECT_EQ(model->opsets[0].second, 17);
  ASSERT_EQ(model->graph.nodes.size(), 1u);
  EXPECT_EQ(model->graph.nodes[0].op, "MatMul");
  ASSERT_EQ(model->graph.nodes[0].inputs.size(), 2u);
  ASSERT_EQ(model->graph.inputs.size(), 1u);
  EXPECT_FALSE(model->graph.inputs[0].shape[0].value);
  EXPECT_EQ(model->graph.inputs[0].shape[1].value, 3);
}

TEST(OnnxReader, LastNumberCountsAndPartsOfAMessageAreMerged) {
  std::string error;
  std::string file = number(1, 3) + bytes(7, bytes(1, bytes(4, "Relu"))) +
                     number(1, 8) + bytes(7, bytes(1, bytes(4, "Tanh")));
  auto model = readModel(file, error);
  ASSERT_TRUE(model) << error;
  EXPECT_EQ(model->irVersion, 8);
  ASSERT_EQ(model->graph.nodes.size(), 2u);
  EXPECT_EQ(model->graph.nodes[1].op, "Tanh");
}

TEST(OnnxReader, SkipsUnknownFieldsGroupsAndOtherWireTypes) {
  std::string error;
  std::string group = encode::varint(90 << 3 | 3) + number(1, 5) +
                      encode::varint(91 << 3 | 3) +
                      encode::varint(91 << 3 | 4) + encode::varint(90 << 3 | 4);
  std::string file = bytes(77, "unknown") + group + bytes(1, "no number") +
                     encode::model(smallGraph());
  auto model = readModel(file, error);
  ASSERT_TRUE(model) << error;
  EXPECT_EQ(model->irVersion, 8);
}

TEST(OnnxReader, RefusesMalformedFieldsWithTheirPlace) {
  EXPECT_EQ(errorOf("\x3a\x7f"), "a field of 127 bytes has only 0 left at "
                                 "byte 2");
  EXPECT_EQ(errorOf(std::string("\x08") + std::string(11, '\xff')),
            "a number is malformed at byte 1");
  EXPECT_EQ(errorOf(std::string("\x00", 1)),
            "a field has the number 0 at byte 0");
  EXPECT_EQ(errorOf("\x0f"), "a field has the wire type 7 at byte 1");
  EXPECT_EQ(errorOf("\x0b"), "a group does not end at byte 1");
}

TEST(OnnxReader, BoundsTheNumberOfMessages) {
  std::string graph;
  for (uint64_t k = 0; k <= kMostMessages; ++k)
    graph += std::string("\x0a\x00", 2);
  EXPECT_NE(errorOf(bytes(7, graph)).find("more than 1048576 messages"),
            std::string::npos);
}

TEST(OnnxReader, DecodesRawAndTypedDataAlike) {
  std::string error;
  auto raw = decoded(encode::tensor("w", {2}, {1.5, -2}), error);
  ASSERT_TRUE(raw) << error;
  std::string typed = bytes(1, encode::varint(2)) + number(2, 1) +
                      bytes(4, encode::floats({1.5})) +
                      bytes(4, encode::floats({-2}));
  auto fields = decoded(typed, error);
  ASSERT_TRUE(fields) << error;
  EXPECT_EQ(raw->reals, fields->reals);
  EXPECT_EQ(fields->reals, (std::vector<float>{1.5, -2}));
}

TEST(OnnxReader, DecodesUnpackedIntegersAndHalves) {
  std::string error;
  std::string integers = number(1, 2) + number(2, 7) + number(7, 5) +
                         number(7, static_cast<uint64_t>(-3));
  auto read = decoded(integers, error);
  ASSERT_TRUE(read) << error;
  EXPECT_EQ(read->integers, (std::vector<int64_t>{5, -3}));
  std::string halves =
      number(1, 4) + number(2, 10) +
      bytes(9, std::string("\x00\x3c\x01\x00\x00\xfc\x00\xc0", 8));
  read = decoded(halves, error);
  ASSERT_TRUE(read) << error;
  EXPECT_EQ(read->reals[0], 1.0f);
  EXPECT_EQ(read->reals[1], 0x1p-24f);
  EXPECT_EQ(read->reals[2], -INFINITY);
  EXPECT_EQ(read->reals[3], -2.0f);
}

TEST(OnnxReader, RefusesDataThatDoNotFitTheShape) {
  std::string error;
  EXPECT_FALSE(decoded(encode::tensor("w", {3}, {1, 2}), error));
  EXPECT_EQ(error, "it has 8 bytes of data, but 3 elements of 4 bytes");
  error.clear();
  int64_t huge = int64_t(1) << 62;
  EXPECT_FALSE(decoded(encode::tensor("w", {huge, huge}, {}), error));
  EXPECT_NE(error.find("is impossible"), std::string::npos);
  error.clear();
  EXPECT_FALSE(decoded(encode::tensor("w", {-1}, {1}), error));
  EXPECT_EQ(error, "its shape -1 is impossible");
  error.clear();
  EXPECT_FALSE(decoded(
      encode::tensor("w", {1}, {1}) + bytes(4, encode::floats({1})), error));
  EXPECT_EQ(error, "it has raw and typed data");
}

//===----------------------------------------------------------------------===//
// External data
//===----------------------------------------------------------------------===//

namespace {
/// A folder with a model's file, data beside it, a link to them, and data
/// outside.
class OnnxExternal : public testing::Test {
protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) /
             ("onnx-external-" + std::to_string(::getpid()));
    fs::create_directories(folder / "net/deep");
    write(folder / "net/model.onnx", encode::model(""));
    write(folder / "net/deep/data.bin", encode::floats({0, 1, 2, 3}));
    write(folder / "outside.bin", encode::floats({4, 5}));
    fs::create_symlink("../outside.bin", folder / "net/link.bin");
    fs::create_directory_symlink("..", folder / "net/up");
    std::string error;
    file = ModelFile::open((folder / "net/model.onnx").string(), error);
    ASSERT_TRUE(file) << error;
  }
  void TearDown() override { fs::remove_all(folder); }

  static void write(const fs::path &path, const std::string &text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string entry(const std::string &key, const std::string &text) {
    return bytes(13, bytes(1, key) + bytes(2, text));
  }
  /// Two floats of a file at an offset.
  std::optional<Elements> load(const std::string &location,
                               const std::string &offset) {
    std::string message = number(1, 2) + number(2, 1) + number(14, 1) +
                          entry("location", location) + entry("offset", offset);
    error.clear();
    auto tensor = readTensor(message, error);
    return decode(*tensor, file.get(), error);
  }

  fs::path folder;
  std::unique_ptr<ModelFile> file;
  std::string error;
};
} // namespace

TEST_F(OnnxExternal, ReadsBelowTheModelsFolder) {
  auto elements = load("deep/data.bin", "8");
  ASSERT_TRUE(elements) << error;
  EXPECT_EQ(elements->reals, (std::vector<float>{2, 3}));
}

TEST_F(OnnxExternal, RefusesPathsOutside) {
  for (const char *location : {"../outside.bin", "/etc/passwd", "",
                               "deep/../../outside.bin", "deep//data.bin"}) {
    EXPECT_FALSE(load(location, "0")) << location;
    EXPECT_EQ(error, "its data lie outside the model's folder");
  }
}

TEST_F(OnnxExternal, FollowsNoLinks) {
  for (const char *location : {"link.bin", "up/outside.bin"}) {
    EXPECT_FALSE(load(location, "0")) << location;
    EXPECT_EQ(error, "its data lie under a symbolic link, which is not "
                     "followed");
  }
}

TEST_F(OnnxExternal, RefusesPartsBeyondTheEnd) {
  EXPECT_FALSE(load("deep/data.bin", "12"));
  EXPECT_EQ(error, "its data end at byte 20 of a file of 16");
  EXPECT_FALSE(load("deep/data.bin", "18446744073709551615"));
  EXPECT_FALSE(load("deep/data.bin", "no number"));
}

//===----------------------------------------------------------------------===//
// Damaged files
//===----------------------------------------------------------------------===//

/// Reads a file and all its weights, whatever comes out.
static void readAll(const std::string &file) {
  std::string error;
  auto model = readModel(file, error);
  EXPECT_EQ(model.has_value(), error.empty());
  if (!model)
    return;
  for (const TensorMessage &tensor : model->graph.initializers) {
    std::string reason;
    auto elements = decode(tensor, nullptr, reason);
    EXPECT_EQ(elements.has_value(), reason.empty());
  }
}

TEST(OnnxReader, SurvivesTruncation) {
  std::string file = encode::model(smallGraph());
  for (size_t size = 0; size < file.size(); ++size)
    readAll(file.substr(0, size));
}

TEST(OnnxReader, SurvivesMutation) {
  std::mt19937 random(1);
  std::string file = encode::model(smallGraph());
  for (unsigned k = 0; k < 20000; ++k) {
    std::string mutated = file;
    for (unsigned edits = 1 + random() % 4; edits; --edits)
      mutated[random() % mutated.size()] = static_cast<char>(random());
    readAll(mutated);
  }
}
