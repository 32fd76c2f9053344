// Trains an artifact for two epochs, with a hook that evaluates after each.
#include "reprise/Runtime/Trainer/Trainer.h"
#include <cstdio>
#include <memory>

using namespace reprise::rt;

class PrintEpochs : public Hook {
public:
  std::string name() const override { return "print_epochs"; }

  Status afterStep(HookContext &run, const Progress &step) override {
    loss = step.meanLoss;
    return {};
  }

  Status afterEpoch(HookContext &run) override {
    Expected<EvaluateResult> evaluation = run.evaluate();
    if (!evaluation.ok())
      return evaluation.status();
    std::printf("step %llu: loss %.4f, of the test images %.4f\n",
                static_cast<unsigned long long>(run.position().step), loss,
                evaluation->loss);
    return {};
  }

private:
  double loss = 0;
};

static int fail(const Status &status) {
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return 1;
}

int main(int count, char **arguments) {
  if (count != 2)
    return fail(Status::error(RP_INVALID_ARGUMENT, "say an artifact"));
  rp_program *opened = nullptr;
  Status status = takeStatus(rp_program_open(arguments[1], &opened));
  if (!status.ok())
    return fail(status);
  std::unique_ptr<rp_program, void (*)(rp_program *)> program(opened,
                                                              rp_program_close);
  auto backend = openSessionBackend(program.get(), {});
  if (!backend.ok())
    return fail(backend.status());

  PrintEpochs hook;
  TrainOptions options;
  options.data.source = "synthetic";
  options.data.syntheticSize = 64;
  options.epochs = 2;
  options.learningRate.base = 0.01;
  options.hooks = {&hook};
  options.onHookFailure = [](const HookFailure &failure) {
    std::fprintf(stderr, "warning: %s\n", describe({failure}).c_str());
  };
  Expected<TrainResult> result = train(**backend, options);
  if (!result.ok())
    return fail(result.status());
  return result->hookFailures.empty() ? 0 : 1;
}
