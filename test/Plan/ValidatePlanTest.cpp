//===- ValidatePlanTest.cpp - Damaged plans are refused -------------------===//
//
// Correct plans of random graphs with random recomputation pass; each kind of
// damage is done to as many of them as allow it, and every one is found. A
// kind that could hardly be applied fails its test too.
//
//===----------------------------------------------------------------------===//
#include "GraphBuilder.h"
#include "reprise/Plan/Recompute.h"

#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <random>

using namespace reprise::plan;
using namespace reprise::plan::test;

namespace {

constexpr uint64_t kSeeds = 400;

using Random = std::mt19937_64;

struct Case {
  Graph graph;
  Executions executions;
  Plan plan;
};

} // namespace

/// A random graph with an effect that overwrites a variable at its end.
static Graph makeGraph(uint64_t seed) {
  RandomGraphOptions options;
  options.ops = 8 + seed % 17;
  GraphBuilder b;
  b.graph = makeRandomGraph(seed, options);
  ValueId variable = 1;
  Random random(seed);
  ValueId gradient = 0;
  for (ValueId root = variable; root == variable;) {
    root = gradient = random() % b.graph.values.size();
    while (b.graph.values[root].viewOf != kNone)
      root = b.graph.values[root].viewOf;
  }
  OpId update = b.op("update", {variable, gradient});
  b.result(update, b.graph.values[variable].bytes, StorageClass::Fixed);
  b.graph.ops[update].runsOnce = true;
  b.graph.ops[update].overwrites = {variable};
  b.graph.ops[update].workspaceBytes = 100;
  b.result(b.op("after", {gradient}), 300, StorageClass::Output);
  for (Op &op : b.graph.ops)
    op.cost = 0.25 * (1 + random() % 40);
  return b.graph;
}

static Executions addClones(const Graph &graph, Random &random) {
  Executions executions = programOrder(graph).order;
  for (int i = 0; i < 6; ++i) {
    Executions tried = executions;
    tried.insert(tried.begin() + random() % (tried.size() + 1),
                 random() % graph.ops.size());
    if (checkExecutions(graph, tried).empty())
      executions = tried;
  }
  return executions;
}

static Case makeCase(uint64_t seed) {
  Case c;
  c.graph = makeGraph(seed);
  Random random(seed + 1000);
  c.executions = addClones(c.graph, random);
  c.plan = makePlan(c.graph, c.executions, 0);
  return c;
}

TEST(ValidatePlan, CorrectPlansPass) {
  uint64_t clones = 0, inPlace = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Case c = makeCase(seed);
    ASSERT_EQ(checkGraph(c.graph), "");
    ASSERT_EQ(validatePlan(c.graph, c.plan), "") << seed;
    clones += c.executions.size() - c.graph.ops.size();
    for (const Op &op : c.graph.ops)
      inPlace += op.inPlace.size();
  }
  EXPECT_GT(clones, kSeeds);
  EXPECT_GT(inPlace, kSeeds);
}

TEST(ValidatePlan, StepsOfResNetsPass) {
  Graph graph = makeResNetStep({{3, 8, 36, 3}, 8, Keep::BlockInputs});
  Plan plan = makePlan(graph, programOrder(graph).order, 0);
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(validatePlan(graph, plan), "");
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::cout << plan.steps.size() << " steps in " << took.count() << " s\n";
}

//===----------------------------------------------------------------------===//
// Damage
//===----------------------------------------------------------------------===//

/// Damages a plan; false where this one offers no place for it.
using Damage = std::function<bool(Case &, Random &)>;

/// Every damaged plan must be refused, and at least `least` of a hundred
/// plans must have been damaged.
static void expectCaught(const Damage &damage, uint64_t least = 50) {
  uint64_t applied = 0, missed = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Case c = makeCase(seed);
    Random random(seed + 77);
    if (!damage(c, random))
      continue;
    ++applied;
    if (!validatePlan(c.graph, c.plan).empty())
      continue;
    ++missed;
    ADD_FAILURE() << "not caught with seed " << seed;
    if (missed > 3)
      return;
  }
  EXPECT_GE(applied * 100, least * kSeeds);
  std::cout << applied << " of " << kSeeds << " plans damaged\n";
}

