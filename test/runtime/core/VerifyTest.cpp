//===- VerifyTest.cpp - Every rule of the program verifier ----------------===//
//
// One valid program, and for each rule the smallest change that breaks it.
// Changed programs are sealed again, so only the verifier can refuse them.
//
//===----------------------------------------------------------------------===//
#include "../conformance/ArtifactBuilder.h"
#include "../conformance/SessionHandle.h"

#include <functional>
#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::test;

namespace {
using Change = std::function<void(fb::ProgramT &, fb::EntryT &)>;
struct Rule {
  const char *name;
  Change change;
  const char *message;
};
[[maybe_unused]] void PrintTo(const Rule &rule, std::ostream *out) {
  *out << rule.message;
}
class VerifyTest : public testing::TestWithParam<Rule> {};
} // namespace

/// Buffers: 0 v, 1 w, 2 k (constant); 3 x, 4 f, 5 y, 6 workspace.
/// Steps: 0 convolution x, f -> y; 1 count on v; 2 copy y -> w.
static ArtifactBuilder validProgram() {
  ArtifactBuilder b;
  b.variable("v", {4}, fb::InitKind::Normal, 1);
  Tensor w = b.variable("w", {1, 3, 3, 32});
  Tensor k = b.constant("k", {4}, {1, 2, 3, 4});
  Tensor x = b.input("x", {1, 5, 5, 16});
  Tensor f = b.input("f", {32, 3, 3, 16});
  Tensor y = b.activation("y", {1, 3, 3, 32});
  EXPECT_TRUE(
      b.call(LibraryOp::Conv2D, {x, f}, y, {1, 1, 0, 0, 0, 0, 1, 1, 1}).ok());
  b.launch("count", {Tensor{0, fb::ElementType::F32, {4}}, k}, {0}, 4);
  b.copy(y, w);
  b.output("y", y);
  b.finish();
  return b;
}

static fb::LibraryCallT &callOf(fb::EntryT &e) {
  return *e.steps[0]->action.AsLibraryCall();
}
static fb::KernelLaunchT &launchOf(fb::EntryT &e) {
  return *e.steps[1]->action.AsKernelLaunch();
}
static fb::CopyT &copyOf(fb::EntryT &e) { return *e.steps[2]->action.AsCopy(); }

static void addRange(fb::BindingT &input, int64_t limit,
                     std::vector<int64_t> runs) {
  auto range = std::make_unique<fb::IndexRangeT>();
  range->limit = limit;
  range->runs = std::move(runs);
  input.ranges.push_back(std::move(range));
}

/// Has the call read its result, for an epilogue.
static void addToResult(fb::EntryT &e, fb::Epilogue epilogue) {
  callOf(e).epilogues = {epilogue};
  callOf(e).inputs.push_back(
      std::make_unique<fb::ViewT>(*callOf(e).outputs[0]));
}

#define REPRISE_RULE(name, message, ...)                                       \
  Rule {                                                                       \
    #name,                                                                     \
        [](fb::ProgramT &p, fb::EntryT &e) {                                   \
          (void)p, (void)e;                                                    \
          __VA_ARGS__;                                                         \
        },                                                                     \
        message                                                                \
  }

