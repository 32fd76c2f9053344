//===- SharedLibrary.h - Libraries opened on demand -------------*- C++ -*-===//
//
// Nothing of the project is linked with CUDA: its libraries are opened by name
// on demand, with a clear error if they are missing. They stay open until the
// process ends, since their threads may run until then.
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
  /// Opens the first of `files` that exists: each where the system's loader
  /// looks, then in the folders of the toolkit. Fails with RP_UNAVAILABLE: "no
  /// `what`: ... `advice`".
  static Expected<SharedLibrary> open(const std::string &what,
                                      const std::vector<std::string> &files,
                                      const std::string &advice);

  /// Sets `function` to the library's function of that name; remembers a
  /// missing one.
  template <typename Function>
  SharedLibrary &bind(const char *name, Function &function) {
    function = reinterpret_cast<Function>(find(name));
    if (!function && missing.empty())
      missing = name;
    return *this;
  }
  /// Returns RP_UNAVAILABLE if a function was missing.
  Status status() const;

private:
  SharedLibrary(std::string file, void *handle)
      : file(std::move(file)), handle(handle) {}
  void *find(const char *name) const;

  std::string file, missing;
  void *handle;
};

/// Returns the functions that the first call loads.
template <typename Functions, Expected<Functions> (*load)()>
Expected<const Functions *> loadedOnce() {
  static const Expected<Functions> library = load();
  if (!library.ok())
    return library.status();
  return &*library;
}

/// Returns "cuDNN 9.19.0" for 91900.
inline std::string versionText(const char *library, size_t version) {
  return std::string(library) + " " + std::to_string(version / 10000) + "." +
         std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_SHAREDLIBRARY_H
