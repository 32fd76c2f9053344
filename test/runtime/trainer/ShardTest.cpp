//===- ShardTest.cpp - Images in tar archives -----------------------------===//
//
// How shards are found, what is damaged, and what is left out.
//
//===----------------------------------------------------------------------===//
#include "ImageRows.h"
#include <cstring>

using namespace reprise::rt;
using namespace reprise::rt::test;
namespace fs = std::filesystem;

/// A sample a class, from `first` on.
static std::string shardOf(int first, int count) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (int i = first; i < first + count; ++i) {
    const std::string key = "a/" + std::to_string(i);
    entries.push_back({key + ".png", encodePng(shade(i * 20, unsigned(i)))});
    entries.push_back({key + ".json", "{}"});
    entries.push_back({key + ".cls", std::to_string(i) + "\n"});
  }
  return makeTar(entries);
}

static void expectShards(const std::string &source, std::vector<int> labels) {
  SCOPED_TRACE(source);
  auto data = openDataset(specOf(source), Split::Train, wanted());
  ASSERT_TRUE(data.ok()) << data.status().message();
  ASSERT_EQ((*data)->size(), labels.size());
  for (uint64_t row = 0; row < labels.size(); ++row) {
    int32_t label = -1;
    float first = rowOf(**data, row, label)[0];
    EXPECT_EQ(label, labels[row]);
    // A shade of 20 * label to 20 * label + 15 of 255, as -1 to 1.
    EXPECT_NEAR((first + 1) * 127.5, 20 * label + 8, 8.5);
  }
}

TEST(Shards, AreFoundByNamePatternAndFolder) {
  Folder folder;
  writeFile(folder / "s-00.tar", shardOf(0, 3));
  writeFile(folder / "s-01.tar", shardOf(3, 2));
  writeFile(folder / "s-02.tar", shardOf(5, 1));
  expectShards(folder.path, {0, 1, 2, 3, 4, 5});
  expectShards(folder / "s-01.tar", {3, 4});
  expectShards(folder / "s-*.tar", {0, 1, 2, 3, 4, 5});
  expectShards(folder / "s-{01..02}.tar", {3, 4, 5});
  expectShards(folder / "s-{02,00}.tar", {5, 0, 1, 2});
  expectShards(folder / "{s}-0[12].tar", {3, 4, 5});
}

TEST(Shards, EndingsAreTakenInAnyCase) {
  Folder folder;
  writeFile(folder / "x.tar", makeTar({{"a.PNG", encodePng(shade(0, 0))},
                                       {"a.CLS", "0"},
                                       {"b.Png", encodePng(shade(20, 1))},
                                       {"b.Cls", "1"}}));
  expectShards(folder / "x.tar", {0, 1});
}

TEST(Shards, WhatDoesNotExistIsNamed) {
  Folder folder;
  writeFile(folder / "s-00.tar", shardOf(0, 1));
  expectError(
      openDataset(specOf(folder / "t-*.tar"), Split::Train, wanted()).status(),
      RP_IO_ERROR, {"no file matches", "t-*.tar"});
  expectError(
      openDataset(specOf(folder / "s-{00..01}.tar"), Split::Train, wanted())
          .status(),
      RP_IO_ERROR, {"s-01.tar"});
  for (const char *name : {"s-{00.tar", "s-{}.tar", "s-{0{1}}.tar"})
    expectError(
        openDataset(specOf(folder / name), Split::Train, wanted()).status(),
        RP_INVALID_ARGUMENT, {"braces", name});
}

