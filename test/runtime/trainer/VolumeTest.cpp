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
  expectRefused(bytes.substr(0, 400), {"a.nii", "no NIfTI"});
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
  expectRefused(bytes, {"a.nii", "no NIfTI"});
}

TEST_F(Volumes, DamageIsNamed) {
  expectRefused("nonsense", {"a.nii", "no NIfTI"});
  expectRefused("", {"a.nii", "no NIfTI"});
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
  DatasetOptions options;
  options.columns = {{"image", RP_BINDING_DATA, RP_F32, {2, 3, 4, 1}},
                     labelColumn()};
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

TEST_F(Volumes, StepsForImagesAreRefused) {
  spec.images.training = "center-crop";
  expectError(openDataset(spec, Split::Train, {}).status(), RP_INVALID_ARGUMENT,
              {"no files of images"});
}
