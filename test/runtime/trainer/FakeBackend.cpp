//===- FakeBackend.cpp - A linear model behind the trainer ----------------===//
#include "FakeBackend.h"
#include <cmath>
#include <cstring>

using namespace reprise::rt;
using namespace reprise::rt::test;

static TensorInfo tensor(const std::string &name, rp_element_type type,
                         std::vector<int64_t> shape) {
  TensorInfo info;
  info.name = name;
  info.type = type;
  info.bytes = type == RP_I64 ? 8 : 4;
  for (int64_t size : shape)
    info.bytes *= size_t(size);
  info.shape = std::move(shape);
  return info;
}

FakeBackend::FakeBackend(size_t batch, ImageShape shape, int32_t classes)
    : batch(batch), features(shape.elements()), classes(classes),
      image(batch * features), logits(batch * size_t(classes)),
      gradient(features * size_t(classes)), label(batch) {
  int64_t f = int64_t(features), b = int64_t(batch);
  vars = {tensor("fc.weight", RP_F32, {f, classes}),
          tensor("fc.weight.momentum", RP_F32, {f, classes}),
          tensor("norm.running_mean", RP_F32, {f}), tensor("step", RP_I64, {}),
          tensor("seed", RP_I64, {})};
  vars[0].filePermutation = vars[1].filePermutation = {1, 0};
  vars[1].role = RP_OPTIMIZER_STATE;
  vars[2].role = RP_RUNNING_STATISTICS;
  vars[3].role = RP_COUNTER;
  vars[4].role = RP_SEED;
  for (const TensorInfo &info : vars)
    bits[info.name].resize(info.bytes);
  EntryInfo train, eval;
  train.name = "train_step";
  eval.name = "eval_step";
  train.inputs = eval.inputs = {
      tensor("image", RP_F32, {b, shape.height, shape.width, shape.channels}),
      tensor("label", RP_I32, {b})}; // as data without a program's names are
  train.inputs.push_back(tensor("pace", RP_F32, {}));
  train.inputs[1].binding = eval.inputs[1].binding = RP_BINDING_LABEL;
  train.inputs[2].binding = RP_BINDING_LEARNING_RATE;
  train.outputs = eval.outputs = {tensor("cost", RP_F32, {}),
                                  tensor("scores", RP_F32, {b, classes})};
  for (EntryInfo *entry : {&train, &eval}) {
    entry->outputs[0].binding = RP_BINDING_LOSS;
    entry->outputs[1].binding = RP_BINDING_LOGITS;
  }
  train.outputs.push_back(tensor("slope", RP_F32, {f, classes}));
  train.outputs[2].binding = RP_BINDING_GRADIENT;
  train.outputs[2].variable = "fc.weight";
  train.peakBytes = 4096;
  entries = {train, eval};
}

const EntryInfo *FakeBackend::entry(const std::string &name) const {
  for (const EntryInfo &entry : entries)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

float *FakeBackend::floats(const std::string &name) {
  return reinterpret_cast<float *>(bits[name].data());
}

Status FakeBackend::initialize(uint64_t seed) {
  for (const TensorInfo &info : vars)
    std::fill(bits[info.name].begin(), bits[info.name].end(), 0);
  for (size_t i = 0; i < gradient.size(); ++i)
    floats("fc.weight")[i] = float((i * 37 + seed) % 11) / 100 - 0.05f;
  std::memcpy(bits["seed"].data(), &seed, 8);
  return Status();
}

void *FakeBackend::inputOf(const std::string &name) {
  return name == "image"    ? static_cast<void *>(image.data())
         : name == "label"  ? static_cast<void *>(label.data())
         : name == "pace"   ? static_cast<void *>(&rate)
         : name == "share"  ? static_cast<void *>(&share)
         : name == "chance" ? static_cast<void *>(&seed)
                            : static_cast<void *>(&time);
}

Status FakeBackend::setInput(const std::string &entry, const std::string &name,
                             const void *data, size_t bytes) {
  asked += name == "pace" ? "in " : "";
  const auto *from = static_cast<const uint8_t *>(data);
  if (stages)
    staged[name].assign(from, from + bytes);
  else
    std::memcpy(inputOf(name), data, bytes);
  return Status();
}

Status FakeBackend::forward() {
  const float *weight = floats("fc.weight");
  double sum = 0;
  std::fill(gradient.begin(), gradient.end(), 0.0f);
  for (size_t n = 0; n < batch; ++n) {
    const float *x = &image[n * features];
    float *z = &logits[n * size_t(classes)];
    double denominator = 0;
    for (int32_t k = 0; k < classes; ++k) {
      z[k] = 0;
      for (size_t i = 0; i < features; ++i)
        z[k] += x[i] * weight[i * size_t(classes) + size_t(k)];
      denominator += std::exp(double(z[k]));
    }
    sum += std::log(denominator) - z[label[n]];
    for (int32_t k = 0; k < classes; ++k) {
      double p = std::exp(double(z[k])) / denominator - (k == label[n]);
      for (size_t i = 0; i < features; ++i)
        gradient[i * size_t(classes) + size_t(k)] +=
            float(p * x[i] / double(batch));
    }
  }
  loss = float(sum / double(batch));
  return Status();
}

Status FakeBackend::update() {
  float *weight = floats("fc.weight"), *momentum = floats("fc.weight.momentum");
  for (size_t i = 0; i < gradient.size(); ++i) {
    momentum[i] = 0.9f * momentum[i] + gradient[i];
    weight[i] -= rate * momentum[i];
  }
  float *mean = floats("norm.running_mean");
  for (size_t i = 0; i < features; ++i)
    mean[i] = 0.9f * mean[i] + 0.1f * image[i];
  uint64_t step;
  std::memcpy(&step, bits["step"].data(), 8);
  ++step;
  std::memcpy(bits["step"].data(), &step, 8);
  seenLabels.push_back(label);
  seenTimes.push_back({seed, time});
  seenShares.push_back(share);
  norm = float(step);
  if (afterStep)
    afterStep(step, loss);
  return Status();
}

Status FakeBackend::run(const std::string &entry) {
  asked += "run ";
  for (const auto &[name, bytes] : staged)
    std::memcpy(inputOf(name), bytes.data(), bytes.size());
  Status status = forward();
  runs += entry == "train_step";
  return entry == "train_step" ? update() : status;
}

Status FakeBackend::getOutput(const std::string &entry, const std::string &name,
                              void *data, size_t bytes) {
  asked += name == "cost" ? "out " : "";
  const void *from = name == "cost"     ? static_cast<const void *>(&loss)
                     : name == "scores" ? logits.data()
                     : name == "norm"   ? &norm
                     : name == "bad"    ? static_cast<const void *>(&bad)
                                        : gradient.data();
  std::memcpy(data, from, bytes);
  return Status();
}

Status FakeBackend::readVariable(const std::string &name, void *data,
                                 size_t bytes) {
  std::memcpy(data, bits.at(name).data(), bytes);
  return Status();
}

Status FakeBackend::writeVariable(const std::string &name, const void *data,
                                  size_t bytes) {
  std::memcpy(bits.at(name).data(), data, bytes);
  return Status();
}

Expected<rp_memory_stats> FakeBackend::memory() {
  return rp_memory_stats{8192, 4096, 0};
}
