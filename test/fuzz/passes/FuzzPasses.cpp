//===- FuzzPasses.cpp - Mutated modules through every pass ----------------===//
//
// Usage: fuzz-passes [--count N | --seconds S] [--seed S] [--failures DIR]
//                    TEST...
//        fuzz-passes --seed S --only K TEST...   one module, in this process
//        fuzz-passes --list                      the passes that run alone
//
// Takes the parts of textual tests, mutates text and IR, and hands each module
// that verifies to every pass alone and to pipelines. A pass may refuse it,
// with an error; it must not crash, hang, refuse without a word or leave IR
// that does not verify. Modules are a function of (seed, number): what fails is
// written to DIR and named so that --only shows it again.
//
// A child process takes some modules at a time, so that a crash costs one.
//
//===----------------------------------------------------------------------===//
#include "MutateModule.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "reprise/Passes/Registration.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace reprise;

namespace {
/// One thing to do with a module: passes in turn, each as text.
struct Route {
  std::string name;
  std::vector<std::string> passes;
};

struct Options {
  uint64_t count = 1000, seed = 1, only = UINT64_MAX;
  double seconds = 0; // 0: by count
  std::string failures;
  bool list = false;
  std::vector<std::string> tests;
};

/// What a child tells; shared with its parent.
struct Report {
  uint64_t next;     // the module in work, or to be taken next
  uint64_t verified; // modules that passes saw
  uint64_t runs;     // of passes
  uint64_t accepted; // runs that did not refuse
  char pass[64];     // in work
  char defect[256];  // found without a crash
};
} // namespace

static std::string onFunctions(const std::string &pass) {
  return "func.func(" + pass + ")";
}

/// Each pass alone, with the options that reach different code.
static std::vector<Route> makeAlone() {
  std::vector<Route> routes;
  for (const char *pass : {"sg-assign-checkpointing{mode=annotated}",
                           "sg-assign-checkpointing{mode=per-block}",
                           "sg-assign-checkpointing{mode=nested}",
                           "sg-assign-checkpointing{mode=segments=2}",
                           "sg-assign-checkpointing{mode=sqrt}",
                           "sg-assign-checkpointing{mode=threshold-bytes=64}",
                           "sg-lower-checkpointing",
                           "sg-recompute-marked",
                           "sg-print-kept",
                           "sg-decompose",
                           "sg-form-kernels",
                           "sg-recompute-cheap",
                           "sg-round-kept{exact-bytes=0}",
                           "sg-round-kept{type=fp8 exact-bytes=0}",
                           "sg-to-inference",
                           "sg-flatten",
                           "sg-accumulate-gradients{micro-batches=3}",
                           "sg-reduce-over-ranks{ranks=3}",
                           "sg-reduce-over-ranks{ranks=3 repeated-ranks=1}",
                           "sg-reduce-over-ranks{ranks=3 bucket-bytes=4096 "
                           "single-bytes=64}",
                           "sg-synchronize-norms{ranks=3}",
                           "sg-synchronize-norms{ranks=3 gathered-bytes=0}",
                           "sg-autocast",
                           "sg-autocast{type=f16}",
                           "sg-choose-attention",
                           "sg-choose-attention{form=stored}",
                           "sg-halve-hidden{least-bytes=0}",
                           "sg-spare-norm-operands{least-bytes=0}",
                           "sg-widen-calls",
                           "sg-change-loss{label-smoothing=0.1}",
                           "sg-change-loss{mixup=true}",
                           "sg-change-loss{ignore-index=1}",
                           "sg-bound-indices",
                           "sg-verify-effects",
                           "sg-verify-level{level=model}",
                           "sg-verify-level{level=train}",
                           "sg-verify-level{level=remat}",
                           "sg-verify-level{level=flat}",
                           "stablehlo-assume-views",
                           "stablehlo-insert-barriers"})
    routes.push_back({pass, {onFunctions(pass)}});
  for (const char *pass :
       {"sg-differentiate",
        "sg-differentiate{emit-gradients=true}",
        "sg-differentiate{optimizer=adamw emit-nonfinite=true}",
        "sg-differentiate{optimizer=adam clip-norm=0.5}",
        "sg-differentiate{clip-mode=average clip-norm-type=1}",
        "sg-differentiate{clip-mode=moving_average clip-norm-type=inf}",
        "sg-differentiate{no-weight-decay=*.weight}",
        "sg-select-parameters{layer-decay=0.5}",
        "sg-select-parameters{freeze=*,!w freeze-norms=true}",
        "sg-update-parameters{clip-norm=0.5 emit-gradients=true}",
        "sg-shard-optimizer{ranks=3 least-bytes=0}",
        "sg-average-variables{decay=0.5}",
        "sg-average-variables{keeps-by=skipped}",
        "sg-average-variables{keeps-by=nonfinite}",
        "sg-lower-to-rt{threads=1}",
        "sg-rematerialize{knee=true threads=1 work=0.01}",
        "sg-rematerialize{budget-bytes=4096 threads=1 work=0.01}",
        "sg-rematerialize{budget-percent=70 host-bytes=1048576 "
        "host-gbytes-per-second=100 threads=1 work=0.01}",
        "remat-to-budget{budget-percent=70 threads=1 work=0.01}",
        "remat-erase-barriers",
        "stablehlo-inline-calls",
        "sg-model-to-train",
        "sg-model-to-kernels{checkpointing=per-block}",
        "sg-kernels-to-program{threads=1}"})
    routes.push_back({pass, {pass}});
  routes.push_back({"rt-verify-program", {"rt.program(rt-verify-program)"}});
  routes.push_back({"rt-verify-effects", {"rt.program(rt-verify-effects)"}});
  return routes;
}

