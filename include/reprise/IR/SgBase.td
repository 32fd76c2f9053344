//===- SgBase.td - The sg dialect, its types and attributes -*- tablegen -*-===//
#ifndef REPRISE_IR_SGBASE
#define REPRISE_IR_SGBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "reprise/IR/Terms.td"

def Sg_Dialect : Dialect {
  let name = "sg";
  let cppNamespace = "::reprise::sg";
  let summary = "Static graphs of neural networks and of their training steps";
  let description = [{
    Value semantics on builtin, ranked, statically shaped tensors. Images are NHWC,
    filters OHWI (output channels, height, width, input channels).

    State is explicit: `sg.variable` declares it, `sg.read` gives its value at the
    beginning of the step, `sg.write` its value at the end. A clone of forward code is
    therefore always safe. Randomness is counter based: (seed, step, stream) with Philox
    4x32-10. `stream` is a constant of the op, so a clone draws the same numbers.

    A graph is static: its ops stand in one block of a function, in order, without
    branches and cycles.

    Structure is explicit: `sg.module` is a named block, isolated from above. The unit
    attribute `activation_checkpointing` marks it as a segment of which only the inputs
    are kept for the backward pass. A flat function has no blocks; there, the attribute
    `sg.origin` gives each op's origin and phase. No decision depends on a location.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Name of an entry's argument or result, e.g. "image", "loss"
    /// (a string, on arguments and results of functions).
    static constexpr ::llvm::StringLiteral kNameAttr = "sg.name";
    /// The role of an entry's argument or result (a BindingAttr, on arguments
    /// and results of functions; absent: data).
    static constexpr ::llvm::StringLiteral kBindingAttr = "sg.binding";
    /// The integers that ops accept from an entry's argument (an array of
    /// IndexRangeAttr, on arguments of functions; absent: any).
    static constexpr ::llvm::StringLiteral kIndexRangesAttr = "sg.index_ranges";
    /// The function's ops are in the order in which they run (a unit, on
    /// functions): sg-rematerialize chose it for a budget.
    static constexpr ::llvm::StringLiteral kScheduledAttr = "sg.scheduled";
    /// The offsets of a scheduled op's results in the placed memory, in bytes,
    /// then of its workspace, -1 for values that take none there (an array of
    /// i64, on ops); the offset of an argument (an i64, on arguments).
    static constexpr ::llvm::StringLiteral kOffsetsAttr = "sg.offsets";
    static constexpr ::llvm::StringLiteral kOffsetAttr = "sg.offset";
    /// The cost of a scheduled op in the model that it was scheduled by:
    /// modelled picoseconds (an i64), and whether the user requested that it
    /// runs once (a unit; from sg-decompose on if sg.keep requested it).
    static constexpr ::llvm::StringLiteral kPicosecondsAttr = "sg.picoseconds";
    static constexpr ::llvm::StringLiteral kKeepAttr = "sg.keep";
    /// The leaf an op within blocks belongs to (a string that is not empty).
    static constexpr ::llvm::StringLiteral kPathAttr = "sg.path";
    /// The origin of an op of a flat function (an OriginAttr).
    static constexpr ::llvm::StringLiteral kOriginAttr = "sg.origin";
  private:
    void registerOps();
    void registerAttributes();
    void registerInterfaces();
    void registerModels();
  public:
  }];
}

class Sg_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::reprise::sg";
  let genSpecializedAttr = 0;
}

def Sg_Role : Sg_I32Enum<"Role", "what a variable is for", [
  I32EnumAttrCase<"Parameter", 0, "parameter">,
  I32EnumAttrCase<"OptimizerState", 1, "optimizer_state">,
  I32EnumAttrCase<"RunningStatistics", 2, "running_statistics">,
  I32EnumAttrCase<"Counter", 3, "counter">,
  I32EnumAttrCase<"Seed", 4, "seed">]>;
def Sg_RoleAttr : EnumAttr<Sg_Dialect, Sg_Role, "role"> {
  let assemblyFormat = "`<` $value `>`";
}

def Sg_InitKind : Sg_I32Enum<"InitKind", "how a variable begins", [
  I32EnumAttrCase<"Zeros", 0, "zeros">,
  I32EnumAttrCase<"Ones", 1, "ones">,
  I32EnumAttrCase<"Constant", 2, "constant">,
  I32EnumAttrCase<"Normal", 3, "normal">,
  I32EnumAttrCase<"Uniform", 4, "uniform">,
  I32EnumAttrCase<"KaimingNormal", 5, "kaiming_normal">,
  I32EnumAttrCase<"Elements", 6, "elements">]>;

