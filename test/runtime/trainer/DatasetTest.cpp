//===- DatasetTest.cpp - IDX and safetensors ------------===//
//
// Values against hand-made files; every refusal with its numbers.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/Dataset.h"
#include "TestFiles.h"
#include "reprise/Runtime/Trainer/Idx.h"
#include "reprise/Runtime/Trainer/Philox.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include <cmath>
#include <cstring>
#include <numeric>
#include <zlib.h>

using namespace reprise::rt;
using namespace reprise::rt::test;

//===----------------------------------------------------------------------===//
// IDX
//===----------------------------------------------------------------------===//

static std::string idx(const std::vector<uint32_t> &shape,
                       const std::string &data) {
  std::string bytes = {0, 0, 8, char(shape.size())};
  for (uint32_t size : shape)
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes += char(size >> shift);
  return bytes + data;
}

static void writeGzip(const std::string &path, const std::string &bytes) {
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, bytes.data(), unsigned(bytes.size())),
            int(bytes.size()));
  ASSERT_EQ(gzclose(file), Z_OK);
}

static const std::string kImages =
    idx({3, 2, 2}, {0, 51, 102, 127, 0, 0, 0, 0, 51, 51, 51, 51});
static const std::string kLabels = idx({3}, {2, 0, 1});

static void writeTraining(const Folder &folder) {
  writeFile(folder / "train-images-idx3-ubyte", kImages);
  writeFile(folder / "train-labels-idx1-ubyte", kLabels);
}

/// Fills an image and a label, the columns of data that nobody asked for.
static Status fillBoth(const Dataset &data, const uint64_t *indices,
                       size_t count, float *images, int32_t *labels) {
  void *out[] = {images, labels};
  return data.fill(indices, count, out);
}

static Status openStatus(const Folder &folder, Split split = Split::Train,
                         DatasetOptions options = {}) {
  return openIdxDirectory(folder.path, split, options).status();
}

TEST(Idx, ImagesAreNormalizedByGivenNumbers) {
  Folder folder;
  writeTraining(folder);
  DatasetOptions options;
  options.normalization = Normalization{0.2f, 0.5f};
  auto data = openIdxDirectory(folder.path, Split::Train, options);
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 3u);
  EXPECT_EQ(formatRow((*data)->columns()[0]), "2x2x1");
  EXPECT_EQ((*data)->classes(), 3);
  EXPECT_TRUE((*data)->shuffledBefore());
  uint64_t indices[2] = {2, 0};
  float images[8];
  int32_t labels[2];
  ASSERT_TRUE(fillBoth(**data, indices, 2, images, labels).ok());
  EXPECT_EQ(labels[0], 1);
  EXPECT_EQ(labels[1], 2);
  EXPECT_FLOAT_EQ(images[0], 0.0f);  // (51/255 - 0.2) / 0.5
  EXPECT_FLOAT_EQ(images[4], -0.4f); // (0 - 0.2) / 0.5
  EXPECT_FLOAT_EQ(images[6], 0.4f);  // (102/255 - 0.2) / 0.5
}

TEST(Idx, NormalizationIsComputedFromTheTrainingImages) {
  Folder folder;
  writeTraining(folder);
  writeGzip(folder / "t10k-images-idx3-ubyte.gz", idx({1, 1, 1}, {9}));
  writeGzip(folder / "t10k-labels-idx1-ubyte.gz", idx({1}, {0}));
  // 0 51 102 127 | 0 0 0 0 | 51 51 51 51, in 255ths.
  double mean = 484.0 / 12,
         square = (5 * 51.0 * 51 + 102 * 102 + 127 * 127) / 12;
  for (Split split : {Split::Train, Split::Test}) {
    auto data = openIdxDirectory(folder.path, split, {});
    ASSERT_TRUE(data.ok()) << data.status().message();
    auto normal = (*data)->normalization();
    ASSERT_TRUE(normal.has_value());
    EXPECT_FLOAT_EQ(normal->mean, float(mean / 255));
    EXPECT_FLOAT_EQ(normal->stddev,
                    float(std::sqrt(square - mean * mean) / 255));
  }
}

