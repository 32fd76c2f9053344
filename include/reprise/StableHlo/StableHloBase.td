//===- StableHloBase.td - Dialect and attributes ------------*- tablegen -*-===//
#ifndef REPRISE_STABLEHLO_BASE
#define REPRISE_STABLEHLO_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Hlo_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::reprise::stablehlo";
  let summary = "The ops of StableHLO that training steps consist of, as text";
  let description = [{
    A subset of [StableHLO](https://openxla.org/stablehlo/spec), defined here so that the
    text of a step that JAX or another front end printed can be read, planned, evaluated
    and printed again. It has the dialect's name and syntax, in pretty and in generic form;
    it is no replacement of the StableHLO project.

    Each op tells the planner what it costs, what it only views and what it may compute in
    place. An op that is not in the subset may appear in generic form: it runs once, in the
    order of all such ops. An attribute that is not in the subset is kept as text.
  }];
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 0;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

def Hlo_Token : TypeDef<Hlo_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "orders effects; has no bytes";
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

class Hlo_Enum<string name, string summary, list<string> names>
    : I32EnumAttr<name, summary,
                  !foreach(k, !range(!size(names)),
                           I32EnumAttrCase<names[k], k, names[k]>)> {
  let cppNamespace = "::reprise::stablehlo";
  let genSpecializedAttr = 0;
}

def Hlo_ComparisonDirection
    : Hlo_Enum<"ComparisonDirection", "what a comparison asks",
               ["EQ", "NE", "GE", "GT", "LE", "LT"]>;
def Hlo_ComparisonDirectionAttr
    : EnumAttr<Hlo_Dialect, Hlo_ComparisonDirection, "comparison_direction">;

def Hlo_ComparisonType
    : Hlo_Enum<"ComparisonType", "how operands are compared",
               ["NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED",
                "WEAKORDER"]>;
def Hlo_ComparisonTypeAttr
    : EnumAttr<Hlo_Dialect, Hlo_ComparisonType, "comparison_type">;

def Hlo_Precision
    : Hlo_Enum<"Precision", "how exactly a product is computed",
               ["DEFAULT", "HIGH", "HIGHEST"]>;
def Hlo_PrecisionAttr : EnumAttr<Hlo_Dialect, Hlo_Precision, "precision">;

def Hlo_RngDistribution
    : Hlo_Enum<"RngDistribution", "a distribution", ["UNIFORM", "NORMAL"]>;
def Hlo_RngDistributionAttr
    : EnumAttr<Hlo_Dialect, Hlo_RngDistribution, "rng_distribution">;

def Hlo_RngAlgorithm
    : Hlo_Enum<"RngAlgorithm", "a generator of random bits",
               ["DEFAULT", "THREE_FRY", "PHILOX"]>;
def Hlo_RngAlgorithmAttr
    : EnumAttr<Hlo_Dialect, Hlo_RngAlgorithm, "rng_algorithm">;

//===----------------------------------------------------------------------===//
// Dimension numbers: lists that are empty are not printed
//===----------------------------------------------------------------------===//

class Hlo_Struct<string name, string text> : AttrDef<Hlo_Dialect, name> {
  let mnemonic = text;
  let hasCustomAssemblyFormat = 1;
}

def Hlo_Dims : ArrayRefParameter<"int64_t">;

def Hlo_DotAttr : Hlo_Struct<"DotDimensionNumbers", "dot"> {
  let summary = "which dimensions of a product are batches, which are summed";
  let parameters = (ins Hlo_Dims:$lhsBatch, Hlo_Dims:$rhsBatch,
                        Hlo_Dims:$lhsContracting, Hlo_Dims:$rhsContracting);
}

def Hlo_ConvAttr : Hlo_Struct<"ConvDimensionNumbers", "conv"> {
  let summary = "which dimensions are batch, features and space";
  let description = [{
    `#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`: batch and features of the
    input and of the output, input and output features of the filter, and the dimensions
    of space by their number.
  }];
  let parameters = (ins "int64_t":$inputBatch, "int64_t":$inputFeature,
                        Hlo_Dims:$inputSpatial, "int64_t":$kernelInput,
                        "int64_t":$kernelOutput, Hlo_Dims:$kernelSpatial,
                        "int64_t":$outputBatch, "int64_t":$outputFeature,
                        Hlo_Dims:$outputSpatial);
}

def Hlo_GatherAttr : Hlo_Struct<"GatherDimensionNumbers", "gather"> {
  let summary = "how indices choose slices";
  let parameters = (ins Hlo_Dims:$offsetDims, Hlo_Dims:$collapsedSliceDims,
                        Hlo_Dims:$operandBatchingDims,
                        Hlo_Dims:$startIndicesBatchingDims,
                        Hlo_Dims:$startIndexMap, "int64_t":$indexVectorDim);
}

def Hlo_ScatterAttr : Hlo_Struct<"ScatterDimensionNumbers", "scatter"> {
  let summary = "how indices choose the places of updates";
  let parameters = (ins Hlo_Dims:$updateWindowDims, Hlo_Dims:$insertedWindowDims,
                        Hlo_Dims:$inputBatchingDims,
                        Hlo_Dims:$scatterIndicesBatchingDims,
                        Hlo_Dims:$scatterDimsToOperandDims,
                        "int64_t":$indexVectorDim);
}

def Hlo_DotAlgorithmAttr : AttrDef<Hlo_Dialect, "DotAlgorithm"> {
  let mnemonic = "dot_algorithm";
  let summary = "the types that a product is computed in";
  let parameters = (ins "::mlir::Type":$lhs_precision_type,
                        "::mlir::Type":$rhs_precision_type,
                        "::mlir::Type":$accumulation_type,
                        "int64_t":$lhs_component_count,
                        "int64_t":$rhs_component_count,
                        "int64_t":$num_primitive_operations,
                        "bool":$allow_imprecise_accumulation);
  let assemblyFormat = "`<` struct(params) `>`";
}

//===----------------------------------------------------------------------===//
// Lists of integers and flags: arrays, or elements as older versions print them
//===----------------------------------------------------------------------===//

def Hlo_I64Array : Attr<
    CPred<"::reprise::stablehlo::isI64List($_self)">,
    "array of i64, or i64 elements"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::llvm::SmallVector<int64_t>";
  let convertFromStorage = "::reprise::stablehlo::integersOf($_self)";
}

def Hlo_BoolArray : Attr<
    CPred<"::reprise::stablehlo::isFlagList($_self)">,
    "array of i1, or i1 elements"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::llvm::SmallVector<int64_t>";
  let convertFromStorage = "::reprise::stablehlo::integersOf($_self)";
}

#endif // REPRISE_STABLEHLO_BASE