def Sg_InitAttr : AttrDef<Sg_Dialect, "Init"> {
  let mnemonic = "init";
  let summary = "a variable's initial value: drawn from a distribution, or data";
  let description = [{
    `value` is the constant of `constant`, the standard deviation of `normal` and the
    bound of `uniform` (drawn from (-value, value)). `kaiming_normal` draws with standard
    deviation sqrt(2 / fan_out). fan_out is O*KH*KW for a filter (O,KH,KW,I), all elements
    except its input channels, and the first dimension of a matrix (He et al. 2015, arXiv
    1502.01852).

    With `elements`, the value is data of the variable's type, in the text (`dense`) or
    after it (`dense_resource`). The data go into the artifact, which holds less than 1
    GiB of data and code.

    ```mlir
    #sg.init<zeros>
    #sg.init<uniform, 1.250000e-01 : f64>
    #sg.init<elements, dense<[1.0, 2.0]> : tensor<2xf32>>
    ```
  }];
  let parameters = (ins EnumParameter<Sg_InitKind>:$kind,
                        OptionalParameter<"::mlir::TypedAttr">:$value);
  let extraClassDeclaration = [{
    /// The parameter of the distribution, 0 if it has none.
    double getParameter() const {
      auto parameter =
          ::llvm::dyn_cast_if_present<::mlir::FloatAttr>(getValue());
      return parameter ? parameter.getValueAsDouble() : 0.0;
    }
    /// The initial value if it is data, else null.
    ::mlir::ElementsAttr getElements() const {
      return ::llvm::dyn_cast_if_present<::mlir::ElementsAttr>(getValue());
    }
  }];
  let assemblyFormat = "`<` $kind (`,` $value^)? `>`";
  let genVerifyDecl = 1;
}

// The cases have the numbers of runtime/schemas/program.fbs.
def Sg_BindingRole : Sg_I32Enum<"BindingRole", "what an input or output is for", [
  I32EnumAttrCase<"Data", 0, "data">,
  I32EnumAttrCase<"Label", 1, "label">,
  I32EnumAttrCase<"LearningRate", 2, "learning_rate">,
  I32EnumAttrCase<"Seed", 3, "seed">,
  I32EnumAttrCase<"Step", 4, "step">,
  I32EnumAttrCase<"Loss", 5, "loss">,
  I32EnumAttrCase<"Logits", 6, "logits">,
  I32EnumAttrCase<"Metric", 7, "metric">,
  I32EnumAttrCase<"NonFinite", 8, "nonfinite">,
  I32EnumAttrCase<"Gradient", 9, "gradient">,
  I32EnumAttrCase<"MixRatio", 10, "mix_ratio">]>;

// The cases have the numbers of runtime/schemas/program.fbs.
def Sg_IndexUse : Sg_I32Enum<"IndexUse", "how ops use an element", [
  I32EnumAttrCase<"Class", 0, "class">,
  I32EnumAttrCase<"Row", 1, "row">,
  I32EnumAttrCase<"Probability", 2, "probability">]>;

def Sg_IndexRangeAttr : AttrDef<Sg_Dialect, "IndexRange"> {
  let mnemonic = "index_range";
  let summary = "the elements that ops accept from an argument";
  let description = [{
    An element of the attribute `sg.index_ranges` of a function's argument, which
    `sg-bound-indices` adds. The argument's integers choose one of `limit` classes
    (`sg.cross_entropy`, comparisons with the numbers of the classes) or one of `limit`
    rows of a table (`sg.gather`). Integers within [0, limit) are in range, and so is the
    ignored one. Front ends add the range `probability 1` to targets of floating-point
    numbers whose loss is defined for numbers within [0, limit] only. The runs give the elements of each row of the argument (its first
    dimension) that are read in this way: pairs of the first element and the one after the
    last, increasing.

    ```mlir
    func.func private @f(tensor<8xi32>
        {sg.index_ranges = [#sg.index_range<class 10 ignoring -100 at [0, 1]>]})
    ```
  }];
  let parameters = (ins EnumParameter<Sg_IndexUse>:$use, "int64_t":$limit,
                        OptionalParameter<"std::optional<int64_t>">:$ignored,
                        ArrayRefParameter<"int64_t">:$runs);
  let assemblyFormat = [{
    `<` $use $limit (`ignoring` $ignored^)? `at` `[` $runs `]` `>`
  }];
  let genVerifyDecl = 1;
}