TEST(Idx, DamagedFilesAreRefused) {
  Folder folder;
  const std::string images = folder / "train-images-idx3-ubyte";
  expectError(openStatus(folder), RP_IO_ERROR, {images, images + ".gz"});
  writeTraining(folder);
  EXPECT_TRUE(openStatus(folder).ok());
  for (size_t size = 0; size < kImages.size(); ++size) {
    writeFile(images, kImages.substr(0, size));
    expectError(openStatus(folder), RP_DATA_LOSS, {images, "truncated"});
  }
  writeFile(images, kImages.substr(0, kImages.size() - 1));
  expectError(openStatus(folder), RP_DATA_LOSS, {"12 bytes", "11 follow"});
  writeFile(images, kImages + "x");
  expectError(openStatus(folder), RP_DATA_LOSS, {images, "more than the 12"});
  writeFile(images, kLabels);
  expectError(openStatus(folder), RP_DATA_LOSS, {images, "2049", "2051"});
  writeFile(images, idx({0, 2, 2}, ""));
  expectError(openStatus(folder), RP_DATA_LOSS, {images, "0x2x2"});
  writeFile(images, idx({2, 2, 2}, std::string("abcdefgh")));
  expectError(openStatus(folder), RP_DATA_LOSS, {"2 images", "3 labels"});
  writeFile(images, idx({UINT32_MAX, UINT32_MAX, UINT32_MAX}, "x"));
  expectError(openStatus(folder), RP_DATA_LOSS, {images, "2^64"});
  // Announces 16 EiB - 1; must fail by what the file holds.
  writeFile(images, idx({UINT32_MAX, UINT32_MAX, 1}, "x"));
  expectError(openStatus(folder), RP_DATA_LOSS, {images, "truncated"});
  writeFile(images, idx({3, 2, 2}, std::string(12, 'x')));
  expectError(openStatus(folder), RP_INVALID_ARGUMENT, {"the value 120"});
}

TEST(Idx, DamagedGzipIsRefused) {
  Folder folder;
  std::string path = folder / "images.gz";
  std::string pixels(20000, ' ');
  for (size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = char(philox4x32(1, i, 0)[0]);
  writeGzip(path, idx({200, 10, 10}, pixels));
  auto good = readIdxFile(path, 3);
  ASSERT_TRUE(good.ok()) << good.status().message();
  EXPECT_EQ(std::string(good->data.begin(), good->data.end()), pixels);
  const std::string bytes = readFile(path);
  for (size_t size : {size_t(0), size_t(1), size_t(10), bytes.size() / 2,
                      bytes.size() - 8, bytes.size() - 1}) {
    writeFile(path, bytes.substr(0, size));
    expectError(readIdxFile(path, 3).status(), RP_DATA_LOSS,
                {path, "truncated"});
    if (size >= 10) // with the header of a gzip stream
      expectError(readIdxFile(path, 3).status(), RP_DATA_LOSS,
                  {"incomplete at byte " + std::to_string(size) + ","});
  }
  for (size_t at : {bytes.size() / 2, bytes.size() - 6, bytes.size() - 1}) {
    std::string flipped = bytes;
    flipped[at] = char(flipped[at] ^ 4);
    writeFile(path, flipped);
    expectError(readIdxFile(path, 3).status(), RP_DATA_LOSS,
                {path, "damaged before byte ",
                 " of " + std::to_string(bytes.size()) + ", in its gzip"});
  }
}

TEST(Idx, LabelsOutOfRangeAndBadDeviationsAreRefused) {
  Folder folder;
  writeTraining(folder);
  DatasetOptions options;
  options.classes = 2;
  expectError(openStatus(folder, Split::Train, options), RP_INVALID_ARGUMENT,
              {"label 2 of image 0", "2 classes"});
  options = {};
  options.normalization = Normalization{0, 0};
  expectError(openStatus(folder, Split::Train, options), RP_INVALID_ARGUMENT,
              {"deviation of 0"});
}

TEST(Idx, AnIgnoredLabelIsNoClass) {
  Folder folder;
  writeTraining(folder);
  DatasetOptions options;
  options.normalization = Normalization();
  options.classes = 2;
  options.ignored = 2;
  auto data = openIdxDirectory(folder.path, Split::Train, options);
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->classes(), 2);
  options.ignored = 1;
  expectError(openStatus(folder, Split::Train, options), RP_INVALID_ARGUMENT,
              {"label 2 of image 0"});
}

