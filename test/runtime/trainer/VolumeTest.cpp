//===- VolumeTest.cpp - NIfTI volumes in folders of classes ---------------===//
//
// Files are written byte by byte, after the definition of NIfTI-1
// (https://nifti.nimh.nih.gov/pub/dist/src/niftilib/nifti1.h).
//
//===----------------------------------------------------------------------===//
#include "TestFiles.h"
#include "reprise/Runtime/Trainer/Dataset.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <zlib.h>

using namespace reprise::rt;
using namespace reprise::rt::test;
namespace fs = std::filesystem;

namespace {

struct Header {
  std::vector<int16_t> extents = {4, 3, 2}; // x, y, z, ...
  int16_t type = 4, bits = 16;              // signed 16 bits
  float slope = 0, intercept = 0;
};

} // namespace

template <typename T>
static std::string volume(const Header &h, const std::vector<T> &values) {
  std::string bytes(352, '\0');
  auto put = [&bytes](size_t at, auto value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
  };
  put(0, int32_t(348));
  put(40, int16_t(h.extents.size()));
  for (size_t i = 0; i < 7; ++i)
    put(42 + 2 * i, i < h.extents.size() ? h.extents[i] : int16_t(1));
  put(70, h.type);
  put(72, h.bits);
  for (size_t i = 0; i < 8; ++i)
    put(76 + 4 * i, 1.0f); // sizes of voxels
  put(108, 352.0f);        // where values begin
  put(112, h.slope);
  put(116, h.intercept);
  std::memcpy(bytes.data() + 344, "n+1", 4);
  return bytes.append(reinterpret_cast<const char *>(values.data()),
                      values.size() * sizeof(T));
}

static std::vector<int16_t> upwards(size_t count, int16_t from = 0) {
  std::vector<int16_t> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = int16_t(from + int16_t(i));
  return values;
}

static void writeGzip(const std::string &path, const std::string &bytes) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), unsigned(bytes.size()));
  gzclose(file);
}

namespace {

struct Volumes : testing::Test {
  Volumes() {
    fs::create_directories(folder / "ill");
    fs::create_directories(folder / "well");
    writeFile(folder / "ill/a.nii", volume(Header(), upwards(24)));
    writeGzip(folder / "well/b.nii.gz", volume(Header(), upwards(24, 100)));
    spec.source = folder.path;
    spec.images.normalize = "none";
  }
  Expected<std::vector<float>> row(uint64_t index, int32_t &label) {
    auto data = openDataset(spec, Split::Train, {});
    if (!data.ok())
      return data.status();
    std::vector<float> values((*data)->columns()[0].elements());
    void *places[] = {values.data(), &label};
    REPRISE_RETURN_IF_ERROR((*data)->fill(&index, 1, places));
    return values;
  }
  void expectRefused(const std::string &bytes,
                     const std::vector<std::string> &parts,
                     uint64_t index = 0) {
    writeFile(folder / (index ? "ill/b.nii" : "ill/a.nii"), bytes);
    SCOPED_TRACE(parts.back());
    int32_t label = 0;
    expectError(row(index, label).status(), RP_DATA_LOSS, parts);
  }
  /// Of a program that takes such rows.
  static DatasetOptions withImage(const std::vector<int64_t> &shape) {
    DatasetOptions options;
    options.columns = {{"image", RP_BINDING_DATA, RP_F32, shape},
                       labelColumn()};
    return options;
  }
  Folder folder;
  DataSpec spec;
};

} // namespace

TEST_F(Volumes, AreSlicesOfRows) {
  auto data = openDataset(spec, Split::Train, {});
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 2u);
  EXPECT_EQ((*data)->columns()[0].shape, (std::vector<int64_t>{2, 3, 4, 1}));
  EXPECT_EQ((*data)->classNames(), (std::vector<std::string>{"ill", "well"}));
  for (uint64_t index : {0, 1}) {
    int32_t label = -1;
    auto values = row(index, label);
    ASSERT_TRUE(values.ok()) << values.status().message();
    EXPECT_EQ(uint64_t(label), index);
    for (size_t i = 0; i < 24; ++i)
      EXPECT_EQ((*values)[i], float(i + 100 * index));
  }
}

