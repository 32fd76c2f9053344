//===- ModelValues.cpp - Checks of a model's constants and initial values -===//

#include "ModelValues.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "reprise/IR/Sg.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::driver;

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

bool driver::checkModelValues(ModuleOp module) {
  module.walk([](sg::ConstantOp constant) {
    auto elements = dyn_cast<ElementsAttr>(constant.getValueAttr());
    if (Counts counts = elements ? countIn(elements) : Counts(); counts.nans)
      constant.emitWarning() << "a constant holds nan in " << counts.nans
                             << " of " << counts.elements << " elements";
  });
  return llvm::all_of(module.getOps<sg::VariableOp>(), checkParameter);
}