TEST(Idx, FashionMnistIsRead) {
  const std::string directory = "/usr/share/datasets/fashion-mnist";
  if (!std::filesystem::exists(directory))
    GTEST_SKIP() << "install dataset-fashion-mnist";
  auto data = openIdxDirectory(directory, Split::Train, {});
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 60000u);
  EXPECT_EQ(formatRow((*data)->columns()[0]), "28x28x1");
  EXPECT_EQ((*data)->classes(), 10);
  // Published: 0.2860 and 0.3530.
  EXPECT_NEAR((*data)->normalization()->mean, 0.2860, 5e-5);
  EXPECT_NEAR((*data)->normalization()->stddev, 0.3530, 5e-5);
  auto test = openIdxDirectory(directory, Split::Test, {});
  ASSERT_TRUE(test.ok()) << test.status().message();
  EXPECT_EQ((*test)->size(), 10000u);
  EXPECT_EQ((*test)->normalization()->mean, (*data)->normalization()->mean);
}

//===----------------------------------------------------------------------===//
// Safetensors
//===----------------------------------------------------------------------===//

namespace {
struct TensorFile {
  TensorToWrite image = {"image", DType::F32, {3, 1, 2, 1}};
  TensorToWrite label = {"label", DType::I64, {3}};
  std::vector<float> pixels = {0, 1, 2, 3, 4, 5};
  std::vector<int64_t> labels = {4, 0, 2};
};
} // namespace

static Status openTensors(const std::string &path, const TensorFile &file,
                          std::unique_ptr<Dataset> *data = nullptr,
                          int32_t classes = 0) {
  SafetensorsContent content;
  content.tensors = {file.image, file.label};
  auto source = [&](size_t index, void *out, size_t bytes) {
    if (index == 0)
      std::memcpy(out, file.pixels.data(), std::min(bytes, size_t(24)));
    for (size_t i = 0; index == 1 && i < file.labels.size(); ++i) {
      int32_t narrow = int32_t(file.labels[i]);
      if (file.label.type == DType::I64)
        static_cast<int64_t *>(out)[i] = file.labels[i];
      else
        std::memcpy(static_cast<char *>(out) + 4 * i, &narrow, 4);
    }
    return Status();
  };
  EXPECT_TRUE(writeSafetensors(path, content, source).ok());
  DatasetOptions options;
  options.classes = classes;
  auto opened = openTensorDataset(path, options);
  if (opened.ok() && data)
    *data = std::move(*opened);
  return opened.status();
}

TEST(TensorDataset, IsTakenAsItIsAndInOrder) {
  Folder folder;
  for (DType type : {DType::I64, DType::I32}) {
    TensorFile file;
    file.label.type = type;
    std::unique_ptr<Dataset> data;
    Status status = openTensors(folder / "d.safetensors", file, &data);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_FALSE(data->shuffledBefore());
    EXPECT_EQ(data->classes(), 5);
    EXPECT_EQ(formatRow(data->columns()[0]), "1x2x1");
    uint64_t indices[3] = {1, 2, 0};
    float images[6];
    int32_t labels[3];
    ASSERT_TRUE(fillBoth(*data, indices, 3, images, labels).ok());
    EXPECT_EQ(std::vector<float>(images, images + 6),
              (std::vector<float>{2, 3, 4, 5, 0, 1}));
    EXPECT_EQ(std::vector<int32_t>(labels, labels + 3),
              (std::vector<int32_t>{0, 2, 4}));
  }
}