static const Rule kProgramRules[] = {
    REPRISE_RULE(NoThreads, "it wants 0 threads", p.threads = 0),
    REPRISE_RULE(OddArena, "is not a multiple of 64 bytes", p.arena_bytes++),
    REPRISE_RULE(HugeArena, "up to 64 TiB", p.arena_bytes = ~0ull << 6),
    REPRISE_RULE(FixedBeyondArena, "exceeds the arena",
                 p.fixed_bytes = p.arena_bytes + 64),
    REPRISE_RULE(UnalignedBuffer, "not a multiple of 64 bytes",
                 p.buffers[1]->offset += 4),
    REPRISE_RULE(FixedBufferOutside, "does not lie between bytes 0 and",
                 p.buffers[1]->offset = 1 << 20),
    REPRISE_RULE(BufferWraps, "does not lie between",
                 p.buffers[1]->size = ~0ull),
    REPRISE_RULE(EmptyBuffer, "does not lie between", p.buffers[1]->size = 0),
    REPRISE_RULE(FixedBuffersOverlap, "two buffers of the program share byte",
                 p.buffers[1]->offset = 0),
    REPRISE_RULE(VariablesOverlap, "two variables share byte",
                 p.variables[1]->view->buffer = 0;
                 p.variables[1]->view->shape = {4}),
    REPRISE_RULE(VariablesWithOneName,
                 "'v' is the name of more than one variable",
                 p.variables[1]->name = "v"),
    REPRISE_RULE(VariableWithoutName, "a variable has no name",
                 p.variables[1]->name = ""),
    REPRISE_RULE(VariableWithoutView, "variable 'w' lacks a view",
                 p.variables[1]->view.reset()),
    REPRISE_RULE(VariableOnEntryBuffer, "refers to buffer 4",
                 p.variables[1]->view->buffer = 4),
    REPRISE_RULE(VariableTooLarge, "takes 1156 bytes at 0 of buffer 'w'",
                 p.variables[1]->view->shape = {289}),
    REPRISE_RULE(VariableOverflows, "impossible type, shape or stride",
                 p.variables[1]->view->shape = {1ll << 40, 1ll << 40}),
    REPRISE_RULE(VariableNegative, "impossible type, shape or stride",
                 p.variables[1]->view->shape = {-4}),
    REPRISE_RULE(VariableEmpty, "impossible type, shape or stride",
                 p.variables[1]->view->shape = {0}),
    REPRISE_RULE(VariableOfDeepRank, "impossible type, shape or stride",
                 p.variables[1]->view->shape.assign(17, 1)),
    REPRISE_RULE(VariableStridesOfOtherRank, "impossible type, shape or stride",
                 p.variables[1]->view->strides = {1}),
    REPRISE_RULE(VariableOfUnknownType, "impossible type, shape or stride",
                 p.variables[1]->view->type = fb::ElementType(9)),
    REPRISE_RULE(VariableNotDense, "variable 'v' is not dense",
                 p.variables[0]->view->shape = {2};
                 p.variables[0]->view->strides = {2}),
    REPRISE_RULE(VariableMisaligned, "is not aligned to its type",
                 p.variables[0]->view->shape = {3};
                 p.variables[0]->view->offset = 2),
    REPRISE_RULE(UnknownRole, "unknown role or initial value",
                 p.variables[0]->role = fb::Role(7)),
    REPRISE_RULE(UnknownInit, "unknown role or initial value",
                 p.variables[0]->init = fb::InitKind(7)),
    REPRISE_RULE(InfiniteInit, "initial value out of range",
                 p.variables[0]->init_value = 1.0 / 0.0),
    REPRISE_RULE(DataWithoutElements,
                 "variable 'v' takes 16 bytes, but its initial data have 0",
                 p.variables[0]->init = fb::InitKind::Elements),
    REPRISE_RULE(DataTooShort,
                 "variable 'v' takes 16 bytes, but its initial data have 12",
                 p.variables[0]->init = fb::InitKind::Elements;
                 p.variables[0]->init_data.assign(12, 0)),
    REPRISE_RULE(DataOfADistribution,
                 "has 16 bytes of initial data, but does not begin with data",
                 p.variables[0]->init_data.assign(16, 0)),
    REPRISE_RULE(DataOfASeed, "variable 'v' is a seed, which a run sets",
                 p.variables[0]->role = fb::Role::Seed;
                 p.variables[0]->init = fb::InitKind::Elements;
                 p.variables[0]->init_data.assign(16, 0)),
    REPRISE_RULE(DataNotBool, "initial data of I1 that are 2",
                 p.variables[0]->view->type = fb::ElementType::I1;
                 p.variables[0]->init = fb::InitKind::Elements;
                 p.variables[0]->init_data.assign(4, 2)),
    REPRISE_RULE(RandomInteger, "random but not a floating-point tensor",
                 p.variables[0]->view->type = fb::ElementType::I32),
    REPRISE_RULE(KaimingOfVector, "no fan-out",
                 p.variables[0]->init = fb::InitKind::KaimingNormal),
    REPRISE_RULE(PermutationOfOtherRank, "file permutation",
                 p.variables[1]->file_permutation = {0, 1}),
    REPRISE_RULE(PermutationRepeats, "file permutation",
                 p.variables[1]->file_permutation = {0, 1, 1, 3}),
    REPRISE_RULE(PermutationOutOfRange, "file permutation",
                 p.variables[1]->file_permutation = {0, 1, 2, 40}),
    REPRISE_RULE(ConstantNowhere, "a constant refers to buffer 3",
                 p.constants[0]->buffer = 3),
    REPRISE_RULE(ConstantOfOtherSize, "has not the size of its buffer",
                 p.constants[0]->data.pop_back()),
    REPRISE_RULE(ConstantMayBeWritten, "is on a buffer of another kind",
                 p.buffers[2]->kind = fb::BufferKind::State),
    REPRISE_RULE(VariableOnConstant, "variable 'v' lies on a constant",
                 p.variables[0]->view->buffer = 2),
    REPRISE_RULE(KernelsWithOneName,
                 "'count' is the name of more than one kernel",
                 p.kernels.push_back("count")),
    REPRISE_RULE(KernelsWithoutCode, "kernels but no code", p.code.clear()),
    REPRISE_RULE(NoDevice, "names no device", p.device.clear()),
    REPRISE_RULE(AlignmentIsNone,
                 "aligned to 0 bytes, which is not an alignment",
                 p.alignment = 0),
    REPRISE_RULE(AlignmentIsNoPower, "aligned to 96 bytes", p.alignment = 96),
    REPRISE_RULE(AlignmentIsTooSmall, "aligned to 32 bytes", p.alignment = 32),
    REPRISE_RULE(AlignmentIsNotKept, "not a multiple of 4096 bytes",
                 p.alignment = 4096),
    REPRISE_RULE(EntriesWithOneName,
                 "'step' is the name of more than one entry",
                 p.entries.push_back(std::make_unique<fb::EntryT>(e))),
};

