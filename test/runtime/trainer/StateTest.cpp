//===- StateTest.cpp - Saving and loading the variables of a run ----------===//
//
// Bits come back, layouts are the file's, and damage is always noticed.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/State.h"
#include "FakeBackend.h"
#include "TestFiles.h"
#include "reprise/Runtime/Trainer/FileLayout.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include <cmath>
#include <cstring>

using namespace reprise::rt;
using namespace reprise::rt::test;

static FakeBackend smallModel() { return FakeBackend(2, {2, 1, 1}, 2); }

static RunPosition somewhere() {
  RunPosition p;
  p.epoch = 3;
  p.step = 41;
  p.position = 12;
  p.seed = UINT64_MAX;
  p.batch = 2;
  p.images = 20;
  p.normalization = Normalization{0.2860406f, 0.35302424f};
  return p;
}

static std::vector<float> readFloats(const std::string &path,
                                     const std::string &name) {
  auto file = SafetensorsFile::open(path);
  const TensorEntry *entry = file->header().find(name);
  std::vector<float> values(entry->bytes() / 4);
  EXPECT_TRUE(file->read(*entry, values.data()).ok());
  return values;
}

/// A whole state's file.
static std::string savedBytes(const Folder &folder) {
  std::string path = folder / "s.safetensors";
  FakeBackend backend = smallModel();
  EXPECT_TRUE(backend.initialize(7).ok());
  EXPECT_TRUE(saveState(backend, path, somewhere()).ok());
  return readFile(path);
}

TEST(State, ComesBackToTheBit) {
  Folder folder;
  std::string path = folder / "s.safetensors";
  FakeBackend saved = smallModel(), loaded = smallModel();
  ASSERT_TRUE(saved.initialize(7).ok());
  ASSERT_TRUE(saved.run("train_step").ok());
  ASSERT_TRUE(saveState(saved, path, somewhere()).ok());
  EXPECT_NE(saved.bits, loaded.bits);
  auto position = loadState(loaded, path);
  ASSERT_TRUE(position.ok()) << position.status().message();
  EXPECT_EQ(saved.bits, loaded.bits);
  EXPECT_EQ(position->epoch, 3u);
  EXPECT_EQ(position->step, 41u);
  EXPECT_EQ(position->position, 12u);
  EXPECT_EQ(position->seed, UINT64_MAX);
  EXPECT_EQ(position->batch, 2u);
  EXPECT_EQ(position->images, 20u);
  EXPECT_EQ(position->normalization->mean, 0.2860406f);
  EXPECT_EQ(position->normalization->stddev, 0.35302424f);
  EXPECT_EQ(readStatePosition(path)->step, 41u);
}

TEST(State, KeepsTheNamesOfClasses) {
  Folder folder;
  std::string path = folder / "s.safetensors";
  FakeBackend backend = smallModel();
  ASSERT_TRUE(backend.initialize(7).ok());
  RunPosition position = somewhere();
  // Names that folders may have: no UTF-8, an end of a line, what escapes.
  position.classNames = {"gr\nun", "100%", "%41", "z\xC3\xA9ro", "\xFF", "a b"};
  ASSERT_TRUE(saveState(backend, path, position).ok());
  auto loaded = loadState(backend, path);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded->classNames, position.classNames);
  auto names = readClassNames(path);
  ASSERT_TRUE(names.ok()) << names.status().message();
  EXPECT_EQ(*names, position.classNames);
  ASSERT_TRUE(saveState(backend, path, somewhere()).ok());
  EXPECT_TRUE(readClassNames(path)->empty());
}

