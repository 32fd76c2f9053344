//===- StableHloOps.td - Ops of training steps --------------*- tablegen -*-===//
#ifndef REPRISE_STABLEHLO_OPS
#define REPRISE_STABLEHLO_OPS

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "reprise/IR/RematInterfaces.td"
include "reprise/StableHlo/StableHloBase.td"

class Hlo_Op<string mnemonic, list<Trait> traits = []>
    : Op<Hlo_Dialect, mnemonic, traits>;

/// An op whose results depend on its operands alone.
class Hlo_PureOp<string mnemonic, list<Trait> traits = []>
    : Hlo_Op<mnemonic, !listconcat([Pure], traits)>;

/// The methods of RematOpInterface in which an op differs from the defaults.
class Hlo_Tells<list<string> methods>
    : DeclareOpInterfaceMethods<RematOpInterface, methods>;

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// The result may take the storage of an operand of its type.
class Hlo_Elementwise<string mnemonic>
    : Hlo_PureOp<mnemonic, [Hlo_Tells<["getRematInPlacePairs"]>]> {
  let extraClassDefinition = [{
    ::llvm::SmallVector<::reprise::remat::InPlacePair>
    $cppClass::getRematInPlacePairs() {
      return ::reprise::stablehlo::pairsOfSameType(*this);
    }
  }];
}

class Hlo_Unary<string mnemonic> : Hlo_Elementwise<mnemonic> {
  let arguments = (ins AnyTensor:$operand);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameTypes>(type($operand), type($result))
  }];
}

class Hlo_Binary<string mnemonic> : Hlo_Elementwise<mnemonic> {
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
    custom<SameTypes>(type($lhs), type($rhs), type($result))
  }];
}

def Hlo_AbsOp : Hlo_Unary<"abs">;
def Hlo_CbrtOp : Hlo_Unary<"cbrt">;
def Hlo_CeilOp : Hlo_Unary<"ceil">;
def Hlo_CountLeadingZerosOp : Hlo_Unary<"count_leading_zeros">;
def Hlo_CosineOp : Hlo_Unary<"cosine">;
def Hlo_ExponentialOp : Hlo_Unary<"exponential">;
def Hlo_ExponentialMinusOneOp : Hlo_Unary<"exponential_minus_one">;
def Hlo_FloorOp : Hlo_Unary<"floor">;
def Hlo_LogOp : Hlo_Unary<"log">;
def Hlo_LogPlusOneOp : Hlo_Unary<"log_plus_one">;
def Hlo_LogisticOp : Hlo_Unary<"logistic">;
def Hlo_NegateOp : Hlo_Unary<"negate">;
def Hlo_NotOp : Hlo_Unary<"not">;
def Hlo_PopcntOp : Hlo_Unary<"popcnt">;
def Hlo_RoundNearestAfzOp : Hlo_Unary<"round_nearest_afz">;
def Hlo_RoundNearestEvenOp : Hlo_Unary<"round_nearest_even">;
def Hlo_RsqrtOp : Hlo_Unary<"rsqrt">;
def Hlo_SignOp : Hlo_Unary<"sign">;
def Hlo_SineOp : Hlo_Unary<"sine">;
def Hlo_SqrtOp : Hlo_Unary<"sqrt">;
def Hlo_TanOp : Hlo_Unary<"tan">;
def Hlo_TanhOp : Hlo_Unary<"tanh">;

def Hlo_AddOp : Hlo_Binary<"add">;
def Hlo_AndOp : Hlo_Binary<"and">;
def Hlo_Atan2Op : Hlo_Binary<"atan2">;
def Hlo_DivideOp : Hlo_Binary<"divide">;
def Hlo_MaximumOp : Hlo_Binary<"maximum">;
def Hlo_MinimumOp : Hlo_Binary<"minimum">;
def Hlo_MultiplyOp : Hlo_Binary<"multiply">;
def Hlo_OrOp : Hlo_Binary<"or">;
def Hlo_PowerOp : Hlo_Binary<"power">;
def Hlo_RemainderOp : Hlo_Binary<"remainder">;
def Hlo_ShiftLeftOp : Hlo_Binary<"shift_left">;
def Hlo_ShiftRightArithmeticOp : Hlo_Binary<"shift_right_arithmetic">;
def Hlo_ShiftRightLogicalOp : Hlo_Binary<"shift_right_logical">;
def Hlo_SubtractOp : Hlo_Binary<"subtract">;
def Hlo_XorOp : Hlo_Binary<"xor">;

// The types may differ.
def Hlo_BitcastConvertOp : Hlo_Unary<"bitcast_convert">;
def Hlo_ConvertOp : Hlo_Unary<"convert">;
def Hlo_ImagOp : Hlo_Unary<"imag">;
def Hlo_IsFiniteOp : Hlo_Unary<"is_finite">;
def Hlo_RealOp : Hlo_Unary<"real">;