TEST_F(Volumes, FourthDimensionIsChannels) {
  Header header;
  header.extents = {4, 3, 2, 2};
  writeFile(folder / "ill/a.nii", volume(header, upwards(48)));
  int32_t label = 0;
  auto values = row(0, label);
  ASSERT_TRUE(values.ok()) << values.status().message();
  for (size_t i = 0; i < 24; ++i) {
    EXPECT_EQ((*values)[2 * i], float(i));
    EXPECT_EQ((*values)[2 * i + 1], float(i + 24));
  }
}

TEST_F(Volumes, ValuesAreScaledAsTheFileSays) {
  Header header;
  header.slope = 2;
  header.intercept = -5;
  writeFile(folder / "ill/a.nii", volume(header, upwards(24)));
  int32_t label = 0;
  auto values = row(0, label);
  ASSERT_TRUE(values.ok()) << values.status().message();
  EXPECT_EQ((*values)[7], 9);
  spec.images.normalize = "1/4";
  values = row(0, label);
  ASSERT_TRUE(values.ok());
  EXPECT_EQ((*values)[7], 2);
}

TEST_F(Volumes, AreNormalizedEachByItself) {
  spec.images.normalize.clear();
  int32_t label = 0;
  for (uint64_t index : {0, 1}) {
    auto values = row(index, label);
    ASSERT_TRUE(values.ok());
    // 0..23 has the mean 11.5 and the variance (24^2 - 1) / 12.
    for (size_t i = 0; i < 24; ++i)
      EXPECT_NEAR((*values)[i], (double(i) - 11.5) / std::sqrt(575.0 / 12),
                  1e-6);
  }
}

TEST_F(Volumes, OtherTypesAreReadOrNamed) {
  Header header;
  header.type = 16;
  header.bits = 32;
  std::vector<float> floats(24, 0.25f);
  writeFile(folder / "ill/a.nii", volume(header, floats));
  int32_t label = 0;
  auto values = row(0, label);
  ASSERT_TRUE(values.ok()) << values.status().message();
  EXPECT_EQ((*values)[3], 0.25f);
  header.type = 32; // complex
  header.bits = 64;
  expectRefused(volume(header, std::vector<double>(24)),
                {"a.nii", "COMPLEX64"});
}

/// The other order of bytes is told by the header's own length.
TEST_F(Volumes, OtherOrderOfBytesIsRead) {
  std::string bytes = volume(Header(), upwards(24));
  auto turn = [&bytes](size_t at, size_t size) {
    std::reverse(bytes.begin() + long(at), bytes.begin() + long(at + size));
  };
  turn(0, 4);
  for (size_t at = 40; at < 56; at += 2)
    turn(at, 2);
  turn(70, 2);
  turn(72, 2);
  for (size_t at = 76; at < 120; at += 4)
    turn(at, 4);
  for (size_t at = 352; at < bytes.size(); at += 2)
    turn(at, 2);
  writeFile(folder / "ill/a.nii", bytes);
  int32_t label = 0;
  auto values = row(0, label);
  ASSERT_TRUE(values.ok()) << values.status().message();
  EXPECT_EQ((*values)[17], 17);
}

/// The header of version 2, with the fields that are read.
static std::string volumeOfVersion2(const std::vector<int16_t> &values) {
  std::string bytes(544, '\0');
  auto put = [&bytes](size_t at, auto value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
  };
  put(0, int32_t(540));
  std::memcpy(bytes.data() + 4, "n+2\0\r\n\032\n", 8);
  put(12, int16_t(4));
  put(14, int16_t(16));
  const int64_t extents[] = {3, 4, 3, 2, 1, 1, 1, 1};
  for (size_t i = 0; i < 8; ++i) {
    put(16 + 8 * i, extents[i]);
    put(104 + 8 * i, 1.0); // sizes of voxels
  }
  put(168, int64_t(544)); // where values begin
  put(176, 2.0);          // slope
  put(184, 1.0);          // intercept
  return bytes.append(reinterpret_cast<const char *>(values.data()),
                      values.size() * sizeof(int16_t));
}