TEST(State, TensorsLieInFileLayout) {
  Folder folder;
  std::string path = folder / "s.safetensors";
  FakeBackend backend = FakeBackend(1, {3, 1, 1}, 2);
  float weight[6] = {1, 2, 3, 4, 5, 6}; // 3x2
  ASSERT_TRUE(backend.writeVariable("fc.weight", weight, 24).ok());
  ASSERT_TRUE(saveState(backend, path, somewhere()).ok());
  auto file = SafetensorsFile::open(path);
  EXPECT_EQ(file->header().find("fc.weight")->shape,
            (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(readFloats(path, "fc.weight"),
            (std::vector<float>{1, 3, 5, 2, 4, 6}));
}

TEST(FileLayout, FilterGoesToTheOrderOfTorchvision) {
  TensorInfo filter;
  filter.name = "conv.weight";
  filter.shape = {2, 3, 4, 5}; // O, KH, KW, I
  filter.bytes = 2 * 3 * 4 * 5 * 4;
  filter.filePermutation = {0, 3, 1, 2};
  EXPECT_EQ(*fileShape(filter), (std::vector<int64_t>{2, 5, 3, 4}));
  std::vector<float> program(120), file(120), back(120);
  for (size_t i = 0; i < 120; ++i)
    program[i] = float(i);
  toFileLayout(filter, program.data(), file.data());
  for (size_t o = 0; o < 2; ++o)
    for (size_t h = 0; h < 3; ++h)
      for (size_t w = 0; w < 4; ++w)
        for (size_t i = 0; i < 5; ++i)
          ASSERT_EQ(file[((o * 5 + i) * 3 + h) * 4 + w],
                    program[((o * 3 + h) * 4 + w) * 5 + i]);
  fromFileLayout(filter, file.data(), back.data());
  EXPECT_EQ(back, program);
}

TEST(FileLayout, EveryElementSizeAndRankComesBack) {
  for (rp_element_type type : {RP_I8, RP_BF16, RP_F32, RP_F64}) {
    for (const std::vector<int32_t> &permutation :
         std::vector<std::vector<int32_t>>{
             {}, {0}, {1, 0}, {2, 0, 1}, {4, 2, 0, 3, 1}}) {
      TensorInfo info;
      info.type = type;
      info.filePermutation = permutation;
      info.bytes = dtypeBytes(dtypeOf(type));
      for (size_t i = 0; i < permutation.size(); ++i) {
        info.shape.push_back(int64_t(i) + 2);
        info.bytes *= i + 2;
      }
      ASSERT_TRUE(fileShape(info).ok());
      std::vector<uint8_t> program(info.bytes), file(info.bytes),
          back(info.bytes);
      for (size_t i = 0; i < info.bytes; ++i)
        program[i] = uint8_t(i * 131 >> 3);
      toFileLayout(info, program.data(), file.data());
      fromFileLayout(info, file.data(), back.data());
      EXPECT_EQ(back, program);
      EXPECT_EQ(file == program, permutation.size() < 2);
    }
  }
}

TEST(FileLayout, WrongPermutationsAreRefused) {
  TensorInfo info;
  info.name = "w";
  info.shape = {2, 3};
  info.bytes = 24;
  for (const std::vector<int32_t> &permutation :
       std::vector<std::vector<int32_t>>{{0}, {0, 0}, {0, 2}, {-1, 0}}) {
    info.filePermutation = permutation;
    expectError(fileShape(info).status(), RP_INVALID_ARGUMENT, {"'w'"});
  }
}

TEST(State, EverySingleBitFlipIsDetected) {
  Folder folder;
  std::string bad = folder / "bad";
  FakeBackend victim = smallModel();
  const std::string good = savedBytes(folder);
  const auto before = victim.bits;
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bytes = good;
    bytes[bit / 8] = char(bytes[bit / 8] ^ (1 << (bit % 8)));
    writeFile(bad, bytes);
    auto position = loadState(victim, bad);
    ASSERT_FALSE(position.ok()) << "bit " << bit << " of " << good.size() * 8;
    ASSERT_FALSE(position.status().message().empty());
  }
  EXPECT_EQ(victim.bits, before);
}

TEST(State, EveryTruncationAndExtensionIsDetected) {
  Folder folder;
  std::string bad = folder / "bad";
  FakeBackend victim = smallModel();
  const std::string good = savedBytes(folder);
  for (size_t size = 0; size < good.size(); ++size) {
    writeFile(bad, good.substr(0, size));
    ASSERT_FALSE(loadState(victim, bad).ok()) << size << " bytes";
  }
  writeFile(bad, good + '\0');
  EXPECT_FALSE(loadState(victim, bad).ok());
  writeFile(bad, good);
  EXPECT_TRUE(loadState(victim, bad).ok());
}

TEST(State, ForeignFilesAreRefused) {
  Folder folder;
  std::string path = folder / "s.safetensors";
  FakeBackend backend = smallModel();
  writeFile(path, tensorFile("{}", ""));
  expectError(loadState(backend, path).status(), RP_DATA_LOSS,
              {path, "not a training state", "--weights"});
}

TEST(State, OfAnotherProgramIsRefusedAndNothingIsWritten) {
  Folder folder;
  std::string path = folder / "s.safetensors";
  FakeBackend backend = smallModel(), other = FakeBackend(2, {4, 1, 1}, 2);
  ASSERT_TRUE(backend.initialize(7).ok());
  ASSERT_TRUE(saveState(backend, path, somewhere()).ok());
  expectError(loadState(other, path).status(), RP_INVALID_ARGUMENT,
              {"'fc.weight'", "2x2", "2x4"});
  FakeBackend renamed = smallModel();
  renamed.vars[0].name = "head.weight";
  const auto before = renamed.bits;
  expectError(loadState(renamed, path).status(), RP_INVALID_ARGUMENT,
              {"'head.weight'", "'fc.weight'", "'linear'"});
  EXPECT_EQ(renamed.bits, before);
}

TEST(State, WithoutAModelNameIsRefusedLikeAnyOther) {
  Folder folder;
  std::string path = folder / "s.safetensors";
  SafetensorsContent content;
  content.seal = Seal::Digest;
  content.metadata = {{"format", "reprise-state"}, {"version", "1"}};
  for (const char *key :
       {"epoch", "step", "position", "seed", "batch", "images"})
    content.metadata[key] = "1";
  auto none = [](size_t, void *, size_t) { return Status(); };
  ASSERT_TRUE(writeSafetensors(path, content, none).ok());
  FakeBackend backend = smallModel();
  expectError(loadState(backend, path).status(), RP_INVALID_ARGUMENT,
              {path, "another program ('')", "'fc.weight'"});
  for (const char *wrong : {"", "x", "-1", "18446744073709551616", "1 "}) {
    content.metadata["step"] = wrong;
    ASSERT_TRUE(writeSafetensors(path, content, none).ok());
    expectError(loadState(backend, path).status(), RP_DATA_LOSS,
                {path, "'step'", std::string("'") + wrong + "'"});
  }
}

TEST(State, NotFiniteVariablesAreNotSaved) {
  Folder folder;
  std::string path = folder / "s.safetensors";
  FakeBackend backend = smallModel();
  ASSERT_TRUE(saveState(backend, path, somewhere()).ok());
  const std::string good = readFile(path);
  float values[2] = {1, INFINITY};
  ASSERT_TRUE(backend.writeVariable("norm.running_mean", values, 8).ok());
  expectError(saveState(backend, path, somewhere()), RP_INVALID_ARGUMENT,
              {"'norm.running_mean'", "not finite", path});
  EXPECT_EQ(readFile(path), good);
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

static void writeWeights(const std::string &path,
                         const std::vector<TensorToWrite> &tensors) {
  SafetensorsContent content;
  content.tensors = tensors;
  ASSERT_TRUE(
      writeSafetensors(path, content, [](size_t, void *data, size_t bytes) {
        std::memset(data, 0, bytes);
        float one = 1;
        if (bytes >= 4)
          std::memcpy(data, &one, 4);
        return Status();
      }).ok());
}

TEST(Weights, OfAnotherWriterAreLoadedByName) {
  Folder folder;
  std::string path = folder / "w.safetensors";
  writeWeights(path, {{"fc.weight", DType::F32, {2, 2}},
                      {"norm.running_mean", DType::F32, {2}},
                      {"norm.num_batches_tracked", DType::I64, {}},
                      {"extra", DType::F32, {1}}});
  FakeBackend backend = smallModel();
  ASSERT_TRUE(backend.initialize(7).ok());
  const auto before = backend.bits;
  auto report = loadWeights(backend, path);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->loaded, 2u);
  EXPECT_EQ(report->unexpected, std::vector<std::string>{"extra"});
  EXPECT_NE(backend.bits["fc.weight"], before.at("fc.weight"));
  EXPECT_EQ(backend.bits["seed"], before.at("seed"));
}

TEST(Weights, MissingOnesAreListed) {
  Folder folder;
  std::string path = folder / "w.safetensors";
  writeWeights(path, {{"fc.weigth", DType::F32, {2, 2}}});
  FakeBackend backend = smallModel();
  expectError(loadWeights(backend, path).status(), RP_INVALID_ARGUMENT,
              {path, "lacks 2", "'fc.weight'", "'norm.running_mean'",
               "also has 'fc.weigth'"});
}

TEST(Weights, BehindAPrefixAreNamed) {
  Folder folder;
  std::string path = folder / "w.safetensors";
  writeWeights(path, {{"module.fc.weight", DType::F32, {2, 2}},
                      {"module.norm.running_mean", DType::F32, {2}}});
  FakeBackend backend = smallModel();
  expectError(loadWeights(backend, path).status(), RP_INVALID_ARGUMENT,
              {"lacks 2", "begin with 'module.'",
               "'module.fc.weight' is 'fc.weight' here"});
}

/// A model of three features and two classes.
static FakeBackend wideModel() { return FakeBackend(2, {3, 1, 1}, 2); }

TEST(Weights, OfOtherClassesNameBothWays) {
  Folder folder;
  std::string path = folder / "w.safetensors";
  writeWeights(path, {{"fc.weight", DType::F32, {5, 3}},
                      {"norm.running_mean", DType::F32, {3}}});
  FakeBackend backend = wideModel();
  expectError(loadWeights(backend, path).status(), RP_INVALID_ARGUMENT,
              {"'fc.weight' is F32 of shape 5x3", "of 5 classes there and 2",
               "--classes 5", "--new-head"});
}

TEST(Weights, OfOtherClassesLeaveTheHeadIfAsked) {
  Folder folder;
  std::string path = folder / "w.safetensors";
  writeWeights(path, {{"fc.weight", DType::F32, {5, 3}},
                      {"norm.running_mean", DType::F32, {3}}});
  FakeBackend backend = wideModel();
  ASSERT_TRUE(backend.initialize(7).ok());
  const auto before = backend.bits;
  auto report = loadWeights(backend, path, Head::Kept);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->kept, std::vector<std::string>{"fc.weight"});
  EXPECT_EQ(report->loaded, 1u);
  EXPECT_EQ(backend.bits["fc.weight"], before.at("fc.weight"));
  EXPECT_NE(backend.bits["norm.running_mean"], before.at("norm.running_mean"));
}

