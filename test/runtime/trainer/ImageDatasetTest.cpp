//===- ImageDatasetTest.cpp - Folders of images ---------------------------===//
//
// Rows, their order and labels, bad files, threads, and a run that is resumed
// in the middle of an epoch.
//
//===----------------------------------------------------------------------===//
#include "FakeBackend.h"
#include "ImageRows.h"
#include "TestFiles.h"
#include "TestImages.h"
#include "reprise/Runtime/Trainer/Loader.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <cstring>

using namespace reprise::rt;
using namespace reprise::rt::test;
namespace fs = std::filesystem;

static void writeClass(const std::string &folder, int value, int count) {
  fs::create_directories(folder);
  for (int i = 0; i < count; ++i) {
    Picture picture = shade(value, unsigned(value * 100 + i));
    const std::string name = folder + "/" + std::to_string(i);
    if (i % 2)
      writeFile(name + ".JPG", encodeJpeg(picture));
    else
      writeFile(name + ".png", encodePng(picture));
  }
}

namespace {

/// Two classes of 7 and 5 images, and tests of 2 and 0.
struct Classes : testing::Test {
  Classes() {
    writeClass(folder / "data/train/dark", 10, 7);
    writeClass(folder / "data/train/bright", 200, 5);
    writeClass(folder / "data/val/dark", 20, 2);
    writeFile(folder / "data/train/dark/notes.txt", "no image");
  }
  Folder folder;
  std::string source = folder / "data";
};

} // namespace

TEST_F(Classes, AreNumberedByName) {
  auto data = openDataset(specOf(source), Split::Train, wanted());
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 12u);
  EXPECT_EQ((*data)->classes(), 2);
  EXPECT_EQ((*data)->classNames(),
            (std::vector<std::string>{"bright", "dark"}));
  for (uint64_t row = 0; row < 12; ++row) {
    int32_t label = -1;
    float first = rowOf(**data, row, label)[0];
    EXPECT_EQ(label, row < 5 ? 0 : 1);
    EXPECT_EQ(first > 0, row < 5) << first; // from -1 to 1
  }
  auto tests = openDataset(specOf(source), Split::Test, wanted());
  ASSERT_TRUE(tests.ok()) << tests.status().message();
  EXPECT_EQ((*tests)->size(), 2u);
  int32_t label = -1;
  rowOf(**tests, 0, label);
  EXPECT_EQ(label, 1);
  EXPECT_TRUE(traitsOf(specOf(source)).hasTest());
  EXPECT_TRUE(traitsOf(specOf(source + "/train")).splits.empty());
}

TEST_F(Classes, KeepTheNumbersOfTheirNames) {
  DataSpec spec = specOf(source);
  spec.classNames = {"dark", "grey", "bright"}; // in no order
  auto data = openDataset(spec, Split::Test, wanted());
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->classes(), 3);
  EXPECT_EQ((*data)->classNames(), spec.classNames);
  EXPECT_EQ(*(*data)->label(0), 0);
  EXPECT_EQ(absentClasses(**data),
            (std::vector<std::string>{"grey", "bright"}));
  writeClass(source + "/val/night", 10, 1);
  expectError(openDataset(spec, Split::Test, wanted()).status(),
              RP_INVALID_ARGUMENT, {"val/night", "'dark', 'grey', 'bright'"});
}

TEST_F(Classes, HaveNoHiddenFolders) {
  writeClass(source + "/train/dark/.thumbnails", 10, 3);
  auto data = openDataset(specOf(source), Split::Train, wanted());
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 12u);
}

TEST_F(Classes, LinksThatLeadUpwardsAreNotFollowed) {
  const std::string link = source + "/train/dark/up";
  // One at a time: several would multiply each other if they were followed.
  for (const char *target : {".", "..", "../..", "../../.."}) {
    fs::create_directory_symlink(target, link);
    auto data = openDataset(specOf(source), Split::Train, wanted());
    ASSERT_TRUE(data.ok()) << data.status().message();
    EXPECT_EQ((*data)->size(), 12u) << target;
    fs::remove(link);
  }
}

