//===- ProgramTerms.cpp - Numbers of the shared enums ---------------------===//
//
// Checks that the enums of include/reprise/ProgramTerms.h and
// LibraryFunctions.h have the numbers of the artifact's schema, and, where the
// C interface has them, of reprise.h.
//
//===----------------------------------------------------------------------===//
#include "reprise/ProgramTerms.h"
#include "reprise/LibraryFunctions.h"
#include "reprise/Runtime/program_generated.h"
#include "reprise/Runtime/reprise.h"

namespace reprise {

#define IN_SCHEMA(ENUM, NAME)                                                  \
  static_assert(int(ENUM::NAME) == int(rt::fb::ENUM::NAME))
#define IN_INTERFACE(ENUM, NAME, C_NAME)                                       \
  IN_SCHEMA(ENUM, NAME);                                                       \
  static_assert(int(ENUM::NAME) == int(C_NAME))
#define COMPLETE(ENUM)                                                         \
  static_assert(kCountOf<ENUM> == size_t(rt::fb::ENUM::MAX) + 1)

IN_INTERFACE(ElementType, F32, RP_F32);
IN_INTERFACE(ElementType, BF16, RP_BF16);
IN_INTERFACE(ElementType, F16, RP_F16);
IN_INTERFACE(ElementType, F64, RP_F64);
IN_INTERFACE(ElementType, I1, RP_I1);
IN_INTERFACE(ElementType, I8, RP_I8);
IN_INTERFACE(ElementType, I32, RP_I32);
IN_INTERFACE(ElementType, I64, RP_I64);
COMPLETE(ElementType);

IN_INTERFACE(BufferKind, Parameter, RP_BUFFER_PARAMETER);
IN_INTERFACE(BufferKind, OptimizerState, RP_BUFFER_OPTIMIZER_STATE);
IN_INTERFACE(BufferKind, State, RP_BUFFER_STATE);
IN_INTERFACE(BufferKind, Constant, RP_BUFFER_CONSTANT);
IN_INTERFACE(BufferKind, Input, RP_BUFFER_INPUT);
IN_INTERFACE(BufferKind, Output, RP_BUFFER_OUTPUT);
IN_INTERFACE(BufferKind, Activation, RP_BUFFER_ACTIVATION);
IN_INTERFACE(BufferKind, Gradient, RP_BUFFER_GRADIENT);
IN_INTERFACE(BufferKind, Recomputed, RP_BUFFER_RECOMPUTED);
IN_INTERFACE(BufferKind, Workspace, RP_BUFFER_WORKSPACE);
IN_INTERFACE(BufferKind, Update, RP_BUFFER_UPDATE);
COMPLETE(BufferKind);
static_assert(kCountOf<BufferKind> == RP_BUFFER_KINDS);

IN_INTERFACE(Phase, Forward, RP_PHASE_FORWARD);
IN_INTERFACE(Phase, Backward, RP_PHASE_BACKWARD);
IN_INTERFACE(Phase, Recompute, RP_PHASE_RECOMPUTE);
IN_INTERFACE(Phase, Update, RP_PHASE_UPDATE);
COMPLETE(Phase);

IN_SCHEMA(Reason, Unknown);
IN_SCHEMA(Reason, Input);
IN_SCHEMA(Reason, Result);
IN_SCHEMA(Reason, Workspace);
IN_SCHEMA(Reason, Passing);
IN_SCHEMA(Reason, Again);
IN_SCHEMA(Reason, RunsOnce);
IN_SCHEMA(Reason, Asked);
IN_SCHEMA(Reason, Free);
IN_SCHEMA(Reason, Dear);
IN_SCHEMA(Reason, SourceGone);
IN_SCHEMA(Reason, Fetched);
COMPLETE(Reason);

IN_SCHEMA(LibraryOp, Conv2D);
IN_SCHEMA(LibraryOp, Conv2DInputGrad);
IN_SCHEMA(LibraryOp, Conv2DFilterGrad);
IN_SCHEMA(LibraryOp, MatMul);
IN_SCHEMA(LibraryOp, RmsNorm);
IN_SCHEMA(LibraryOp, Attention);
IN_SCHEMA(LibraryOp, AttentionGrad);
IN_SCHEMA(LibraryOp, Conv3D);
IN_SCHEMA(LibraryOp, Conv3DInputGrad);
IN_SCHEMA(LibraryOp, Conv3DFilterGrad);
IN_SCHEMA(LibraryOp, AllReduce);
IN_SCHEMA(LibraryOp, AllGather);
IN_SCHEMA(LibraryOp, ReduceScatter);
IN_SCHEMA(LibraryOp, GatherShards);
IN_SCHEMA(LibraryOp, TakeShard);
COMPLETE(LibraryOp);

static_assert(int(LibraryEpilogue::Bias) == int(rt::fb::Epilogue::Bias));
static_assert(int(LibraryEpilogue::Relu) == int(rt::fb::Epilogue::Relu));
static_assert(int(LibraryEpilogue::Add) == int(rt::fb::Epilogue::Add));
static_assert(kCountOf<LibraryEpilogue> == size_t(rt::fb::Epilogue::MAX) + 1);

} // namespace reprise
