//===- TeamTest.cpp - Threads that compute one thing together -------------===//
//
// The team by itself, and what the library makes of it.
//
//===----------------------------------------------------------------------===//
#include "../../../runtime/cpu/Grains.h"
#include "../../../runtime/cpu/LibraryCalls.h"
#include "../../../runtime/cpu/ThreadScope.h"

#include <atomic>
#include <gtest/gtest.h>
#include <set>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace reprise;
using rt::Team;
using rt::ThreadScope;

extern "C" {
void GOMP_parallel(void (*body)(void *), void *data, unsigned members,
                   unsigned flags);
void GOMP_barrier();
int omp_get_max_threads();
int omp_get_num_threads();
int omp_get_thread_num();
int omp_in_parallel();
}

static std::unique_ptr<Team> makeTeam(unsigned threads) {
  rt::Expected<std::unique_ptr<Team>> team = Team::create(threads);
  EXPECT_EQ(team.status().message(), "");
  return std::move(*team);
}

namespace {
/// Calls `body(member)` for all members, in OpenMP's way of passing data.
template <typename Body> struct Call {
  Body body;
  static void work(void *self, unsigned member) {
    static_cast<Call *>(self)->body(member);
  }
  static void region(void *self) {
    static_cast<Call *>(self)->body(unsigned(omp_get_thread_num()));
  }
};
} // namespace

template <typename Body>
static void runOn(Team &team, unsigned members, Body body) {
  Call<Body> call{body};
  team.run(members, Call<Body>::work, &call);
}

template <typename Body> static void parallel(unsigned members, Body body) {
  Call<Body> call{body};
  GOMP_parallel(Call<Body>::region, &call, members, 0);
}

TEST(Team, RunsEveryMemberOnItsOwnThread) {
  for (unsigned threads : {1u, 2u, 5u}) {
    std::unique_ptr<Team> team = makeTeam(threads);
    std::vector<std::thread::id> ids(threads);
    for (int round = 0; round < 100; ++round)
      runOn(*team, threads,
            [&](unsigned m) { ids[m] = std::this_thread::get_id(); });
    EXPECT_EQ(std::set<std::thread::id>(ids.begin(), ids.end()).size(),
              threads);
    EXPECT_EQ(ids[0], std::this_thread::get_id());
  }
}

TEST(Team, AnyThreadMayCallIt) {
  std::unique_ptr<Team> team = makeTeam(3);
  std::atomic<unsigned> sum{0};
  for (int round = 0; round < 20; ++round)
    std::thread([&] {
      runOn(*team, 3, [&](unsigned m) { sum += m + 1; });
    }).join();
  EXPECT_EQ(sum, 20u * 6u);
}

TEST(Team, ACallOfFewerMembersLeavesTheOthersAlone) {
  std::unique_ptr<Team> team = makeTeam(4);
  std::vector<int> calls(4);
  for (unsigned members : {4u, 2u, 1u, 3u, 4u})
    runOn(*team, members, [&](unsigned m) { ++calls[m]; });
  EXPECT_EQ(calls, (std::vector<int>{5, 4, 3, 2}));
}

TEST(Team, NobodyPassesABarrierBeforeTheLastHasCome) {
  std::unique_ptr<Team> team = makeTeam(3);
  std::atomic<int> come{0};
  std::atomic<bool> early{false};
  runOn(*team, 3, [&](unsigned m) {
    for (int round = 1; round <= 2000; ++round) {
      // Someone comes late, once in a while by more than a spin.
      if (round % 500 == int(m))
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ++come;
      team->barrier();
      if (come < 3 * round)
        early = true;
      team->barrier();
    }
  });
  EXPECT_FALSE(early);
  EXPECT_EQ(come, 6000);
}

// In a process that has no room for another stack.
TEST(Team, IsRefusedWhereTheSystemGivesFewerThreads) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer needs its addresses";
#endif
  int channel[2];
  ASSERT_EQ(::pipe(channel), 0);
  pid_t child = ::fork();
  if (child == 0) {
    rlimit limit = {64 << 20, 64 << 20};
    ::setrlimit(RLIMIT_AS, &limit);
    rt::Status status = Team::create(1000).status();
    std::string text = std::to_string(status.code()) + " " + status.message();
    ssize_t written = ::write(channel[1], text.data(), text.size());
    ::_exit(written > 0 ? 0 : 1);
  }
  ::close(channel[1]);
  std::string text(1000, ' ');
  ssize_t got = ::read(channel[0], text.data(), text.size());
  ::close(channel[0]);
  ::waitpid(child, nullptr, 0);
  ASSERT_GT(got, 0);
  text.resize(size_t(got));
  EXPECT_EQ(text.rfind(std::to_string(RP_UNAVAILABLE) +
                           " the program runs on 1000 threads, and the system "
                           "gives ",
                       0),
            0u)
      << text;
  EXPECT_NE(text.find("compile for fewer threads"), std::string::npos) << text;
}

