//===- ModelSource.cpp - Models by name or file ---------------------------===//

#include "reprise/Driver/ModelSource.h"
#include "ModelValues.h"
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
#include "reprise/Program/ArtifactFile.h"
#include "reprise/Runtime/Trainer/File.h"
#include "reprise/Text/Nesting.h"
#include "reprise/Text/Printable.h"
#include "reprise/Text/Table.h"
#include "reprise/Translate/TranslateProgram.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>
#include <set>
#include <sys/stat.h>

using namespace reprise;
using namespace reprise::driver;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

rt::Expected<const zoo::ModelInfo *>
driver::findModel(const std::string &name) {
  std::vector<std::string> names;
  for (const zoo::ModelInfo &info : zoo::listModels()) {
    if (info.name == name)
      return &info;
    names.push_back(info.name);
  }
  std::string meant = text::nearest(name, names);
  return misuse("no model is named '" + name + "'" +
                (meant.empty() ? "" : "; did you mean '" + meant + "'?") +
                " ('reprise zoo list' names all)");
}

/// Returns true if a file begins like an artifact.
static rt::Expected<bool> isArtifact(const std::string &path) {
  rt::Expected<rt::InputFile> file = rt::InputFile::open(path);
  if (!file.ok())
    return file.status();
  char magic[8] = {};
  if (file->size() < sizeof magic)
    return false;
  REPRISE_RETURN_IF_ERROR(file->readAt(0, magic, sizeof magic));
  return llvm::StringRef(magic, sizeof magic) == "REPRISE\n";
}

std::string driver::fileOf(const std::string &source) {
  rt::Expected<SourceKind> kind = classifySource(source);
  return kind.ok() && *kind != SourceKind::Zoo ? source : std::string();
}

rt::Expected<SourceKind> driver::classifySource(const std::string &source) {
  llvm::StringRef name = source;
  if (name.ends_with(".rpx"))
    return SourceKind::Artifact;
  if (name.ends_with(".mlir"))
    return SourceKind::Text;
  rt::Expected<const zoo::ModelInfo *> info = findModel(source);
  if (info.ok())
    return SourceKind::Zoo;
  struct stat exists;
  bool isPath = name.contains('/') || name.contains('.');
  if (!isPath && ::stat(source.c_str(), &exists) != 0)
    return info.status();
  rt::Expected<bool> artifact = isArtifact(source);
  if (!artifact.ok())
    return artifact.status();
  return *artifact ? SourceKind::Artifact : SourceKind::Text;
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

  /// Detects messages for which CompileFlags::warnElsewhere names the file.
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
        !isSaidOfOptions(message) && warnings.insert(text).second)
      warn(text);
    if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
      return;
    collected += collected.empty() ? "" : "\nerror: ";
    collected += text;
  }

  std::string collected;
  std::set<std::string> warnings; // each shown once
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

rt::Status Compiler::loadZoo(const std::string &model,
                             const zoo::ModelOptions &options) {
  rt::Expected<const zoo::ModelInfo *> info = findModel(model);
  if (!info.ok())
    return info.status();
  name = model;
  current = zoo::buildModel(context, model, options);
  return current ? rt::Status() : asMisuse(diagnostics->takeError(model));
}

/// Returns the name of an argument or result, empty without one.
static llvm::StringRef nameIn(mlir::DictionaryAttr attributes) {
  auto name = attributes ? attributes.getAs<mlir::StringAttr>("sg.name")
                         : mlir::StringAttr();
  return name ? name.getValue() : llvm::StringRef();
}