def Hlo_ComplexOp : Hlo_PureOp<"complex"> {
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:`
    custom<ComplexTypes>(type($lhs), type($rhs), type($result))
  }];
}

def Hlo_ClampOp : Hlo_Elementwise<"clamp"> {
  let arguments = (ins AnyTensor:$min, AnyTensor:$operand, AnyTensor:$max);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:`
    custom<SameTypes>(type($min), type($operand), type($max), type($result))
  }];
}

def Hlo_CompareOp : Hlo_Elementwise<"compare"> {
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs,
                       Hlo_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<Hlo_ComparisonTypeAttr>:$compare_type);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

def Hlo_SelectOp : Hlo_Elementwise<"select"> {
  let arguments = (ins AnyTensor:$pred, AnyTensor:$on_true,
                       AnyTensor:$on_false);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:`
    custom<SelectTypes>(type($pred), type($on_true), type($on_false),
                        type($result))
  }];
}

def Hlo_ReducePrecisionOp : Hlo_Elementwise<"reduce_precision"> {
  let arguments = (ins AnyTensor:$operand, I32Attr:$exponent_bits,
                       I32Attr:$mantissa_bits);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $operand `,` `format` `=`
    custom<ExponentMantissa>($exponent_bits, $mantissa_bits)
    attr-dict `:` custom<SameTypes>(type($operand), type($result))
  }];
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

def Hlo_ConstantOp : Hlo_PureOp<"constant", [ConstantLike,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let description = "Takes no bytes of a step: constants belong to the program.";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyTensor:$output);
  let assemblyFormat = "attr-dict custom<ConstantValue>($value, type($output))";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Hlo_IotaOp : Hlo_PureOp<"iota"> {
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs AnyTensor:$output);
  let assemblyFormat = [{
    `dim` `=` $iota_dimension attr-dict `:` type($output)
  }];
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

def Hlo_ReshapeOp
    : Hlo_PureOp<"reshape", [Hlo_Tells<["getRematViewSource"]>]> {
  let description = "Always a view: the elements keep their order.";
  let arguments = (ins AnyTensor:$operand);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Hlo_BroadcastInDimOp : Hlo_PureOp<"broadcast_in_dim"> {
  let arguments = (ins AnyTensor:$operand,
                       Hlo_I64Array:$broadcast_dimensions);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` custom<I64List>($broadcast_dimensions)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Hlo_TransposeOp : Hlo_PureOp<"transpose"> {
  let arguments = (ins AnyTensor:$operand, Hlo_I64Array:$permutation);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` custom<I64List>($permutation)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Hlo_ReverseOp : Hlo_PureOp<"reverse"> {
  let arguments = (ins AnyTensor:$operand, Hlo_I64Array:$dimensions);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` custom<I64List>($dimensions)
    attr-dict `:` custom<SameTypes>(type($operand), type($result))
  }];
}

