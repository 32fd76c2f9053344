//===- OrderCheck.cpp - Work of streams that nothing orders ---------------===//

#include "OrderCheck.h"
#include <algorithm>

using namespace reprise::gpu_test;
using reprise::rt::cuda::Touch;

void OrderCheck::addStream() {
  clocks.emplace_back();
  given.emplace_back();
}

void OrderCheck::join(Clock &into, const Clock &from) {
  into.resize(std::max(into.size(), from.size()));
  for (size_t i = 0; i < from.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

static bool overlap(const Touch &a, const Touch &b) {
  return (a.isWritten || b.isWritten) && a.begin < b.begin + b.bytes &&
         b.begin < a.begin + a.bytes;
}

static bool overlap(const std::vector<Touch> &a, const std::vector<Touch> &b) {
  return std::any_of(a.begin(), a.end(), [&](const Touch &one) {
    return std::any_of(b.begin(), b.end(),
                       [&](const Touch &other) { return overlap(one, other); });
  });
}

std::vector<std::string> OrderCheck::give(size_t stream,
                                          const std::string &what,
                                          const std::vector<Touch> &touches) {
  std::vector<std::string> problems;
  // The host gives it after all that it waited for.
  join(clocks[stream], host);
  Clock &now = clocks[stream];
  now.resize(clocks.size());
  for (size_t other = 0; other < given.size(); ++other) {
    if (other == stream)
      continue;
    for (auto it = given[other].rbegin();
         it != given[other].rend() && it->number > now[other]; ++it)
      if (overlap(touches, it->touches))
        problems.push_back("order: " + what + " of stream " +
                           std::to_string(stream) + " and " + it->what +
                           " of stream " + std::to_string(other) +
                           " touch the same bytes, and nothing orders them");
  }
  given[stream].push_back({++now[stream], what, touches});
  forget();
  return problems;
}

void OrderCheck::forget() {
  for (size_t stream = 0; stream < given.size(); ++stream) {
    uint64_t known = UINT64_MAX;
    for (size_t other = 0; other < clocks.size(); ++other)
      if (other != stream) {
        join(clocks[other], host);
        clocks[other].resize(clocks.size());
        known = std::min(known, clocks[other][stream]);
      }
    while (!given[stream].empty() && given[stream].front().number <= known)
      given[stream].pop_front();
  }
}