TEST_F(Classes, LinksToOtherFoldersAreFollowed) {
  writeClass(folder / "more/night", 10, 3);
  fs::create_directory_symlink(folder / "more", source + "/train/dark/more");
  fs::create_directory_symlink("..", folder / "more/night/up");
  auto data = openDataset(specOf(source), Split::Train, wanted());
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 15u);
}

TEST_F(Classes, ThatAreLinksDoNotLeadBackThroughThem) {
  writeClass(folder / "more/night", 10, 3);
  fs::create_directory_symlink(folder / "more", source + "/train/night");
  fs::create_directory_symlink(source + "/train", folder / "more/all");
  auto data = openDataset(specOf(source), Split::Train, wanted());
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 15u);
}

TEST_F(Classes, ThatLeadUpwardsAreRefused) {
  fs::create_directory_symlink(".", source + "/train/self");
  expectError(openDataset(specOf(source), Split::Train, wanted()).status(),
              RP_INVALID_ARGUMENT, {"train/self", "leads back"});
}

TEST_F(Classes, AreNoArchiveBesideThem) {
  writeFile(source + "/val.tar", "no archive");
  auto data = openDataset(specOf(source), Split::Train, wanted());
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 12u);
}

// A state that was trained on files of images is evaluated on other data.
TEST_F(Classes, SettingsAreNotForOtherData) {
  DataSpec spec = specOf("synthetic");
  const std::map<std::string, std::string> runSettings = {
      {"train-images", "flip"}, {"eval-images", ""}, {"normalize", "0.5/0.5"}};
  takeImageSettings(runSettings, {}, spec);
  EXPECT_TRUE(openDataset(spec, Split::Train, wanted()).ok());
  spec = specOf(source);
  takeImageSettings(runSettings, {"normalize"}, spec);
  EXPECT_EQ(spec.images.training, "flip");
  EXPECT_EQ(spec.images.normalize, "");
}

TEST_F(Classes, ThatTrainingDoesNotKnowAreRefused) {
  writeClass(source + "/val/dim", 90, 1);
  expectError(openDataset(specOf(source), Split::Test, wanted()).status(),
              RP_INVALID_ARGUMENT, {"val/dim", "training images"});
}

TEST_F(Classes, NamesAreOnOneLineInMessages) {
  writeClass(source + "/train/a\nb\x7F", 10, 1);
  writeFile(source + "/train/a\nb\x7F/x\n.png", "no");
  auto data = openDataset(specOf(source), Split::Train, wanted());
  ASSERT_TRUE(data.ok());
  std::vector<float> image(kShape.elements());
  int32_t label = 0;
  uint64_t row = 1;
  void *places[] = {image.data(), &label};
  expectError((*data)->fill(&row, 1, places), RP_DATA_LOSS,
              {"/a\\x0Ab\\x7F/x\\x0A.png' cannot be decoded"});
  fs::create_directories(source + "/val/c\td");
  expectError(openDataset(specOf(source), Split::Test, wanted()).status(),
              RP_INVALID_ARGUMENT, {"val/c\\x09d' is a class"});
}

TEST_F(Classes, WithoutImagesAreRefused) {
  fs::create_directories(source + "/train/empty");
  expectError(openDataset(specOf(source), Split::Train, wanted()).status(),
              RP_DATA_LOSS, {"train/empty", "no image"});
}

TEST_F(Classes, MoreThanTheProgramKnowsAreRefused) {
  DatasetOptions options = wanted();
  options.classes = 1;
  expectError(openDataset(specOf(source), Split::Train, options).status(),
              RP_INVALID_ARGUMENT, {"2 classes", "tells 1 apart"});
}

TEST_F(Classes, ProgramsWithoutImagesAreRefused) {
  expectError(
      openDataset(specOf(source), Split::Train, wanted({6, 6, 4})).status(),
      RP_INVALID_ARGUMENT, {"one channel or three", "6x6x4"});
}

TEST_F(Classes, FoldersBesideIdxFilesAreNoClasses) {
  fs::create_directories(folder / "idx/notes");
  writeFile(folder / "idx/train-images-idx3-ubyte.gz", "damaged");
  expectError(
      openDataset(specOf(folder / "idx"), Split::Train, wanted()).status(),
      RP_DATA_LOSS, {"idx3-ubyte"});
}