TEST_F(Volumes, VersionTwoIsRead) {
  std::string bytes = volumeOfVersion2(upwards(24));
  writeGzip(folder / "well/b.nii.gz", bytes);
  writeFile(folder / "ill/a.nii", bytes);
  for (uint64_t index : {0, 1}) {
    int32_t label = 0;
    auto values = row(index, label);
    ASSERT_TRUE(values.ok()) << values.status().message();
    for (size_t i = 0; i < 24; ++i)
      EXPECT_EQ((*values)[i], float(2 * i + 1));
  }
  expectRefused(bytes.substr(0, 400), {"a.nii", "not a NIfTI"});
  expectRefused(bytes.substr(0, 560), {"a.nii", "truncated"});
}

TEST_F(Volumes, NamesAreReadInAnyCase) {
  fs::rename(folder / "ill/a.nii", folder / "ill/A.NII");
  fs::rename(folder / "well/b.nii.gz", folder / "well/b.Nii.GZ");
  for (uint64_t index : {0, 1}) {
    int32_t label = -1;
    auto values = row(index, label);
    ASSERT_TRUE(values.ok()) << values.status().message();
    EXPECT_EQ((*values)[0], float(100 * index));
  }
}

TEST_F(Volumes, OtherFormatsAreRefusedByName) {
  for (const char *name : {"x.hdr", "x.IMG.gz", "x.mha", "x.nrrd", "x.tga"}) {
    writeFile(folder / (std::string("well/") + name), "?");
    expectError(openDataset(spec, Split::Train, {}).status(), RP_DATA_LOSS,
                {name, ".nii or .nii.gz", "--skip-bad-files"});
    fs::remove(folder / (std::string("well/") + name));
  }
  writeFile(folder / "well/x.txt", "?");
  writeFile(folder / "well/.x", "?");
  auto data = openDataset(spec, Split::Train, {});
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->skipped().beside,
            (std::map<std::string, uint64_t>{{".txt", 1}, {"hidden", 1}}));
}

/// Whichever kind the directory lists first.
TEST_F(Volumes, BesideImagesAreRefused) {
  for (const char *name : {"ill/0.png", "well/z.jpeg", "image/a.png"}) {
    fs::create_directories(fs::path(folder / name).parent_path());
    writeFile(folder / name, "?");
    for (bool skips : {false, true}) {
      spec.images.skipBadFiles = skips;
      spec.images.normalize.clear();
      expectError(openDataset(spec, Split::Train, {}).status(),
                  RP_INVALID_ARGUMENT,
                  {name, ".nii", "an image", "a volume", "folders apart"});
    }
    fs::remove(folder / name);
  }
}

TEST_F(Volumes, OfTwoFilesUnderTheNameOfOneAreRefused) {
  std::string bytes = volume(Header(), upwards(24));
  bytes.replace(344, 3, "ni1");
  expectRefused(bytes, {"a.nii", "not a NIfTI", "values are in another"});
}

/// A run reads headers before its first step, and values when their turn comes.
TEST_F(Volumes, PlainOnesThatEndEarlyAreFoundByTheirHeaders) {
  std::string good = volume(Header(), upwards(24));
  writeFile(folder / "well/c.nii", good.substr(0, good.size() - 4));
  expectError(openDataset(spec, Split::Train, withImage({2, 3, 4, 1})).status(),
              RP_DATA_LOSS, {"c.nii", "truncated after 44 of 48 bytes"});
}

TEST_F(Volumes, DamageIsNamed) {
  expectRefused("nonsense", {"a.nii", "not a NIfTI"});
  expectRefused("", {"a.nii", "not a NIfTI"});
  std::string good = volume(Header(), upwards(24));
  expectRefused(good.substr(0, 200), {"a.nii"});
  expectRefused(good.substr(0, good.size() - 4), {"a.nii", "truncated"});
  Header header;
  header.extents = {30000, 30000, 30000};
  expectRefused(volume(header, upwards(4)), {"a.nii", "voxels"});
  std::vector<float> bad(24, std::nanf(""));
  Header floats;
  floats.type = 16;
  floats.bits = 32;
  expectRefused(volume(floats, bad), {"a.nii", "not finite"});
  header.extents = {4, 3};
  expectRefused(volume(header, upwards(12)), {"a.nii", "2 dimensions"});
  writeFile(folder / "ill/a.nii", good);
  header.extents = {4, 3, 3};
  expectRefused(volume(header, upwards(36)), {"b.nii", "3x3x4x1", "2x3x4x1"},
                1);
}

