//===- Peers.cpp - The other processes of a run ---------------------------===//
//
// A process is recognized by its number and the time it began, which the system
// shows in /proc. Processes of other machines and of other containers are
// assumed to be alive; time-outs find these.
//
//===----------------------------------------------------------------------===//
#include "Peers.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <unistd.h>

namespace reprise::rt {

/// Returns the time a process began; nothing if it has ended. Processes that
/// nobody has waited for yet have ended too.
static std::optional<uint64_t> startOf(int64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  if (!std::getline(file, text))
    return std::nullopt;
  // The name in parentheses may contain anything.
  size_t end = text.rfind(')');
  if (end == std::string::npos)
    return std::nullopt;
  std::istringstream fields(text.substr(end + 1));
  std::string field;
  constexpr int kState = 1, kStart = 20;
  for (int number = 1; fields >> field; ++number) {
    if (number == kState && (field == "Z" || field == "X"))
      return std::nullopt;
    if (number == kStart)
      return std::strtoull(field.c_str(), nullptr, 10);
  }
  return std::nullopt;
}

/// FNV-1a of a machine's name, boot and space of process numbers.
static uint64_t thisMachine() {
  std::string text;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
  char name[256] = {};
  if (::readlink("/proc/self/ns/pid", name, sizeof name - 1) > 0)
    text += name;
  if (::gethostname(name, sizeof name - 1) == 0)
    text += name;
  uint64_t hash = 0xCBF29CE484222325;
  for (char c : text)
    hash = (hash ^ uint8_t(c)) * 0x100000001B3;
  return hash;
}

Peer thisPeer() {
  int64_t process = ::getpid();
  return {thisMachine(), process, startOf(process).value_or(0)};
}

bool isAlive(const Peer &peer) {
  std::optional<uint64_t> started = startOf(peer.process);
  return started && *started == peer.started;
}

std::vector<unsigned> lostOf(const std::vector<Peer> &peers, unsigned self) {
  std::vector<unsigned> lost;
  for (unsigned rank = 0; rank < peers.size(); ++rank)
    if (rank != self && peers[rank].machine == peers[self].machine &&
        !isAlive(peers[rank]))
      lost.push_back(rank);
  return lost;
}

} // namespace reprise::rt
