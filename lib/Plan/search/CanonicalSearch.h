//===- CanonicalSearch.h - Items bottom up under a height -------*- C++ -*-===//
//
// One depth-first search for a packing, with one ranking of the items; see
// CanonicalSearch.cpp for its rules and ExactPacking.cpp for the choice of
// rankings.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_PLAN_CANONICALSEARCH_H
#define REPRISE_LIB_PLAN_CANONICALSEARCH_H

#include "../placement/Packing.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace reprise::plan {

/// Steps between two beginnings or ends of items, renumbered: in each section
/// the same items are live.
struct Sections {
  std::vector<uint32_t> first, last; // by item, inclusive
  uint32_t count = 0;

  static Sections of(const std::vector<PackItem> &items);
};

/// The decision to which a search returns after a branch without a packing.
enum class Retreat {
  /// The previous decision: complete.
  StepByStep,
  /// The last decision that the failure is attributed to. Much faster, but
  /// without a proof: exclusions that follow from the order of decisions are
  /// not traced.
  ToReason,
};

/// A set of decision levels, from 1; 0 stands for none and is never in it.
class LevelSet {
public:
  explicit LevelSet(uint32_t most = 0) : words(most / 64 + 1, 0) {}

  void clear() { words.assign(words.size(), 0); }
  void add(uint64_t level) {
    if (level)
      words[level / 64] |= uint64_t(1) << level % 64;
  }
  void addAll(const LevelSet &other) {
    for (size_t at = 0; at < words.size(); ++at)
      words[at] |= other.words[at];
  }
  void remove(uint64_t level) {
    words[level / 64] &= ~(uint64_t(1) << level % 64);
  }
  bool has(uint64_t level) const { return words[level / 64] >> level % 64 & 1; }

private:
  std::vector<uint64_t> words;
};

class CanonicalSearch {
public:
  /// The items must outlive it.
  CanonicalSearch(const std::vector<PackItem> &items, uint64_t height);

  /// `ranked` lists the items, first rank first. Impossible is a proof only
  /// with Retreat::StepByStep.
  ExactOutcome run(const std::vector<uint32_t> &ranked, Retreat retreat,
                   WorkLimit &limit);

  /// By item, after a run that found a packing.
  const std::vector<uint64_t> &offsets() const { return least; }
  /// By section: the number of failures there in the last run.
  const std::vector<uint64_t> &failures() const { return failed; }

  uint32_t countSections() const { return sections.count; }
  uint64_t bytesIn(uint32_t section) const;
  const std::vector<uint32_t> &membersOf(uint32_t section) const {
    return members[section];
  }

private:
  /// The place of the last item; the next ones come after it.
  struct Position {
    uint64_t offset;
    uint32_t rank;
    bool operator<(const Position &other) const {
      return offset != other.offset ? offset < other.offset : rank < other.rank;
    }
  };
  struct Candidate {
    Position at;
    uint32_t id;
    bool operator<(const Candidate &other) const { return at < other.at; }
  };
  /// A decision about some items that share no section with the others.
  struct Node {
    Position last;
    uint32_t level;
    uint32_t firstSection, lastSection; // inclusive
  };
  using Ids = std::vector<uint32_t>;

  void reset(const Ids &ranked);
  void set(uint64_t &slot, uint64_t value);
  void undo(size_t mark);
  void enter(const Node &node);

  ExactOutcome solveAll(const Ids &open, Position last, uint32_t level);
  ExactOutcome solve(const Ids &open, const Node &node);
  ExactOutcome descend(const Ids &open, const Candidate &candidate);
  std::vector<Candidate> findCandidates(const Ids &open, Position last) const;
  bool place(const Candidate &candidate);
  bool raiseNeighbours(uint32_t id, uint64_t end);
  bool skip(const Candidate &candidate);

  bool isInNode(uint32_t section) const {
    return current.firstSection <= section && section <= current.lastSection;
  }
  bool sectionsFit(uint32_t id);
  bool sectionFits(uint32_t section);
  void sortByRelease(uint32_t section);
  void blameSection(uint32_t section);
  bool restFits(uint64_t lastOffset);

  const std::vector<PackItem> &items;
  Sections sections;
  uint64_t height;
  std::vector<Ids> neighbours; // by item
  /// By section: the items still open first, in any order.
  std::vector<Ids> members;

  // By item; those in uint64_t are undone.
  std::vector<uint32_t> rank;
  std::vector<uint64_t> least;   // offset, or the end of the items placed below
  std::vector<uint64_t> leastBy; // level that set it
  std::vector<uint64_t> release; // least, or above if it failed there
  std::vector<uint64_t> releaseBy;
  std::vector<uint64_t> isPlaced;

  // By section.
  std::vector<uint64_t> floor;     // at most any release of an open member
  std::vector<uint64_t> ceiling;   // at least any of them
  std::vector<uint64_t> left;      // bytes of the open members
  std::vector<uint64_t> openCount; // members still open
  std::vector<uint64_t> stamp;     // epoch of the last check
  std::vector<uint64_t> failed;

  Node current{};
  uint64_t lowest = 0;   // nothing in the current node begins below
  uint64_t raisedTo = 0; // the latest change of a release
  uint64_t epoch = 0;
  uint32_t lastFailed = 0; // section
  LevelSet conflict;       // why the last branch failed
  std::vector<std::pair<uint64_t *, uint64_t>> log; // what to undo
  Retreat retreat = Retreat::StepByStep;
  WorkLimit *work = nullptr;
};

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_CANONICALSEARCH_H