TEST_F(Classes, OtherDataHaveNoSteps) {
  DataSpec spec = specOf("synthetic");
  spec.images.training = "center-crop";
  expectError(openDataset(spec, Split::Train, wanted()).status(),
              RP_INVALID_ARGUMENT, {"synthetic", "--train-images"});
}

TEST_F(Classes, StepsMustFitTheProgramAndTheirUse) {
  DataSpec spec = specOf(source);
  spec.images.training = "resize=8x6";
  expectError(openDataset(spec, Split::Train, wanted()).status(),
              RP_INVALID_ARGUMENT, {"8x6", "6x6x3"});
  spec = specOf(source);
  spec.images.evaluation = "center-crop,flip";
  expectError(openDataset(spec, Split::Train, wanted()).status(),
              RP_INVALID_ARGUMENT, {"center-crop,flip", "nothing random"});
}

TEST_F(Classes, NormalizationIsByChannel) {
  DataSpec spec = specOf(source);
  spec.images.normalize = "none";
  spec.images.evaluation = "resize=6x6";
  auto plain = openDataset(spec, Split::Train, wanted());
  spec.images.normalize = "0.1,0.2,0.3/0.5,0.25,2";
  auto scaled = openDataset(spec, Split::Train, wanted());
  ASSERT_TRUE(plain.ok() && scaled.ok());
  int32_t label = 0;
  std::vector<float> before = rowOf(**plain, 3, label),
                     after = rowOf(**scaled, 3, label);
  const float mean[] = {0.1f, 0.2f, 0.3f}, deviation[] = {0.5f, 0.25f, 2.0f};
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_GE(before[i], 0);
    EXPECT_LE(before[i], 1);
    EXPECT_FLOAT_EQ(after[i], (before[i] - mean[i % 3]) / deviation[i % 3]);
  }
}

/// What surrounds a picture that is smaller than its crop is black.
TEST_F(Classes, SmallPicturesAreSurroundedByBlack) {
  DataSpec spec = specOf(source);
  spec.images.evaluation = "center-crop";
  for (const char *steps : {"center-crop", "center-crop,jitter=0.5"}) {
    spec.images.training = steps;
    auto data = openDataset(spec, Split::Train, wanted({20, 20, 1}));
    ASSERT_TRUE(data.ok()) << data.status().message();
    std::vector<float> image(400, 7);
    int32_t label = 0;
    uint64_t row = 0; // 9x12 of "bright"
    void *places[] = {image.data(), &label};
    ASSERT_TRUE((*data)->fillDrawn({1, 1}, &row, 1, places).ok());
    for (int64_t y = 0; y < 20; ++y)
      for (int64_t x = 0; x < 20; ++x) {
        bool isInside = y >= 5 && y < 14 && x >= 4 && x < 16;
        EXPECT_EQ(image[size_t(y * 20 + x)] > -1, isInside) << y << " " << x;
      }
  }
}

TEST_F(Classes, MirroredImagesAreMirrored) {
  DataSpec spec = specOf(source);
  spec.images.evaluation = "resize=6x6";
  spec.images.training = "resize=6x6,flip=1";
  auto data = openDataset(spec, Split::Train, wanted());
  ASSERT_TRUE(data.ok());
  int32_t label = 0;
  std::vector<float> plain = rowOf(**data, 2, label), mirrored(plain.size());
  uint64_t row = 2;
  void *places[] = {mirrored.data(), &label};
  ASSERT_TRUE((*data)->fillDrawn({}, &row, 1, places).ok());
  for (size_t i = 0; i < plain.size(); ++i) {
    size_t pixel = i / 3, x = pixel % 6;
    EXPECT_EQ(mirrored[i], plain[(pixel - x + 5 - x) * 3 + i % 3]);
  }
}

//===----------------------------------------------------------------------===//
// Bad files
//===----------------------------------------------------------------------===//

