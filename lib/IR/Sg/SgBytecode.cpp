//===- SgBytecode.cpp - Attributes of sg in MLIR's bytecode ---------------===//
//
// Initial values have an encoding of their own: as text, the encoding of other
// attributes in bytecode, elements would lose the resource that holds their
// data.
//
//===----------------------------------------------------------------------===//
#include "SgBytecode.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "reprise/IR/Sg.h"

using namespace mlir;
using namespace reprise::sg;

namespace {

/// Numbers in files: they must not change when others are added.
enum Form : uint64_t { kInit = 0 };

struct SgBytecode : BytecodeDialectInterface {
  explicit SgBytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  LogicalResult writeAttribute(Attribute attribute,
                               DialectBytecodeWriter &writer) const override {
    auto init = dyn_cast<InitAttr>(attribute);
    if (!init)
      return failure(); // as text
    writer.writeVarInt(kInit);
    writer.writeVarInt(uint64_t(init.getKind()));
    writer.writeOptionalAttribute(init.getValue());
    return success();
  }

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    uint64_t form = 0, number = 0;
    TypedAttr value;
    if (failed(reader.readVarInt(form)))
      return {};
    if (form != kInit) {
      reader.emitError() << "holds an attribute of sg in form " << form
                         << "; the form known is " << kInit;
      return {};
    }
    if (failed(reader.readVarInt(number)) ||
        failed(reader.readOptionalAttribute(value)))
      return {};
    std::optional<InitKind> kind;
    if (number <= UINT32_MAX)
      kind = symbolizeInitKind(uint32_t(number));
    if (!kind) {
      reader.emitError() << "holds an initial value of unknown kind " << number;
      return {};
    }
    return InitAttr::getChecked([&] { return reader.emitError(); },
                                getContext(), *kind, value);
  }
};

} // namespace

void reprise::sg::addBytecodeInterface(Dialect &dialect) {
  dialect.addInterface<SgBytecode>();
}