TEST(Shards, DamageIsNamed) {
  Folder folder;
  auto expect = [&](const std::string &bytes, std::vector<std::string> parts) {
    writeFile(folder / "x.tar", bytes);
    parts.push_back("x.tar");
    expectError(
        openDataset(specOf(folder / "x.tar"), Split::Train, wanted()).status(),
        RP_DATA_LOSS, parts);
  };
  std::string good = shardOf(0, 2);
  expect(good.substr(0, 700), {"truncated"});
  expect(good.substr(0, good.size() / 2), {"truncated"});
  expect("nonsense", {});
  expect(std::string(4096, 'x'), {});
  std::string bent = good;
  bent[150] ^= 1; // the check sum of the first header
  expect(bent, {});
  expect(makeTar({}), {"no sample"});
  expect(makeTar({{"a.png", "x"}}), {"'a'", "without its class"});
  expect(makeTar({{"a.cls", "1"}}), {"'a'", "without its image"});
  expect(makeTar({{"a.png", "x"}, {"a.cls", "cat"}}), {"a.cls", "not a class"});
  expect(makeTar({{"a.png", "x"}, {"a.cls", "-1"}}), {"a.cls", "not a class"});
  expect(makeTar({{"a.png", "x"}, {"a.jpg", "x"}}), {"two images"});
  expect(makeTar({{"a.webp", "x"}, {"a.cls", "1"}}), {"a.webp"});
}

TEST(Shards, SamplesThatLackSomethingAreSkippedWhereWanted) {
  Folder folder;
  const std::string image = encodePng(shade(0, 1));
  writeFile(folder / "x.tar", makeTar({{"._a.png", "Mac OS X"},
                                       {"a.png", image},
                                       {"a.cls", "0"},
                                       {"b.png", image},
                                       {"c.cls", "0"},
                                       {"d.webp", "RIFF"},
                                       {"d.cls", "0"},
                                       {"e.png", "no"},
                                       {"e.cls", "0"},
                                       {"f.png", image},
                                       {"f.cls", "cat"},
                                       {"g.png", image},
                                       {"g.jpg", image},
                                       {"g.cls", "0"},
                                       {"h.cls", "999"},
                                       {"i.cls", "cat"}}));
  writeFile(folder / "._x.tar", "Mac OS X");
  DataSpec spec = specOf(folder.path);
  spec.images.skipBadFiles = true;
  auto data = openDataset(spec, Split::Train, wanted());
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 1u);
  EXPECT_EQ((*data)->skipped().count, 8u);
  EXPECT_NE((*data)->skipped().first.find("x.tar/b"), std::string::npos);
}

TEST(Shards, ImageThatCannotBeDecodedIsNamedWithItsShard) {
  Folder folder;
  writeFile(folder / "x.tar", makeTar({{"a.png", "x"}, {"a.cls", "0"}}));
  auto data = openDataset(specOf(folder / "x.tar"), Split::Train, wanted());
  ASSERT_TRUE(data.ok());
  std::vector<float> image(kShape.elements());
  int32_t label = 0;
  uint64_t row = 0;
  void *places[] = {image.data(), &label};
  expectError((*data)->fill(&row, 1, places), RP_DATA_LOSS,
              {"x.tar/a.png' cannot be decoded"});
}

static void pack(const Folder &folder, const std::string &command) {
  ASSERT_EQ(std::system(("cd '" + folder.path + "' && " + command).c_str()), 0);
}

/// What tar writes of long names, and of those beyond ASCII: headers with bytes
/// of their own in front.
TEST(Shards, LongNamesAreRead) {
  std::string umlauts;
  for (int i = 0; i < 70; ++i)
    umlauts += "\xC3\xA4";
  for (const std::string &name : {std::string(180, 'n'), umlauts}) {
    Folder folder;
    fs::create_directories(folder / "in");
    writeFile(folder / ("in/" + name + ".png"), encodePng(shade(0, 1)));
    writeFile(folder / ("in/" + name + ".cls"), "0");
    for (const char *format : {"gnu", "pax"}) {
      const std::string archive = std::string(format) + ".tar";
      pack(folder, "tar -C in --format=" + std::string(format) + " -cf " +
                       archive + " .");
      expectShards(folder / archive, {0});
    }
  }
}

