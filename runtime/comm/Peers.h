//===- Peers.h - The other processes of a run -------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_COMM_PEERS_H
#define REPRISE_RUNTIME_COMM_PEERS_H

#include <cstdint>
#include <vector>

namespace reprise::rt {

/// A process, as the others of its machine can recognize it.
struct Peer {
  uint64_t machine = 0; // equal on one machine alone
  int64_t process = 0;
  uint64_t started = 0; // so that a later process of this number is another
};

/// Describes this process.
Peer thisPeer();

/// Returns true unless the process, which is one of this machine, has ended.
bool isAlive(const Peer &peer);

/// Returns the ranks of this machine that have ended.
std::vector<unsigned> lostOf(const std::vector<Peer> &peers, unsigned self);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_COMM_PEERS_H
