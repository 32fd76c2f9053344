//===- FuzzShard.cpp - Any bytes as a shard -------------------------------===//
//
// Input:   a file, indexed as a tar archive of samples.
// Holds:   no crash, no sanitizer report; every image that the index knows can
//          be read; what is refused has a message.
//
//===----------------------------------------------------------------------===//
#include "../../../runtime/trainer/data/shards/ShardFiles.h"
#include "MemoryFile.h"
#include <cstdlib>

using namespace reprise::rt;

// What the index asks of the images' code, which is not linked.
bool reprise::rt::isImageName(const std::string &name) {
  return name.size() > 4 && name.substr(name.size() - 4) == ".png";
}
Status reprise::rt::checkFileSize(const std::string &, uint64_t) {
  return Status();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MemoryFile input(data, size);
  auto images = indexShards({input.path});
  if (!images.ok()) {
    if (images.status().message().empty())
      std::abort();
    return 0;
  }
  std::vector<uint8_t> bytes;
  for (uint64_t i = 0; i < (*images)->size(); ++i)
    if (!(*images)->read(i, bytes).ok() || bytes.size() > size ||
        (*images)->label(i) < 0 || (*images)->label(i) >= (*images)->classes())
      std::abort();
  return 0;
}
