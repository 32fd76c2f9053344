//===- ArtifactTest.cpp - Damaged and unwritable artifacts ----------------===//
//
// A file is refused after any single flipped bit and any truncation, and a
// write that fails leaves the previous file and nothing else behind.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Artifact.h"
#include "../conformance/ArtifactBuilder.h"
#include "../conformance/SessionHandle.h"
#include "reprise/Runtime/OutputFile.h"

#include <dirent.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace reprise;
using namespace reprise::test;

static std::vector<uint8_t> smallArtifact() {
  ArtifactBuilder b;
  Tensor v = b.variable("v", {3});
  Tensor x = b.input("x", {3});
  b.copy(x, v);
  b.finish();
  return b.seal();
}

static Outcome load(const std::vector<uint8_t> &bytes) {
  rp_program *program = nullptr;
  Outcome outcome =
      take(rp_program_from_memory(bytes.data(), bytes.size(), &program));
  EXPECT_EQ(program != nullptr, outcome.code == RP_OK);
  rp_program_close(program);
  return outcome;
}

TEST(Container, OpensWhatItSealed) {
  EXPECT_EQ(load(smallArtifact()).message, "");
}

TEST(Container, RefusesEveryFlippedBit) {
  std::vector<uint8_t> bytes = smallArtifact();
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= uint8_t(1u << bit % 8);
    ASSERT_EQ(load(bytes).code, RP_DATA_LOSS) << "bit " << bit;
    bytes[bit / 8] ^= uint8_t(1u << bit % 8);
  }
  EXPECT_EQ(load(bytes).code, RP_OK);
}

TEST(Container, RefusesEveryTruncationAndExtension) {
  std::vector<uint8_t> bytes = smallArtifact();
  for (size_t size = 0; size < bytes.size(); ++size)
    ASSERT_EQ(load({bytes.begin(), bytes.begin() + long(size)}).code,
              RP_DATA_LOSS)
        << size;
  bytes.push_back(0);
  EXPECT_EQ(load(bytes).code, RP_DATA_LOSS);
}