TEST_F(Volumes, ATruncatedGzipSaysItsByte) {
  const std::string path = folder / "well/b.nii.gz";
  std::vector<int16_t> noise(24);
  for (size_t i = 0; i < noise.size(); ++i)
    noise[i] = int16_t(7919 * i * i);
  writeGzip(path, volume(Header(), noise));
  const std::string bytes = readFile(path);
  // In the header of the volume, in its values, and in the CRC.
  for (size_t size : {size_t(12), bytes.size() - 20, bytes.size() - 3}) {
    writeFile(path, bytes.substr(0, size));
    int32_t label = 0;
    expectError(row(1, label).status(), RP_DATA_LOSS,
                {path, "truncated",
                 "incomplete at byte " + std::to_string(size) + ","});
  }
}

TEST_F(Volumes, BadOnesAreSkippedWhereWanted) {
  std::string good = volume(Header(), upwards(24));
  writeFile(folder / "ill/0.nii", "nonsense");
  writeFile(folder / "ill/b.nii", good.substr(0, good.size() - 4));
  writeFile(folder / "ill/._a.nii", "Mac OS X");
  fs::create_symlink("nowhere", folder / "well/c.nii");
  spec.images.skipBadFiles = true;
  DatasetOptions options = withImage({2, 3, 4, 1});
  auto data = openDataset(spec, Split::Train, options);
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 2u);
  EXPECT_EQ((*data)->skipped().count, 3u);
  EXPECT_EQ((*data)->skipped().first, folder / "ill/0.nii");
  for (uint64_t index : {0, 1}) {
    std::vector<float> values(24);
    int32_t label = -1;
    void *places[] = {values.data(), &label};
    ASSERT_TRUE((*data)->fill(&index, 1, places).ok());
    EXPECT_EQ(uint64_t(label), index);
    EXPECT_EQ(values[0], 100.0f * float(index));
    EXPECT_EQ(*(*data)->label(index), label);
  }
  Header other;
  other.extents = {4, 3, 3};
  writeFile(folder / "well/a.nii", volume(other, upwards(36)));
  expectError(openDataset(spec, Split::Train, options).status(), RP_DATA_LOSS,
              {"well/a.nii", "3x3x4x1"});
}

//===----------------------------------------------------------------------===//
// Orientation
//===----------------------------------------------------------------------===//

/// The 48 codes of orientations.
static std::vector<std::string> allCodes() {
  std::vector<std::string> codes;
  std::string lines = "012";
  do {
    for (unsigned ends = 0; ends < 8; ++ends) {
      std::string code;
      for (char line : lines)
        code += "RLAPSI"[2 * (line - '0') + (ends >> (line - '0') & 1)];
      codes.push_back(code);
    }
  } while (std::next_permutation(lines.begin(), lines.end()));
  return codes;
}

/// Where a letter points: the coordinate of space, and whether against it.
static std::pair<size_t, bool> directionOf(char letter) {
  size_t place = std::string("RLAPSI").find(letter);
  return {place / 2, place % 2 == 1};
}

static constexpr int kSpace[] = {2, 3, 4}; // extents to the right, front, top

/// The value at a place in space, which tells it from all others.
static int16_t valueAt(const int (&place)[3]) {
  return int16_t(100 * place[0] + 10 * place[1] + place[2]);
}

