//===- SharedLibrary.h - Libraries opened when asked for --------*- C++ -*-===//
//
// Nothing of the project is linked with CUDA: its libraries are opened by name
// where they are needed, and say clearly where they are not. They stay open
// until the process ends, as their own threads may.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CUDA_SHAREDLIBRARY_H
#define REPRISE_RUNTIME_CUDA_SHAREDLIBRARY_H

#include "reprise/Runtime/Status.h"
#include <string>
#include <vector>

namespace reprise::rt::cuda {

class SharedLibrary {
public:
  /// Opens the first of `files` that there is: each where the system's loader
  /// looks, then in the folders of the toolkit. Fails with RP_UNAVAILABLE:
  /// "no `what`: ... `advice`".
  static Expected<SharedLibrary> open(const std::string &what,
                                      const std::vector<std::string> &files,
                                      const std::string &advice);

  /// Sets `function` to the library's of that name; remembers one it lacks.
  template <typename Function>
  SharedLibrary &bind(const char *name, Function &function) {
    function = reinterpret_cast<Function>(find(name));
    if (!function && missing.empty())
      missing = name;
    return *this;
  }
  /// RP_UNAVAILABLE if a function was not there.
  Status status() const;

private:
  SharedLibrary(std::string file, void *handle)
      : file(std::move(file)), handle(handle) {}
  void *find(const char *name) const;

  std::string file, missing;
  void *handle;
};

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_SHAREDLIBRARY_H