static uint32_t pickStep(const Case &c, Random &random,
                         const std::function<bool(const PlanStep &)> &wanted) {
  std::vector<uint32_t> steps;
  for (uint32_t step = 0; step < c.plan.steps.size(); ++step)
    if (wanted(c.plan.steps[step]))
      steps.push_back(step);
  return steps.empty() ? kNone : steps[random() % steps.size()];
}

static uint64_t timesRun(const Case &c, OpId op) {
  return std::count_if(c.plan.steps.begin(), c.plan.steps.end(),
                       [&](const PlanStep &s) { return s.op == op; });
}

static void addCost(Case &c, OpId op, double times) {
  c.plan.milliseconds += times * c.graph.ops[op].cost;
}

TEST(ValidatePlan, FindsADroppedOp) {
  expectCaught([](Case &c, Random &random) {
    uint32_t step = pickStep(
        c, random, [&](const PlanStep &s) { return timesRun(c, s.op) == 1; });
    addCost(c, c.plan.steps[step].op, -1);
    c.plan.steps.erase(c.plan.steps.begin() + step);
    return true;
  });
}

TEST(ValidatePlan, FindsDependentOpsSwapped) {
  expectCaught([](Case &c, Random &random) {
    for (uint32_t tries = 0; tries < 200; ++tries) {
      uint32_t step = random() % (c.plan.steps.size() - 1);
      PlanStep &a = c.plan.steps[step], &b = c.plan.steps[step + 1];
      for (ValueId input : c.graph.ops[b.op].inputs)
        if (c.graph.values[input].producer == a.op && timesRun(c, a.op) == 1) {
          std::swap(a, b);
          return true;
        }
    }
    return false;
  });
}

TEST(ValidatePlan, FindsAnEarlyFree) {
  expectCaught([](Case &c, Random &random) {
    for (uint32_t tries = 0; tries < 200; ++tries) {
      uint32_t step = 1 + random() % (c.plan.steps.size() - 1);
      PlanStep &s = c.plan.steps[step];
      const Op &op = c.graph.ops[s.op];
      for (size_t i = 0; i < s.frees.size(); ++i) {
        ValueId freed = s.frees[i];
        bool isRead = std::find(op.inputs.begin(), op.inputs.end(), freed) !=
                      op.inputs.end();
        bool isThere = std::find(op.outputs.begin(), op.outputs.end(), freed) ==
                       op.outputs.end();
        if (!isRead || !isThere)
          continue;
        s.frees.erase(s.frees.begin() + i);
        c.plan.steps[step - 1].frees.push_back(freed);
        return true;
      }
    }
    return false;
  });
}

TEST(ValidatePlan, FindsAMissingFree) {
  expectCaught([](Case &c, Random &random) {
    uint32_t step =
        pickStep(c, random, [](const PlanStep &s) { return !s.frees.empty(); });
    if (step == kNone)
      return false;
    c.plan.steps[step].frees.pop_back();
    return true;
  });
}

TEST(ValidatePlan, FindsAFreeGivenTwice) {
  expectCaught([](Case &c, Random &random) {
    uint32_t step =
        pickStep(c, random, [](const PlanStep &s) { return !s.frees.empty(); });
    if (step == kNone)
      return false;
    ValueId freed = c.plan.steps[step].frees.front();
    // A later execution would be given back too early instead.
    uint32_t at =
        std::min<uint32_t>(step + random() % 2, c.plan.steps.size() - 1);
    c.plan.steps[at].frees.push_back(freed);
    return true;
  });
}

