//===- SdyOps.td - Shardy's marks that JAX prints -----------*- tablegen -*-===//
#ifndef REPRISE_STABLEHLO_SDYOPS
#define REPRISE_STABLEHLO_SDYOPS

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "reprise/IR/RematInterfaces.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::reprise::sdy";
  let summary = "Meshes and shardings that JAX prints beside StableHLO";
  let description = [{
    A subset of Shardy's dialect of this name, for text that is read, planned and printed
    again. Attributes, such as `sdy.sharding`, are kept as text.
    Other ops of it may appear in generic form.
  }];
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
  }];
}

/// An attribute of the dialect, kept as text.
def Sdy_Text : Attr<CPred<"::llvm::isa<::mlir::OpaqueAttr>($_self)">,
                    "attribute of Shardy"> {
  let storageType = "::mlir::OpaqueAttr";
  let returnType = "::mlir::OpaqueAttr";
  let convertFromStorage = "$_self";
}

def Sdy_MeshOp : Op<Sdy_Dialect, "mesh", [Symbol]> {
  let summary = "names the axes of the devices";
  let description = [{
        sdy.mesh @mesh = <["x"=2, "y"=4]>

    A step whose mesh has several devices is refused, because the shapes of its text are
    those of all devices together.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_Text:$mesh);
  let assemblyFormat = "$sym_name `=` custom<Mesh>($mesh) attr-dict";
  let extraClassDeclaration = [{
    /// The product of the sizes of all axes.
    uint64_t getDevices();
  }];
}

def Sdy_ShardingConstraintOp
    : Op<Sdy_Dialect, "sharding_constraint",
         [Pure, DeclareOpInterfaceMethods<RematOpInterface,
                                          ["getRematViewSource"]>]> {
  let summary = "says where its operand lies";
  let description = "A view: takes no bytes of its own.";
  let arguments = (ins AnyTensor:$input, Sdy_Text:$sharding);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $input custom<Sharding>($sharding) attr-dict `:`
    custom<OneType>(type($input), type($result))
  }];
}

#endif // REPRISE_STABLEHLO_SDYOPS