/// A volume of 2x3x4 voxels in space whose axes are stored along `code`. Its
/// sform leans a little, as those of scanners do.
static std::string volumeAlong(const std::string &code) {
  Header header;
  float affine[3][4] = {};
  for (size_t axis = 0; axis < 3; ++axis) {
    auto [line, isAgainst] = directionOf(code[axis]);
    header.extents[axis] = int16_t(kSpace[line]);
    for (size_t row = 0; row < 3; ++row)
      affine[row][axis] = row == line ? (isAgainst ? -2.0f : 2.0f) : 0.3f;
  }
  std::vector<int16_t> values;
  for (int k = 0; k < header.extents[2]; ++k)
    for (int j = 0; j < header.extents[1]; ++j)
      for (int i = 0; i < header.extents[0]; ++i) {
        int place[3] = {}, stored[3] = {i, j, k};
        for (size_t axis = 0; axis < 3; ++axis) {
          auto [line, isAgainst] = directionOf(code[axis]);
          place[line] =
              isAgainst ? kSpace[line] - 1 - stored[axis] : stored[axis];
        }
        values.push_back(valueAt(place));
      }
  std::string bytes = volume(header, values);
  int16_t ofScanner = 1;
  std::memcpy(bytes.data() + 254, &ofScanner, sizeof ofScanner);
  std::memcpy(bytes.data() + 280, affine, sizeof affine);
  return bytes;
}

/// The row of that volume when its axes point along `code`.
static std::vector<float> rowAlong(const std::string &code) {
  std::vector<float> row;
  std::pair<size_t, bool> x = directionOf(code[0]), y = directionOf(code[1]),
                          z = directionOf(code[2]);
  int place[3] = {};
  auto put = [&place](std::pair<size_t, bool> direction, int at) {
    auto [line, isAgainst] = direction;
    place[line] = isAgainst ? kSpace[line] - 1 - at : at;
  };
  for (int k = 0; k < kSpace[z.first]; ++k)
    for (int j = 0; j < kSpace[y.first]; ++j)
      for (int i = 0; i < kSpace[x.first]; ++i) {
        put(x, i);
        put(y, j);
        put(z, k);
        row.push_back(valueAt(place));
      }
  return row;
}

TEST_F(Volumes, AreTurnedFromAndToAnyOrientation) {
  const std::vector<std::string> codes = allCodes();
  ASSERT_EQ(codes.size(), 48u);
  for (const std::string &from : codes) {
    writeFile(folder / "ill/a.nii", volumeAlong(from));
    writeFile(folder / "well/b.nii.gz", volumeAlong(from));
    for (const std::string &to : codes) {
      spec.images.orientation = to;
      int32_t label = 0;
      auto values = row(0, label);
      ASSERT_TRUE(values.ok()) << values.status().message();
      ASSERT_EQ(*values, rowAlong(to)) << from << " to " << to;
    }
    spec.images.orientation.clear();
    int32_t label = 0;
    EXPECT_EQ(*row(0, label), rowAlong(from)) << from;
  }
}

TEST_F(Volumes, TurnedOnesHaveTheExtentsAndTheSetting) {
  writeFile(folder / "ill/a.nii", volumeAlong("SRA"));
  writeFile(folder / "well/b.nii.gz", volumeAlong("LPS"));
  expectError(openDataset(spec, Split::Train, withImage({4, 2, 3, 1})).status(),
              RP_DATA_LOSS, {"b.nii.gz", "4x3x2x1", "3x2x4x1"});
  spec.images.orientation = "ras";
  auto data = openDataset(spec, Split::Train, withImage({4, 3, 2, 1}));
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->columns()[0].shape, (std::vector<int64_t>{4, 3, 2, 1}));
  EXPECT_EQ((*data)->settings().at("orientation"), "RAS");
  EXPECT_TRUE((*data)->warnings().empty());
}

/// Channels of a voxel stay together.
TEST_F(Volumes, TurnedOnesKeepTheirChannels) {
  Header header;
  header.extents = {2, 1, 1, 2};
  std::string bytes = volume(header, std::vector<int16_t>{1, 2, 10, 20});
  int16_t qform = 1;
  float turned = 1; // by half a turn about z: to L, P and S
  std::memcpy(bytes.data() + 252, &qform, sizeof qform);
  std::memcpy(bytes.data() + 264, &turned, sizeof turned);
  writeFile(folder / "ill/a.nii", bytes);
  writeFile(folder / "well/b.nii.gz", bytes);
  int32_t label = 0;
  EXPECT_EQ(*row(0, label), (std::vector<float>{1, 10, 2, 20}));
  spec.images.orientation = "RAS";
  EXPECT_EQ(*row(0, label), (std::vector<float>{2, 20, 1, 10}));
  spec.images.orientation = "LAS";
  EXPECT_EQ(*row(0, label), (std::vector<float>{1, 10, 2, 20}));
}

