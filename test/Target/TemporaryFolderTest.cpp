//===- TemporaryFolderTest.cpp - Nothing is left in a system's folder -----===//
#include "reprise/Target/TemporaryFolder.h"
#include "../runtime/trainer/TestFiles.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <unistd.h>

using namespace reprise;
using rt::test::Folder;

namespace {

class TemporaryFolders : public testing::Test {
protected:
  TemporaryFolders() { setenv("TMPDIR", place.path.c_str(), 1); }
  ~TemporaryFolders() override { unsetenv("TMPDIR"); }
  bool isEmpty() const { return std::filesystem::is_empty(place.path); }

  Folder place;
};

} // namespace

TEST_F(TemporaryFolders, GoWithTheirObject) {
  std::optional<TemporaryFolder> one("of-a-test"), other("of-a-test");
  ASSERT_EQ(one->error(), "");
  EXPECT_NE(one->pathOf("a"), other->pathOf("a"));
  std::ofstream(one->pathOf("a")) << "text";
  EXPECT_TRUE(std::filesystem::exists(one->pathOf("a")));
  other.reset();
  EXPECT_TRUE(std::filesystem::exists(one->pathOf("a")));
  one.reset();
  EXPECT_TRUE(isEmpty());
}

TEST_F(TemporaryFolders, NameThePathAndTheVariableWhereThereIsNone) {
  std::string nowhere = place / "nowhere";
  setenv("TMPDIR", nowhere.c_str(), 1);
  TemporaryFolder folder("of-a-test");
  EXPECT_EQ(folder.error(),
            "cannot make a temporary folder in '" + nowhere +
                "', which TMPDIR names: no such file or directory; set TMPDIR "
                "to a folder that can be written");
}

// As where a process does not wait for the thread that compiles.
TEST_F(TemporaryFolders, GoWithAProcessThatDestroysNothing) {
  EXPECT_EXIT(
      {
        TemporaryFolder folder("of-a-test");
        std::ofstream(folder.pathOf("a")) << "text";
        TemporaryFolder::removeAllAtExit();
        ::_exit(isEmpty() ? 3 : 4);
      },
      testing::ExitedWithCode(3), "");
  EXPECT_TRUE(isEmpty());
}
