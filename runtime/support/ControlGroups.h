//===- ControlGroups.h - The control groups of this process -----*- C++ -*-===//
#ifndef REPRISE_SUPPORT_CONTROLGROUPS_H
#define REPRISE_SUPPORT_CONTROLGROUPS_H

#include <functional>
#include <string>

namespace reprise::rt {

/// The two versions of the kernel's interface.
enum class GroupVersion { One, Two };

/// Calls `visit` with the folder of every control group that limits this
/// process by `controller` ("memory", "cpu"): its own group first, then the
/// groups around it, up to the root of the mount. In a container
/// /proc/self/cgroup may give the host's path; then only the root of the mount
/// exists. `root` is a prefix of the paths of /proc and /sys.
void forEachControlGroup(
    const std::string &root, const std::string &controller,
    const std::function<void(const std::string &folder, GroupVersion)> &visit);

} // namespace reprise::rt

#endif // REPRISE_SUPPORT_CONTROLGROUPS_H
