//===- ModelSource.cpp - Models by name or file ---------------------------===//

#include "reprise/Driver/ModelSource.h"
#include "ModelChecks.h"
#include "PassPhases.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "reprise/Analysis/PlanSummary.h"
#include "reprise/Console/Console.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Sg.h"
#include "reprise/NN/Frontend.h"
#include "reprise/Program/ArtifactFile.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/File.h"
#include "reprise/Text/Printable.h"
#include "reprise/Text/Table.h"
#include "reprise/Translate/TranslateProgram.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <sys/stat.h>

using namespace reprise;
using namespace reprise::driver;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

const zoo::ModelInfo *driver::zooModel(const std::string &name) {
  for (const zoo::ModelInfo &info : zoo::listModels())
    if (info.name == name)
      return &info;
  return nullptr;
}

rt::Expected<const zoo::ModelInfo *>
driver::findModel(const std::string &name) {
  if (const zoo::ModelInfo *info = zooModel(name))
    return info;
  std::vector<std::string> names;
  for (const zoo::ModelInfo &info : zoo::listModels())
    names.push_back(info.name);
  std::string meant = text::nearest(name, names);
  return misuse("no model is named '" + name + "'" +
                (meant.empty() ? "" : "; did you mean '" + meant + "'?") +
                " ('reprise zoo list' names all)");
}

/// Returns true if a file begins like an artifact.
static rt::Expected<bool> beginsAsArtifact(const std::string &path) {
  REPRISE_EXPECT(file, rt::InputFile::open(path));
  char magic[8] = {};
  if (file->size() < sizeof magic)
    return false;
  REPRISE_RETURN_IF_ERROR(file->readAt(0, magic, sizeof magic));
  return llvm::StringRef(magic, sizeof magic) == "REPRISE\n";
}

namespace {
struct Frontend {
  llvm::StringRef ending;
  frontend::Options options;
  frontend::Load *load;
};
} // namespace

static constexpr Frontend frontends[] = {
#define FRONTEND(NAME, ENDING, OPTIONS)                                        \
  {ENDING, frontend::Options::OPTIONS, frontend::load##NAME},
#include "reprise/Frontends.def"
#undef FRONTEND
};

/// Returns true for a name with the ending of a front end's files.
static bool isFrontendFile(llvm::StringRef name) {
  return llvm::any_of(frontends, [&](const Frontend &one) {
    return !one.ending.empty() && name.ends_with(one.ending);
  });
}

/// Returns the front end of a model; that of textual IR for files of unknown
/// endings.
static const Frontend &frontendOf(llvm::StringRef source) {
  for (const Frontend &one : frontends)
    if (!one.ending.empty() && source.ends_with(one.ending))
      return one;
  llvm::StringRef ending = zooModel(source.str()) ? "" : ".mlir";
  return *llvm::find_if(
      frontends, [&](const Frontend &one) { return one.ending == ending; });
}

frontend::Options driver::optionsOf(const std::string &source) {
  return frontendOf(source).options;
}

std::string driver::fileOf(const std::string &source) {
  return isArtifact(source).ok() && !zooModel(source) ? source : std::string();
}

rt::Expected<bool> driver::isArtifact(const std::string &source) {
  llvm::StringRef name = source;
  if (name.ends_with(".rpx"))
    return true;
  if (isFrontendFile(name) || zooModel(source))
    return false;
  struct stat exists;
  bool isPath = name.contains('/') || name.contains('.');
  if (!isPath && ::stat(source.c_str(), &exists) != 0)
    return findModel(source).status();
  return beginsAsArtifact(source);
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

namespace {
/// Writes to standard error without control characters: a diagnostic shows a
/// line of the file, whatever it contains.
class PrintableErrors : public llvm::raw_ostream {
public:
  PrintableErrors() { SetUnbuffered(); }
  // https://no-color.org
  bool has_colors() const override {
    const char *none = std::getenv("NO_COLOR");
    return (!none || !*none) && llvm::errs().has_colors();
  }
  bool is_displayed() const override { return llvm::errs().is_displayed(); }
  raw_ostream &changeColor(enum Colors color, bool bold, bool bg) override {
    llvm::errs().changeColor(color, bold, bg);
    return *this;
  }
  raw_ostream &resetColor() override {
    llvm::errs().resetColor();
    return *this;
  }

private:
  void write_impl(const char *text, size_t size) override {
    llvm::errs() << text::printable({text, size});
  }
  uint64_t current_pos() const override { return llvm::errs().tell(); }
};
} // namespace

/// Shows diagnostics that have a source line and collects the others.
class Compiler::Diagnostics : public mlir::SourceMgrDiagnosticHandler {
public:
  Diagnostics(llvm::SourceMgr &sources, mlir::MLIRContext *context)
      : SourceMgrDiagnosticHandler(sources, context, errors) {
    setHandler([this](mlir::Diagnostic &diagnostic) { handle(diagnostic); });
  }

  /// Returns the collected ones as the reason why `name` failed.
  rt::Status takeError(const std::string &name) {
    std::string message = std::move(collected);
    collected.clear();
    if (!message.empty())
      return invalid(message);
    return invalid("'" + name + "' was not compiled");
  }

  bool hidesWarnings = false;

private:
  /// Detects MLIR's advice on an option that only its own tools have.
  static bool isForOtherTools(const std::string &message) {
    return message.find("allow-unregistered-dialect") != std::string::npos;
  }

  /// Detects messages for which warnElsewhere names the file.
  static bool isSaidOfOptions(const std::string &message) {
    return message.find("the profile was taken elsewhere") == 0;
  }

  void handle(mlir::Diagnostic &diagnostic) {
    std::string message = diagnostic.str();
    if (isForOtherTools(message)) {
      mlir::Diagnostic shorter(diagnostic.getLocation(),
                               diagnostic.getSeverity());
      shorter << message.substr(0, message.find(". If this is intended"))
              << "; a model holds ops of sg";
      return handle(shorter);
    }
    if (hidesWarnings &&
        diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning)
      return;
    if (!sg::sourceOf(diagnostic.getLocation()).empty()) {
      AsideFromProgress aside;
      return emitDiagnostic(diagnostic);
    }
    std::string block = sg::nameIn(diagnostic.getLocation()).str();
    std::string text = (block.empty() ? "" : "in '" + block + "': ") + message;
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning &&
        !isSaidOfOptions(message) && isNew(text))
      warn(text);
    // Decisions of a front end are at the name of the file.
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark &&
        isFrontendFile(block) && !hidesWarnings && isNew(text))
      note(text);
    if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
      return;
    collected += collected.empty() ? "" : "\nerror: ";
    collected += text;
  }

  /// Returns true once for each text, whichever compiler reports it.
  static bool isNew(const std::string &text) {
    static std::mutex mutex;
    static std::set<std::string> texts;
    std::lock_guard<std::mutex> lock(mutex);
    return texts.insert(text).second;
  }

  std::string collected;
  PrintableErrors errors;
};

