//===- ModelChecks.cpp - Checks of the models of files --------------------===//

#include "ModelChecks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "reprise/IR/Sg.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::driver;

//===----------------------------------------------------------------------===//
// Constants and initial values
//===----------------------------------------------------------------------===//

namespace {
struct Counts {
  int64_t nans = 0, infinities = 0, elements = 0;
};
} // namespace

static void add(Counts &counts, const APFloat &number) {
  counts.nans += number.isNaN();
  counts.infinities += number.isInfinity();
}

/// Counts in a resource, whose bytes hold elements of the type.
static void addBytes(Counts &counts, FloatType type, ArrayRef<char> bytes) {
  unsigned width = type.getWidth() / 8;
  for (size_t at = 0; at + width <= bytes.size(); at += width) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, width);
    add(counts, APFloat(type.getFloatSemantics(), APInt(8 * width, word)));
  }
}

static Counts countIn(ElementsAttr elements) {
  Counts counts;
  auto type = dyn_cast<FloatType>(elements.getElementType());
  counts.elements = elements.getNumElements();
  if (!type)
    return counts;
  if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    for (const APFloat &number : dense.getValues<APFloat>())
      add(counts, number);
  } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      addBytes(counts, type, blob->getData());
  }
  return counts;
}

static bool checkParameter(sg::VariableOp variable) {
  ElementsAttr elements = variable.getInit().getElements();
  if (variable.getRole() != sg::Role::Parameter || !elements)
    return true;
  Counts counts = countIn(elements);
  int64_t bad = counts.nans + counts.infinities;
  if (bad == 0)
    return true;
  variable.emitError() << "parameter '" << variable.getSymName()
                       << "' begins with " << bad << " of " << counts.elements
                       << " elements that are not finite (nan or infinity)";
  return false;
}

/// Warns of constants that hold NaN; infinity in a constant may be a mask's.
/// Returns false, with an error at the variable, if a parameter begins with a
/// value that is not finite.
static bool checkValues(mlir::ModuleOp module) {
  module.walk([](sg::ConstantOp constant) {
    auto elements = dyn_cast<ElementsAttr>(constant.getValueAttr());
    if (Counts counts = elements ? countIn(elements) : Counts(); counts.nans)
      constant.emitWarning() << "a constant holds nan in " << counts.nans
                             << " of " << counts.elements << " elements";
  });
  return llvm::all_of(module.getOps<sg::VariableOp>(), checkParameter);
}

//===----------------------------------------------------------------------===//
// Names and roles
//===----------------------------------------------------------------------===//

/// Returns the name of an argument or result, empty without one.
static llvm::StringRef nameIn(DictionaryAttr attributes) {
  auto name =
      attributes ? attributes.getAs<StringAttr>("sg.name") : StringAttr();
  return name ? name.getValue() : llvm::StringRef();
}

/// Checks that all `count` arguments, or results, have distinct names.
static bool checkNames(func::FuncOp function, const char *kind,
                       const char *example, unsigned count,
                       llvm::function_ref<DictionaryAttr(unsigned)> of) {
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

static bool hasLoss(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (sg::roleOf(function.getResultAttrDict(i)) == sg::BindingRole::Loss)
      return true;
  function.emitError()
      << "no result of @" << function.getSymName()
      << " is the loss; write sg.binding = #sg.binding<loss> next to its name";
  return false;
}

bool driver::checkModel(mlir::ModuleOp module, const std::string &path) {
  auto functions = module.getOps<func::FuncOp>();
  // There is no line to show: the module around a file's text has no place in
  // it.
  if (functions.empty()) {
    emitError(UnknownLoc::get(module.getContext()))
        << "'" << path << "' holds no function; a model is one func.func";
    return false;
  }
  func::FuncOp function = *functions.begin();
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
         hasLoss(function) && checkValues(module);
}
