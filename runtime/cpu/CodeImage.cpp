//===- CodeImage.cpp - The compiled kernels of a program ------------------===//
//
// The code goes through an anonymous file, so nothing is left on disk. The
// descriptor stays open while the library is loaded: the dynamic linker knows
// libraries by path, and a reused descriptor number would give it back the
// previous program.
//
//===----------------------------------------------------------------------===//
#include "CodeImage.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace reprise::rt {

static Status writeImage(int fd, const char *data, size_t bytes) {
  while (bytes) {
    ssize_t n = ::write(fd, data, bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return Status::error(RP_OUT_OF_MEMORY,
                           std::string("cannot hold the program's code: ") +
                               std::strerror(errno) +
                               (errno == EFBIG ? "; raise 'ulimit -f'" : ""));
    data += n;
    bytes -= size_t(n);
  }
  return {};
}

Expected<CodeImage> CodeImage::load(const void *data, size_t bytes) {
  // Checks the header of the ELF file; the loader trusts its caller.
  if (bytes < 64 || std::memcmp(data, "\177ELF", 4) != 0)
    return Status::error(
        RP_DATA_LOSS, "invalid program: it has kernels but no code for them");
  CodeImage image;
  image.fd = ::memfd_create("reprise-code", MFD_CLOEXEC);
  if (image.fd < 0)
    return Status::error(RP_IO_ERROR,
                         std::string("cannot make a file in memory: ") +
                             std::strerror(errno));
  REPRISE_RETURN_IF_ERROR(
      writeImage(image.fd, static_cast<const char *>(data), bytes));
  std::string path = "/proc/self/fd/" + std::to_string(image.fd);
  image.handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!image.handle)
    return Status::error(RP_INCOMPATIBLE,
                         std::string("cannot load the program's code: ") +
                             ::dlerror());
  return image;
}

CodeImage::CodeImage(CodeImage &&other) noexcept
    : handle(std::exchange(other.handle, nullptr)),
      fd(std::exchange(other.fd, -1)) {}

CodeImage &CodeImage::operator=(CodeImage &&other) noexcept {
  std::swap(handle, other.handle);
  std::swap(fd, other.fd);
  return *this;
}

CodeImage::~CodeImage() {
  if (handle)
    ::dlclose(handle);
  if (fd >= 0)
    ::close(fd);
}

Expected<KernelFunction> CodeImage::find(const std::string &name) const {
  void *symbol = handle ? ::dlsym(handle, name.c_str()) : nullptr;
  if (!symbol)
    return Status::error(RP_DATA_LOSS,
                         "the program's code has no kernel '" + name + "'");
  return reinterpret_cast<KernelFunction>(symbol);
}

} // namespace reprise::rt
