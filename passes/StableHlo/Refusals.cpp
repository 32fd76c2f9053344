//===- Refusals.cpp - Constructs that cannot be planned -------------------===//
//
// Input:   a module whose calls are inlined, and the function of its step.
// Output:  an error for each construct that cannot be planned.
// Cost:    linear in the ops.
// Fails:   if there is such a construct.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/StableHlo.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::stablehlo;

func::FuncOp stablehlo::findStep(ModuleOp module, StringRef name) {
  func::FuncOp visible, any;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (function.getSymName() == (name.empty() ? "main" : name))
      return function;
    if (!visible && !function.isPrivate())
      visible = function;
    if (!any)
      any = function;
  }
  func::FuncOp found = name.empty() ? (visible ? visible : any) : nullptr;
  if (found)
    return found;
  InFlightDiagnostic error = module.emitError();
  if (name.empty())
    error << "has no function with a body";
  else
    error << "has no function '" << name << "' with a body";
  return nullptr;
}

/// Why values of this type cannot be counted; "" if they can.
static std::string refusalOf(Type type) {
  if (isa<TupleType>(type))
    return "tuples are not supported";
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && !shaped.hasRank())
    return "its rank is not known";
  if (shaped && !shaped.hasStaticShape())
    return "its shape is dynamic";
  if (!remat::bytesOf(type))
    return "its bytes are not known";
  return "";
}

namespace {
class Checker {
public:
  explicit Checker(func::FuncOp step) : step(step) {}

  LogicalResult check(ModuleOp module) {
    checkPartitions(module);
    if (!step.getBody().hasOneBlock())
      refuse(step.getLoc(),
             "'" + step.getSymName().str() + "' has " +
                 std::to_string(step.getBody().getBlocks().size()) +
                 " blocks; branches are not supported");
    for (BlockArgument argument : step.getArguments())
      if (std::string why = refusalOf(argument.getType()); !why.empty())
        refuse(argument.getLoc(),
               "argument " + std::to_string(argument.getArgNumber()) +
                   " is a " + textOf(argument.getType()) + ": " + why);
    step.getBody().walk([&](Operation *op) { checkOp(op); });
    if (count > kShown)
      emitError(step.getLoc()) << count - kShown << " more are refused";
    return success(count == 0);
  }

private:
  static constexpr uint64_t kShown = 50;

  static std::string textOf(Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  }

  void refuse(Location loc, const std::string &why) {
    if (++count <= kShown)
      emitError(loc) << why;
  }

  /// Shapes of a partitioned module are those of all devices together.
  void checkPartitions(ModuleOp module) {
    auto partitions = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
    if (partitions && partitions.getValue().sgt(1))
      refuse(module.getLoc(),
             "the module is partitioned over " +
                 llvm::toString(partitions.getValue(), 10, true) +
                 " devices: its shapes are not those of one device");
    else
      for (auto mesh : module.getOps<sdy::MeshOp>())
        if (uint64_t devices = mesh.getDevices(); devices > 1)
          refuse(mesh.getLoc(),
                 "the mesh '" + mesh.getSymName().str() + "' has " +
                     std::to_string(devices) +
                     " devices: shapes are not those of one device");
  }

  void checkOp(Operation *op) {
    std::string name = "'" + op->getName().getStringRef().str() + "' ";
    if (isa<func::CallOp, func::CallIndirectOp>(op))
      return refuse(op->getLoc(),
                    name + "calls a function whose body is not in the module");
    for (OpResult result : op->getResults())
      if (std::string why = refusalOf(result.getType()); !why.empty())
        return refuse(op->getLoc(), name + "makes a " +
                                        textOf(result.getType()) + ": " + why);
  }

  func::FuncOp step;
  uint64_t count = 0;
};
} // namespace

LogicalResult stablehlo::checkSupported(ModuleOp module, func::FuncOp step) {
  return Checker(step).check(module);
}

std::vector<std::pair<std::string, uint64_t>>
stablehlo::listUnknownOps(func::FuncOp step) {
  llvm::MapVector<StringRef, uint64_t> counts;
  step.getBody().walk([&](Operation *op) {
    if (!op->isRegistered())
      ++counts[op->getName().getStringRef()];
  });
  std::vector<std::pair<std::string, uint64_t>> list;
  for (auto [name, count] : counts)
    list.push_back({name.str(), count});
  return list;
}
