//===- slow_link.cpp - MPI as by a slower link ----------------------------===//
//
// Preloaded into a rank, lets what the rank receives arrive at a rate and with
// a latency, as by a link that only it uses. The processor is free meanwhile.
//
//   SLOW_LINK=BYTES_PER_SECOND,SECONDS LD_PRELOAD=slow_link.so reprise train
//   ...
//
//===----------------------------------------------------------------------===//
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mpi.h>
#include <mutex>

using Clock = std::chrono::steady_clock;

namespace {

struct Message {
  double bytes = 0;
  bool hasArrived = false; // by the real link
  Clock::time_point due;   // by the slow one
};

struct SlowLink {
  SlowLink() {
    const char *text = std::getenv("SLOW_LINK");
    if (!text || std::sscanf(text, "%lf,%lf", &rate, &latency) != 2 ||
        !(rate > 0) || !(latency >= 0)) {
      std::fprintf(stderr, "SLOW_LINK is not BYTES_PER_SECOND,SECONDS\n");
      std::exit(2);
    }
  }
  /// Messages follow one another; those that come together share a latency.
  Clock::time_point arrivalOf(double bytes) {
    auto duration = [](double seconds) {
      return std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(seconds));
    };
    Clock::time_point now = Clock::now();
    if (free < now)
      free = now + duration(latency);
    return free += duration(bytes / rate);
  }

  double rate = 0, latency = 0;
  Clock::time_point free;
  std::map<MPI_Request, Message> messages;
  std::mutex mutex;
};

SlowLink &slowLink() {
  static SlowLink link;
  return link;
}

} // namespace

extern "C" int MPI_Irecv(void *data, int count, MPI_Datatype type, int source,
                         int tag, MPI_Comm ranks, MPI_Request *request) {
  int code = PMPI_Irecv(data, count, type, source, tag, ranks, request);
  int size = 0;
  PMPI_Type_size(type, &size);
  SlowLink &link = slowLink();
  std::lock_guard<std::mutex> lock(link.mutex);
  // Requests that move in memory, as those of a vector that grows, are found
  // by their values.
  link.messages[*request] = {double(count) * size, false, {}};
  return code;
}

extern "C" int MPI_Test(MPI_Request *request, int *done, MPI_Status *status) {
  SlowLink &link = slowLink();
  std::lock_guard<std::mutex> lock(link.mutex);
  auto found = link.messages.find(*request);
  if (found == link.messages.end())
    return PMPI_Test(request, done, status);
  Message &message = found->second;
  if (!message.hasArrived) {
    int code = PMPI_Request_get_status(*request, done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || !*done)
      return code;
    message.hasArrived = true;
    message.due = link.arrivalOf(message.bytes);
  }
  *done = Clock::now() >= message.due;
  if (!*done)
    return MPI_SUCCESS;
  link.messages.erase(found);
  return PMPI_Test(request, done, status);
}
