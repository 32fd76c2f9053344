//===- PeersTest.cpp - Processes that end ---------------------------------===//
#include "../../../runtime/comm/Peers.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace reprise::rt;

/// A child that waits for a signal.
static Peer startChild() {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  Peer child;
  child.process = ::fork();
  if (child.process == 0) {
    Peer self = thisPeer();
    ssize_t written = ::write(ends[1], &self, sizeof self);
    ::pause();
    ::_exit(written == sizeof self ? 0 : 1);
  }
  EXPECT_EQ(::read(ends[0], &child, sizeof child), ssize_t(sizeof child));
  ::close(ends[0]);
  ::close(ends[1]);
  return child;
}

TEST(Peers, FindThoseThatEnded) {
  std::vector<Peer> peers = {thisPeer(), startChild(), startChild()};
  EXPECT_EQ(peers[1].machine, peers[0].machine);
  EXPECT_EQ(lostOf(peers, 0), std::vector<unsigned>());
  ::kill(pid_t(peers[2].process), SIGKILL);
  // Nobody has waited for it yet.
  siginfo_t info;
  ASSERT_EQ(::waitid(P_PID, id_t(peers[2].process), &info, WEXITED | WNOWAIT),
            0);
  EXPECT_EQ(lostOf(peers, 0), std::vector<unsigned>{2});
  EXPECT_EQ(lostOf(peers, 2), std::vector<unsigned>())
      << "it is not its own peer";
  ::waitpid(pid_t(peers[2].process), nullptr, 0);
  EXPECT_EQ(lostOf(peers, 0), std::vector<unsigned>{2});
  peers[2].machine += 1;
  EXPECT_EQ(lostOf(peers, 0), std::vector<unsigned>()) << "of another machine";
  ::kill(pid_t(peers[1].process), SIGKILL);
  ::waitpid(pid_t(peers[1].process), nullptr, 0);
}

TEST(Peers, AreOthersWhenTheirNumberIsUsedAgain) {
  Peer self = thisPeer();
  EXPECT_TRUE(isAlive(self));
  ++self.started;
  EXPECT_FALSE(isAlive(self));
}
