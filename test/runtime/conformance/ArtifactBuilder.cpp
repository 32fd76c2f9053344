//===- ArtifactBuilder.cpp - Artifacts by hand ----------------------------===//
#include "ArtifactBuilder.h"
#include "reprise/Runtime/Artifact.h"

#include <algorithm>
#include <cstring>

namespace reprise::test {

int64_t elements(const Shape &shape) {
  int64_t n = 1;
  for (int64_t d : shape)
    n *= d;
  return n;
}

static uint64_t width(fb::ElementType type) {
  switch (type) {
  case fb::ElementType::F64:
  case fb::ElementType::I64:
    return 8;
  case fb::ElementType::F32:
  case fb::ElementType::I32:
    return 4;
  case fb::ElementType::BF16:
  case fb::ElementType::F16:
    return 2;
  default:
    return 1;
  }
}

ArtifactBuilder::ArtifactBuilder(unsigned threads) : threads(threads) {
  program.producer = "test";
  program.model = "by-hand";
  deviceForm().describe(program);
  program.threads = threads;
  program.plan_note = "{}";
  program.entries.push_back(std::make_unique<fb::EntryT>());
  entry().name = "step";
}

uint32_t ArtifactBuilder::addBuffer(const std::string &name,
                                    fb::BufferKind kind, uint64_t bytes) {
  auto buffer = std::make_unique<fb::BufferT>();
  buffer->name = name;
  buffer->kind = kind;
  buffer->offset = top;
  buffer->size = bytes;
  uint64_t unit = program.alignment;
  top = (top + bytes + unit - 1) / unit * unit;
  bool fixed = kind <= fb::BufferKind::Constant;
  auto &list = fixed ? program.buffers : entry().buffers;
  list.push_back(std::move(buffer));
  if (fixed)
    program.fixed_bytes = top;
  return uint32_t(list.size() - 1 + (fixed ? 0 : program.buffers.size()));
}

fb::ViewT ArtifactBuilder::view(const Tensor &tensor) const {
  fb::ViewT v;
  v.buffer = tensor.buffer;
  v.type = tensor.type;
  v.shape = tensor.shape;
  return v;
}

Tensor ArtifactBuilder::variable(const std::string &name, const Shape &shape,
                                 fb::InitKind init, double value, fb::Role role,
                                 fb::ElementType type) {
  Tensor t{addBuffer(name, fb::BufferKind::Parameter,
                     uint64_t(elements(shape)) * width(type)),
           type, shape};
  auto v = std::make_unique<fb::VariableT>();
  v->name = name;
  v->role = role;
  v->view = std::make_unique<fb::ViewT>(view(t));
  v->init = init;
  v->init_value = value;
  program.variables.push_back(std::move(v));
  return t;
}

Tensor ArtifactBuilder::constant(const std::string &name, const Shape &shape,
                                 const std::vector<float> &values) {
  Tensor t{addBuffer(name, fb::BufferKind::Constant, values.size() * 4),
           fb::ElementType::F32, shape};
  auto c = std::make_unique<fb::ConstantT>();
  c->buffer = t.buffer;
  c->data.resize(values.size() * 4);
  std::memcpy(c->data.data(), values.data(), c->data.size());
  program.constants.push_back(std::move(c));
  return t;
}

static std::unique_ptr<fb::BindingT> bind(const std::string &name,
                                          fb::ViewT view) {
  auto binding = std::make_unique<fb::BindingT>();
  binding->name = name;
  binding->view = std::make_unique<fb::ViewT>(std::move(view));
  return binding;
}

Tensor ArtifactBuilder::input(const std::string &name, const Shape &shape,
                              fb::ElementType type, fb::BindingRole role) {
  Tensor t{addBuffer(name, fb::BufferKind::Input,
                     uint64_t(elements(shape)) * width(type)),
           type, shape};
  entry().inputs.push_back(bind(name, view(t)));
  entry().inputs.back()->role = role;
  return t;
}

Tensor ArtifactBuilder::activation(const std::string &name, const Shape &shape,
                                   fb::ElementType type) {
  return {addBuffer(name, fb::BufferKind::Activation,
                    uint64_t(elements(shape)) * width(type)),
          type, shape};
}

void ArtifactBuilder::output(const std::string &name, const Tensor &tensor,
                             fb::BindingRole role,
                             const std::string &variable) {
  entry().outputs.push_back(bind(name, view(tensor)));
  entry().outputs.back()->role = role;
  entry().outputs.back()->variable = variable;
}

void ArtifactBuilder::addStep(const std::string &name, fb::ActionUnion action,
                              const std::vector<Tensor> &touched) {
  auto step = std::make_unique<fb::StepT>();
  step->name = name;
  step->action = std::move(action);
  uint32_t index = uint32_t(entry().steps.size());
  for (const Tensor &t : touched) {
    if (t.buffer < program.buffers.size())
      continue;
    fb::BufferT &b = *entry().buffers[t.buffer - program.buffers.size()];
    bool seen = b.last_step != 0 || b.kind == fb::BufferKind::Input;
    // Until finish(), last_step holds one more than the last use.
    if (!seen)
      b.first_step = index;
    b.last_step = index + 1;
  }
  entry().steps.push_back(std::move(step));
}

void ArtifactBuilder::copy(const Tensor &source, const Tensor &target) {
  fb::CopyT c;
  c.source = std::make_unique<fb::ViewT>(view(source));
  c.target = std::make_unique<fb::ViewT>(view(target));
  fb::ActionUnion action;
  action.Set(std::move(c));
  addStep("copy", std::move(action), {source, target});
}

void ArtifactBuilder::offload(const Tensor &source, uint64_t host) {
  fb::OffloadT step;
  step.source = std::make_unique<fb::ViewT>(view(source));
  step.host = host;
  fb::ActionUnion action;
  action.Set(std::move(step));
  addStep("offload", std::move(action), {source});
}

void ArtifactBuilder::fetch(uint64_t host, const Tensor &target) {
  fb::FetchT step;
  step.host = host;
  step.target = std::make_unique<fb::ViewT>(view(target));
  fb::ActionUnion action;
  action.Set(std::move(step));
  addStep("fetch", std::move(action), {target});
}

void ArtifactBuilder::launch(const std::string &kernel,
                             const std::vector<Tensor> &args,
                             const std::vector<uint32_t> &writes,
                             uint64_t elements) {
  HandKernel used{kernel, elements, args.size()};
  std::string symbol = deviceForm().symbol(used);
  auto found =
      std::find(program.kernels.begin(), program.kernels.end(), symbol);
  fb::KernelLaunchT k;
  k.kernel = uint32_t(found - program.kernels.begin());
  if (found == program.kernels.end()) {
    program.kernels.push_back(symbol);
    kernels.push_back(used);
    program.code = deviceForm().code(kernels);
  }
  for (const Tensor &t : args)
    k.args.push_back(std::make_unique<fb::ViewT>(view(t)));
  k.writes = writes;
  k.grains = deviceForm().grains(used);
  fb::ActionUnion action;
  action.Set(std::move(k));
  addStep(kernel, std::move(action), args);
}

static rt::TensorDesc descOf(const Tensor &t) {
  return {rp_element_type(t.type), t.shape, {}};
}

static rt::LibraryCallDesc descOf(const Call &call) {
  rt::LibraryCallDesc desc{call.op,   {},          {},
                           call.ints, call.floats, call.epilogues};
  for (const Tensor &t : call.inputs)
    desc.inputs.push_back(descOf(t));
  for (const Tensor &t : call.outputs)
    desc.outputs.push_back(descOf(t));
  return desc;
}

rt::Status ArtifactBuilder::call(const Call &call) {
  rt::LibraryCallInfo info{0, call.implementation};
  if (info.implementation.empty()) {
    rt::Expected<rt::LibraryCallInfo> asked =
        deviceForm().plan(descOf(call), threads);
    if (!asked.ok())
      return asked.status();
    info = *asked;
  }
  fb::LibraryCallT c;
  c.op = fb::LibraryOp(call.op);
  c.ints = call.ints;
  c.floats = call.floats;
  for (rt::Epilogue epilogue : call.epilogues)
    c.epilogues.push_back(fb::Epilogue(epilogue));
  c.implementation = info.implementation;
  std::vector<Tensor> touched = call.inputs;
  for (const Tensor &t : call.inputs)
    c.inputs.push_back(std::make_unique<fb::ViewT>(view(t)));
  for (const Tensor &t : call.outputs) {
    c.outputs.push_back(std::make_unique<fb::ViewT>(view(t)));
    touched.push_back(t);
  }
  if (info.workspaceBytes) {
    Tensor workspace{
        addBuffer("workspace", fb::BufferKind::Workspace, info.workspaceBytes),
        fb::ElementType::I8,
        {int64_t(info.workspaceBytes)}};
    c.workspace = std::make_unique<fb::ViewT>(view(workspace));
    touched.push_back(workspace);
  }
  fb::ActionUnion action;
  action.Set(std::move(c));
  addStep("call", std::move(action), touched);
  return {};
}

void ArtifactBuilder::finish() {
  program.arena_bytes = top;
  uint32_t last = uint32_t(std::max<size_t>(entry().steps.size(), 1) - 1);
  uint64_t peak = program.fixed_bytes;
  for (auto &b : entry().buffers) {
    b->last_step = b->last_step ? b->last_step - 1 : 0;
    peak = std::max(peak, b->offset + b->size);
  }
  for (auto &output : entry().outputs)
    if (output->view->buffer >= program.buffers.size())
      entry()
          .buffers[output->view->buffer - program.buffers.size()]
          ->last_step = last;
  entry().peak_bytes = peak;
  entry().max_live_bytes = peak;
}

std::vector<uint8_t> ArtifactBuilder::payload() const {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Program::Pack(builder, &program), fb::ProgramIdentifier());
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

std::vector<uint8_t> ArtifactBuilder::seal() const {
  std::vector<uint8_t> bytes = payload();
  return rt::sealArtifact(bytes.data(), bytes.size());
}

} // namespace reprise::test
