//===- ControlGroups.cpp - The control groups of this process -------------===//
#include "ControlGroups.h"
#include <fstream>

using namespace reprise::rt;

void reprise::rt::forEachControlGroup(
    const std::string &root, const std::string &controller,
    const std::function<void(const std::string &, GroupVersion)> &visit) {
  std::string mounts = root + "/sys/fs/cgroup";
  std::ifstream file(root + "/proc/self/cgroup");
  // Lines are "ID:CONTROLLERS:PATH"; version 2 has no controllers.
  for (std::string line; std::getline(file, line);) {
    size_t first = line.find(':');
    size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string list = "," + line.substr(first + 1, second - first - 1) + ",";
    bool isSecond = list == ",,";
    if (!isSecond && list.find("," + controller + ",") == std::string::npos)
      continue;
    GroupVersion version = isSecond ? GroupVersion::Two : GroupVersion::One;
    std::string mount = isSecond ? mounts : mounts + "/" + controller;
    std::string path = line.substr(second + 1);
    while (!path.empty() && path != "/") {
      visit(mount + path, version);
      path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
    visit(mount, version);
  }
}