def Hlo_SliceOp : Hlo_PureOp<"slice"> {
  let arguments = (ins AnyTensor:$operand, Hlo_I64Array:$start_indices,
                       Hlo_I64Array:$limit_indices, Hlo_I64Array:$strides);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Hlo_PadOp : Hlo_PureOp<"pad"> {
  let arguments = (ins AnyTensor:$operand, AnyTensor:$padding_value,
                       Hlo_I64Array:$edge_padding_low,
                       Hlo_I64Array:$edge_padding_high,
                       Hlo_I64Array:$interior_padding);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,`
    `low` `=` custom<I64List>($edge_padding_low) `,`
    `high` `=` custom<I64List>($edge_padding_high) `,`
    `interior` `=` custom<I64List>($interior_padding)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Hlo_ConcatenateOp : Hlo_PureOp<"concatenate"> {
  let arguments = (ins Variadic<AnyTensor>:$inputs, I64Attr:$dimension);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    custom<OperandsBeforeAttribute>($inputs) `dim` `=` $dimension
    attr-dict `:` functional-type(operands, results)
  }];
}

def Hlo_DynamicSliceOp : Hlo_PureOp<"dynamic_slice"> {
  let arguments = (ins AnyTensor:$operand, Variadic<AnyTensor>:$start_indices,
                       Hlo_I64Array:$slice_sizes);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<OperandsBeforeAttribute>($start_indices)
    `sizes` `=` custom<I64List>($slice_sizes)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Hlo_DynamicUpdateSliceOp
    : Hlo_PureOp<"dynamic_update_slice", [Hlo_Tells<["getRematInPlacePairs"]>]> {
  let arguments = (ins AnyTensor:$operand, AnyTensor:$update,
                       Variadic<AnyTensor>:$start_indices);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}

def Hlo_GatherOp : Hlo_PureOp<"gather"> {
  let arguments = (ins AnyTensor:$operand, AnyTensor:$start_indices,
                       Hlo_GatherAttr:$dimension_numbers,
                       Hlo_I64Array:$slice_sizes,
                       OptionalAttr<BoolAttr>:$indices_are_sorted);
  let results = (outs AnyTensor:$result);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

def Hlo_DotGeneralOp
    : Hlo_PureOp<"dot_general", [Hlo_Tells<["getRematFlops"]>]> {
  let description = "Costs a multiply-add for each pair of factors.";
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs,
                       Hlo_DotAttr:$dot_dimension_numbers,
                       OptionalAttr<ArrayAttr>:$precision_config,
                       OptionalAttr<Hlo_DotAlgorithmAttr>:$algorithm);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensions>($dot_dimension_numbers)
    `` custom<PrecisionAndAlgorithm>($precision_config, $algorithm)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Hlo_DotOp : Hlo_PureOp<"dot", [Hlo_Tells<["getRematFlops"]>]> {
  let description = "Costs a multiply-add for each pair of factors.";
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs,
                       OptionalAttr<ArrayAttr>:$precision_config);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<PrecisionConfig>($precision_config)
    attr-dict `:` functional-type(operands, results)
  }];
}

def Hlo_ConvolutionOp
    : Hlo_PureOp<"convolution", [Hlo_Tells<["getRematFlops"]>]> {
  let description = [{
    Costs a multiply-add for each element of the result and each of the filter that it
    is made of; a dilated input counts only its own elements.
  }];
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs,
                       OptionalAttr<Hlo_I64Array>:$window_strides,
                       OptionalAttr<Hlo_I64Array>:$padding,
                       OptionalAttr<Hlo_I64Array>:$lhs_dilation,
                       OptionalAttr<Hlo_I64Array>:$rhs_dilation,
                       OptionalAttr<Hlo_BoolArray>:$window_reversal,
                       Hlo_ConvAttr:$dimension_numbers,
                       I64Attr:$feature_group_count,
                       I64Attr:$batch_group_count,
                       OptionalAttr<ArrayAttr>:$precision_config);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=`
    custom<ConvNumbers>($dimension_numbers) `,`
    `window` `=` `{` custom<Window>($window_strides, $padding, $lhs_dilation,
                                    $rhs_dilation, $window_reversal) `}`
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Sums, windows, and other ops with bodies of scalars
//===----------------------------------------------------------------------===//

def Hlo_ReduceOp
    : Hlo_PureOp<"reduce",
                 [SameVariadicOperandSize, Hlo_Tells<["getRematFlops"]>]> {
  let description = "Costs an operation for each element that is read.";
  let arguments = (ins Variadic<AnyTensor>:$inputs,
                       Variadic<AnyTensor>:$init_values,
                       Hlo_I64Array:$dimensions);
  let results = (outs Variadic<AnyTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Hlo_ReduceWindowOp
    : Hlo_PureOp<"reduce_window",
                 [SameVariadicOperandSize, Hlo_Tells<["getRematFlops"]>]> {
  let description = "Costs an operation for each element of every window.";
  let arguments = (ins Variadic<AnyTensor>:$inputs,
                       Variadic<AnyTensor>:$init_values,
                       Hlo_I64Array:$window_dimensions,
                       OptionalAttr<Hlo_I64Array>:$window_strides,
                       OptionalAttr<Hlo_I64Array>:$base_dilations,
                       OptionalAttr<Hlo_I64Array>:$window_dilations,
                       OptionalAttr<Hlo_I64Array>:$padding);
  let results = (outs Variadic<AnyTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}

def Hlo_SelectAndScatterOp
    : Hlo_PureOp<"select_and_scatter", [Hlo_Tells<["getRematFlops"]>]> {
  let description = "Costs an operation for each element of every window.";
  let arguments = (ins AnyTensor:$operand, AnyTensor:$source,
                       AnyTensor:$init_value,
                       OptionalAttr<Hlo_I64Array>:$window_dimensions,
                       OptionalAttr<Hlo_I64Array>:$window_strides,
                       OptionalAttr<Hlo_I64Array>:$padding);
  let results = (outs AnyTensor:$result);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
}

def Hlo_ScatterOp
    : Hlo_PureOp<"scatter", [SameVariadicOperandSize,
                             Hlo_Tells<["getRematInPlacePairs"]>]> {
  let arguments = (ins Variadic<AnyTensor>:$inputs, AnyTensor:$scatter_indices,
                       Variadic<AnyTensor>:$updates,
                       Hlo_ScatterAttr:$scatter_dimension_numbers,
                       OptionalAttr<BoolAttr>:$indices_are_sorted,
                       OptionalAttr<BoolAttr>:$unique_indices);
  let results = (outs Variadic<AnyTensor>:$results);
  let regions = (region SizedRegion<1>:$update_computation);
  let hasVerifier = 1;
}

/// An op with a region that says its workspace, which is none.
def Hlo_SortOp : Hlo_PureOp<"sort", [Hlo_Tells<["getRematFlops"]>]> {
  let arguments = (ins Variadic<AnyTensor>:$inputs,
                       OptionalAttr<I64Attr>:$dimension,
                       OptionalAttr<BoolAttr>:$is_stable);
  let results = (outs Variadic<AnyTensor>:$results);
  let regions = (region SizedRegion<1>:$comparator);
}

def Hlo_ReturnOp : Hlo_PureOp<"return", [Terminator]> {
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

class Hlo_Control<string mnemonic, list<Trait> traits = []>
    : Hlo_Op<mnemonic, !listconcat([RecursiveMemoryEffects], traits)> {
  let results = (outs Variadic<AnyType>:$results);
}

def Hlo_WhileOp : Hlo_Control<"while", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let description = "Planned as a whole, with the bytes that its regions hold.";
  let arguments = (ins Variadic<AnyType>:$operands);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Hlo_IfOp : Hlo_Control<"if"> {
  let description = "Planned as a whole, with the bytes that its regions hold.";
  let arguments = (ins AnyTensor:$pred);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
}

def Hlo_CaseOp : Hlo_Control<"case"> {
  let description = "Planned as a whole, with the bytes that its regions hold.";
  let arguments = (ins AnyTensor:$index);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
}

def Hlo_OptimizationBarrierOp : Hlo_PureOp<"optimization_barrier"> {
  let summary = "passes its operands on, all of them when all exist";
  let description = [{
    Keeps a compiler from moving ops across it, and from merging what reads its results
    with what reads its operands.
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    attr-dict ($operands^ `:` custom<PairedTypes>(type($operands),
                                                  type($results))):(`(` `)`)?
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Random numbers, normalization, calls
//===----------------------------------------------------------------------===//

def Hlo_RngOp : Hlo_Op<"rng"> {
  let description = "Draws from a hidden generator, and so runs once.";
  let arguments = (ins AnyTensor:$a, AnyTensor:$b, AnyTensor:$shape,
                       Hlo_RngDistributionAttr:$rng_distribution);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` $rng_distribution
    attr-dict `:` functional-type(operands, results)
  }];
}

def Hlo_RngBitGeneratorOp : Hlo_PureOp<"rng_bit_generator"> {
  let arguments = (ins AnyTensor:$initial_state,
                       Hlo_RngAlgorithmAttr:$rng_algorithm);
  let results = (outs AnyTensor:$output_state, AnyTensor:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` $rng_algorithm
    attr-dict `:` functional-type(operands, results)
  }];
}

class Hlo_BatchNorm<string mnemonic> : Hlo_PureOp<mnemonic> {
  let results = (outs Variadic<AnyTensor>:$results);
}

def Hlo_BatchNormTrainingOp : Hlo_BatchNorm<"batch_norm_training"> {
  let arguments = (ins AnyTensor:$operand, AnyTensor:$scale, AnyTensor:$offset,
                       F32Attr:$epsilon, I64Attr:$feature_index);
}

def Hlo_BatchNormInferenceOp : Hlo_BatchNorm<"batch_norm_inference"> {
  let arguments = (ins AnyTensor:$operand, AnyTensor:$scale, AnyTensor:$offset,
                       AnyTensor:$mean, AnyTensor:$variance,
                       F32Attr:$epsilon, I64Attr:$feature_index);
}

def Hlo_BatchNormGradOp : Hlo_BatchNorm<"batch_norm_grad"> {
  let arguments = (ins AnyTensor:$operand, AnyTensor:$scale, AnyTensor:$mean,
                       AnyTensor:$variance, AnyTensor:$grad_output,
                       F32Attr:$epsilon, I64Attr:$feature_index);
}

def Hlo_CompositeOp
    : Hlo_Op<"composite", [Hlo_Tells<["getRematExecution"]>,
                           DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let description = [{
    Runs once, whatever its decomposition does. The decomposition, a function of the
    module, stays as it is, and its values are not counted.
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$name,
                       OptionalAttr<DictionaryAttr>:$composite_attributes,
                       FlatSymbolRefAttr:$decomposition,
                       OptionalAttr<I32Attr>:$version);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $name $inputs attr-dict `:` functional-type(operands, results)
  }];
}

def Hlo_CustomCallOp
    : Hlo_Op<"custom_call", [Hlo_Tells<["getRematExecution",
                                        "getRematViewSource"]>]> {
  let description = [{
    Runs once. A call of `Sharding`, which only says where its operand lies, is a view.
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$call_target_name,
                       OptionalAttr<BoolAttr>:$has_side_effect);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    custom<CallTarget>($call_target_name) `(` $inputs `)`
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif // REPRISE_STABLEHLO_OPS
