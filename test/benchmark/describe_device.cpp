//===- describe_device.cpp - A device and its library calls, as JSON ------===//
//
// describe_device DEVICE [FILE.rpx...] prints what `reprise device describe
// DEVICE --calls FILE.rpx` writes, on a machine that has neither the compiler
// nor its libraries.
//
//===----------------------------------------------------------------------===//

#include "reprise/Runtime/Artifact.h"
#include "reprise/Runtime/Device.h"
#include "reprise/Runtime/program_generated.h"
#include <cstdio>
#include <fstream>
#include <iterator>
#include <new>
#include <vector>

using namespace reprise;

namespace {
/// Payloads are read at multiples of 64.
template <typename T> struct AlignedAllocator {
  using value_type = T;
  T *allocate(size_t count) {
    return static_cast<T *>(
        ::operator new(count * sizeof(T), std::align_val_t(64)));
  }
  void deallocate(T *memory, size_t) {
    ::operator delete(memory, std::align_val_t(64));
  }
  bool operator==(const AlignedAllocator &) const { return true; }
  bool operator!=(const AlignedAllocator &) const { return false; }
};
using Aligned = std::vector<uint8_t, AlignedAllocator<uint8_t>>;
} // namespace

static int fail(const rt::Status &status) {
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: describe_device DEVICE [FILE.rpx...]\n");
    return 2;
  }
  std::vector<Aligned> files(argc - 2);
  std::vector<const rt::fb::Program *> programs;
  for (int k = 2; k < argc; ++k) {
    std::ifstream in(argv[k], std::ios::binary);
    Aligned &file = files[k - 2];
    file.assign(std::istreambuf_iterator<char>(in), {});
    const uint8_t *payload = nullptr;
    size_t size = 0;
    rt::Status status =
        rt::openContainer(file.data(), file.size(), &payload, &size);
    if (status.ok())
      status = rt::verifyProgram(payload, size);
    if (!status.ok())
      return fail(status);
    programs.push_back(rt::fb::GetProgram(payload));
  }
  auto device = rt::openDevice(argv[1]);
  if (!device.ok())
    return fail(device.status());
  auto text = (*device)->description(programs);
  if (!text.ok())
    return fail(text.status());
  std::fputs(text->c_str(), stdout);
  return 0;
}