TEST_F(Classes, BadFilesAreNamedOrSkipped) {
  const std::string bad = source + "/train/bright/2.png";
  std::string bytes = readFile(bad);
  writeFile(bad, bytes.substr(0, bytes.size() / 2));
  writeFile(source + "/train/dark/x.webp", "RIFF");
  expectError(openDataset(specOf(source), Split::Train, wanted()).status(),
              RP_DATA_LOSS, {"x.webp", ".jpeg", "--skip-bad-files"});
  fs::remove(source + "/train/dark/x.webp");
  auto strict = openDataset(specOf(source), Split::Train, wanted());
  ASSERT_TRUE(strict.ok());
  // In the order of their names: 0.png, 1.JPG, 2.png.
  uint64_t row = 2;
  std::vector<float> image(kShape.elements());
  int32_t label = 0;
  void *places[] = {image.data(), &label};
  expectError((*strict)->fill(&row, 1, places), RP_DATA_LOSS,
              {"bright/2.png'", "cannot be decoded"});
  DataSpec spec = specOf(source);
  spec.images.skipBadFiles = true;
  auto data = openDataset(spec, Split::Train, wanted());
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 11u);
  EXPECT_EQ((*data)->skipped().count, 1u);
  EXPECT_NE((*data)->skipped().first.find("bright/2.png"), std::string::npos);
  for (row = 0; row < 11; ++row) {
    rowOf(**data, row, label);
    EXPECT_EQ(label, row < 4 ? 0 : 1);
  }
}

TEST_F(Classes, HeadersAreCheckedUntilAMoment) {
  writeFile(folder / "data/train/dark/4.png", "no image");
  auto data = openDataset(specOf(source), Split::Train, wanted());
  ASSERT_TRUE(data.ok()) << data.status().message();
  auto all = (*data)->checkHeaders(2);
  ASSERT_FALSE(all.ok());
  EXPECT_NE(all.status().message().find("dark/4.png"), std::string::npos);
  auto none = (*data)->checkHeaders(2, std::chrono::steady_clock::now());
  ASSERT_TRUE(none.ok()) << none.status().message();
  EXPECT_EQ(*none, 0u);
  writeFile(folder / "data/train/dark/4.png", encodePng(shade(10, 4)));
  auto whole = (*data)->checkHeaders(2);
  EXPECT_EQ(whole.ok() ? *whole : 0, 12u);
}

TEST_F(Classes, FilesThatCannotBeReadAreNamedOrSkipped) {
  fs::create_symlink("nowhere", source + "/train/dark/x.png");
  writeFile(source + "/train/dark/y.webp", "RIFF");
  DataSpec spec = specOf(source);
  spec.images.skipBadFiles = true;
  auto data = openDataset(spec, Split::Train, wanted());
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 12u);
  EXPECT_EQ((*data)->skipped().count, 2u);
  EXPECT_NE((*data)->skipped().first.find("dark/y.webp"), std::string::npos);
  fs::remove(source + "/train/dark/y.webp");
  auto strict = openDataset(specOf(source), Split::Train, wanted());
  ASSERT_TRUE(strict.ok()) << strict.status().message();
  std::vector<float> image(kShape.elements());
  int32_t label = 0;
  uint64_t row = 12;
  void *places[] = {image.data(), &label};
  expectError((*strict)->fill(&row, 1, places), RP_IO_ERROR,
              {"cannot open", "dark/x.png"});
}

TEST_F(Classes, TakeEveryEndingOfTheirFormats) {
  const std::string folder = source + "/train/dark/";
  fs::rename(folder + "1.JPG", folder + "1.jfif");
  fs::rename(folder + "3.JPG", folder + "3.JPE");
  fs::rename(folder + "5.JPG", folder + "5.Jpeg");
  auto data = openDataset(specOf(source), Split::Train, wanted());
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 12u);
  EXPECT_EQ((*data)->skipped().beside,
            (std::map<std::string, uint64_t>{{".txt", 1}}));
}

TEST_F(Classes, OtherFormatsAreRefusedByName) {
  for (const char *name : {"x.pbm", "x.TGA", "x.ico", "x.svg", "x.mha",
                           "x.nrrd", "x.hdr", "x.dcm"}) {
    const std::string path = source + "/train/dark/" + name;
    writeFile(path, "?");
    expectError(openDataset(specOf(source), Split::Train, wanted()).status(),
                RP_DATA_LOSS, {name, ".jfif or .png", "--skip-bad-files"});
    fs::remove(path);
  }
}

