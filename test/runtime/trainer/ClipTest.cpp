//===- ClipTest.cpp - Clips as folders of frames --------------------------===//
//
// Which frames become a row, that all of them are treated equally, and clips
// that are refused or left out.
//
//===----------------------------------------------------------------------===//
#include "ImageRows.h"
#include "TestFiles.h"
#include "TestImages.h"
#include <set>

using namespace reprise::rt;
using namespace reprise::rt::test;
namespace fs = std::filesystem;

/// A frame of 9x12 pixels of one value.
static Picture plain(int value) {
  Picture picture = {9, 12, 3, {}};
  picture.pixels.assign(9 * 12 * 3, uint8_t(value));
  return picture;
}

static std::string frameName(int frame) {
  return (frame < 10 ? "0" : "") + std::to_string(frame) + ".png";
}

/// Frame i has the value `first` + i.
static void writeClip(const std::string &folder, int first, int count) {
  fs::create_directories(folder);
  for (int i = 0; i < count; ++i)
    writeFile(folder + "/" + frameName(i), encodePng(plain(first + i)));
}

static DatasetOptions clipsOf(int64_t frames) {
  DatasetOptions options;
  options.columns = {imageColumn({6, 6, 3}), labelColumn()};
  options.columns[0].shape.insert(options.columns[0].shape.begin(), frames);
  return options;
}

namespace {

/// Clips of 10 and 7 frames, and one of 8 in a folder of folders.
struct Clips : testing::Test {
  Clips() {
    writeClip(source + "/jump/b", 10, 10);
    writeClip(source + "/jump/a", 40, 7);
    writeClip(source + "/run/day/c", 70, 8);
    spec = specOf(source);
    spec.images.normalize = "0/0.00392156862745098"; // bytes
    spec.images.evaluation = "center-crop";
    spec.images.training = "center-crop";
  }
  std::unique_ptr<Dataset> open(int64_t frames) {
    auto data = openDataset(spec, Split::Train, clipsOf(frames));
    EXPECT_TRUE(data.ok()) << data.status().message();
    return data.ok() ? std::move(*data) : nullptr;
  }
  Folder folder;
  std::string source = folder / "data";
  DataSpec spec;
};

} // namespace

/// The values of a row's frames, each of which has one.
static std::vector<int> valuesOf(const std::vector<float> &row) {
  std::vector<int> values;
  for (size_t frame = 0; frame < row.size() / 108; ++frame) {
    values.push_back(int(row[frame * 108] + 0.5f));
    for (size_t i = 0; i < 108; ++i)
      EXPECT_EQ(row[frame * 108 + i], row[frame * 108]);
  }
  return values;
}

static std::vector<int> valuesOf(const Dataset &data, uint64_t row) {
  int32_t label = 0;
  return valuesOf(rowOf(data, row, label));
}

static std::vector<float> drawnRow(const Dataset &data, const Draw &draw,
                                   uint64_t row) {
  std::vector<float> image(data.columns()[0].elements());
  int32_t label = 0;
  void *places[] = {image.data(), &label};
  Status status = data.fillDrawn(draw, &row, 1, places);
  EXPECT_TRUE(status.ok()) << status.message();
  return image;
}

TEST_F(Clips, AreTheFoldersOfFramesInOrder) {
  auto data = open(4);
  ASSERT_TRUE(data);
  ASSERT_EQ(data->size(), 3u);
  EXPECT_EQ(data->rowName(0), source + "/jump/a");
  EXPECT_EQ(data->rowName(1), source + "/jump/b");
  EXPECT_EQ(data->rowName(2), source + "/run/day/c");
  EXPECT_EQ(data->columns()[0].shape, (std::vector<int64_t>{4, 6, 6, 3}));
  for (uint64_t row = 0; row < 3; ++row)
    EXPECT_EQ(*data->label(row), row < 2 ? 0 : 1);
  EXPECT_EQ(*data->imageSize(0), (std::array<int64_t, 2>{9, 12}));
}

TEST_F(Clips, OfProgramsThatTakeImagesAreImages) {
  auto data = openDataset(spec, Split::Train, wanted());
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 25u);
}