TEST(Container, TellsForeignFromDamaged) {
  std::vector<uint8_t> bytes = smallArtifact(), png(500, 'x');
  EXPECT_EQ(load(png).message,
            "not an artifact, which 'reprise compile' makes: it does not "
            "begin with \"REPRISE\"");
  EXPECT_EQ(load({1, 2, 3}).message,
            "not an artifact: 3 bytes are fewer than the 64 of its header");
  bytes[8] = 9;
  EXPECT_EQ(load(bytes).message, "artifact of version 9; this runtime reads "
                                 "version 3, compile the model again");
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace {
/// A fresh directory that is removed with what is in it.
class FileTest : public testing::Test {
protected:
  void SetUp() override {
    directory = testing::TempDir() + "reprise-XXXXXX";
    ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  }
  void TearDown() override {
    for (const std::string &name : list())
      ::unlink((directory + "/" + name).c_str());
    ::rmdir(directory.c_str());
  }
  std::vector<std::string> list() {
    std::vector<std::string> names;
    DIR *stream = ::opendir(directory.c_str());
    while (dirent *entry = stream ? ::readdir(stream) : nullptr)
      if (entry->d_name[0] != '.')
        names.push_back(entry->d_name);
    if (stream)
      ::closedir(stream);
    return names;
  }
  static std::string contents(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  rt::Status write(const std::string &path, const std::string &text) {
    return rt::writeFile(path, text.data(), text.size());
  }
  std::string directory;
};
} // namespace

TEST_F(FileTest, WritesAndReplaces) {
  std::string path = directory + "/a.rpx";
  ASSERT_EQ(write(path, "one").message(), "");
  EXPECT_EQ(contents(path), "one");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_EQ(write(path, "two").message(), "");
  EXPECT_EQ(contents(path), "two");
  struct stat info;
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
  EXPECT_EQ(list(), std::vector<std::string>{"a.rpx"});
}

TEST_F(FileTest, SaysWhereItCannotWrite) {
  rt::Status status = write(directory + "/none/a.rpx", "one");
  EXPECT_EQ(status.code(), RP_IO_ERROR);
  EXPECT_EQ(status.message(), "cannot write '" + directory +
                                  "/none/a.rpx': no such file or directory");
}

TEST_F(FileTest, LeavesNothingWhenItCannotReplace) {
  std::string path = directory + "/taken";
  ASSERT_EQ(::mkdir(path.c_str(), 0700), 0);
  rt::Status status = write(path, "one");
  EXPECT_EQ(status.code(), RP_IO_ERROR);
  EXPECT_EQ(list(), std::vector<std::string>{"taken"});
  ::rmdir(path.c_str());
}

TEST_F(FileTest, FullDiskKeepsThePreviousFile) {
  // A file system of 64 KiB, visible to this process only.
  if (::unshare(CLONE_NEWNS) ||
      ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) ||
      ::mount("tmpfs", directory.c_str(), "tmpfs", 0, "size=64k"))
    GTEST_SKIP() << "mounting a small file system needs privileges";
  std::string path = directory + "/a.rpx";
  ASSERT_EQ(write(path, "previous").message(), "");
  rt::Status status = write(path, std::string(1 << 20, 'x'));
  EXPECT_EQ(status.code(), RP_IO_ERROR);
  EXPECT_EQ(status.message(),
            "cannot write '" + path +
                "': no space left on device; free some space and save again, "
                "the "
                "previous file is untouched");
  EXPECT_EQ(contents(path), "previous");
  EXPECT_EQ(list(), std::vector<std::string>{"a.rpx"});
  ::umount(directory.c_str());
}

TEST_F(FileTest, KilledWhileWritingLosesNothing) {
  std::string path = directory + "/a.rpx";
  std::string one(1 << 20, '1'), two(1 << 20, '2');
  ASSERT_EQ(write(path, one).message(), "");
  for (int i = 0; i < 20; ++i) {
    pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      for (bool odd = false;; odd = !odd)
        if (!write(path, odd ? two : one).ok())
          ::_exit(1);
    ::usleep(useconds_t(1000 + 700 * i));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child could not write";
    std::string text = contents(path);
    ASSERT_TRUE(text == one || text == two) << text.size() << " bytes";
  }
  // A killed writer's file is passed over by the next one.
  EXPECT_EQ(write(path, two).message(), "");
  EXPECT_EQ(contents(path), two);
}

TEST_F(FileTest, OpensProgramsFromFiles) {
  std::string path = directory + "/a.rpx";
  std::vector<uint8_t> bytes = smallArtifact();
  ASSERT_EQ(rt::writeFile(path, bytes.data(), bytes.size()).message(), "");
  rp_program *program = nullptr;
  ASSERT_EQ(take(rp_program_open(path.c_str(), &program)).message, "");
  EXPECT_STREQ(rp_program_model(program), "by-hand");
  rp_tensor_info info;
  ASSERT_EQ(take(rp_program_variable(program, 0, &info)).message, "");
  EXPECT_STREQ(info.name, "v");
  EXPECT_EQ(info.rank, 1u);
  EXPECT_EQ(info.shape[0], 3);
  EXPECT_EQ(info.bytes, 12u);
  EXPECT_EQ(info.file_permutation, nullptr);
  EXPECT_EQ(take(rp_program_variable(program, 1, &info)).message,
            "variable 1 of 1");
  ASSERT_EQ(take(rp_program_input(program, "step", 0, &info)).message, "");
  EXPECT_STREQ(info.name, "x");
  EXPECT_EQ(take(rp_program_output(program, "step", 0, &info)).message,
            "output 0 of 0 of entry 'step'");
  rp_program_close(program);
  bytes.pop_back();
  ASSERT_TRUE(rt::writeFile(path, bytes.data(), bytes.size()).ok());
  Outcome outcome = take(rp_program_open(path.c_str(), &program));
  EXPECT_EQ(outcome.code, RP_DATA_LOSS);
  EXPECT_EQ(outcome.message.find("'" + path + "': damaged artifact"), 0u);
  EXPECT_EQ(take(rp_program_open(directory.c_str(), &program)).message,
            "'" + directory + "' is not a regular file");
}
