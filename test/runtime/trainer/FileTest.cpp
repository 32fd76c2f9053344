//===- FileTest.cpp - Files read safely -----------------------------------===//
#include "reprise/Runtime/Trainer/File.h"
#include "TestFiles.h"
#include <sys/stat.h>

using namespace reprise::rt;
using namespace reprise::rt::test;

TEST(InputFile, TruncatedReadNamesBothSizes) {
  Folder folder;
  std::string path = folder / "f";
  writeFile(path, "12345");
  auto file = InputFile::open(path);
  ASSERT_TRUE(file.ok());
  char bytes[8];
  expectError(file->readAt(2, bytes, 8), RP_DATA_LOSS,
              {path, "after 5 bytes", "at least 10"});
}

TEST(InputFile, PipeIsRefusedWithoutHanging) {
  Folder folder;
  std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  expectError(InputFile::open(path).status(), RP_IO_ERROR,
              {path, "not a regular file"});
}
