//===- RooflineCacheTest.cpp - A machine's speed is measured once ---------===//

#include "reprise/Driver/RooflineCache.h"
#include "reprise/Runtime/Trainer/PathLock.h"
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <mutex>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace reprise;
using namespace reprise::driver;

namespace {
class RooflineCache : public testing::Test {
protected:
  RooflineCache() {
    char name[] = "/tmp/roofline-XXXXXX";
    folder = ::mkdtemp(name);
    path = folder + "/a/b/roofline.json";
  }
  ~RooflineCache() override { std::filesystem::remove_all(folder); }

  double get(MachineId machine = {"cpu", "p", "l", 2}) {
    std::string note;
    auto roofline = cachedRoofline(
        path, machine,
        [&](unsigned threads) -> rt::Expected<rt::Roofline> {
          EXPECT_EQ(threads, machine.threads);
          int number = ++measured;
          std::this_thread::sleep_for(measuring);
          return rt::Roofline{100.0 + number, 7.25, 1000};
        },
        note);
    EXPECT_TRUE(roofline.ok());
    EXPECT_EQ(roofline->gigabytesPerSecond, 7.25);
    EXPECT_EQ(roofline->narrowGflops, 1000);
    std::lock_guard<std::mutex> guard(mutex);
    this->note = note;
    return roofline->gflops;
  }
  void write(const std::string &text) { std::ofstream(path) << text; }

  std::string folder, path, note;
  std::atomic<int> measured{0};
  std::chrono::milliseconds measuring{0};
  std::mutex mutex; // of `note`
};
} // namespace

TEST_F(RooflineCache, is_asked_before_the_machine) {
  EXPECT_EQ(get(), 101);
  EXPECT_EQ(get(), 101);
  EXPECT_EQ(measured, 1);
  EXPECT_EQ(note, "");
}

TEST_F(RooflineCache, is_not_of_another_machine) {
  EXPECT_EQ(get(), 101);
  EXPECT_EQ(get({"cpu", "q", "l", 2}), 102);
  EXPECT_EQ(get({"cpu", "q", "m", 2}), 103);
  EXPECT_EQ(get({"cpu", "q", "m", 3}), 104);
  EXPECT_EQ(get({"cpu", "q", "m", 3}), 104);
}

TEST_F(RooflineCache, damage_is_measured_over) {
  get();
  std::string whole;
  std::getline(std::ifstream(path), whole, '\0');
  for (std::string text :
       {std::string(), std::string("{"), std::string("[1]"),
        whole.substr(0, whole.size() / 2),
        std::string("{\"processor\":\"p\",\"library\":\"l\",\"threads\":2,"
                    "\"gflops\":-1,\"gbytes_per_second\":3}"),
        std::string("{\"processor\":\"p\",\"library\":\"l\",\"threads\":2,"
                    "\"gflops\":\"1\",\"gbytes_per_second\":3}"),
        std::string("{\"processor\":\"p\",\"library\":\"l\",\"threads\":2,"
                    "\"gflops\":1,\"gflops_16bit\":-1,"
                    "\"gbytes_per_second\":3}")}) {
    write(text);
    int before = measured;
    get();
    EXPECT_EQ(measured, before + 1) << text;
    EXPECT_NE(note.find("is damaged"), std::string::npos) << text;
    get();
    EXPECT_EQ(measured, before + 1) << "was not mended: " << text;
  }
}

TEST_F(RooflineCache, of_an_older_version_is_measured_over_in_silence) {
  get();
  write("{\"processor\":\"p\",\"library\":\"l\",\"threads\":2,"
        "\"gflops\":1,\"gbytes_per_second\":3}");
  EXPECT_EQ(get(), 102);
  EXPECT_EQ(note, "");
  EXPECT_EQ(get(), 102);
}

TEST_F(RooflineCache, several_at_once_measure_once) {
  measuring = std::chrono::milliseconds(300);
  std::vector<std::thread> threads;
  std::atomic<int> same{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { same += get() == 101; });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(measured, 1);
  EXPECT_EQ(same, 4);
  EXPECT_EQ(note, "");
  EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
}

TEST_F(RooflineCache, holder_that_was_killed_is_not_waited_for) {
  std::filesystem::create_directories(folder + "/a/b");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  pid_t holder = ::fork();
  if (holder == 0) {
    auto lock = rt::PathLock::acquire(path);
    char byte = lock.ok();
    (void)!::write(ready[1], &byte, 1);
    for (;;)
      ::pause();
  }
  char isHeld = 0;
  ASSERT_EQ(::read(ready[0], &isHeld, 1), 1);
  ASSERT_EQ(isHeld, 1);
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_EQ(measured, 0); // waits while it lives
    ::kill(holder, SIGKILL);
  });
  EXPECT_EQ(get(), 101);
  killer.join();
  ::waitpid(holder, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(RooflineCache, may_be_unwritable) {
  std::ofstream(folder + "/a") << "a file where a folder should be";
  EXPECT_EQ(get(), 101);
  EXPECT_NE(note.find("measured again each time"), std::string::npos) << note;
  EXPECT_EQ(get(), 102);
}

TEST_F(RooflineCache, pipe_in_its_place_is_left_alone) {
  get();
  ASSERT_EQ(::unlink(path.c_str()), 0);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  int before = measured;
  get(); // would wait for somebody else at the pipe for ever
  EXPECT_EQ(measured, before + 1);
  EXPECT_NE(note.find("not a regular file"), std::string::npos) << note;
  struct stat info;
  ASSERT_EQ(::lstat(path.c_str(), &info), 0);
  EXPECT_TRUE(S_ISFIFO(info.st_mode));
}

TEST_F(RooflineCache, lies_where_caches_lie) {
  ::setenv("XDG_CACHE_HOME", "/x", 1);
  ::setenv("HOME", "/h", 1);
  EXPECT_EQ(rooflineCachePath({"cpu", "p", "l", 2}),
            "/x/reprise/roofline-cpu-2.json");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(rooflineCachePath({"cpu", "p", "l", 3}),
            "/h/.cache/reprise/roofline-cpu-3.json");
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("HOME");
  EXPECT_EQ(rooflineCachePath({"cpu", "p", "l", 2}), "");
}