TEST(TensorDataset, VolumesAreTakenAsTheyAre) {
  Folder folder;
  TensorFile file;
  file.image.shape = {3, 1, 2, 1, 1};
  std::unique_ptr<Dataset> data;
  Status status = openTensors(folder / "d.safetensors", file, &data);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(formatRow(data->columns()[0]), "1x2x1x1");
  EXPECT_EQ(imageShapeOf(data->columns()[0]), (ImageShape{2, 1, 1}));
}

TEST(TensorDataset, BadDataAreRefused) {
  Folder folder;
  std::string path = folder / "d.safetensors";
  TensorFile file;
  file.pixels[3] = NAN;
  expectError(openTensors(path, file), RP_INVALID_ARGUMENT,
              {path, "image 1", "not finite"});
  file = {};
  file.labels[2] = -1;
  expectError(openTensors(path, file), RP_INVALID_ARGUMENT,
              {"label -1 of image 2", "numbered from 0"});
  file = {};
  file.labels[1] = INT32_MAX;
  expectError(openTensors(path, file), RP_INVALID_ARGUMENT,
              {"label 2147483647 of image 1", "the largest is 2147483646"});
  file = {};
  expectError(openTensors(path, file, nullptr, 4), RP_INVALID_ARGUMENT,
              {"label 4 of image 0", "4 classes"});
  file.label.shape = {2};
  file.labels.pop_back();
  expectError(openTensors(path, file), RP_INVALID_ARGUMENT,
              {"3x1x2x1", "shape 2"});
  file = {};
  file.image.shape = {3, 1, 2};
  expectError(openTensors(path, file), RP_INVALID_ARGUMENT,
              {"3x1x2", "NxHxWxC or NxDxHxWxC"});
  file = {};
  file.image.type = DType::I32;
  expectError(openTensors(path, file), RP_INVALID_ARGUMENT, {"I32", "F32"});
  file = {};
  file.label.name = "labels";
  expectError(openTensors(path, file), RP_INVALID_ARGUMENT, {"'label'"});
  file = {};
  file.image.shape[0] = file.label.shape[0] = 0;
  file.labels.clear();
  expectError(openTensors(path, file), RP_INVALID_ARGUMENT, {"empty"});
}

TEST(TensorDataset, ChannelsInFrontAreAskedAbout) {
  Folder folder;
  std::string path = folder / "d.safetensors";
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{3, 1, 2, 2}, std::vector<int64_t>{3, 3, 2, 5},
        std::vector<int64_t>{3, 3, 4, 2, 2},
        std::vector<int64_t>{3, 8, 3, 4, 4}}) {
    SafetensorsContent content;
    content.tensors = {{"image", DType::F32, shape},
                       {"label", DType::I32, {3}}};
    auto zeros = [](size_t, void *data, size_t bytes) {
      std::memset(data, 0, bytes);
      return Status();
    };
    ASSERT_TRUE(writeSafetensors(path, content, zeros).ok());
    const char *like = shape.size() == 4 ? "NxCxHxW"
                       : shape[1] == 3   ? "NxCxDxHxW"
                                         : "NxDxCxHxW";
    expectError(openTensorDataset(path, {}).status(), RP_INVALID_ARGUMENT,
                {path, "looks like " + std::string(like), "to the end"});
    // A program that takes such rows gets them.
    DatasetOptions options;
    options.columns = {{"image", RP_BINDING_DATA, RP_F32, {}}, labelColumn()};
    options.columns[0].shape.assign(shape.begin() + 1, shape.end());
    auto taken = openTensorDataset(path, options);
    EXPECT_TRUE(taken.ok()) << taken.status().message();
  }
}

/// A file with the tensors "left" (3,2; F32), "count" (3; I32) and "kind" (3;
/// I64).
static void writeNamed(const std::string &path) {
  SafetensorsContent content;
  content.tensors = {{"left", DType::F32, {3, 2}},
                     {"count", DType::I32, {3}},
                     {"kind", DType::I64, {3}}};
  auto source = [&](size_t index, void *out, size_t) {
    for (int i = 0; i < 3; ++i)
      if (index == 0)
        static_cast<float *>(out)[2 * i] =
            -(static_cast<float *>(out)[2 * i + 1] = float(i + 1));
      else if (index == 1)
        static_cast<int32_t *>(out)[i] = 10 * i;
      else
        static_cast<int64_t *>(out)[i] = 2 - i;
    return Status();
  };
  ASSERT_TRUE(writeSafetensors(path, content, source).ok());
}

