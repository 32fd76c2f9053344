//===- StableHloDialect.cpp - Registration and attributes -----------------===//
//
// Attributes of the subset are parsed; the text of any other one is kept.
// Dimension numbers are printed as the StableHLO project prints them: a list
// that is empty, and the number 0 of index vectors, only where required.
//
//===----------------------------------------------------------------------===//
#include "Inlining.h"
#include "Syntax.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::stablehlo;

#include "reprise/StableHlo/ChloDialect.cpp.inc"
#include "reprise/StableHlo/StableHloDialect.cpp.inc"
#include "reprise/StableHlo/StableHloEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "reprise/StableHlo/StableHloAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "reprise/StableHlo/StableHloTypes.cpp.inc"

#define GET_OP_CLASSES
#include "reprise/StableHlo/ChloOps.cpp.inc"

void chlo::ChloDialect::initialize() {
  allowUnknownOperations();
  addOperations<
#define GET_OP_LIST
#include "reprise/StableHlo/ChloOps.cpp.inc"
      >();
  addInterfaces<Inlining>();
}

void HloDialect::initialize() {
  allowUnknownOperations();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "reprise/StableHlo/StableHloAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "reprise/StableHlo/StableHloTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "reprise/StableHlo/StableHloOps.cpp.inc"
      >();
  addInterfaces<Inlining>();
}

void reprise::stablehlo::registerDialects(DialectRegistry &registry) {
  if (!registry.getDialectAllocator(HloDialect::getDialectNamespace()))
    registry.insert<HloDialect>();
  if (!registry.getDialectAllocator(chlo::ChloDialect::getDialectNamespace()))
    registry.insert<chlo::ChloDialect>();
  if (!registry.getDialectAllocator(sdy::SdyDialect::getDialectNamespace()))
    registry.insert<sdy::SdyDialect>();
}

Attribute HloDialect::parseAttribute(DialectAsmParser &parser,
                                     Type type) const {
  StringRef text = parser.getFullSymbolSpec(), mnemonic;
  Attribute attribute;
  OptionalParseResult known =
      generatedAttributeParser(parser, &mnemonic, type, attribute);
  if (known.has_value())
    return attribute;
  return OpaqueAttr::getChecked(
      [&] { return parser.emitError(parser.getNameLoc()); },
      StringAttr::get(getContext(), getNamespace()), text,
      type ? type : NoneType::get(getContext()));
}

void HloDialect::printAttribute(Attribute attribute,
                                DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

static bool isListOf(Attribute attribute, unsigned width) {
  auto elements = dyn_cast_if_present<DenseIntElementsAttr>(attribute);
  return elements && elements.getElementType().isSignlessInteger(width);
}

bool reprise::stablehlo::isI64List(Attribute attribute) {
  return isa<DenseI64ArrayAttr>(attribute) || isListOf(attribute, 64);
}

bool reprise::stablehlo::isFlagList(Attribute attribute) {
  return isa<DenseBoolArrayAttr>(attribute) || isListOf(attribute, 1);
}

/// No list of dimensions is longer; a splat may claim to be.
static constexpr int64_t kLongestList = 4096;

SmallVector<int64_t> reprise::stablehlo::integersOf(Attribute list) {
  SmallVector<int64_t> numbers;
  if (auto array = dyn_cast_if_present<DenseI64ArrayAttr>(list))
    numbers.assign(array.asArrayRef().begin(), array.asArrayRef().end());
  else if (auto flags = dyn_cast_if_present<DenseBoolArrayAttr>(list))
    llvm::append_range(numbers, flags.asArrayRef());
  else if (auto elements = dyn_cast_if_present<DenseIntElementsAttr>(list);
           elements && elements.getNumElements() <= kLongestList)
    for (const APInt &number : elements.getValues<APInt>())
      numbers.push_back(number.getBitWidth() == 1 ? number.getZExtValue()
                                                  : number.getSExtValue());
  return numbers;
}

//===----------------------------------------------------------------------===//
// Dimension numbers
//===----------------------------------------------------------------------===//

namespace {
/// A member of an attribute: a list, or one number.
struct Member {
  StringLiteral name;
  SmallVector<int64_t> list;
  bool isNumber = false;
};
} // namespace

/// Parses "<name = [1, 2], other = 0>", members in any order, each at most
/// once.
static ParseResult parseMembers(AsmParser &parser,
                                MutableArrayRef<Member> members) {
  llvm::SmallDenseSet<StringRef> seen;
  auto parseMember = [&]() -> ParseResult {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    auto *member = llvm::find_if(
        members, [&](const Member &member) { return member.name == name; });
    if (member == members.end() || !seen.insert(member->name).second)
      return parser.emitError(loc) << "unexpected '" << name << "'";
    if (!member->isNumber)
      return parseIntegerList(parser, member->list);
    return parser.parseInteger(member->list.emplace_back());
  };
  if (parser.parseLess())
    return failure();
  if (succeeded(parser.parseOptionalGreater()))
    return success();
  return failure(parser.parseCommaSeparatedList(parseMember) ||
                 parser.parseGreater());
}

static void printMembers(AsmPrinter &printer, ArrayRef<Member> members) {
  auto isShown = [](const Member &member) {
    return member.isNumber ? member.list.front() != 0 : !member.list.empty();
  };
  printer << '<';
  llvm::interleaveComma(llvm::make_filter_range(members, isShown), printer,
                        [&](const Member &member) {
                          printer << member.name << " = ";
                          if (member.isNumber)
                            printer << member.list.front();
                          else
                            printIntegerList(printer, member.list);
                        });
  printer << '>';
}

static int64_t numberOf(const Member &member) {
  return member.list.empty() ? 0 : member.list.front();
}

static SmallVector<int64_t> copyOf(ArrayRef<int64_t> list) {
  return SmallVector<int64_t>(list);
}

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  Member members[] = {{"lhs_batching_dimensions", {}},
                      {"rhs_batching_dimensions", {}},
                      {"lhs_contracting_dimensions", {}},
                      {"rhs_contracting_dimensions", {}}};
  if (parseMembers(parser, members))
    return {};
  return get(parser.getContext(), members[0].list, members[1].list,
             members[2].list, members[3].list);
}

void DotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printMembers(printer,
               {{"lhs_batching_dimensions", copyOf(getLhsBatch())},
                {"rhs_batching_dimensions", copyOf(getRhsBatch())},
                {"lhs_contracting_dimensions", copyOf(getLhsContracting())},
                {"rhs_contracting_dimensions", copyOf(getRhsContracting())}});
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  Member members[] = {{"offset_dims", {}},
                      {"collapsed_slice_dims", {}},
                      {"operand_batching_dims", {}},
                      {"start_indices_batching_dims", {}},
                      {"start_index_map", {}},
                      {"index_vector_dim", {}, /*isNumber=*/true}};
  if (parseMembers(parser, members))
    return {};
  return get(parser.getContext(), members[0].list, members[1].list,
             members[2].list, members[3].list, members[4].list,
             numberOf(members[5]));
}

void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printMembers(
      printer,
      {{"offset_dims", copyOf(getOffsetDims())},
       {"collapsed_slice_dims", copyOf(getCollapsedSliceDims())},
       {"operand_batching_dims", copyOf(getOperandBatchingDims())},
       {"start_indices_batching_dims", copyOf(getStartIndicesBatchingDims())},
       {"start_index_map", copyOf(getStartIndexMap())},
       {"index_vector_dim", {getIndexVectorDim()}, /*isNumber=*/true}});
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  Member members[] = {{"update_window_dims", {}},
                      {"inserted_window_dims", {}},
                      {"input_batching_dims", {}},
                      {"scatter_indices_batching_dims", {}},
                      {"scatter_dims_to_operand_dims", {}},
                      {"index_vector_dim", {}, /*isNumber=*/true}};
  if (parseMembers(parser, members))
    return {};
  return get(parser.getContext(), members[0].list, members[1].list,
             members[2].list, members[3].list, members[4].list,
             numberOf(members[5]));
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printMembers(
      printer,
      {{"update_window_dims", copyOf(getUpdateWindowDims())},
       {"inserted_window_dims", copyOf(getInsertedWindowDims())},
       {"input_batching_dims", copyOf(getInputBatchingDims())},
       {"scatter_indices_batching_dims",
        copyOf(getScatterIndicesBatchingDims())},
       {"scatter_dims_to_operand_dims", copyOf(getScatterDimsToOperandDims())},
       {"index_vector_dim", {getIndexVectorDim()}, /*isNumber=*/true}});
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  ConvDimensionNumbersAttr numbers;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("raw"))) {
    parser.emitError(parser.getCurrentLocation())
        << "dimension numbers in raw form are not supported";
    return {};
  }
  if (parseConvDimensions(parser, numbers) || parser.parseGreater())
    return {};
  return numbers;
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printConvDimensions(printer, *this);
  printer << '>';
}