def Sg_BindingAttr : AttrDef<Sg_Dialect, "Binding"> {
  let mnemonic = "binding";
  let summary = "the role of an argument or result of a function";
  let description = [{
    The attribute `sg.binding` of a function's argument or result. A program that runs the
    function finds inputs to feed and outputs to read by their roles, whatever their
    names.

    | role | of | |
    |---|---|---|
    | `data` | both | identified by its name only; an argument takes rows of the data of that name. The default for arguments and results |
    | `label` | arguments | the rows' classes: a vector of i32 |
    | `learning_rate` | arguments | a floating-point scalar |
    | `seed` | arguments | the run's seed: a scalar of i64 |
    | `step` | arguments | steps done before this one: a scalar of i64 |
    | `mix_ratio` | arguments | an image's share of itself where images are mixed: a floating-point scalar |
    | `loss` | results | the value to minimize: a floating-point scalar |
    | `logits` | results | scores of the classes, one row for each image: a floating-point matrix |
    | `metric` | results | a floating-point scalar to report |
    | `nonfinite` | results | whether the step computed a value that is not finite: a scalar of i1 |
    | `gradient` | results | of the variable that it names |

    A function has at most one of each, except `data`, `metric` and `gradient`.

    ```mlir
    func.func @f(%x: tensor<8x4xf32> {sg.name = "left"},
                 %y: tensor<8xi32> {sg.name = "kind", sg.binding = #sg.binding<label>})
        -> (tensor<f32> {sg.name = "cost", sg.binding = #sg.binding<loss>})
    ```
  }];
  let parameters = (ins EnumParameter<Sg_BindingRole>:$role,
                        OptionalParameter<"::mlir::StringAttr">:$variable);
  let assemblyFormat = "`<` $role (`of` $variable^)? `>`";
  let genVerifyDecl = 1;
}

/// The phases of ops of sg: all but the update.
def Sg_Phase : Reprise_TermParameter<"Phase", "3">;
def Sg_PhaseAttr : AttrDef<Sg_Dialect, "Phase"> {
  let mnemonic = "phase";
  let summary = "the pass of a training step";
  let parameters = (ins Sg_Phase:$value);
  let assemblyFormat = "`<` $value `>`";
  let returnType = "::reprise::Phase";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall =
      "::reprise::sg::PhaseAttr::get($_builder.getContext(), $0)";
}

def Sg_OriginAttr : AttrDef<Sg_Dialect, "Origin"> {
  let mnemonic = "origin";
  let summary = "the origin of an op of a flat function";
  let description = [{
    The attribute `sg.origin` of every op of a flat function except constants and reads.
    `path` is that of the leaf, or else of the innermost block that contained the op, ""
    for none. `phase` is the phase in which the op runs. `instance` is the number of the
    innermost block, which distinguishes several calls of one block, if blocks are
    numbered. A kernel has the origin of its last result; a kernel that updates variables
    of several modules has the path of the innermost block around them, "" for none.

    ```mlir
    #sg.origin<"layer1.0.conv1", forward, 3>
    #sg.origin<"", backward>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$path,
                        Sg_Phase:$phase,
                        OptionalParameter<"::std::optional<int64_t>">:$instance);
  let assemblyFormat = "`<` $path `,` $phase `` custom<Instance>($instance) `>`";
}

def Sg_HostAttr : AttrDef<Sg_Dialect, "Host"> {
  let mnemonic = "host";
  let summary = "the encoding of tensors in host memory";
  let description = [{
    A value of the type `tensor<8x4xf32, #sg.host>` takes no memory of the device;
    `sg.fetch` alone reads it.

    ```mlir
    #sg.host
    ```
  }];
}

def Sg_ComparePredicate : Sg_I32Enum<"ComparePredicate", "an order relation", [
  I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">,
  I32EnumAttrCase<"LT", 2, "lt">, I32EnumAttrCase<"LE", 3, "le">,
  I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">]>;
def Sg_ComparePredicateAttr
    : EnumAttr<Sg_Dialect, Sg_ComparePredicate, "compare">;

def Sg_Float : AnyTypeOf<[F32, BF16, F16, F64], "floating-point number">;
def Sg_Int : AnyTypeOf<[I1, I8, I32, I64], "integer">;
def Sg_Element : AnyTypeOf<[F32, BF16, F16, F64, I1, I8, I32, I64]>;

/// No extent is 0, sizes fit where they are multiplied, and only shape and
/// element type count: see sg::hasSupportedShape.
class Sg_TensorOf<list<Type> elements>
    : ConfinedType<StaticShapeTensorOf<elements>,
        [CPred<"::reprise::sg::hasSupportedShape($_self)">],
        StaticShapeTensorOf<elements>.summary
          # ", no encoding, extents of 1 to 2147483647 and below 2^48 bytes",
        "::mlir::RankedTensorType">;
def Sg_Tensor : Sg_TensorOf<[Sg_Element]>;
def Sg_FloatTensor : Sg_TensorOf<[Sg_Float]>;
def Sg_IntTensor : Sg_TensorOf<[Sg_Int]>;
def Sg_BoolTensor : Sg_TensorOf<[I1]>;
def Sg_ByteTensor : Sg_TensorOf<[I8]>;
def Sg_F32Tensor : Sg_TensorOf<[F32]>;
def Sg_CounterTensor
    : ConfinedType<0DTensorOf<[I64]>,
        [CPred<"::reprise::sg::hasSupportedShape($_self)">],
        "0D tensor of 64-bit signless integer values, no encoding",
        "::mlir::TensorType">;

#endif // REPRISE_IR_SGBASE