TEST_F(Clips, GiveTheMiddlesOfEqualParts) {
  auto data = open(4);
  ASSERT_TRUE(data);
  EXPECT_EQ(valuesOf(*data, 1), (std::vector<int>{11, 13, 16, 18}));
  auto whole = open(7);
  ASSERT_TRUE(whole);
  EXPECT_EQ(valuesOf(*whole, 0),
            (std::vector<int>{40, 41, 42, 43, 44, 45, 46}));
}

TEST_F(Clips, GiveFramesOfAStrideFromTheMiddleOrAnyStart) {
  spec.images.evaluation = "center-crop,stride=2";
  spec.images.training = "center-crop,stride=2";
  auto data = open(4);
  ASSERT_TRUE(data);
  EXPECT_EQ(valuesOf(*data, 1), (std::vector<int>{11, 13, 15, 17}));
  std::set<int> starts;
  for (uint64_t epoch = 0; epoch < 40; ++epoch) {
    std::vector<int> values = valuesOf(drawnRow(*data, {1, epoch}, 1));
    EXPECT_EQ(values, valuesOf(drawnRow(*data, {1, epoch}, 1)));
    EXPECT_EQ(values[3], values[0] + 6);
    starts.insert(values[0]);
  }
  EXPECT_EQ(starts, (std::set<int>{10, 11, 12, 13}));
  EXPECT_EQ(data->settings().at("train-images"), "center-crop,stride=2");
}

/// A clip of one picture stays one, however it is cropped, mirrored, coloured.
TEST_F(Clips, AreTreatedEquallyInAllFrames) {
  fs::create_directories(source + "/run/still");
  for (int i = 0; i < 5; ++i)
    writeFile(source + "/run/still/" + frameName(i),
              encodePng(noise(9, 12, 3, 1)));
  spec.images.training = "random-resized-crop,flip,jitter=0.4:0.4:0.4:0.2";
  auto data = open(5);
  ASSERT_TRUE(data);
  std::set<std::vector<float>> treated;
  for (uint64_t epoch = 0; epoch < 8; ++epoch) {
    std::vector<float> row = drawnRow(*data, {1, epoch}, 3);
    std::vector<float> first(row.begin(), row.begin() + 108);
    for (size_t i = 0; i < row.size(); ++i)
      EXPECT_EQ(row[i], first[i % 108]);
    treated.insert(first);
  }
  EXPECT_EQ(treated.size(), 8u);
}

TEST_F(Clips, AreTheSameOnAnyNumberOfThreads) {
  spec.images.training = "random-resized-crop,flip,stride=1";
  auto data = open(4);
  ASSERT_TRUE(data);
  std::vector<std::vector<uint8_t>> seen;
  for (unsigned threads : {1u, 4u}) {
    LoaderOptions options;
    options.batch = 3;
    options.batches = 4;
    options.threads = threads;
    auto loader = Loader::create(*data, options);
    ASSERT_TRUE(loader.ok()) << loader.status().message();
    std::vector<uint8_t> &bytes = seen.emplace_back();
    for (int i = 0; i < 4; ++i) {
      auto batch = (*loader)->next();
      ASSERT_TRUE(batch.ok()) << batch.status().message();
      for (const auto &column : (*batch)->columns)
        bytes.insert(bytes.end(), column.begin(), column.end());
    }
  }
  EXPECT_EQ(seen[0], seen[1]);
}

TEST_F(Clips, WithoutLabelsAreFoldersAnywhere) {
  spec.isUnlabelled = true;
  auto data = openDataset(spec, Split::Test, clipsOf(4));
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 3u);
  spec.source = source + "/jump/a";
  auto one = openDataset(spec, Split::Test, clipsOf(4));
  ASSERT_TRUE(one.ok()) << one.status().message();
  EXPECT_EQ((*one)->size(), 1u);
  EXPECT_EQ((*one)->rowName(0), source + "/jump/a");
}

TEST_F(Clips, StridesAreNotForImages) {
  spec.images.training = "center-crop,stride=2";
  expectError(openDataset(spec, Split::Train, wanted()).status(),
              RP_INVALID_ARGUMENT, {"'stride'", "takes images"});
}