TEST(TensorDataset, GivesTheColumnsThatAreWantedByName) {
  Folder folder;
  std::string path = folder / "d.safetensors";
  writeNamed(path);
  DatasetOptions options;
  options.columns = {labelColumn("kind"),
                     {"count", RP_BINDING_DATA, RP_I32, {}},
                     {"left", RP_BINDING_DATA, RP_F32, {2}}};
  auto data = openTensorDataset(path, options);
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 3u);
  EXPECT_EQ((*data)->classes(), 3);
  int32_t kinds[2], counts[2];
  float left[4];
  void *out[] = {kinds, counts, left};
  uint64_t indices[] = {2, 0};
  ASSERT_TRUE((*data)->fill(indices, 2, out).ok());
  EXPECT_EQ(kinds[0], 0);
  EXPECT_EQ(kinds[1], 2);
  EXPECT_EQ(counts[0], 20);
  EXPECT_EQ(counts[1], 0);
  EXPECT_EQ(std::vector<float>(left, left + 4),
            (std::vector<float>{-3, 3, -1, 1}));
  options.columns[1].type = RP_F32;
  expectError(openTensorDataset(path, options).status(), RP_INVALID_ARGUMENT,
              {"'count'", "I32", "F32"});
  options.columns[1].name = "absent";
  expectError(openTensorDataset(path, options).status(), RP_INVALID_ARGUMENT,
              {"no tensor 'absent'"});
}

TEST(TensorDataset, IntegersOfTheOtherWidthAreConverted) {
  Folder folder;
  std::string path = folder / "d.safetensors";
  writeNamed(path);
  DatasetOptions options;
  options.columns = {{"kind", RP_BINDING_DATA, RP_I32, {}},
                     {"count", RP_BINDING_DATA, RP_I64, {}}};
  auto data = openTensorDataset(path, options);
  ASSERT_TRUE(data.ok()) << data.status().message();
  int32_t kinds[3];
  int64_t counts[3];
  void *out[] = {kinds, counts};
  uint64_t indices[] = {2, 0, 1};
  ASSERT_TRUE((*data)->fill(indices, 3, out).ok());
  EXPECT_EQ(kinds[0], 0);
  EXPECT_EQ(kinds[1], 2);
  EXPECT_EQ(counts[0], 20);
  EXPECT_EQ(counts[1], 0);
  EXPECT_EQ(counts[2], 10);

  SafetensorsContent content;
  content.tensors = {{"kind", DType::I64, {3, 2}}};
  auto large = [](size_t, void *out, size_t) {
    std::fill_n(static_cast<int64_t *>(out), 6, int64_t(INT32_MIN));
    static_cast<int64_t *>(out)[3] = int64_t(INT32_MAX) + 1;
    return Status();
  };
  ASSERT_TRUE(writeSafetensors(path, content, large).ok());
  options.columns = {{"kind", RP_BINDING_DATA, RP_I32, {2}}};
  expectError(openTensorDataset(path, options).status(), RP_INVALID_ARGUMENT,
              {"row 1 of 'kind' has 2147483648", "I32 cannot hold"});
}

TEST(TensorDataset, LabelsThatNobodyReadsMayBeMissing) {
  Folder folder;
  std::string path = folder / "d.safetensors";
  writeNamed(path);
  DatasetOptions options;
  options.columns = {labelColumn("absent"),
                     {"left", RP_BINDING_DATA, RP_F32, {2}}};
  expectError(openTensorDataset(path, options).status(), RP_INVALID_ARGUMENT,
              {"no tensor 'absent', only 'count', 'kind', 'left'"});
  options.isUnlabelled = true;
  auto data = openTensorDataset(path, options);
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 3u);
  int32_t label = 7;
  float left[2];
  void *out[] = {&label, left};
  uint64_t index = 2;
  ASSERT_TRUE((*data)->fill(&index, 1, out).ok());
  EXPECT_EQ(label, 0);
  EXPECT_EQ(left[0], -3);
  options.columns.pop_back();
  expectError(openTensorDataset(path, options).status(), RP_INVALID_ARGUMENT,
              {"no tensor of the model"});
}

