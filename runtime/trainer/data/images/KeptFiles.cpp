//===- KeptFiles.cpp - Files used as rows, without bad ones ---------------===//

#include "KeptFiles.h"
#include "../../WorkerPool.h"
#include "reprise/Runtime/NameText.h"
#include "reprise/Runtime/Trainer/Loader.h"
#include <atomic>

using namespace reprise::rt;

Status KeptFiles::prune(unsigned threads, const Look &look) {
  std::vector<uint8_t> isBad(count);
  WorkerPool pool(loaderThreads(/*isCostly=*/true, threads, count));
  REPRISE_RETURN_IF_ERROR(pool.run(count, [&](size_t file) {
    bool bad = false;
    Status status = look(file, bad);
    isBad[file] = bad;
    return status;
  }));
  for (uint64_t file = 0; file < isBad.size(); ++file) {
    if (!isBad[file])
      kept.push_back(file);
    else if (left.count++ == 0)
      left.first = name(file);
  }
  isPruned = true;
  return Status();
}

Expected<uint64_t>
KeptFiles::checkAll(unsigned threads, Dataset::Moment until,
                    const std::function<Status(uint64_t file)> &check) const {
  WorkerPool pool(loaderThreads(/*isCostly=*/true, threads, size()));
  std::atomic<uint64_t> checked{0};
  Status status = pool.run(size(), [&](size_t row) {
    if (std::chrono::steady_clock::now() >= until)
      return Status();
    ++checked;
    return check(fileOf(row));
  });
  return status.ok() ? Expected<uint64_t>(checked.load()) : status;
}

Status KeptFiles::noneLeft(const std::string &source, const char *what) const {
  return Status::error(RP_DATA_LOSS,
                       std::string("no ") + what + " of '" + source +
                           "' can be read and decoded, the first of them '" +
                           nameText(left.first) + "'");
}
