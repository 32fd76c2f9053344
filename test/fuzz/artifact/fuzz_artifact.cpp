//===- fuzz_artifact.cpp - Coverage-guided fuzzing of the loader ----------===//
//
// The input is a payload. It is sealed first, because no mutation survives the
// digest, so that the verifier of programs is what is explored. A program that
// the verifier accepts is then checked by brute force: what later runs without
// checks must really be in bounds.
//
//===----------------------------------------------------------------------===//
#include "../../../runtime/core/Views.h"
#include "reprise/Runtime/Artifact.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace reprise::rt;

static void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "accepted program breaks: %s\n", what);
  std::abort();
}

static void checkView(const fb::Program &program, const fb::Entry *entry,
                      const fb::View *view) {
  require(view, "a view is there");
  const fb::Buffer *b = bufferOf(program, entry, *view);
  require(b, "a view has a buffer");
  // The same as the verifier computes, in arithmetic that cannot overflow.
  __int128 end = 1, dense = 1;
  size_t rank = view->shape() ? view->shape()->size() : 0;
  bool strided = view->strides() && view->strides()->size();
  for (size_t i = rank; i-- > 0;) {
    uint32_t k = uint32_t(i);
    __int128 stride = strided ? view->strides()->Get(k) : dense;
    end += (view->shape()->Get(k) - 1) * stride;
    dense *= view->shape()->Get(k);
  }
  __int128 last =
      __int128(b->offset()) + view->offset() + end * elementBytes(view->type());
  require(last <= __int128(b->offset()) + b->size(), "a view is in its buffer");
  require(last <= program.arena_bytes(), "a view is in the arena");
}

static void checkStep(const fb::Program &program, const fb::Entry &entry,
                      const fb::Step &step) {
  if (const fb::LibraryCall *call = step.action_as_LibraryCall()) {
    require(call->inputs()->size() && call->outputs()->size(),
            "a call has inputs and outputs");
    for (const fb::View *view : *call->inputs())
      checkView(program, &entry, view);
    for (const fb::View *view : *call->outputs())
      checkView(program, &entry, view);
    require(verifyLibraryCall(describe(*call)).ok(), "a call has its shapes");
  } else if (const fb::KernelLaunch *launch = step.action_as_KernelLaunch()) {
    require(launch->kernel() < program.kernels()->size(), "a kernel exists");
    if (launch->args())
      for (const fb::View *view : *launch->args())
        checkView(program, &entry, view);
  } else if (const fb::Copy *copy = step.action_as_Copy()) {
    checkView(program, &entry, copy->source());
    checkView(program, &entry, copy->target());
    require(viewBytes(*copy->source()) == viewBytes(*copy->target()),
            "a copy has one size");
  } else if (const fb::Offload *offload = step.action_as_Offload()) {
    checkView(program, &entry, offload->source());
  } else if (const fb::Fetch *fetch = step.action_as_Fetch()) {
    checkView(program, &entry, fetch->target());
    require(fetch->host() < hostMemoryBytes(program),
            "a fetched value was offloaded");
  } else {
    require(false, "a step has an action");
  }
}

static void checkLifetimes(const fb::Entry &entry) {
  uint32_t count = entry.buffers() ? entry.buffers()->size() : 0;
  for (uint32_t i = 0; i < count && count <= 256; ++i)
    for (uint32_t j = 0; j < i; ++j) {
      const fb::Buffer &a = *entry.buffers()->Get(i);
      const fb::Buffer &b = *entry.buffers()->Get(j);
      bool together =
          a.first_step() <= b.last_step() && b.first_step() <= a.last_step();
      bool overlap = a.offset() < b.offset() + b.size() &&
                     b.offset() < a.offset() + a.size();
      require(!together || !overlap, "live buffers are disjoint");
    }
}

static void checkBinding(const fb::Program &program, const fb::Entry *entry,
                         const fb::Binding &binding) {
  checkView(program, entry, binding.view());
  require(binding.role() <= fb::BindingRole::MAX, "a role is known");
  require(binding.role() != fb::BindingRole::Gradient || binding.variable(),
          "a gradient names its variable");
}

static void checkAccepted(const fb::Program &program) {
  if (program.variables())
    for (const fb::Variable *v : *program.variables()) {
      checkView(program, nullptr, v->view());
      require(v->init() != fb::InitKind::Elements ||
                  v->init_data()->size() == *viewBytes(*v->view()),
              "initial data fill their variable");
    }
  if (program.constants())
    for (const fb::Constant *c : *program.constants())
      require(program.buffers()->Get(c->buffer())->size() == c->data()->size(),
              "a constant fills its buffer");
  if (!program.entries())
    return;
  for (const fb::Entry *entry : *program.entries()) {
    checkLifetimes(*entry);
    for (auto *bindings : {entry->inputs(), entry->outputs()})
      if (bindings)
        for (const fb::Binding *binding : *bindings)
          checkBinding(program, entry, *binding);
    if (entry->steps())
      for (const fb::Step *step : *entry->steps())
        checkStep(program, *entry, *step);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *payload = nullptr;
  size_t payloadSize = 0;
  // As a file of its own: the container's checks.
  require(!openContainer(data, size, &payload, &payloadSize).ok() || size >= 64,
          "a container has a header");

  std::vector<uint8_t> sealed = sealArtifact(data, size);
  size_t rounded = (sealed.size() / 64 + 1) * 64;
  auto *aligned = static_cast<uint8_t *>(std::aligned_alloc(64, rounded));
  std::memcpy(aligned, sealed.data(), sealed.size());
  require(openContainer(aligned, sealed.size(), &payload, &payloadSize).ok(),
          "what was sealed opens");
  if (verifyProgram(payload, payloadSize).ok())
    checkAccepted(*fb::GetProgram(payload));
  std::free(aligned);
  return 0;
}
