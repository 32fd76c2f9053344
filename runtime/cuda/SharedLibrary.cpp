//===- SharedLibrary.cpp - Libraries opened on demand ---------------------===//
#include "SharedLibrary.h"

#include <cstdlib>
#include <dlfcn.h>

namespace reprise::rt::cuda {

/// Returns the folders of toolkits that the loader may not know; "" leaves the
/// search to the loader.
static std::vector<std::string> folders() {
  std::vector<std::string> result = {""};
  if (const char *root = std::getenv("CUDA_PATH"); root && *root)
    for (const char *name : {"/lib64/", "/lib/"})
      result.push_back(root + std::string(name));
  result.push_back("/usr/local/cuda/lib64/");
  return result;
}

Expected<SharedLibrary>
SharedLibrary::open(const std::string &what,
                    const std::vector<std::string> &files,
                    const std::string &advice) {
  std::string reason;
  for (const std::string &folder : folders())
    for (const std::string &file : files) {
      if (void *handle = dlopen((folder + file).c_str(), RTLD_NOW | RTLD_LOCAL))
        return SharedLibrary(file, handle);
      // The error of the first one is more useful than the absence of the
      // others.
      if (const char *error = dlerror(); error && reason.empty())
        reason = error;
    }
  return Status::error(RP_UNAVAILABLE,
                       "no " + what + ": " + reason + "; " + advice);
}

void *SharedLibrary::find(const char *name) const {
  return dlsym(handle, name);
}

Status SharedLibrary::status() const {
  if (missing.empty())
    return {};
  return Status::error(RP_UNAVAILABLE, file + " has no function " + missing +
                                           "; a newer version is needed");
}

} // namespace reprise::rt::cuda
