//===- EventFileTest.cpp - Event files, byte by byte ----------------------===//
#include "../../../runtime/trainer/hooks/EventFile.h"
#include "TestFiles.h"
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sys/resource.h>

using namespace reprise::rt;
using namespace reprise::rt::test;

/// The check values of RFC 3720, B.4, and of the catalogue of CRCs.
TEST(EventFile, ComputesCastagnolisChecksum) {
  EXPECT_EQ(crc32c("123456789", 9), 0xE3069283u);
  std::string zeros(32, '\0'), ones(32, '\xFF'), rising;
  for (int i = 0; i < 32; ++i)
    rising += char(i);
  EXPECT_EQ(crc32c(zeros.data(), 32), 0x8A9136AAu);
  EXPECT_EQ(crc32c(ones.data(), 32), 0x62A8AB43u);
  EXPECT_EQ(crc32c(rising.data(), 32), 0x46DD794Eu);
  EXPECT_EQ(crc32c("", 0), 0u);
}

static std::string contentOf(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(EventFile, BeginsWithItsVersion) {
  Folder folder;
  auto file = EventFile::create(folder / "a/b");
  ASSERT_TRUE(file.ok()) << file.status().message();
  std::string bytes = contentOf(file->path());
  // Length 24: 9 bytes of time, 15 of the version.
  ASSERT_EQ(bytes.size(), 8u + 4 + 24 + 4);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x18\0\0\0\0\0\0\0", 8));
  // Computed bit by bit by another program: 0x4A65BFE4, masked.
  EXPECT_EQ(bytes.substr(8, 4), std::string("\xA3\x7F\x4B\x22", 4));
  EXPECT_EQ(bytes.substr(12 + 9, 15), "\x1A\x0D"
                                      "brain.Event:2");
}

TEST(EventFile, TellsThatARunBegins) {
  Folder folder;
  auto file = EventFile::create(folder / ".");
  ASSERT_TRUE(file.ok());
  size_t before = contentOf(file->path()).size();
  file->addStart(5);
  ASSERT_TRUE(file->flush().ok());
  std::string record = contentOf(file->path()).substr(before);
  // Behind the frame's head and the time: step 5; a session that starts.
  ASSERT_EQ(record.size(), 12u + 9 + 6 + 4);
  EXPECT_EQ(record.substr(12 + 9, 6), "\x10\x05\x3A\x02\x08\x01");
}

TEST(EventFile, NamesDoNotMeet) {
  Folder folder;
  auto a = EventFile::create(folder / "."), b = EventFile::create(folder / ".");
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_NE(a->path(), b->path());
}

/// A file that the clock of the day would put before one that is there.
TEST(EventFile, BeginsNotBeforeThoseThatAreThere) {
  Folder folder;
  std::string later = "events.out.tfevents.7955400000.host.1.0";
  for (const std::string &name :
       {later, std::string("events.out.tfevents.99999999999.host.1.0"),
        std::string("events.out.tfevents.x"), std::string("other")})
    writeFile(folder / name, "");
  auto file = EventFile::create(folder / ".");
  ASSERT_TRUE(file.ok());
  EXPECT_NE(file->path().find("events.out.tfevents.7955400000."),
            std::string::npos)
      << file->path();
  double time = 0;
  std::string content = contentOf(file->path());
  ASSERT_GE(content.size(), 21u);
  std::memcpy(&time, content.data() + 13, sizeof time);
  EXPECT_EQ(time, 7955400000.0);
}

/// Writes fail from a size on, as on a full disk; later there is room again.
TEST(EventFile, LosesNothingToAFullDisk) {
  Folder folder;
  auto file = EventFile::create(folder / ".");
  ASSERT_TRUE(file.ok());
  file->addScalars(1, {{"a", 1}});
  ASSERT_TRUE(file->flush().ok());
  std::string before = contentOf(file->path());
  rlimit old = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit full = old;
  full.rlim_cur = before.size() + 10;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  file->addScalars(2, {{"a", 2}});
  Status status = file->flush();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find(file->path()), std::string::npos);
  EXPECT_EQ(contentOf(file->path()), before);
  file->addScalars(3, {{"a", 3}});
  EXPECT_TRUE(file->flush().ok());
  std::string after = contentOf(file->path());
  EXPECT_EQ(after.substr(0, before.size()), before);
  // Both events, of equal size.
  size_t one = before.size() - 40;
  EXPECT_EQ(after.size(), before.size() + 2 * one);
}