/// The ways of the driver through the passes.
static std::vector<Route> makePipelines() {
  std::vector<std::string> kernels = {
      "canonicalize", onFunctions("sg-decompose"), "canonicalize",
      onFunctions("sg-form-kernels")};
  std::vector<std::string> place = {"sg-lower-to-rt{threads=1}",
                                    "rt.program(rt-verify-program)",
                                    "rt.program(rt-verify-effects)"};
  std::vector<Route> routes;
  auto add = [&](std::string name, std::vector<std::string> passes,
                 bool hasBudget) {
    passes.insert(passes.end(), kernels.begin(), kernels.end());
    if (hasBudget)
      passes.push_back("sg-rematerialize{knee=true host-bytes=1048576 "
                       "host-gbytes-per-second=100 threads=1 work=0.01}");
    passes.insert(passes.end(), place.begin(), place.end());
    routes.push_back({std::move(name), std::move(passes)});
  };
  for (const char *mode : {"annotated", "nested", "segments=2"})
    add(std::string("train ") + mode,
        {onFunctions("sg-assign-checkpointing{mode=" + std::string(mode) + "}"),
         "sg-differentiate", onFunctions("sg-print-kept"),
         onFunctions("sg-lower-checkpointing"), onFunctions("sg-flatten"),
         onFunctions("sg-recompute-marked")},
        /*hasBudget=*/false);
  add("mixed",
      {onFunctions("sg-autocast{type=f16}"), "sg-differentiate",
       onFunctions("sg-flatten"), onFunctions("sg-widen-calls")},
      /*hasBudget=*/false);
  add("budget", {"sg-differentiate", onFunctions("sg-flatten")},
      /*hasBudget=*/true);
  add("spared",
      {onFunctions("sg-spare-norm-operands{least-bytes=0}"), "sg-differentiate",
       onFunctions("sg-flatten")},
      /*hasBudget=*/true);
  add("accumulate",
      {"sg-differentiate{optimizer=none emit-gradients=true}",
       onFunctions("sg-flatten"),
       onFunctions("sg-accumulate-gradients{micro-batches=2}"),
       "sg-update-parameters{clip-norm=0.5 emit-nonfinite=true}",
       "sg-average-variables{keeps-by=nonfinite}"},
      /*hasBudget=*/true);
  add("fine-tune",
      {"sg-select-parameters{freeze=*,!w freeze-norms=true lr-scale=*=0.5}",
       "sg-differentiate{optimizer=adam}", onFunctions("sg-flatten")},
      /*hasBudget=*/true);
  add("evaluate", {onFunctions("sg-to-inference"), onFunctions("sg-flatten")},
      /*hasBudget=*/false);
  add("lower",
      {onFunctions("sg-lower-checkpointing"), onFunctions("sg-flatten"),
       onFunctions("sg-recompute-marked")},
      /*hasBudget=*/true);
  add("kernels", {}, /*hasBudget=*/false);
  return routes;
}

//===----------------------------------------------------------------------===//
// Seeds
//===----------------------------------------------------------------------===//

