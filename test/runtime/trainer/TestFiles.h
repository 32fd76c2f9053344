//===- TestFiles.h - Files for the trainer's tests --------------*- C++ -*-===//
//
// A folder per test that goes with it, and whole-file reads and writes.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_RUNTIME_TRAINER_TESTFILES_H
#define REPRISE_TEST_RUNTIME_TRAINER_TESTFILES_H

#include "reprise/Runtime/Status.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

namespace reprise::rt::test {

class Folder {
public:
  Folder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "reprise-XXXXXX").string();
    path = ::mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string operator/(const std::string &name) const {
    return path + "/" + name;
  }
  std::string path;
};

inline std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void writeFile(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// A safetensors file with this header and these bytes.
inline std::string tensorFile(const std::string &header,
                              const std::string &data) {
  std::string bytes;
  for (int i = 0; i < 8; ++i)
    bytes += char(uint64_t(header.size()) >> (8 * i));
  return bytes + header + data;
}

/// Fails the test unless `status` is an error whose message has every part.
inline void expectError(const Status &status, rp_code code,
                        const std::vector<std::string> &parts) {
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), code) << status.message();
  for (const std::string &part : parts)
    EXPECT_NE(status.message().find(part), std::string::npos)
        << "'" << part << "' is not in: " << status.message();
  EXPECT_FALSE(status.message().empty());
  EXPECT_NE(status.message().back(), '.');
}

} // namespace reprise::rt::test

#endif // REPRISE_TEST_RUNTIME_TRAINER_TESTFILES_H
