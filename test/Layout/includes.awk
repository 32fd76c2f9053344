# Compares every #include of the files named as arguments, relative to the root
# of the project, with the directions that docs/architecture.md allows. Prints
# each that is not allowed and exits with 1 if there is one.

# layer: the folder's name and that of its public headers below include/reprise;
# may: layers whose public headers it may include; mlir: MLIR, LLVM and lld too.
function rule(layer, may, mlir) {
  allowed[layer] = " " layer " " may " "
  compiler[layer] = mlir
}

BEGIN {
  rule("common", "", 0)
  rule("Plan", "", 0)
  rule("Runtime", "", 0)
  rule("IR", "", 1)
  rule("StableHlo", "IR", 1)
  rule("Reference", "IR StableHlo", 1)
  rule("Analysis", "IR", 1)
  rule("Codegen", "IR", 1)
  rule("Target", "IR Codegen", 1)
  rule("Bridge", "IR Analysis Plan Target", 1)
  rule("Translate", "IR Analysis Bridge", 1)
  rule("Passes", "IR Analysis Bridge Translate Plan StableHlo Target", 1)
  rule("NN", "IR", 1)
  rule("Zoo", "NN IR", 1)
  rule("Onnx", "NN Zoo IR", 1)
  rule("Recipe", "", 0)
  # The driver's libraries, from the bottom up.
  rule("Text", "Runtime", 0)
  rule("Console", "Text Runtime", 0)
  rule("PlanFormat", "Text Plan Runtime", 0)
  rule("PlanSearch", "Text Console PlanFormat Plan Runtime", 0)
  rule("CommandLine", "Text Console Recipe Runtime", 0)
  rule("Program", "Text Plan Runtime", 0)
  rule("Report", "Text Program Runtime", 0)
  compiler_layers = "IR Analysis Target Bridge Translate Plan Passes StableHlo " \
    "Zoo Onnx"
  rule("Driver", "NN Recipe Text Console Program Runtime " compiler_layers, 1)
  rule("Budget", "Text Console Program Report Driver Runtime " compiler_layers, 1)
  rule("Run", "Recipe Text Console Program Driver Budget Runtime " compiler_layers, 1)
  rule("tools", "Text Console PlanFormat PlanSearch CommandLine Program Report " \
    "Driver Budget Run Runtime Recipe NN " compiler_layers, 1)
  # Of the C++ standard library only, for everyone.
  common["reprise/Limits.h"] = common["reprise/Kept.h"] = 1
  common["reprise/HostLink.h"] = 1
  common["reprise/LibraryFunctions.h"] = common["reprise/ProgramTerms.h"] = 1
  common["reprise/MicroBatchStreams.h"] = 1
  common["reprise/EntrySummary.h"] = common["reprise/Averages.h"] = 1
  common["reprise/CheckpointingModes.h"] = common["reprise/TrainingTerms.h"] = 1
  common["reprise/Optimizers.def"] = 1
  common["reprise/CheckpointingModes.def"] = common["reprise/Settings.def"] = 1
  common["reprise/Frontends.def"] = 1
  # Folders of the runtime that each of them may include.
  below["support"] = " support "
  below["comm"] = " support comm "
  below["core"] = " support core "
  below["cpu"] = " support core cpu "
  below["cuda"] = " support core cuda "
  below["trainer"] = " support core trainer "
  # What the compiler uses of the runtime.
  split("Artifact.h Library.h Roofline.h program_generated.h reprise.h", names, " ")
  for (k in names)
    shared["reprise/Runtime/" names[k]] = 1
  # -v extra="LAYER LAYER..." adds a rule, to test the check below.
  if (extra) {
    split(extra, names, " ")
    allowed[names[1]] = " " extra " "
  }
  for (layer in allowed)
    visit(layer, " ")
}

# Visits the layers that a layer may include, however far below; prints a layer
# that reaches itself.
function visit(layer, above,  below, n, k) {
  if (index(above, " " layer " ")) {
    printf "the rules have a cycle:%s%s\n", above, layer
    failed = 1
    return
  }
  n = split(allowed[layer], below, " ")
  for (k = 1; k <= n; ++k)
    if (below[k] != layer)
      visit(below[k], above layer " ")
}

function layerOf(path,  parts) {
  split(path, parts, "/")
  if (parts[1] == "include" && !parts[4])
    return "common"
  if (parts[1] == "include")
    return parts[3]
  if (parts[1] == "lib")
    return parts[2]
  if (parts[1] == "python-free-frontends")
    return parts[2] == "nn" ? "NN" : toupper(substr(parts[2], 1, 1)) substr(parts[2], 2)
  if (parts[1] == "passes")
    return "Passes"
  return parts[1] == "runtime" ? "Runtime" : parts[1]
}

function isOfCpu(path) {
  return path ~ /^(lib\/Target\/Cpu|runtime\/cpu|include\/reprise\/Runtime\/Cpu)\//
}

function isOfCuda(path) {
  return path ~ /^(lib\/Target\/Cuda|runtime\/cuda|include\/reprise\/Runtime\/Cuda|test\/runtime\/cuda)\//
}

function wrong(reason) {
  printf "%s:%d: %s may not include %s: %s\n", FILENAME, FNR, layer, name, \
    reason
  failed = 1
}

FNR == 1 {
  layer = layerOf(FILENAME)
  if (!(layer in allowed)) {
    printf "%s: no rule says what this folder may include\n", FILENAME
    failed = 1
  }
  ++files
}

/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
  name = $0
  sub(/^[ \t]*#[ \t]*include[ \t]*[<"]/, "", name)
  sub(/[>"].*/, "", name)
  split(name, parts, "/")
  if (parts[1] == "reprise") {
    fromShared = layer ~ /^(Bridge|Target|Translate)$/ && name in shared
    ofCpu = name ~ /^reprise\/Runtime\/Cpu\//
    ofCuda = name ~ /^reprise\/Runtime\/Cuda\//
    if ((ofCpu && !isOfCpu(FILENAME)) || (ofCuda && !isOfCuda(FILENAME)))
      wrong("only what is of the device may")
    else if (!(name in common) && !ofCpu && !ofCuda && !fromShared &&
             !index(allowed[layer], " " parts[2] " "))
      wrong("the direction is not allowed")
  } else if (parts[1] ~ /^(mlir|mlir-c|llvm|llvm-c|lld|clang)$/) {
    if (!compiler[layer])
      wrong("it is built without LLVM")
  } else if (parts[1] == "..") {
    # Up to the layer's own folder, as from runtime/cpu to runtime/core.
    depth = split(FILENAME, folders, "/") - 1
    own = folders[1] ~ /^(lib|python-free-frontends)$/ ? 2 : 1
    ups = gsub(/\.\.\//, "../", name)
    if (depth - ups < own)
      wrong("private headers belong to their layer")
    else if (folders[1] == "runtime" && ups == depth - 1 &&
             !index(below[folders[2]], " " parts[ups + 1] " "))
      wrong("the direction is not allowed")
  } else if (layer == "Plan" && /</ && name ~ /[.\/]/) {
    wrong("only the C++ standard library")
  }
}

END {
  if (!files) {
    print "no files were given"
    failed = 1
  }
  exit failed
}
