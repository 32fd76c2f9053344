//===- Saving.h - Mark the time of writing files ----------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_SAVING_H
#define REPRISE_RUNTIME_TRAINER_SAVING_H

#include <atomic>

namespace reprise::rt {

/// Sets a flag, if not null, while files are written.
class Saving {
public:
  explicit Saving(std::atomic<bool> *flag) : flag(flag) { set(true); }
  ~Saving() { set(false); }
  Saving(const Saving &) = delete;
  Saving &operator=(const Saving &) = delete;

private:
  void set(bool value) {
    if (flag)
      flag->store(value);
  }
  std::atomic<bool> *flag;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_SAVING_H