static const Rule kEntryRules[] = {
    REPRISE_RULE(BufferInFixedMemory, "does not lie between",
                 e.buffers[0]->offset = 0),
    REPRISE_RULE(BufferOutsideArena, "does not lie between",
                 e.buffers[0]->offset = p.arena_bytes),
    REPRISE_RULE(UnknownKind, "has unknown kind 99",
                 e.buffers[0]->kind = fb::BufferKind(99)),
    REPRISE_RULE(DiesBeforeItLives, "lives from step 2 to step 0",
                 e.buffers[3]->first_step = 2),
    REPRISE_RULE(LivesTooLong, "to step 3 of 3", e.buffers[3]->last_step = 3),
    REPRISE_RULE(LiveBuffersOverlap,
                 "buffers 'x' and 'y' of entry 'step' share bytes while both "
                 "live at step 0",
                 e.buffers[2]->offset = e.buffers[0]->offset),
    REPRISE_RULE(PeakTooLow, "claims a peak of", e.peak_bytes -= 64),
    REPRISE_RULE(PeakTooHigh, "claims a peak of", e.peak_bytes += 64),
    REPRISE_RULE(MoreLiveThanPeak, "live bytes, more than its peak",
                 e.max_live_bytes = e.peak_bytes + 1),
    REPRISE_RULE(InputsWithOneName, "'x' is the name of more than one input",
                 e.inputs[1]->name = "x"),
    REPRISE_RULE(InputOnVariable, "input 'x' is not on a buffer of its entry",
                 e.inputs[0]->view->buffer = 0;
                 e.inputs[0]->view->shape = {4}),
    REPRISE_RULE(InputBornLate, "lives from the first step",
                 e.inputs[1]->view->buffer = 5;
                 e.inputs[1]->view->shape = {1}; e.buffers[2]->first_step = 1),
    REPRISE_RULE(UnknownBindingRole, "input 'x' has unknown role 12",
                 e.inputs[0]->role = fb::BindingRole(12)),
    REPRISE_RULE(LossIsFed,
                 "input 'x' has the role Loss, which is one of "
                 "outputs",
                 e.inputs[0]->role = fb::BindingRole::Loss),
    REPRISE_RULE(LabelIsReturned,
                 "output 'y' has the role Label, which is one "
                 "of inputs",
                 e.outputs[0]->role = fb::BindingRole::Label),
    REPRISE_RULE(LossIsNoScalar,
                 "output 'y' has the role Loss, but is not a floating-point "
                 "scalar",
                 e.outputs[0]->role = fb::BindingRole::Loss),
    REPRISE_RULE(LabelIsReal, "has the role Label, but is not a vector of I32",
                 e.inputs[0]->role = fb::BindingRole::Label),
    REPRISE_RULE(SeedIsReal, "has the role Seed, but is not a scalar of I64",
                 e.inputs[0]->role = fb::BindingRole::Seed),
    REPRISE_RULE(RangesOfReals, "that is not for its elements",
                 addRange(*e.inputs[0], 3, {0, 1})),
    REPRISE_RULE(RangesOfResults, "output 'y' has ranges of indices, but is no",
                 addRange(*e.outputs[0], 3, {0, 1})),
    REPRISE_RULE(RangeWithoutLimit, "or without a limit above 0",
                 addRange(*e.inputs[0], 0, {0, 1});
                 e.inputs[0]->view->type = fb::ElementType::I32),
    REPRISE_RULE(RangeOfHalfARun, "runs are not within its rows of 400",
                 addRange(*e.inputs[0], 3, {0});
                 e.inputs[0]->view->type = fb::ElementType::I32),
    REPRISE_RULE(RangeWithoutRuns, "runs are not within its rows of 400",
                 addRange(*e.inputs[0], 3, {});
                 e.inputs[0]->view->type = fb::ElementType::I32),
    REPRISE_RULE(RangeOfMixedRuns, "runs are not within its rows of 400",
                 addRange(*e.inputs[0], 3, {2, 4, 3, 5});
                 e.inputs[0]->view->type = fb::ElementType::I32),
    REPRISE_RULE(RangeOutsideItsRows, "runs are not within its rows of 400",
                 addRange(*e.inputs[0], 3, {0, 401});
                 e.inputs[0]->view->type = fb::ElementType::I32),
    REPRISE_RULE(FlagIsReal,
                 "has the role NonFinite, but is not a scalar of I1",
                 e.outputs[0]->role = fb::BindingRole::NonFinite),
    REPRISE_RULE(LogitsOfFourDimensions,
                 "has the role Logits, but is not a floating-point matrix",
                 e.outputs[0]->role = fb::BindingRole::Logits),
    REPRISE_RULE(
        TwoLabels, "input 'f' and 'x' both have the role Label",
        for (auto &input : e.inputs) {
          input->role = fb::BindingRole::Label;
          input->view->type = fb::ElementType::I32;
          input->view->shape = {4};
        }),
    REPRISE_RULE(GradientOfNothing, "output 'y' is the gradient of no variable",
                 e.outputs[0]->role = fb::BindingRole::Gradient),
    REPRISE_RULE(GradientOfNobody,
                 "is the gradient of a variable that does not exist",
                 e.outputs[0]->role = fb::BindingRole::Gradient;
                 e.outputs[0]->variable = "z"),
    REPRISE_RULE(GradientOfOtherShape,
                 "output 'y' has not the shape of its variable 'v'",
                 e.outputs[0]->role = fb::BindingRole::Gradient;
                 e.outputs[0]->variable = "v"),
    REPRISE_RULE(DataOfAVariable, "names a variable, but is not a gradient",
                 e.outputs[0]->variable = "v"),
    REPRISE_RULE(OutputDiesEarly, "lives to the last step",
                 e.outputs[0]->view->buffer = 3;
                 e.outputs[0]->view->shape = {1}),
    REPRISE_RULE(StepOfNothing, "does nothing this runtime knows",
                 e.steps[2]->action.Reset()),
    REPRISE_RULE(UnknownPhase, "belongs to an unknown phase",
                 e.steps[2]->phase = fb::Phase(9)),
    REPRISE_RULE(UsesDeadBuffer, "which lives from step 0 to 0 only",
                 copyOf(e).source->buffer = 3),
    REPRISE_RULE(CopyOfOtherShape, "differ in type or shape",
                 copyOf(e).source->shape = {1, 3, 3, 31}),
    REPRISE_RULE(CopyOfOtherType, "differ in type or shape",
                 copyOf(e).source->type = fb::ElementType::I32),
    REPRISE_RULE(CopyToNothing, "lacks a view", copyOf(e).target.reset()),
    REPRISE_RULE(CopyToConstant, "writes constant 'k'",
                 copyOf(e).target->buffer = 2;
                 copyOf(e).target->shape = {4}; copyOf(e).source->shape = {4}),
    REPRISE_RULE(UnknownKernel, "launches kernel 1 of 1",
                 launchOf(e).kernel = 1),
    REPRISE_RULE(NoGrains, "has 0 grains", launchOf(e).grains = 0),
    REPRISE_RULE(WritesUnknownArgument, "writes argument 2 of 2",
                 launchOf(e).writes = {2}),
    REPRISE_RULE(WritesTooMuch, "writes more arguments than it has",
                 launchOf(e).writes = {0, 0, 0}),
    REPRISE_RULE(KernelWritesConstant, "writes constant 'k'",
                 launchOf(e).writes = {1}),
    REPRISE_RULE(UnknownLibraryOp, "not a call the library has",
                 callOf(e).op = fb::LibraryOp(99)),
    REPRISE_RULE(CallOfOneInput, "takes 2 inputs and 1 output, not 1 and 1",
                 callOf(e).inputs.pop_back()),
    REPRISE_RULE(CallWithoutOutput, "not a call the library has",
                 callOf(e).outputs.clear()),
    REPRISE_RULE(CallOfOtherShape, "gives 1x3x3x32, not 1x3x3x31",
                 callOf(e).outputs[0]->shape = {1, 3, 3, 31}),
    REPRISE_RULE(CallWithHugePadding, "a padding of a convolution is",
                 callOf(e).ints[2] = INT64_MAX),
    REPRISE_RULE(CallWithoutImplementation, "not a call the library has",
                 callOf(e).implementation.clear()),
    REPRISE_RULE(CallWithManyFloats, "not a call the library has",
                 callOf(e).floats.assign(17, 1)),
    REPRISE_RULE(CallWithAFloat, "takes 9 ints and 0 floats, not 9 and 1",
                 callOf(e).floats = {1}),
    REPRISE_RULE(CallWithManyEpilogues, "not a call the library has",
                 callOf(e).epilogues.assign(9, fb::Epilogue::Relu)),
    REPRISE_RULE(CallWithUnknownEpilogue, "unknown epilogue 3",
                 callOf(e).epilogues = {fb::Epilogue(3)}),
    REPRISE_RULE(CallWithoutItsBias, "takes 3 inputs and 1 output, not 2 and 1",
                 callOf(e).epilogues = {fb::Epilogue::Bias}),
    REPRISE_RULE(CallWithManyInputs, "not a call the library has",
                 for (int k = 0; k < 300; ++k) callOf(e).inputs.push_back(
                     std::make_unique<fb::ViewT>(*callOf(e).inputs[0]))),
    REPRISE_RULE(TwoResultsInOnePlace, "has two results in one place",
                 callOf(e).outputs.push_back(
                     std::make_unique<fb::ViewT>(*callOf(e).outputs[0]))),
    REPRISE_RULE(CallOverwritesOperand, "overwrites its own operand",
                 callOf(e).workspace->buffer = 3;
                 callOf(e).workspace->shape = {64}),
    REPRISE_RULE(SumOverwritesAnother, "overwrites its own operand",
                 addToResult(e, fb::Epilogue::Add);
                 *callOf(e).outputs[0] = *callOf(e).inputs[0]),
    REPRISE_RULE(BiasOverwritten, "overwrites its own operand",
                 addToResult(e, fb::Epilogue::Bias)),
    REPRISE_RULE(SumBesideItsAddend, "overwrites its own operand",
                 addToResult(e, fb::Epilogue::Add);
                 callOf(e).inputs[2]->shape = {1, 3, 3, 31}),
    REPRISE_RULE(ResultInWorkspace, "has its result in its workspace",
                 callOf(e).workspace->buffer = 5;
                 callOf(e).workspace->shape = {64}),
    REPRISE_RULE(UnalignedWorkspace, "not dense and aligned",
                 callOf(e).workspace->offset = 4;
                 callOf(e).workspace->shape[0] -= 4),
};