/// Checks that all `count` arguments, or results, have distinct names.
static bool checkNames(mlir::func::FuncOp function, const char *kind,
                       const char *example, unsigned count,
                       llvm::function_ref<mlir::DictionaryAttr(unsigned)> of) {
  llvm::StringMap<unsigned> seen;
  for (unsigned i = 0; i < count; ++i) {
    llvm::StringRef name = nameIn(of(i));
    if (name.empty()) {
      function.emitError() << kind << " " << i << " of @"
                           << function.getSymName()
                           << " has no name; write {sg.name = \"" << example
                           << "\"} after its type";
      return false;
    }
    auto [first, isNew] = seen.try_emplace(name, i);
    if (!isNew) {
      function.emitError() << kind << "s " << first->second << " and " << i
                           << " of @" << function.getSymName()
                           << " are both named '" << name << "'";
      return false;
    }
  }
  return true;
}

static bool hasLoss(mlir::func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (sg::roleOf(function.getResultAttrDict(i)) == sg::BindingRole::Loss)
      return true;
  function.emitError()
      << "no result of @" << function.getSymName()
      << " is the loss; write sg.binding = #sg.binding<loss> next to its name";
  return false;
}

/// Returns true if `module`, which holds a function, is a model; otherwise
/// reports the reason.
static bool isModel(mlir::ModuleOp module) {
  auto functions = module.getOps<mlir::func::FuncOp>();
  mlir::func::FuncOp function = *functions.begin();
  if (!llvm::hasSingleElement(functions)) {
    auto error = (*std::next(functions.begin())).emitError();
    error << "a second function; a model is one func.func";
    error.attachNote(function.getLoc()) << "the first is here";
    return false;
  }
  if (function.isExternal()) {
    function.emitError() << "@" << function.getSymName()
                         << " has no body, which a model needs";
    return false;
  }
  auto argument = [&](unsigned i) { return function.getArgAttrDict(i); };
  auto result = [&](unsigned i) { return function.getResultAttrDict(i); };
  unsigned arguments = function.getNumArguments();
  for (unsigned i = 0; i < arguments; ++i)
    if (nameIn(argument(i)) == "learning_rate" &&
        sg::roleOf(argument(i)) != sg::BindingRole::LearningRate) {
      function.emitError() << "argument " << i << " of @"
                           << function.getSymName()
                           << " is named 'learning_rate', as the optimizer's "
                              "input is; give it another name, or the role: "
                              "sg.binding = #sg.binding<learning_rate>";
      return false;
    }
  return checkNames(function, "argument", "image", arguments, argument) &&
         checkNames(function, "result", "loss", function.getNumResults(),
                    result) &&
         hasLoss(function);
}

rt::Status Compiler::loadText(const std::string &path) {
  name = path;
  // Opened by the runtime's reader, whose messages give the reason of failure.
  rt::Expected<rt::InputFile> file = rt::InputFile::open(path);
  if (!file.ok())
    return file.status();
  auto buffer =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(file->size(), path);
  if (!buffer)
    return rt::Status::error(RP_OUT_OF_MEMORY, "no memory for '" + path + "'");
  REPRISE_RETURN_IF_ERROR(
      file->readAt(0, buffer->getBufferStart(), file->size()));
  std::string_view text(buffer->getBufferStart(), file->size());
  if (std::string error = text::checkNesting(path, text); !error.empty())
    return invalid(error);
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  current = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!current)
    return diagnostics->takeError(path);
  // There is no line to show: the module around a file's text has no place in
  // it.
  if (current->getOps<mlir::func::FuncOp>().empty())
    return invalid("'" + path +
                   "' holds no function; a model is one func.func");
  return isModel(*current) && checkModelValues(*current)
             ? rt::Status()
             : diagnostics->takeError(path);
}

/// Reports the phase of this thread's work, if it has an activity.
static void tellPhase(const std::string &phase) {
  if (Activity *activity = Activity::current())
    activity->phase(phase);
}

rt::Status Compiler::load(const std::string &source, SourceKind kind,
                          const zoo::ModelOptions &options) {
  tellPhase("reading the model");
  return kind == SourceKind::Zoo ? loadZoo(source, options) : loadText(source);
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

rt::Status Compiler::lower(const CompileOptions &options, CompileLevel level) {
  REPRISE_RETURN_IF_ERROR(checkClassWeights(*current, options));
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