TEST(ValidatePlan, FindsAFreeOfNothing) {
  expectCaught([](Case &c, Random &random) {
    PlanStep &s = c.plan.steps[random() % c.plan.steps.size()];
    s.frees.push_back(random() % 2 ? kNone : 1); // 1 is fixed
    return true;
  });
}

/// Bytes of an output that has a place.
static uint64_t sizeOf(const Case &c, ValueId id) {
  return (c.graph.values[id].bytes + kAlignment - 1) / kAlignment * kAlignment;
}

TEST(ValidatePlan, FindsOverlappingOffsets) {
  expectCaught([](Case &c, Random &random) {
    // What is written lies over an operand that is not given back.
    for (uint32_t tries = 0; tries < 300; ++tries) {
      uint32_t step = 1 + random() % (c.plan.steps.size() - 1);
      PlanStep &before = c.plan.steps[step - 1], &s = c.plan.steps[step];
      if (s.outputOffsets.empty() || before.outputOffsets.empty() ||
          before.outputOffsets[0] == kNoOffset ||
          s.outputOffsets[0] == kNoOffset)
        continue;
      ValueId old = c.graph.ops[before.op].outputs[0];
      auto holds = [&](const PlanStep &at) {
        return std::find(at.frees.begin(), at.frees.end(), old) !=
               at.frees.end();
      };
      if (holds(before) || holds(s))
        continue;
      uint64_t from = before.outputOffsets[0];
      s.outputOffsets[0] =
          from + random() % (sizeOf(c, old) / kAlignment) * kAlignment;
      return true;
    }
    return false;
  });
}

TEST(ValidatePlan, FindsARepeatedEffect) {
  expectCaught([](Case &c, Random &random) {
    uint32_t step = pickStep(c, random, [&](const PlanStep &s) {
      return c.graph.ops[s.op].runsOnce;
    });
    PlanStep again = c.plan.steps[step];
    again.frees.clear();
    addCost(c, again.op, 1);
    c.plan.steps.insert(c.plan.steps.begin() + step, again);
    return true;
  });
}

TEST(ValidatePlan, FindsAWrongPeak) {
  expectCaught([](Case &c, Random &random) {
    c.plan.maxLive += random() % 2 ? kAlignment : -kAlignment;
    return true;
  });
}

TEST(ValidatePlan, FindsAWrongHeight) {
  expectCaught([](Case &c, Random &random) {
    c.plan.height += random() % 2 ? kAlignment : -kAlignment;
    return true;
  });
}

TEST(ValidatePlan, FindsAWrongCost) {
  expectCaught([](Case &c, Random &random) {
    double wrong[] = {-0.25, 0.25, 1e-3, NAN};
    c.plan.milliseconds += wrong[random() % 4];
    return true;
  });
}

TEST(ValidatePlan, FindsAMisalignedOffset) {
  expectCaught([](Case &c, Random &random) {
    uint32_t step = pickStep(c, random, [](const PlanStep &s) {
      return !s.outputOffsets.empty() && s.outputOffsets[0] != kNoOffset;
    });
    if (step == kNone)
      return false;
    // The area grows with it, so that nothing else is wrong.
    uint64_t begin = c.plan.height + 8;
    PlanStep &s = c.plan.steps[step];
    s.outputOffsets[0] = begin;
    c.plan.height = begin + sizeOf(c, c.graph.ops[s.op].outputs[0]);
    return true;
  });
}

TEST(ValidatePlan, FindsAnOffsetBeyond64Bits) {
  expectCaught([](Case &c, Random &random) {
    uint32_t step = pickStep(c, random, [](const PlanStep &s) {
      return !s.outputOffsets.empty() && s.outputOffsets[0] != kNoOffset;
    });
    if (step == kNone)
      return false;
    c.plan.steps[step].outputOffsets[0] = UINT64_MAX - kAlignment + 1;
    c.plan.height = 0;
    return true;
  });
}