TEST_F(Clips, WhoseFramesAreWithThoseOfOtherClipsAreRefused) {
  writeFile(source + "/run/00.png", encodePng(plain(1)));
  expectError(openDataset(spec, Split::Train, clipsOf(4)).status(),
              RP_INVALID_ARGUMENT,
              {"run/00.png'", "in the folder of a class", "of their own"});
}

//===----------------------------------------------------------------------===//
// Bad clips
//===----------------------------------------------------------------------===//

namespace {

struct BadClips : Clips {
  /// Opens the clips with 7 frames, checks their headers and reads them.
  Status readAll() {
    auto data = openDataset(spec, Split::Train, clipsOf(7));
    if (!data.ok())
      return data.status();
    Status headers = (*data)->checkHeaders(2).status();
    std::vector<float> image((*data)->columns()[0].elements());
    int32_t label = 0;
    void *places[] = {image.data(), &label};
    Status read;
    for (uint64_t row = 0; read.ok() && row < (*data)->size(); ++row)
      read = (*data)->fill(&row, 1, places);
    EXPECT_EQ(headers.ok(), read.ok()) << headers.message() << read.message();
    return read;
  }
  /// Expects that one clip is left out, and what is named for it.
  void expectLeftOut(const std::string &name) {
    spec.images.skipBadFiles = true;
    auto data = openDataset(spec, Split::Train, clipsOf(7));
    ASSERT_TRUE(data.ok()) << data.status().message();
    EXPECT_EQ((*data)->size(), 3u);
    EXPECT_EQ((*data)->skipped().count, 1u);
    EXPECT_EQ((*data)->skipped().first, source + name);
    for (uint64_t row = 0; row < 3; ++row)
      EXPECT_NE((*data)->rowName(row), source + name);
    EXPECT_TRUE(readAll().ok());
  }
};

} // namespace

TEST_F(BadClips, AreTooShort) {
  writeClip(source + "/jump/aa", 1, 6);
  expectError(readAll(), RP_DATA_LOSS,
              {"jump/aa' is a clip of 6 frames", "takes 7", "--frames"});
  expectLeftOut("/jump/aa");
}

TEST_F(BadClips, AreTooShortForAStride) {
  writeClip(source + "/jump/b", 10, 13);
  writeClip(source + "/jump/a", 40, 13);
  writeClip(source + "/run/day/c", 70, 13);
  writeClip(source + "/run/d", 1, 12);
  spec.images.training = "center-crop,stride=2";
  spec.images.evaluation = "center-crop,stride=2";
  expectError(readAll(), RP_DATA_LOSS,
              {"run/d' is a clip of 12 frames",
               "7 that are 2 apart, which span 13", "shorter stride"});
  expectLeftOut("/run/d");
}

TEST_F(BadClips, HaveFramesOfSeveralSizes) {
  writeClip(source + "/run/d", 1, 7);
  writeFile(source + "/run/d/03.png", encodePng(noise(9, 13, 3, 1)));
  expectError(readAll(), RP_DATA_LOSS,
              {"run/d/03.png' is a frame of 9x13", "run/d/00.png'", "9x12"});
  expectLeftOut("/run/d");
}

TEST_F(BadClips, HaveNoFrames) {
  fs::create_directories(source + "/run/day/d");
  expectError(readAll(), RP_DATA_LOSS,
              {"run/day/d' is the folder of a clip and holds no frames"});
  expectLeftOut("/run/day/d");
}

TEST_F(BadClips, HaveADamagedFrame) {
  writeClip(source + "/run/d", 1, 7);
  writeFile(source + "/run/d/05.png", "no image");
  expectError(readAll(), RP_DATA_LOSS, {"run/d/05.png' cannot be decoded"});
  expectLeftOut("/run/d");
}

/// The frames of other formats are none of the clip's, which is left out.
TEST_F(BadClips, HaveAFrameOfAnotherFormat) {
  writeClip(source + "/run/d", 1, 8);
  writeFile(source + "/run/d/08.webp", "RIFF");
  spec.images.skipBadFiles = true;
  expectLeftOut("/run/d");
}