TEST(Weights, WithoutAHeadLeaveItIfAsked) {
  Folder folder;
  std::string path = folder / "w.safetensors";
  writeWeights(path, {{"norm.running_mean", DType::F32, {3}}});
  FakeBackend backend = wideModel();
  auto report = loadWeights(backend, path, Head::Kept);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->kept, std::vector<std::string>{"fc.weight"});
}

TEST(Weights, OfAnotherBackboneAreNotAHead) {
  Folder folder;
  std::string path = folder / "w.safetensors";
  writeWeights(path, {{"fc.weight", DType::F32, {2, 4}},
                      {"norm.running_mean", DType::F32, {4}},
                      {"more", DType::F32, {4}}});
  FakeBackend backend = wideModel();
  expectError(loadWeights(backend, path, Head::Kept).status(),
              RP_INVALID_ARGUMENT,
              {"also has 'more'", "'fc.weight' is F32 of shape 2x4",
               "'norm.running_mean' is F32 of shape 4", "of shape 3"});
}

TEST(Weights, OfWiderTypesAreRefusedForTheirType) {
  Folder folder;
  std::string path = folder / "w.safetensors";
  SafetensorsContent content;
  content.tensors = {{"fc.weight", DType::F64, {2, 2}},
                     {"norm.running_mean", DType::F32, {2}}};
  auto zeros = [](size_t, void *data, size_t bytes) {
    std::memset(data, 0, bytes);
    return Status();
  };
  ASSERT_TRUE(writeSafetensors(path, content, zeros).ok());
  FakeBackend backend = smallModel();
  expectError(loadWeights(backend, path).status(), RP_INVALID_ARGUMENT,
              {"'fc.weight' is F64", "convert it to the variable's type"});
}