/// A certificate that holds of the valid program, for a change to break.
static fb::CertificateT &certify(fb::EntryT &e) {
  auto certificate = std::make_unique<fb::CertificateT>();
  e.steps[0]->picoseconds = 70;
  certificate->budget = e.peak_bytes + 100;
  for (auto *point :
       {&certificate->plan, &certificate->plain, &certificate->smallest}) {
    *point = std::make_unique<fb::PointT>();
    (*point)->bytes = e.peak_bytes;
    (*point)->picoseconds = 70;
  }
  certificate->bound = 60;
  e.certificate = std::move(certificate);
  return *e.certificate;
}

static const Rule kNoteRules[] = {
    REPRISE_RULE(CloneOfItself, "that recomputes step 2",
                 e.steps[2]->phase = fb::Phase::Recompute;
                 e.steps[2]->clone_of = 2),
    REPRISE_RULE(CloneOfNoNumber, "that recomputes step -2",
                 e.steps[2]->clone_of = -2),
    REPRISE_RULE(CloneOfAnotherPhase, "that recomputes in another phase",
                 e.steps[2]->clone_of = 1),
    REPRISE_RULE(OddInPlace, "whose in_place pairs no arguments",
                 launchOf(e).in_place = {0}),
    REPRISE_RULE(InPlaceOfNoArgument, "whose in_place pairs no arguments",
                 launchOf(e).in_place = {0, 2}),
    REPRISE_RULE(UnknownReason, "has buffer 'y' for an unknown reason",
                 e.buffers[2]->reason = fb::Reason(12)),
    REPRISE_RULE(MoreForwardStepsThanSteps, "has 4 forward steps among 3",
                 e.forward_steps = 4),
    REPRISE_RULE(KeptThatIsNot, "claims 8 kept bytes", e.kept_bytes = 8),
    REPRISE_RULE(KeptNotClaimed, "claims 0 kept bytes", e.forward_steps = 1),
    REPRISE_RULE(CertificateOfNoPlan, "has a certificate that lacks a point",
                 certify(e).plan.reset()),
    REPRISE_RULE(CertificateOfAnotherTime,
                 "is certified to take 71 ps, no less than 60; its steps take "
                 "70",
                 certify(e).plan->picoseconds = 71),
    REPRISE_RULE(BoundAboveThePlan, "no less than 71; its steps take 70",
                 certify(e).bound = 71),
    REPRISE_RULE(CertificateOfAnotherPeak, "bytes, but its peak is",
                 certify(e).plan->bytes -= 1),
    REPRISE_RULE(BudgetExceeded, "has a certificate for a budget of 1 bytes",
                 certify(e).budget = 1),
};