/// What the other systems leave beside each file.
TEST_F(Classes, HiddenFilesAreLeftAlone) {
  writeFile(source + "/train/dark/._0.png", "Mac OS X");
  writeFile(source + "/train/dark/._0.webp", "Mac OS X");
  auto data = openDataset(specOf(source), Split::Train, wanted());
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 12u);
  EXPECT_EQ((*data)->skipped().count, 0u);
  EXPECT_EQ((*data)->skipped().beside.at("hidden"), 2u);
}

TEST_F(Classes, NothingButBadFilesIsRefused) {
  Folder other;
  fs::create_directories(other / "a");
  writeFile(other / "a/x.png", "no");
  DataSpec spec = specOf(other.path);
  spec.images.skipBadFiles = true;
  expectError(openDataset(spec, Split::Train, wanted()).status(), RP_DATA_LOSS,
              {"no image of", "x.png"});
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

/// The bytes of all columns of some batches, from a place in the epochs on.
static std::string batches(const Dataset &data, unsigned threads,
                           uint64_t epoch, uint64_t position, uint64_t count) {
  LoaderOptions options;
  options.batch = 4;
  options.seed = 9;
  options.epoch = epoch;
  options.position = position;
  options.batches = count;
  options.threads = threads;
  auto loader = Loader::create(data, options);
  EXPECT_TRUE(loader.ok());
  std::string bytes;
  while (true) {
    auto batch = (*loader)->next();
    EXPECT_TRUE(batch.ok()) << batch.status().message();
    if (!batch.ok() || !*batch)
      return bytes;
    for (const auto &column : (*batch)->columns)
      bytes.append(column.begin(), column.end());
  }
}

TEST_F(Classes, BatchesAreTheSameOnAnyThreadsAndFromAnyPlace) {
  DataSpec spec = specOf(source);
  spec.images.training = "random-resized-crop,flip,jitter=0.4:0.4:0.4:0.1";
  auto data = openDataset(spec, Split::Train, wanted());
  ASSERT_TRUE(data.ok()) << data.status().message();
  std::string all = batches(**data, 1, 0, 0, 9); // three epochs
  EXPECT_EQ(batches(**data, 2, 0, 0, 9), all);
  EXPECT_EQ(batches(**data, 7, 0, 0, 9), all);
  size_t one = all.size() / 9;
  EXPECT_EQ(batches(**data, 3, 1, 8, 4), all.substr(5 * one));
  // An image looks different in the next epoch.
  EXPECT_NE(all.substr(0, 3 * one), all.substr(3 * one, 3 * one));
}

static long threadsNow() {
  return std::distance(fs::directory_iterator("/proc/self/task"),
                       fs::directory_iterator());
}

TEST_F(Classes, NoMoreThreadsDecodeThanABatchHasRows) {
  auto data = openDataset(specOf(source), Split::Train, wanted());
  ASSERT_TRUE(data.ok());
  LoaderOptions options;
  options.batch = 4;
  options.threads = 100;
  long before = threadsNow();
  auto loader = Loader::create(**data, options);
  ASSERT_TRUE(loader.ok());
  // The loader's own, which decodes too, and three beside it.
  EXPECT_EQ(threadsNow(), before + 4);
}

TEST_F(Classes, FailureOfARowEndsTheRunWithItsName) {
  writeFile(source + "/train/dark/3.JPG", "no");
  auto data = openDataset(specOf(source), Split::Train, wanted());
  ASSERT_TRUE(data.ok());
  LoaderOptions options;
  options.batch = 4;
  options.threads = 3;
  auto loader = Loader::create(**data, options);
  ASSERT_TRUE(loader.ok());
  Status status;
  for (int i = 0; i < 3 && status.ok(); ++i)
    status = (*loader)->next().status();
  expectError(status, RP_DATA_LOSS, {"dark/3.JPG"});
}

static TrainOptions runOf(const std::string &source) {
  TrainOptions options;
  options.data.source = source;
  options.data.images.training = "random-resized-crop,flip,jitter=0.2";
  options.given = {"train-images"};
  options.steps = 14; // three batches of four an epoch
  options.learningRate.base = 0.05;
  options.seed = 3;
  return options;
}

TEST_F(Classes, ResumedRunEndsWithTheSameBitsAndSteps) {
  FakeBackend whole(4, kShape, 2);
  ASSERT_TRUE(train(whole, runOf(source)).ok());
  for (uint64_t interruption : {1, 4, 5}) {
    FakeBackend first(4, kShape, 2), second(4, kShape, 2);
    TrainOptions options = runOf(source);
    options.savePath = folder / "s.safetensors";
    std::atomic<bool> stop{false};
    options.stop = &stop;
    options.onProgress = [&](const Progress &p) {
      stop = p.step == interruption;
    };
    ASSERT_TRUE(train(first, options).ok());
    // Says nothing of images: what the state holds is taken.
    TrainOptions rest;
    rest.data.source = source;
    rest.data.loaderThreads = 3;
    rest.resumePath = options.savePath;
    auto result = train(second, rest);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(second.bits, whole.bits) << interruption;
    EXPECT_EQ(result->position.runSettings.at("train-images"),
              "random-resized-crop=0.08:1,flip=0.5,jitter=0.2:0:0:0");
  }
}

TEST_F(Classes, OtherStepsOfAStateAreRefusedUnlessWanted) {
  FakeBackend backend(4, kShape, 2);
  TrainOptions options = runOf(source);
  options.steps = 2;
  options.savePath = folder / "s.safetensors";
  ASSERT_TRUE(train(backend, options).ok());
  options.savePath.clear();
  options.resumePath = folder / "s.safetensors";
  options.steps = 4;
  options.data.images.training = "center-crop";
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"train-images is random-resized-crop", "center-crop here",
               "--override train-images"});
  options.overridden = {"train-images"};
  auto result = train(backend, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->position.runSettings.at("train-images"), "center-crop");
}