/// The parts of tests that parse, without their comments.
static std::vector<std::string>
readSeeds(const std::vector<std::string> &tests) {
  std::vector<std::string> seeds;
  for (const std::string &path : tests) {
    std::ifstream file(path);
    std::string part, line;
    while (std::getline(file, line)) {
      size_t first = line.find_first_not_of(' ');
      if (line.rfind("// -----", 0) == 0)
        seeds.push_back(std::move(part)), part.clear();
      else if (first != std::string::npos && line.compare(first, 2, "//") != 0)
        part += line + "\n";
    }
    seeds.push_back(std::move(part));
  }
  MLIRContext context(MLIRContext::Threading::DISABLED);
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  llvm::erase_if(seeds, [&](const std::string &text) {
    return text.empty() || !parseSourceString<mlir::ModuleOp>(text, &context);
  });
  return seeds;
}

/// Module `number` of a seed, mutated; null where it does not verify.
static OwningOpRef<mlir::ModuleOp>
makeModule(const std::vector<std::string> &seeds, uint64_t seed,
           uint64_t number, MLIRContext &context) {
  std::seed_seq mix{seed, seed >> 32, number, number >> 32};
  fuzz::Random random(mix);
  std::string text = seeds[random() % seeds.size()];
  for (unsigned count = random() % 3; count > 0; --count)
    fuzz::mutateText(text, random);
  OwningOpRef<mlir::ModuleOp> module =
      parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return nullptr;
  for (unsigned count = random() % 3; count > 0; --count) {
    OwningOpRef<mlir::ModuleOp> changed = module->clone();
    fuzz::mutateModule(*changed, random);
    if (succeeded(verify(*changed)))
      module = std::move(changed);
  }
  return module;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {
/// Takes modules through the routes and reports the first defect.
class Runner {
public:
  Runner(const std::vector<std::string> &seeds, uint64_t seed, Report &report,
         bool isLoud)
      : seeds(seeds), seed(seed), report(report) {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    routes = makeAlone();
    llvm::append_range(routes, makePipelines());
    context.getDiagEngine().registerHandler([this, isLoud](Diagnostic &d) {
      errors += d.getSeverity() == DiagnosticSeverity::Error;
      if (isLoud)
        std::cerr << d.str() << "\n";
      return success();
    });
  }

  /// False at a defect, which the report then names.
  bool take(uint64_t number) {
    auto module = makeModule(seeds, seed, number, context);
    if (!module)
      return true;
    ++report.verified;
    for (const Route &route : routes) {
      OwningOpRef<mlir::ModuleOp> copy = module->clone();
      for (const std::string &pass : route.passes) {
        bool isAccepted = run(*copy, pass);
        if (report.defect[0])
          return false;
        if (!isAccepted)
          break;
      }
    }
    return true;
  }

private:
  bool run(mlir::ModuleOp module, const std::string &pass) {
    std::snprintf(report.pass, sizeof report.pass, "%s", pass.c_str());
    PassManager manager(&context);
    // A failing verifier would look like a refusal.
    manager.enableVerifier(false);
    if (failed(parsePassPipeline(pass, manager)))
      return defect("no such pass");
    errors = 0;
    ++report.runs;
    if (failed(manager.run(module)))
      return errors ? false : defect("refuses without an error");
    ++report.accepted;
    if (errors)
      return defect("gives an error and succeeds");
    return succeeded(verify(module)) ||
           defect("leaves IR that does not verify");
  }

  bool defect(const char *what) {
    std::snprintf(report.defect, sizeof report.defect, "%s", what);
    return false;
  }

  const std::vector<std::string> &seeds;
  uint64_t seed;
  Report &report;
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::vector<Route> routes;
  unsigned errors = 0;
};
} // namespace

/// Takes modules up to `end` in a child; the status that it ended with.
static int runChild(const std::vector<std::string> &seeds, uint64_t seed,
                    uint64_t end, Report &report) {
  std::fflush(nullptr);
  pid_t child = ::fork();
  if (child == 0) {
    // What the passes print is nothing to see here.
    if (!std::freopen("/dev/null", "w", stdout) ||
        !std::freopen("/dev/null", "w", stderr))
      ::_exit(3);
    Runner runner(seeds, seed, report, /*isLoud=*/false);
    for (; report.next < end; ++report.next) {
      ::alarm(30);
      if (!runner.take(report.next))
        ::_exit(2);
    }
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

static std::string describe(int status, const Report &report) {
  if (report.defect[0])
    return report.defect;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return "takes over 30 s";
  if (WIFSIGNALED(status))
    return std::string("ends with ") + ::strsignal(WTERMSIG(status));
  return "ends with exit code " + std::to_string(WEXITSTATUS(status));
}

/// In a child: what crashes may crash here, too.
static void writeFailure(const std::vector<std::string> &seeds,
                         const Options &options, uint64_t number) {
  if (options.failures.empty())
    return;
  std::fflush(nullptr);
  if (pid_t child = ::fork()) {
    ::waitpid(child, nullptr, 0);
    return;
  }
  MLIRContext context(MLIRContext::Threading::DISABLED);
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  auto module = makeModule(seeds, options.seed, number, context);
  std::string path = options.failures + "/fuzz-passes-" +
                     std::to_string(options.seed) + "-" +
                     std::to_string(number) + ".mlir";
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (module)
    module->print(stream);
  std::ofstream(path) << text << "\n";
  std::printf("  written to %s\n", path.c_str());
  std::fflush(nullptr);
  ::_exit(0);
}

/// The number of modules that failed.
static unsigned fuzzAll(const std::vector<std::string> &seeds,
                        const Options &options) {
  constexpr uint64_t kModulesOfAChild = 128;
  void *shared = ::mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    std::perror("fuzz-passes: mmap");
    return 1;
  }
  Report &report = *new (shared) Report();
  auto start = std::chrono::steady_clock::now();
  auto isOver = [&] {
    std::chrono::duration<double> past =
        std::chrono::steady_clock::now() - start;
    return options.seconds > 0 ? past.count() > options.seconds
                               : report.verified >= options.count;
  };
  unsigned failures = 0;
  while (!isOver() && failures < 100) {
    uint64_t end = (report.next / kModulesOfAChild + 1) * kModulesOfAChild;
    int status = runChild(seeds, options.seed, end, report);
    if (status == 0)
      continue;
    ++failures;
    std::printf("module %llu of seed %llu: %s %s\n",
                static_cast<unsigned long long>(report.next),
                static_cast<unsigned long long>(options.seed), report.pass,
                describe(status, report).c_str());
    writeFailure(seeds, options, report.next);
    report.defect[0] = 0;
    ++report.next;
  }
  std::printf("%llu modules verified of %llu made; %llu runs of passes, %llu "
              "accepted; %u failures\n",
              static_cast<unsigned long long>(report.verified),
              static_cast<unsigned long long>(report.next),
              static_cast<unsigned long long>(report.runs),
              static_cast<unsigned long long>(report.accepted), failures);
  // Modules that nothing accepts would test nothing.
  return failures + (report.accepted == 0);
}

static int showOne(const std::vector<std::string> &seeds,
                   const Options &options) {
  Report report = {};
  Runner runner(seeds, options.seed, report, /*isLoud=*/true);
  bool isFine = runner.take(options.only);
  std::printf("module %llu: %s %s\n",
              static_cast<unsigned long long>(options.only), report.pass,
              isFine ? "is fine" : report.defect);
  return isFine ? 0 : 1;
}

static bool readOptions(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (name == "--list") {
      options.list = true;
      continue;
    }
    if (name.rfind("--", 0) != 0) {
      options.tests.push_back(name);
      continue;
    }
    if (++i == argc)
      return false;
    if (name == "--count")
      options.count = std::strtoull(argv[i], nullptr, 10);
    else if (name == "--seed")
      options.seed = std::strtoull(argv[i], nullptr, 10);
    else if (name == "--only")
      options.only = std::strtoull(argv[i], nullptr, 10);
    else if (name == "--seconds")
      options.seconds = std::strtod(argv[i], nullptr);
    else if (name == "--failures")
      options.failures = argv[i];
    else
      return false;
  }
  return options.list || !options.tests.empty();
}

int main(int argc, char **argv) {
  Options options;
  if (!readOptions(argc, argv, options)) {
    std::fprintf(stderr, "usage: fuzz-passes [--count N | --seconds S] "
                         "[--seed S] [--only K] [--failures DIR] TEST...\n"
                         "       fuzz-passes --list\n");
    return 2;
  }
  if (options.list) {
    for (const Route &route : makeAlone())
      std::printf("%s\n", route.name.c_str());
    return 0;
  }
  mlir::registerTransformsPasses();
  registerPasses();
  std::vector<std::string> seeds = readSeeds(options.tests);
  if (seeds.empty()) {
    std::fprintf(stderr, "fuzz-passes: no part of a test parses\n");
    return 2;
  }
  if (options.only != UINT64_MAX)
    return showOne(seeds, options);
  return fuzzAll(seeds, options) ? 1 : 0;
}