TEST(ValidatePlan, FindsAMissingOffset) {
  expectCaught([](Case &c, Random &random) {
    uint32_t step = pickStep(c, random, [](const PlanStep &s) {
      return !s.outputOffsets.empty() && s.outputOffsets[0] != kNoOffset;
    });
    if (step == kNone)
      return false;
    c.plan.steps[step].outputOffsets[0] = kNoOffset;
    return true;
  });
}

TEST(ValidatePlan, FindsInPlaceWithoutPermission) {
  // The permissions are taken away from a plan that uses one.
  expectCaught(
      [](Case &c, Random &) {
        std::vector<uint64_t> offset(c.graph.values.size(), kNoOffset);
        for (PlanStep &s : c.plan.steps) {
          Op &op = c.graph.ops[s.op];
          for (size_t i = 0; i < op.outputs.size(); ++i)
            for (ValueId input : op.inputs) {
              OpId maker = c.graph.values[input].producer;
              if (maker == kNone || timesRun(c, maker) > 1 ||
                  s.outputOffsets[i] == kNoOffset ||
                  s.outputOffsets[i] != offset[input])
                continue;
              op.inPlace.clear();
              return true;
            }
          for (size_t i = 0; i < op.outputs.size(); ++i)
            offset[op.outputs[i]] = s.outputOffsets[i];
        }
        return false;
      },
      15);
}

TEST(ValidatePlan, FindsInPlaceBesideAnotherView) {
  GraphBuilder b;
  ValueId x = b.make("x", {b.input(64)}, 256);
  ValueId turned = b.view("turned", x, 256);
  b.make("sum", {x, turned}, 256);
  b.allowInPlace(0);
  b.result(b.op("end", {b.graph.ops.back().outputs[0]}), 64,
           StorageClass::Output);
  Plan plan = makePlan(b.graph, programOrder(b.graph).order, 0);
  ASSERT_EQ(validatePlan(b.graph, plan), "");
  plan.steps[2].outputOffsets[0] = plan.steps[0].outputOffsets[0];
  EXPECT_EQ(validatePlan(b.graph, plan),
            "op 2 'sum' at step 2 writes value 3 'sum' over value 1 'x'");
}

TEST(ValidatePlan, FindsAnOutputOverAnInputOfTheStep) {
  GraphBuilder b;
  ValueId x = b.input(256);
  b.result(b.op("negate", {x}), 256, StorageClass::Output);
  b.allowInPlace(0);
  Plan plan = makePlan(b.graph, programOrder(b.graph).order, 0);
  ASSERT_EQ(validatePlan(b.graph, plan), "");
  plan.steps[0].outputOffsets[0] = plan.inputOffsets[x];
  plan.maxLive = plan.height = 256;
  EXPECT_EQ(validatePlan(b.graph, plan),
            "op 0 'negate' at step 0 writes value 1 'negate' over value 0 "
            "'v0'");
}

TEST(ValidatePlan, FindsAWorkspaceOverLiveBytes) {
  expectCaught([](Case &c, Random &random) {
    uint32_t step = pickStep(c, random, [](const PlanStep &s) {
      return s.workspaceOffset != kNoOffset && !s.outputOffsets.empty() &&
             s.outputOffsets[0] != kNoOffset;
    });
    if (step == kNone)
      return false;
    PlanStep &s = c.plan.steps[step];
    s.workspaceOffset = s.outputOffsets[0];
    return true;
  });
}

TEST(ValidatePlan, FindsAMissingWorkspace) {
  expectCaught([](Case &c, Random &random) {
    uint32_t step = pickStep(c, random, [](const PlanStep &s) {
      return s.workspaceOffset != kNoOffset;
    });
    c.plan.steps[step].workspaceOffset = kNoOffset;
    return true;
  });
}

TEST(ValidatePlan, FindsAnOpOutOfRange) {
  expectCaught([](Case &c, Random &random) {
    c.plan.steps[random() % c.plan.steps.size()].op =
        random() % 2 ? c.graph.ops.size() : kNone;
    return true;
  });
}