Compiler::Compiler() : context(mlir::MLIRContext::Threading::ENABLED) {
  mlir::DialectRegistry registry;
  registerPipelineDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  // The source line identifies the op; a function would be printed whole.
  context.printOpOnDiagnostic(false);
  diagnostics = std::make_unique<Diagnostics>(sources, &context);
}

Compiler::~Compiler() = default;

void Compiler::hideWarnings() { diagnostics->hidesWarnings = true; }

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Returns a refusal of the zoo, which is for wrong values of options, with the
/// names of the command line.
static rt::Status asMisuse(const rt::Status &status) {
  static const std::pair<const char *, const char *> names[] = {
      {"options 'height' and 'width'", "--image"},
      {"option 'frames'", "--frames"},
      {"option 'patch'", "--patch"},
      {"option 'height'", "the height of --image"},
      {"option 'width'", "the width of --image"},
      {"option 'base-width'", "--width"}};
  std::string message = status.message();
  for (auto [name, own] : names)
    for (size_t at; (at = message.find(name)) != std::string::npos;)
      message.replace(at, std::strlen(name), own);
  return misuse(message);
}

/// Reports the phase of this thread's work, if it has an activity.
static void tellPhase(const std::string &phase) {
  if (Activity *activity = Activity::current())
    activity->phase(phase);
}

rt::Status Compiler::load(const std::string &source,
                          const zoo::ModelOptions &options) {
  tellPhase("reading the model");
  name = source;
  bool isFile = !zooModel(source);
  // The runtime's messages give the reason why a file cannot be read.
  if (isFile)
    REPRISE_RETURN_IF_ERROR(rt::InputFile::open(source).status());
  current = frontendOf(source).load({source, context, sources, options});
  if (current && (!isFile || checkModel(*current, source)))
    return {};
  rt::Status status = diagnostics->takeError(source);
  return isFile ? status : asMisuse(status);
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// Fails where the model has labels, and none of as many classes as there are
/// weights.
static rt::Status checkClassWeights(mlir::ModuleOp module,
                                    const CompileOptions &options) {
  size_t weights = options.loss.classWeights.size();
  std::optional<int64_t> classes;
  mlir::WalkResult fits = module.walk([&](sg::CrossEntropyOp op) {
    auto logits = mlir::cast<mlir::RankedTensorType>(op.getLogits().getType());
    classes = logits.getShape().back();
    return size_t(*classes) == weights ? mlir::WalkResult::interrupt()
                                       : mlir::WalkResult::advance();
  });
  if (weights == 0 || !classes || fits.wasInterrupted())
    return {};
  return misuse("--class-weights: there are " + std::to_string(weights) +
                " weights, but the model tells " + std::to_string(*classes) +
                " classes apart");
}

/// Notes that a mode which works on blocks finds none in a file's network.
static void noteMissingBlocks(const std::string &source, mlir::ModuleOp module,
                              const Checkpointing &mode) {
  using Kind = CheckpointingMode::Kind;
  bool needsBlocks = mode.kind == Kind::Annotated ||
                     mode.kind == Kind::PerBlock || mode.kind == Kind::Nested;
  if (!needsBlocks || optionsOf(source) != frontend::Options::File)
    return;
  bool hasBlocks =
      module.walk([](sg::SgModuleOp) { return mlir::WalkResult::interrupt(); })
          .wasInterrupted();
  if (!hasBlocks)
    mlir::emitWarning(mlir::UnknownLoc::get(module.getContext()))
        << "no names of '" << source << "' tell blocks apart, so that '"
        << mode.text()
        << "' recomputes nothing; --checkpointing segments=N and --budget need "
           "no blocks";
}

rt::Status Compiler::lower(const CompileOptions &options, CompileLevel level) {
  REPRISE_RETURN_IF_ERROR(checkClassWeights(*current, options));
  noteMissingBlocks(name, *current, options.checkpointing);
  if (level == CompileLevel::Program)
    training = noteTraining(*current, options);
  if (mlir::failed(lowerModel(*current,
                              tellPhases(options, Activity::current()), level)))
    return diagnostics->takeError(name);
  return {};
}

std::vector<uint8_t> Compiler::memo() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  // Never fails: no older version is requested.
  (void)mlir::writeBytecodeToFile(current.get(), stream);
  return {text.begin(), text.end()};
}