TEST(TensorDataset, BytesBecomeIntegersAndMasks) {
  Folder folder;
  std::string path = folder / "d.safetensors";
  SafetensorsContent content;
  content.tensors = {{"classes", DType::U8, {2, 2}},
                     {"mask", DType::Bool, {2, 2}}};
  auto source = [](size_t index, void *out, size_t) {
    const uint8_t bytes[2][4] = {{0, 200, 3, 255}, {1, 0, 0, 1}};
    std::memcpy(out, bytes[index], 4);
    return Status();
  };
  ASSERT_TRUE(writeSafetensors(path, content, source).ok());
  DatasetOptions options;
  options.columns = {{"classes", RP_BINDING_DATA, RP_I64, {2}},
                     {"mask", RP_BINDING_DATA, RP_I1, {2}}};
  auto data = openTensorDataset(path, options);
  ASSERT_TRUE(data.ok()) << data.status().message();
  int64_t classes[4];
  uint8_t mask[4];
  void *out[] = {classes, mask};
  uint64_t indices[] = {1, 0};
  ASSERT_TRUE((*data)->fill(indices, 2, out).ok());
  EXPECT_EQ(std::vector<int64_t>(classes, classes + 4),
            (std::vector<int64_t>{3, 255, 0, 200}));
  EXPECT_EQ(std::vector<uint8_t>(mask, mask + 4),
            (std::vector<uint8_t>{0, 1, 1, 0}));
  options.columns[0].type = RP_I1;
  expectError(openTensorDataset(path, options).status(), RP_INVALID_ARGUMENT,
              {"row 0 of 'classes' has 200", "BOOL cannot hold"});
}

TEST(Idx, ImagesGoToTheOnlyInputWhateverItsName) {
  Folder folder;
  writeTraining(folder);
  DatasetOptions options;
  options.columns = {labelColumn("kind"), {"x", RP_BINDING_DATA, RP_F32, {4}}};
  auto data = openIdxDirectory(folder.path, Split::Train, options);
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->columns()[1].name, "x");
  int32_t labels[1];
  float images[4];
  void *out[] = {labels, images};
  uint64_t index = 2;
  ASSERT_TRUE((*data)->fill(&index, 1, out).ok());
  EXPECT_EQ(labels[0], 1);
  EXPECT_EQ(images[0], images[3]); // all of one value
  options.columns.push_back({"z", RP_BINDING_DATA, RP_F32, {4}});
  expectError(openStatus(folder, Split::Train, options), RP_INVALID_ARGUMENT,
              {"2 inputs of data"});
  options.columns.pop_back();
  options.columns[1].type = RP_I32;
  expectError(openStatus(folder, Split::Train, options), RP_INVALID_ARGUMENT,
              {"'x'", "I32"});
}

TEST(OpenDataset, ChoosesBySource) {
  Folder folder;
  writeTraining(folder);
  DataSpec spec;
  spec.source = folder.path;
  DatasetOptions three, pixels;
  three.classes = pixels.classes = 3;
  pixels.columns = {imageColumn({1, 1, 1}, "x"), labelColumn("y")};
  EXPECT_EQ((*openDataset(spec, Split::Train, three))->size(), 3u);
  spec.source = "synthetic";
  spec.syntheticSize = 17;
  EXPECT_EQ((*openDataset(spec, Split::Train, pixels))->size(), 17u);
  spec.source = folder / "absent";
  expectError(openDataset(spec, Split::Train, three).status(), RP_IO_ERROR,
              {spec.source, "no such file"});
  TensorFile file;
  spec.source = folder / "d.safetensors";
  ASSERT_TRUE(openTensors(spec.source, file).ok());
  EXPECT_FALSE((*openDataset(spec, Split::Train, {}))->shuffledBefore());
}