TEST_F(Classes, EvaluationSeesWhatTheStateSays) {
  FakeBackend backend(4, kShape, 2);
  TrainOptions options = runOf(source);
  options.data.images.evaluation = "resize=6x6";
  options.data.images.normalize = "none";
  options.given.insert({"eval-images", "normalize"});
  options.savePath = folder / "s.safetensors";
  ASSERT_TRUE(train(backend, options).ok());
  EvaluateOptions evaluation;
  evaluation.data.source = source;
  evaluation.statePath = options.savePath;
  auto stored = evaluate(backend, evaluation);
  ASSERT_TRUE(stored.ok()) << stored.status().message();
  evaluation.data.images.evaluation = "resize=6x6";
  evaluation.data.images.normalize = "none";
  evaluation.given = {"eval-images", "normalize"};
  auto said = evaluate(backend, evaluation);
  ASSERT_TRUE(said.ok());
  EXPECT_EQ(stored->loss, said->loss);
  evaluation.data.images.normalize = "0.5/0.1";
  auto other = evaluate(backend, evaluation);
  ASSERT_TRUE(other.ok());
  EXPECT_NE(stored->loss, other->loss);
}

TEST_F(Classes, ConfusionCountsLabelsByGuess) {
  FakeBackend backend(4, kShape, 2);
  ASSERT_TRUE(backend.initialize(0).ok());
  // Logits are (sum of values, 0): bright images are class 0, as they are
  // labelled; what lies in "dark" and is bright is taken for bright.
  auto *weight = reinterpret_cast<float *>(backend.bits["fc.weight"].data());
  for (size_t i = 0; i < kShape.elements(); ++i) {
    weight[2 * i] = 1;
    weight[2 * i + 1] = 0;
  }
  writeFile(source + "/train/dark/9.png", encodePng(shade(220, 1)));
  EvaluateOptions evaluation;
  evaluation.data.source = source;
  evaluation.split = Split::Train;
  evaluation.confusion = true;
  auto result = evaluate(backend, evaluation);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->confusion, (std::vector<uint64_t>{5, 0, 1, 7}));
  EXPECT_EQ(result->classNames, (std::vector<std::string>{"bright", "dark"}));
  EXPECT_EQ(result->correct, 12u);
}

TEST_F(Classes, MemoryOfDecodingIsForeseen) {
  auto extent = measureDataset(specOf(source), Split::Train,
                               {imageColumn(kShape), labelColumn()});
  ASSERT_TRUE(extent.ok()) << extent.status().message();
  EXPECT_EQ(extent->images, 12u);
  EXPECT_TRUE(extent->isCostly);
  EXPECT_GE(extent->bytesPerThread, 9u * 12 * 3);
}
