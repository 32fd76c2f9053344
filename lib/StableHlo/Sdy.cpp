//===- Sdy.cpp - Shardy's marks as text -----------------------------------===//
//
//   sdy.mesh @mesh = <["x"=2, "y"=4]>
//   sdy.sharding_constraint %0 <@mesh, [{"x", ?}, {}p0], replicated={"y"}>
//
// The parser checks the text of meshes and shardings and keeps it, in one
// spelling. Attributes elsewhere stay as they are.
//
//===----------------------------------------------------------------------===//
#include "Inlining.h"
#include "reprise/StableHlo/StableHlo.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sdy;

#include "reprise/StableHlo/SdyDialect.cpp.inc"

void SdyDialect::initialize() {
  allowUnknownOperations();
  addOperations<
#define GET_OP_LIST
#include "reprise/StableHlo/SdyOps.cpp.inc"
      >();
  addInterfaces<stablehlo::Inlining>();
}

static OpaqueAttr textAttr(MLIRContext *context, StringRef text) {
  return OpaqueAttr::get(StringAttr::get(context, "sdy"), text,
                         NoneType::get(context));
}

Attribute SdyDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  return textAttr(getContext(), parser.getFullSymbolSpec());
}

//===----------------------------------------------------------------------===//
// Parsing to text
//===----------------------------------------------------------------------===//

namespace {
/// Parses parts of attributes and writes them.
class TextParser {
public:
  TextParser(OpAsmParser &parser, StringRef mnemonic)
      : parser(parser), stream(text) {
    stream << mnemonic;
  }

  OpaqueAttr take() { return textAttr(parser.getContext(), text); }

  /// `<["x"=2, "y"=4], device_ids=[1, 0]>`
  ParseResult parseMesh() {
    if (parser.parseLess())
      return failure();
    stream << "<[";
    auto parseAxis = [&]() -> ParseResult {
      int64_t size;
      if (parseString() || parser.parseEqual() || parser.parseInteger(size))
        return failure();
      stream << '=' << size;
      return success();
    };
    if (parseList(AsmParser::Delimiter::Square, parseAxis))
      return failure();
    stream << ']';
    if (succeeded(parser.parseOptionalComma())) {
      if (parser.parseKeyword("device_ids") || parser.parseEqual())
        return failure();
      stream << ", device_ids=[";
      if (parseList(AsmParser::Delimiter::Square,
                    [&] { return parseInteger(); }))
        return failure();
      stream << ']';
    }
    stream << '>';
    return parser.parseGreater();
  }

  /// `<@mesh, [{"x", ?}, {}p0], replicated={"y"}, unreduced={"z"}>`
  ParseResult parseSharding() {
    if (parser.parseLess())
      return failure();
    stream << '<';
    if (parseMeshName() || parser.parseComma())
      return failure();
    stream << ", [";
    if (parseList(AsmParser::Delimiter::Square,
                  [&] { return parseDimension(); }))
      return failure();
    stream << ']';
    while (succeeded(parser.parseOptionalComma())) {
      StringRef name;
      if (parser.parseKeyword(&name) || parser.parseEqual())
        return failure();
      stream << ", " << name << '=';
      if (parseDimension())
        return failure();
    }
    stream << '>';
    return parser.parseGreater();
  }

private:
  ParseResult parseMeshName() {
    if (succeeded(parser.parseOptionalKeyword("mesh"))) {
      stream << "mesh";
      return parseMesh();
    }
    StringAttr name;
    if (parser.parseSymbolName(name))
      return failure();
    stream << FlatSymbolRefAttr::get(name);
    return success();
  }

  /// `{"x", "y":(1)2, ?}p0`
  ParseResult parseDimension() {
    stream << '{';
    auto parseAxis = [&]() -> ParseResult {
      if (succeeded(parser.parseOptionalQuestion())) {
        stream << '?';
        return success();
      }
      if (parseString() || failed(parser.parseOptionalColon()))
        return success(isString);
      stream << ":(";
      if (parser.parseLParen() || parseInteger() || parser.parseRParen())
        return failure();
      stream << ')';
      return parseInteger();
    };
    StringRef priority;
    if (parseList(AsmParser::Delimiter::Braces, parseAxis))
      return failure();
    stream << '}';
    SMLoc loc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeyword(&priority)))
      return success();
    uint64_t number;
    if (!priority.starts_with("p") ||
        priority.drop_front().getAsInteger(10, number))
      return parser.emitError(loc) << "expected a priority such as p0";
    stream << priority;
    return success();
  }

  ParseResult parseList(AsmParser::Delimiter delimiter,
                        llvm::function_ref<ParseResult()> parseOne) {
    StringRef separator = "";
    return parser.parseCommaSeparatedList(delimiter, [&] {
      stream << std::exchange(separator, ", ");
      return parseOne();
    });
  }

  ParseResult parseString() {
    std::string string;
    isString = succeeded(parser.parseString(&string));
    if (isString)
      stream << StringAttr::get(parser.getContext(), string);
    return success(isString);
  }

  ParseResult parseInteger() {
    int64_t number;
    if (parser.parseInteger(number))
      return failure();
    stream << number;
    return success();
  }

  OpAsmParser &parser;
  std::string text;
  llvm::raw_string_ostream stream;
  bool isString = false;
};
} // namespace

static ParseResult parseMesh(OpAsmParser &parser, OpaqueAttr &mesh) {
  TextParser text(parser, "mesh");
  if (text.parseMesh())
    return failure();
  mesh = text.take();
  return success();
}

static ParseResult parseSharding(OpAsmParser &parser, OpaqueAttr &sharding) {
  TextParser text(parser, "sharding");
  if (text.parseSharding())
    return failure();
  sharding = text.take();
  return success();
}

static void printMesh(OpAsmPrinter &printer, Operation *, OpaqueAttr mesh) {
  StringRef text = mesh.getAttrData();
  text.consume_front("mesh");
  printer << text;
}

static void printSharding(OpAsmPrinter &printer, Operation *,
                          OpaqueAttr sharding) {
  StringRef text = sharding.getAttrData();
  text.consume_front("sharding");
  printer << text;
}

static ParseResult parseOneType(OpAsmParser &parser, Type &input,
                                Type &result) {
  if (parser.parseType(input))
    return failure();
  result = input;
  return success();
}

static void printOneType(OpAsmPrinter &printer, Operation *, Type input, Type) {
  printer << input;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// Reads the sizes outside quotes of `mesh<["x"=2, "y"=4], device_ids=[...]>`.
uint64_t MeshOp::getDevices() {
  uint64_t devices = 1;
  bool isQuoted = false;
  StringRef text = getMesh().getAttrData();
  for (size_t at = 0; at < text.size(); ++at) {
    if (isQuoted && text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      isQuoted = !isQuoted;
    else if (!isQuoted && text[at] == ']')
      break;
    else if (uint64_t size;
             !isQuoted && text[at] == '=' &&
             !text.substr(at + 1).take_while(isdigit).getAsInteger(10, size))
      devices = llvm::SaturatingMultiply(devices, size);
  }
  return devices;
}

std::optional<unsigned> ShardingConstraintOp::getRematViewSource() { return 0; }

#define GET_OP_CLASSES
#include "reprise/StableHlo/SdyOps.cpp.inc"