void Compiler::warnOf(const CompileOptions &options) {
  if (diagnostics->hidesWarnings)
    return;
  noteMissingBlocks(name, *current, options.checkpointing);
  mlir::OwningOpRef<mlir::ModuleOp> copy = current->clone();
  (void)lowerModel(*copy, options, CompileLevel::Model);
}

bool Compiler::recall(const std::vector<uint8_t> &memo,
                      const CompileOptions &options) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(memo.data()),
                        memo.size());
  mlir::OwningOpRef<mlir::ModuleOp> read;
  {
    mlir::ScopedDiagnosticHandler quiet(
        &context, [](mlir::Diagnostic &) { return mlir::success(); });
    read = mlir::parseSourceString<mlir::ModuleOp>(bytes, &context);
  }
  if (!read || !llvm::hasSingleElement(read->getOps<rt_dialect::ProgramOp>()))
    return false;
  warnOf(options);
  training = noteTraining(*current, options);
  current = std::move(read);
  return true;
}

rt::Expected<PlannedModel> Compiler::planWithin(const CompileOptions &options) {
  REPRISE_RETURN_IF_ERROR(checkClassWeights(*current, options));
  training = noteTraining(*current, options);
  mlir::FailureOr<PlannedModel> planned =
      planModel(*current, tellPhases(options, Activity::current()));
  if (mlir::failed(planned))
    return diagnostics->takeError(name);
  return std::move(*planned);
}

rt::Status Compiler::lowerPlanned(PlannedModel &planned,
                                  const CompileOptions &options) {
  if (mlir::failed(reprise::lowerPlanned(
          *current, planned, tellPhases(options, Activity::current()))))
    return diagnostics->takeError(name);
  return {};
}

rt::Expected<BudgetPlans> Compiler::budgetPlans(const CompileOptions &options,
                                                uint64_t withinBytes) {
  REPRISE_RETURN_IF_ERROR(checkClassWeights(*current, options));
  mlir::FailureOr<BudgetPlans> plans = planBudgets(
      *current, tellPhases(options, Activity::current()), withinBytes);
  if (mlir::failed(plans))
    return diagnostics->takeError(name);
  return std::move(*plans);
}

rt::Expected<std::vector<uint8_t>> Compiler::emit(const std::string &command) {
  for (auto program : current->getOps<rt_dialect::ProgramOp>()) {
    auto kernels = program.getBody().getOps<rt_dialect::KernelOp>();
    tellPhase("compiling " + std::to_string(llvm::range_size(kernels)) +
              " kernels");
    if (!command.empty())
      program->setDiscardableAttr(rt_dialect::RtDialect::kCommandAttr,
                                  mlir::StringAttr::get(&context, command));
  }
  Activity *activity = Activity::current();
  mlir::FailureOr<std::vector<uint8_t>> bytes =
      emitArtifact(*current, training, [activity](double done) {
        if (activity)
          activity->share(done);
      });
  if (mlir::failed(bytes))
    return diagnostics->takeError(name);
  return std::move(*bytes);
}

rt::Expected<ProgramFacts> Compiler::facts() {
  auto programs = current->getOps<rt_dialect::ProgramOp>();
  if (programs.empty())
    return invalid("'" + name + "' has not been lowered to a program");
  auto described = describeProgram(*programs.begin());
  if (mlir::failed(described))
    return diagnostics->takeError(name);
  return factsOf(*rt::fb::GetProgram(described->data()));
}

std::string Compiler::print() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  current.get()->print(stream);
  text += "\n";
  return text;
}
