//===- EvaluationTeller.cpp - Report evaluations and the best one ---------===//
#include "Watched.h"
#include "reprise/Runtime/Trainer/Hooks.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <cmath>

using namespace reprise::rt;

Status EvaluationTeller::evaluated(HookContext &run,
                                   const EvaluateResult &result) {
  std::string &memory = remembers ? run.memory(name()) : ofThisRun;
  Watched watched = Watched::read(memory);
  uint64_t step = run.position().step;
  double value = watchedValue(result, /*byLoss=*/false);
  (void)watched.add(step, value, /*least=*/0);
  memory = watched.write();
  uint64_t perEpoch = run.stepsPerEpoch();
  auto at = [&](uint64_t where, double watchedValue) -> BestEvaluation {
    bool isEnd = perEpoch > 0 && where % perEpoch == 0;
    return {where, isEnd ? where / perEpoch : 0, std::fabs(watchedValue),
            result.hasAccuracy};
  };
  // An evaluation whose loss is not finite is never the best.
  known.reset();
  if (watched.bestStep)
    known = at(watched.bestStep, watched.best);
  BestEvaluation here = at(step, value);
  show(result, here, known.value_or(BestEvaluation{}));
  return {};
}
