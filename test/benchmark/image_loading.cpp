//===- image_loading.cpp - Images a second from files to batches ----------===//
//
// image_loading DIR SIZE BATCH IMAGES THREADS: trains on nothing, but takes the
// batches that a run would take, and prints images a second. The first batches
// are not counted.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/Loader.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace reprise::rt;
using Clock = std::chrono::steady_clock;

static int fail(const Status &status) {
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return 1;
}

static Status takeBatches(Loader &loader, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i)
    REPRISE_RETURN_IF_ERROR(loader.next().status());
  return Status();
}

int main(int argc, char **argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: %s DIR SIZE BATCH IMAGES THREADS\n", argv[0]);
    return 2;
  }
  constexpr uint64_t kUncounted = 4;
  DataSpec spec;
  spec.source = argv[1];
  spec.images.normalize = "imagenet";
  int64_t size = std::atoll(argv[2]);
  LoaderOptions options;
  options.batch = size_t(std::atoll(argv[3]));
  options.threads = unsigned(std::atoi(argv[5]));
  uint64_t batches = uint64_t(std::atoll(argv[4])) / options.batch;
  DatasetOptions wanted;
  wanted.columns = {imageColumn({size, size, 3}), labelColumn()};
  auto data = openDataset(spec, Split::Train, wanted);
  if (!data.ok())
    return fail(data.status());
  auto loader = Loader::create(**data, options);
  if (!loader.ok())
    return fail(loader.status());
  if (Status status = takeBatches(**loader, kUncounted); !status.ok())
    return fail(status);
  auto begin = Clock::now();
  if (Status status = takeBatches(**loader, batches); !status.ok())
    return fail(status);
  double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::printf("%.1f\n", double(batches * options.batch) / seconds);
  return 0;
}
