//===- CheckDialect.cpp - Ops that compare numbers ------------------------===//
//
//   check.expect_eq %a, %b : tensor<3xi64>
//   check.expect_eq_const %a, dense<[1, 2, 3]> : tensor<3xi64>
//   check.expect_almost_eq %a, %b, tolerance = 0.1 : tensor<f64>
//   check.expect_almost_eq_const %a, dense<5.1> : tensor<f64> {tolerance = 0.1}
//   check.expect_close %a, %b, max_ulp_difference = 3 : tensor<f16>,
//   tensor<f16>
//
//===----------------------------------------------------------------------===//
#include "CheckDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "reprise/StableHlo/StableHlo.h"

using namespace mlir;
using namespace reprise;

using Operand = OpAsmParser::UnresolvedOperand;

static constexpr StringLiteral kExpected = "value";

check::CheckDialect::CheckDialect(MLIRContext *context)
    : Dialect(getDialectNamespace(), context, TypeID::get<CheckDialect>()) {
  allowUnknownOperations();
}

/// Parses "NAME = NUMBER" in front of the types.
static ParseResult parseSettings(OpAsmParser &parser, OperationState &result) {
  StringRef name;
  if (parser.parseKeyword(&name) || parser.parseEqual())
    return failure();
  Builder &builder = parser.getBuilder();
  int64_t integer;
  if (OptionalParseResult parsed = parser.parseOptionalInteger(integer);
      parsed.has_value()) {
    result.addAttribute(name, builder.getI64IntegerAttr(integer));
    return *parsed;
  }
  double number;
  if (parser.parseFloat(number))
    return failure();
  result.addAttribute(name, builder.getF64FloatAttr(number));
  return success();
}

static ParseResult parseConstCheck(OpAsmParser &parser,
                                   OperationState &result) {
  Operand operand;
  ElementsAttr expected;
  if (parser.parseOperand(operand) || parser.parseComma() ||
      parser.parseAttribute(expected, kExpected, result.attributes) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  return parser.resolveOperand(operand, expected.getType(), result.operands);
}

static ParseResult parseCheck(OpAsmParser &parser, OperationState &result) {
  Operand first, second;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(first) || parser.parseComma() ||
      parser.parseOperand(second))
    return failure();
  while (succeeded(parser.parseOptionalComma()))
    if (parseSettings(parser, result))
      return failure();
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonTypeList(types))
    return failure();
  if (types.size() == 1)
    types.push_back(types.front());
  return parser.resolveOperands({first, second}, types, loc, result.operands);
}

std::optional<Dialect::ParseOpHook>
check::CheckDialect::getParseOperationHook(StringRef name) const {
  if (name.ends_with("_const"))
    return ParseOpHook(parseConstCheck);
  return ParseOpHook(parseCheck);
}

void check::lowerChecks(ModuleOp module) {
  SmallVector<Operation *> checks;
  module.walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() == "check")
      checks.push_back(op);
  });
  for (Operation *op : checks) {
    OpBuilder builder(op);
    std::string target = op->getName().getStringRef().str();
    SmallVector<Value> operands(op->getOperands());
    if (auto expected = op->getAttrOfType<ElementsAttr>(kExpected)) {
      operands.push_back(stablehlo::ConstantOp::create(
          builder, op->getLoc(), expected.getType(), expected));
      target.resize(target.size() - StringRef("_const").size());
    }
    auto call = stablehlo::CustomCallOp::create(
        builder, op->getLoc(), TypeRange(op->getResultTypes()), operands,
        builder.getStringAttr(target), builder.getBoolAttr(true));
    for (NamedAttribute attribute : op->getAttrs())
      if (attribute.getName() != kExpected)
        call->setAttr(attribute.getName(), attribute.getValue());
    op->replaceAllUsesWith(call);
    op->erase();
  }
}
