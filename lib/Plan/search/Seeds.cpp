//===- Seeds.cpp - The values that a cut keeps, as a sequence -------------===//
//
// Input:   a graph, a cut, the storages that are resident there.
// Output:  a sequence, valid but not settled.
// Method:  recomputation on demand.
// Cost:    linear in the result.
//
//===----------------------------------------------------------------------===//
#include "Seeds.h"

#include "SeedRun.h"

namespace reprise::plan {

namespace {

class CutRun : public SeedRun {
public:
  CutRun(const CompactGraph &graph, Rank cut, const std::vector<bool> &kept)
      : SeedRun(graph), cut(cut), kept(kept) {}

  Sequence run() {
    for (next = 0; next < graph.opCount(); ++next) {
      if (!execute(next))
        return {};
      if (next == cut)
        dropAtCut();
    }
    return std::move(sequence);
  }

private:
  void dropAtCut() {
    for (StorageId id = 0; id < graph.storageCount(); ++id) {
      Rank producer = graph.producer[id];
      if (producer == kNone || producer >= cut || kept[id])
        continue;
      bool readTooLate = !graph.readers[id].empty() &&
                         graph.readers[id].back() > graph.cloneBefore[producer];
      if (!readTooLate && !graph.livesToEnd[id])
        isResident[id] = false;
    }
  }

  Rank cut;
  const std::vector<bool> &kept;
};

} // namespace

Sequence recomputeBehind(const CompactGraph &graph, Rank cut,
                         const std::vector<bool> &resident) {
  return CutRun(graph, cut, resident).run();
}

} // namespace reprise::plan