TEST_F(Volumes, OtherOrientationsAreWarnedOf) {
  auto expectWarning = [&](const std::vector<std::string> &parts) {
    auto data = openDataset(spec, Split::Train, {});
    ASSERT_TRUE(data.ok()) << data.status().message();
    const std::vector<std::string> warnings = (*data)->warnings();
    ASSERT_EQ(warnings.size(), parts.empty() ? 0u : 1u);
    for (const std::string &part : parts)
      EXPECT_NE(warnings[0].find(part), std::string::npos) << warnings[0];
  };
  expectWarning({}); // neither says one
  writeFile(folder / "ill/a.nii", volumeAlong("LPS"));
  expectWarning({"a.nii' is LPS", "b.nii.gz' does not say", "1 of 2"});
  writeFile(folder / "well/b.nii.gz", volumeAlong("LPS"));
  expectWarning({});
  writeFile(folder / "well/c.nii", volumeAlong("RAS"));
  writeFile(folder / "well/d.nii", volumeAlong("RAI"));
  expectWarning(
      {"a.nii' is LPS", "c.nii' is RAS", "2 of 4", "--orientation RAS"});
}

TEST_F(Volumes, SplitsOfOtherOrientationsAreWarnedOf) {
  Folder parts;
  for (const char *name : {"train", "val"})
    fs::create_directories(parts / (std::string(name) + "/ill"));
  writeFile(parts / "train/ill/a.nii", volumeAlong("LPS"));
  writeFile(parts / "val/ill/a.nii", volumeAlong("RPS"));
  spec.source = parts.path;
  auto training = openDataset(spec, Split::Train, {});
  auto validation = openDataset(spec, Split::Test, {});
  ASSERT_TRUE(training.ok() && validation.ok());
  EXPECT_TRUE((*training)->warnings().empty());
  ASSERT_EQ((*validation)->warnings().size(), 1u);
  EXPECT_NE((*validation)->warnings()[0].find("val/ill/a.nii' is RPS"),
            std::string::npos);
}

TEST_F(Volumes, WithoutAnOrientationAreNotTurned) {
  writeFile(folder / "ill/a.nii", volumeAlong("LPS"));
  spec.images.orientation = "RAS";
  expectError(openDataset(spec, Split::Train, withImage({4, 3, 2, 1})).status(),
              RP_DATA_LOSS, {"b.nii.gz", "does not say its orientation"});
  spec.images.skipBadFiles = true;
  auto data = openDataset(spec, Split::Train, withImage({4, 3, 2, 1}));
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->skipped().count, 1u);
  // An affine without an inverse says none either.
  std::string flat = volumeAlong("LPS");
  std::memset(flat.data() + 280, 0, 48);
  writeFile(folder / "ill/a.nii", flat);
  expectError(openDataset(spec, Split::Train, withImage({4, 3, 2, 1})).status(),
              RP_DATA_LOSS, {"a.nii", "does not say its orientation"});
}

TEST_F(Volumes, CodesAreThreeLettersOfThreeLines) {
  for (const char *text : {"RA", "RASS", "RRS", "RLS", "XYZ", "", "R,A,S"})
    expectError(parseOrientation(text).status(), RP_INVALID_ARGUMENT,
                {"not an orientation"});
  for (const std::string &code : allCodes())
    EXPECT_EQ(*parseOrientation(code), code);
}

TEST_F(Volumes, StepsForImagesAreRefused) {
  spec.images.training = "center-crop";
  expectError(openDataset(spec, Split::Train, {}).status(), RP_INVALID_ARGUMENT,
              {"no files of images"});
}