//===----------------------------------------------------------------------===//
// Grains
//===----------------------------------------------------------------------===//

TEST(Grains, AreGivenOnceHoweverSlowAMemberIs) {
  for (int64_t count : {1, 7, 64, 1001}) {
    rt::Grains grains(3);
    grains.share(count, 3);
    std::vector<int> given(static_cast<size_t>(count));
    int64_t begin = 0, end = 0;
    // Member 2 takes one chunk and nothing more.
    if (grains.take(2, begin, end))
      for (int64_t k = begin; k < end; ++k)
        ++given[size_t(k)];
    for (unsigned member : {0u, 1u})
      while (grains.take(member, begin, end))
        for (int64_t k = begin; k < end; ++k)
          ++given[size_t(k)];
    EXPECT_EQ(given, std::vector<int>(size_t(count), 1));
  }
}

//===----------------------------------------------------------------------===//
// What the library sees
//===----------------------------------------------------------------------===//

TEST(ThreadScope, RegionsHaveTheTeamsMembers) {
  std::unique_ptr<Team> team = makeTeam(3);
  ThreadScope scope(*team);
  EXPECT_EQ(omp_get_max_threads(), 3);
  EXPECT_EQ(omp_get_num_threads(), 1);
  EXPECT_FALSE(omp_in_parallel());
  for (unsigned members : {0u, 2u, 3u}) {
    std::atomic<int> sum{0}, wrong{0};
    int expected = members == 0 ? 3 : int(members);
    parallel(members, [&](unsigned m) {
      sum += int(m) + 1;
      GOMP_barrier();
      if (sum != expected * (expected + 1) / 2 || !omp_in_parallel() ||
          omp_get_num_threads() != expected)
        ++wrong;
    });
    EXPECT_EQ(wrong, 0) << members;
  }
  EXPECT_EQ(omp_get_num_threads(), 1);
  EXPECT_EQ(scope.status().message(), "");
}

TEST(ThreadScope, ARegionWithinARegionIsItsThreadsOwn) {
  std::unique_ptr<Team> team = makeTeam(2);
  ThreadScope scope(*team);
  std::atomic<int> inner{0}, wrong{0};
  parallel(2, [&](unsigned outer) {
    parallel(2, [&](unsigned m) {
      ++inner;
      GOMP_barrier();
      wrong += m != 0 || omp_get_num_threads() != 1 || !omp_in_parallel();
    });
    wrong += omp_get_num_threads() != 2 || omp_get_thread_num() != int(outer);
  });
  EXPECT_EQ(inner, 2);
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadScope, ARegionOfMoreThanTheTeamIsAnErrorAndDoesNotRun) {
  std::unique_ptr<Team> team = makeTeam(2);
  ThreadScope scope(*team);
  bool ran = false;
  parallel(3, [&](unsigned) { ran = true; });
  EXPECT_FALSE(ran);
  EXPECT_EQ(scope.status().code(), RP_INTERNAL);
  EXPECT_EQ(scope.status().message(),
            "oneDNN asked for 3 threads of a team of 2");
}

TEST(ThreadScope, TheProcessKeepsItsOwnThreads) {
  int before = omp_get_max_threads();
  {
    ThreadScope planning(before + 5);
    EXPECT_EQ(omp_get_max_threads(), before + 5);
    std::unique_ptr<Team> team = makeTeam(before + 2);
    ThreadScope running(*team);
    EXPECT_EQ(omp_get_max_threads(), before + 2);
    std::thread([&] { EXPECT_EQ(omp_get_num_threads(), 1); }).join();
  }
  EXPECT_EQ(omp_get_max_threads(), before);
}

TEST(ThreadScope, OneDnnIsSeenToRunOnTheTeam) {
  for (unsigned threads : {1u, 2u, 7u, 64u}) {
    std::unique_ptr<Team> team = makeTeam(threads);
    EXPECT_EQ(rt::checkLibraryThreads(*team).message(), "") << threads;
  }
}

// A scope in which nobody asked or ran, as if oneDNN were bound elsewhere.
TEST(ThreadScope, OneDnnThatIsNotSeenIsRefused) {
  std::unique_ptr<Team> team = makeTeam(2);
  ThreadScope scope(*team);
  EXPECT_EQ(scope.checkSeen().code(), RP_UNAVAILABLE);
  omp_get_max_threads();
  EXPECT_EQ(scope.checkSeen().code(), RP_UNAVAILABLE);
  parallel(2, [](unsigned) {});
  EXPECT_EQ(scope.checkSeen().message(), "");
}