TEST(ValidatePlan, FindsACloneBeforeItsInputs) {
  expectCaught([](Case &c, Random &random) {
    uint32_t step = pickStep(c, random, [&](const PlanStep &s) {
      for (ValueId input : c.graph.ops[s.op].inputs)
        if (c.graph.values[input].producer != kNone)
          return true;
      return false;
    });
    if (step == kNone)
      return false;
    PlanStep clone = c.plan.steps[step];
    if (c.graph.ops[clone.op].runsOnce)
      return false;
    clone.frees = c.graph.ops[clone.op].outputs;
    addCost(c, clone.op, 1);
    c.plan.steps.insert(c.plan.steps.begin(), clone);
    return true;
  });
}

TEST(ValidatePlan, FindsAnOverwrittenVariableReadLater) {
  // The executions are planned as if nothing was overwritten.
  expectCaught(
      [](Case &c, Random &random) {
        Graph honest = c.graph;
        OpId update = honest.ops.size() - 2;
        honest.ops[update].overwrites.clear();
        std::vector<OpId> readers;
        for (OpId id = 0; id < update; ++id)
          for (ValueId input : c.graph.ops[id].inputs)
            if (input == 1)
              readers.push_back(id);
        if (readers.empty())
          return false;
        c.executions.push_back(readers[random() % readers.size()]);
        if (!checkExecutions(honest, c.executions).empty())
          return false;
        c.plan = makePlan(honest, c.executions, 0);
        EXPECT_EQ(validatePlan(honest, c.plan), "");
        return true;
      },
      30);
}

TEST(ValidatePlan, FindsAnIgnoredOrder) {
  expectCaught(
      [](Case &c, Random &random) {
        // What ran before the last op is to come after it.
        OpId last = c.graph.ops.size() - 1;
        if (c.plan.steps.back().op != last || timesRun(c, last) > 1)
          return false;
        c.graph.ops[c.plan.steps[random() % (c.plan.steps.size() - 1)].op]
            .after.push_back(last);
        return true;
      },
      30);
}

TEST(ValidatePlan, FindsAnOutputGivenBack) {
  expectCaught([](Case &c, Random &) {
    ValueId output = c.graph.ops.back().outputs[0];
    c.plan.steps.back().frees.push_back(output);
    return true;
  });
}

TEST(ValidatePlan, FindsInputsThatOverlap) {
  GraphBuilder b;
  ValueId x = b.input(256), y = b.input(128);
  b.result(b.op("add", {x, y}), 256, StorageClass::Output);
  Plan plan = makePlan(b.graph, programOrder(b.graph).order, 0);
  ASSERT_EQ(validatePlan(b.graph, plan), "");
  plan.inputOffsets[y] = plan.inputOffsets[x] + 64;
  EXPECT_EQ(validatePlan(b.graph, plan),
            "inputs value 1 'v1' and value 0 'v0' overlap");
}

TEST(ValidatePlan, FindsAReaderOfAnExecutionThatWasReplaced) {
  // 'late' reads a view of the first x, whose bytes are gone although x was
  // computed again.
  GraphBuilder b;
  ValueId x = b.make("x", {b.input(64)}, 256);
  ValueId v = b.view("v", x, 256);
  b.result(b.op("early", {v}), 64, StorageClass::Output);
  b.result(b.op("late", {v, x}), 64, StorageClass::Output);
  Plan plan = makePlan(b.graph, {0, 1, 2, 0, 1, 3}, 0);
  ASSERT_EQ(validatePlan(b.graph, plan), "");
  ASSERT_EQ(plan.steps[4].op, 1u);
  plan.steps.erase(plan.steps.begin() + 4);
  EXPECT_EQ(validatePlan(b.graph, plan),
            "op 3 'late' at step 4 reads value 2 'v' after its bytes were "
            "given back");
}