/// The bytes of these files are not one part of the archive.
TEST(Shards, LinksAndSparseFilesAreNamed) {
  Folder folder;
  writeFile(folder / "a.png", encodePng(shade(0, 1)));
  writeFile(folder / "a.cls", "0");
  writeFile(folder / "b.cls", "0");
  fs::create_hard_link(folder / "a.png", folder / "b.png");
  fs::create_symlink("a.png", folder / "c.png");
  writeFile(folder / "c.cls", "0");
  fs::copy(folder / "a.png", folder / "d.png");
  fs::resize_file(folder / "d.png", 1 << 20);
  writeFile(folder / "d.cls", "0");
  pack(folder, "tar --format=gnu --sparse -cf all.tar a.* b.* c.* d.*");
  pack(folder, "tar --format=pax --sparse -cf pax.tar a.* d.*");
  pack(folder, "tar -cf link.tar a.* c.* && tar -cf hard.tar a.* b.*");
  DataSpec spec = specOf(folder / "hard.tar");
  expectError(openDataset(spec, Split::Train, wanted()).status(), RP_DATA_LOSS,
              {"'b.png'", "hard link", "--hard-dereference"});
  spec.source = folder / "link.tar";
  expectError(openDataset(spec, Split::Train, wanted()).status(), RP_DATA_LOSS,
              {"'c.png'", "symbolic link", "--dereference"});
  spec.source = folder / "pax.tar";
  expectError(openDataset(spec, Split::Train, wanted()).status(), RP_DATA_LOSS,
              {"'d.png'", "sparse"});
  spec.source = folder / "all.tar";
  spec.images.skipBadFiles = true;
  auto data = openDataset(spec, Split::Train, wanted());
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 1u);
  EXPECT_EQ((*data)->skipped().count, 3u);
}

TEST(Shards, OneBehindAnotherAreRead) {
  Folder folder;
  writeFile(folder / "both.tar",
            shardOf(0, 2) + std::string(4096, '\0') + shardOf(2, 1));
  expectShards(folder / "both.tar", {0, 1, 2});
}

TEST(Shards, FilesOfNoSampleAreCounted) {
  Folder folder;
  writeFile(folder / "x.tar", makeTar({{"a.png", encodePng(shade(0, 1))},
                                       {"a.cls", "0"},
                                       {"a.json", "{}"},
                                       {".b", ""}}));
  auto data = openDataset(specOf(folder / "x.tar"), Split::Train, wanted());
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->skipped().beside,
            (std::map<std::string, uint64_t>{{".json", 1}, {"hidden", 1}}));
}

TEST(Shards, CompressedOnesAreRefused) {
  Folder folder;
  writeFile(folder / "plain.tar", shardOf(0, 1));
  pack(folder, "gzip -c plain.tar > packed.tar");
  expectError(openDataset(specOf(folder / "packed.tar"), Split::Train, wanted())
                  .status(),
              RP_DATA_LOSS, {"packed.tar", "compressed (gzip)"});
  for (const char *name : {"x.tar.gz", "x.tgz"}) {
    fs::copy(folder / "packed.tar", folder / name);
    expectError(
        openDataset(specOf(folder / name), Split::Train, wanted()).status(),
        RP_DATA_LOSS, {name, "compressed (gzip)", "plain tar archive"});
  }
}

TEST(Shards, OfADirectoryHaveSplitsByName) {
  Folder folder;
  writeFile(folder / "train-0.tar", shardOf(0, 3));
  expectError(openDataset(specOf(folder.path), Split::Test, wanted()).status(),
              RP_IO_ERROR, {"val*.tar"});
  EXPECT_FALSE(traitsOf(specOf(folder.path)).hasTest());
  writeFile(folder / "val-0.tar", shardOf(1, 1));
  EXPECT_TRUE(traitsOf(specOf(folder.path)).hasTest());
  expectShards(folder.path, {0, 1, 2});
  auto tests = openDataset(specOf(folder.path), Split::Test, wanted());
  ASSERT_TRUE(tests.ok()) << tests.status().message();
  EXPECT_EQ((*tests)->size(), 1u);
}