/// The halves 1, -2, 65504 or 3.3895e38, and the smallest above 0.
TEST(Weights, OfHalfPrecisionAreWidened) {
  Folder folder;
  std::string path = folder / "w.safetensors";
  for (DType type : {DType::F16, DType::BF16}) {
    bool isF16 = type == DType::F16;
    const std::vector<uint16_t> halves =
        isF16 ? std::vector<uint16_t>{0x3C00, 0xC000, 0x7BFF, 0x0001}
              : std::vector<uint16_t>{0x3F80, 0xC000, 0x7F7F, 0x0001};
    SafetensorsContent content;
    content.tensors = {{"fc.weight", type, {2, 2}},
                       {"norm.running_mean", DType::F32, {2}}};
    auto source = [&](size_t index, void *data, size_t bytes) {
      std::memset(data, 0, bytes);
      if (index == 0)
        std::memcpy(data, halves.data(), bytes);
      return Status();
    };
    ASSERT_TRUE(writeSafetensors(path, content, source).ok());
    FakeBackend backend = smallModel();
    auto report = loadWeights(backend, path);
    ASSERT_TRUE(report.ok()) << report.status().message();
    std::vector<float> values(4), file(4);
    ASSERT_TRUE(backend.readVariable("fc.weight", values.data(), 16).ok());
    for (const TensorInfo &variable : backend.vars)
      if (variable.name == "fc.weight")
        toFileLayout(variable, values.data(), file.data());
    EXPECT_EQ(file, isF16
                        ? (std::vector<float>{1, -2, 65504, 0x1p-24f})
                        : (std::vector<float>{1, -2, 0x1.fep127f, 0x1p-133f}));
  }
}