static std::string ruleName(const testing::TestParamInfo<Rule> &info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Program, VerifyTest, testing::ValuesIn(kProgramRules),
                         ruleName);
INSTANTIATE_TEST_SUITE_P(Entry, VerifyTest, testing::ValuesIn(kEntryRules),
                         ruleName);

INSTANTIATE_TEST_SUITE_P(Notes, VerifyTest, testing::ValuesIn(kNoteRules),
                         ruleName);

TEST_P(VerifyTest, Refuses) {
  ArtifactBuilder b = validProgram();
  GetParam().change(b.program, b.entry());
  std::vector<uint8_t> bytes = b.seal();
  rp_program *program = nullptr;
  Outcome outcome =
      take(rp_program_from_memory(bytes.data(), bytes.size(), &program));
  rp_program_close(program);
  EXPECT_EQ(outcome.code, RP_DATA_LOSS);
  EXPECT_NE(outcome.message.find(GetParam().message), std::string::npos)
      << outcome.message;
}

TEST(Verify, AcceptsWhatIsSoOfAProgram) {
  ArtifactBuilder b = validProgram();
  fb::EntryT &e = b.entry();
  certify(e);
  e.forward_steps = 1;
  for (const auto &buffer : e.buffers)
    if (buffer->last_step > 0)
      e.kept_bytes += buffer->size;
  EXPECT_GT(e.kept_bytes, 0u);
  e.steps[2]->phase = fb::Phase::Recompute;
  e.steps[2]->clone_of = 0;
  launchOf(e).in_place = {0, 1};
  SessionHandle s;
  EXPECT_EQ(s.open(b.seal(), {"cpu", 1, 0, 0}).message, "");
}

/// Whether it can is the device's to say: this one's forward convolutions
/// cannot.
TEST(Verify, AcceptsASumOverWhatItAddsTo) {
  ArtifactBuilder b = validProgram();
  addToResult(b.entry(), fb::Epilogue::Add);
  callOf(b.entry()).implementation = "another";
  SessionHandle s;
  Outcome outcome = s.open(b.seal(), {"cpu", 1, 0, 0});
  EXPECT_EQ(outcome.code, RP_INCOMPATIBLE) << outcome.message;
}

TEST(Verify, AcceptsTheValidProgramAndRunsIt) {
  ArtifactBuilder b = validProgram();
  SessionHandle s;
  ASSERT_EQ(s.open(b.seal(), {"cpu", 1, 0, 0}).message, "");
  ASSERT_EQ(s.setInput("x", std::vector<float>(400, 1)).message, "");
  ASSERT_EQ(s.setInput("f", std::vector<float>(32 * 144, 1)).message, "");
  ASSERT_EQ(s.run().message, "");
  std::vector<float> w(288);
  ASSERT_EQ(s.readVariable("w", w).message, "");
  EXPECT_EQ(w, std::vector<float>(288, 144));
}