TEST(Weights, OfWrongShapeOrTypeAreRefused) {
  Folder folder;
  std::string path = folder / "w.safetensors";
  FakeBackend backend = smallModel();
  writeWeights(path, {{"fc.weight", DType::F32, {2, 3}},
                      {"norm.running_mean", DType::F32, {2}}});
  expectError(loadWeights(backend, path).status(), RP_INVALID_ARGUMENT,
              {"'fc.weight'", "2x3", "2x2"});
  writeWeights(path, {{"fc.weight", DType::F64, {2, 2}},
                      {"norm.running_mean", DType::F32, {2}}});
  expectError(loadWeights(backend, path).status(), RP_INVALID_ARGUMENT,
              {"'fc.weight'", "F64", "F32"});
}

TEST(Weights, OfAStateAreLoadedAndItsDigestIsChecked) {
  Folder folder;
  std::string path = folder / "s.safetensors";
  FakeBackend backend = smallModel(), other = smallModel();
  ASSERT_TRUE(backend.initialize(7).ok());
  ASSERT_TRUE(saveState(backend, path, somewhere()).ok());
  auto report = loadWeights(other, path);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_TRUE(report->unexpected.empty());
  EXPECT_EQ(other.bits["fc.weight"], backend.bits["fc.weight"]);
  std::string bytes = readFile(path);
  bytes.back() = char(bytes.back() ^ 1);
  writeFile(path, bytes);
  expectError(loadWeights(other, path).status(), RP_DATA_LOSS, {"digest"});
}
