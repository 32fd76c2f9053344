//===- Profile.cpp - Measured times of ops --------------------------------===//
//
// A profile comes from a user's disk: whatever the file contains, reading it
// ends with a profile or a message.
//
//===----------------------------------------------------------------------===//
#include "reprise/Bridge/Profile.h"

#include "llvm/Support/Errc.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>

using namespace reprise;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

static void append(std::string &text, const std::vector<int64_t> &numbers) {
  text += "[";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i ? "," : "") + std::to_string(numbers[i]);
  text += "]";
}

std::string reprise::formatTensor(const rt::TensorDesc &tensor) {
  std::string text = rt::elementName(tensor.type);
  append(text, tensor.shape);
  return text;
}

static void append(std::string &text,
                   const std::vector<rt::TensorDesc> &tensors) {
  for (const rt::TensorDesc &tensor : tensors)
    text += " " + formatTensor(tensor);
}

/// Enough digits to distinguish any two numbers.
static void append(std::string &text, const std::vector<double> &numbers) {
  char digits[32];
  for (double number : numbers) {
    std::snprintf(digits, sizeof digits, " %.17g", number);
    text += digits;
  }
}

std::string reprise::profileKey(const KeyedOp &op) {
  std::string key = op.name;
  append(key, op.inputs);
  key += " ->";
  append(key, op.outputs);
  if (!op.ints.empty()) {
    key += " ints ";
    append(key, op.ints);
  }
  if (!op.floats.empty()) {
    key += " floats";
    append(key, op.floats);
  }
  if (!op.epilogues.empty())
    key += " epilogues";
  for (rt::Epilogue epilogue : op.epilogues)
    key += std::string(" ") + kLibraryEpilogues[size_t(epilogue)].name;
  return key + " flops " + std::to_string(op.flops);
}

static bool addsUp(const KeyedOp &op) {
  return op.function &&
         op.epilogues == std::vector<rt::Epilogue>{rt::Epilogue::Add} &&
         op.outputs.front().type == RP_F32;
}

static uint64_t elementsOf(const rt::TensorDesc &tensor) {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end(), uint64_t(1),
                         std::multiplies<>());
}

std::string reprise::productKeyOf(const KeyedOp &op) {
  if (!addsUp(op))
    return "";
  KeyedOp product = op;
  product.name = op.function;
  product.inputs.pop_back();
  product.epilogues.clear();
  product.flops -= elementsOf(op.outputs.front());
  return profileKey(product);
}

/// Kernels of products read the tensor they add to at a third of the rate at
/// which it streams (12 to 16 GB/s of 47: 1x1 convolutions of 56x56 to 14x14
/// points in f32 on two cores).
uint64_t reprise::waitedBytes(const KeyedOp &op) {
  constexpr uint64_t slowness = 3;
  return addsUp(op) ? slowness * sizeof(float) * elementsOf(op.outputs.front())
                    : 0;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static rt::Status damaged(const std::string &path, const std::string &what) {
  return rt::Status::error(RP_DATA_LOSS,
                           "'" + path + "' is not a profile: " + what);
}

/// Adds entry number `index` of the list of ops.
static rt::Status readOp(const json::Value &value, size_t index,
                         const std::string &path, Profile &profile) {
  std::string at = "ops[" + std::to_string(index) + "]";
  const json::Object *op = value.getAsObject();
  std::optional<llvm::StringRef> key = op ? op->getString("key") : std::nullopt;
  if (!key)
    return damaged(path, at + " has no string 'key'");
  std::optional<double> ms = op->getNumber("ms");
  std::optional<int64_t> count = op->getInteger("count");
  std::string name = at + " ('" + key->str() + "')";
  if (!ms || !std::isfinite(*ms) || *ms < 0)
    return damaged(path, name + " needs 'ms', a number that is finite and at "
                                "least 0");
  if (!count || *count < 1)
    return damaged(path, name + " needs 'count', an integer of at least 1");
  Profile::Entry entry{*ms, uint64_t(*count)};
  if (!profile.ops.try_emplace(key->str(), entry).second)
    return damaged(path, name + " stands there twice");
  return {};
}

rt::Expected<Profile> Profile::parse(const std::string &text,
                                     const std::string &path) {
  llvm::Expected<json::Value> parsed = json::parse(text);
  if (!parsed) {
    // "[line:column, byte=N]: what".
    std::string message = llvm::toString(parsed.takeError());
    return damaged(path, "at " + message);
  }
  const json::Object *root = parsed->getAsObject();
  if (!root)
    return damaged(path, "it holds no object");
  if (root->getInteger("version") != 1)
    return damaged(path, "'version' is not 1");
  Profile profile;
  std::pair<const char *, std::string *> texts[] = {
      {"model", &profile.model},
      {"processor", &profile.processor},
      {"library", &profile.library}};
  for (auto [name, target] : texts) {
    std::optional<llvm::StringRef> found = root->getString(name);
    if (!found)
      return damaged(path, std::string("it has no string '") + name + "'");
    *target = found->str();
  }
  std::optional<int64_t> threads = root->getInteger("threads");
  if (!threads || *threads < 1 || *threads > 1024)
    return damaged(path, "'threads' is not an integer from 1 to 1024");
  profile.threads = unsigned(*threads);
  const json::Array *ops = root->getArray("ops");
  if (!ops)
    return damaged(path, "it has no list 'ops'");
  for (size_t i = 0; i < ops->size(); ++i)
    REPRISE_RETURN_IF_ERROR(readOp((*ops)[i], i, path, profile));
  return profile;
}

rt::Expected<Profile> Profile::read(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return rt::Status::error(RP_IO_ERROR,
                             "cannot read profile '" + path +
                                 "': " + buffer.getError().message());
  return parse((*buffer)->getBuffer().str(), path);
}

//===----------------------------------------------------------------------===//
// Writing and comparing
//===----------------------------------------------------------------------===//

std::string Profile::print() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream writer(stream, 1);
  writer.object([&] {
    writer.attribute("version", 1);
    writer.attribute("model", model);
    writer.attribute("processor", processor);
    writer.attribute("threads", threads);
    writer.attribute("library", library);
    writer.attributeArray("ops", [&] {
      for (const auto &[key, entry] : ops)
        writer.object([&, &key = key, &entry = entry] {
          writer.attribute("key", key);
          writer.attribute("ms", entry.milliseconds);
          writer.attribute("count", int64_t(entry.count));
        });
    });
  });
  return text + "\n";
}

std::string Profile::difference(const Machine &machine, unsigned wanted) const {
  std::string text;
  auto compare = [&](const char *what, const std::string &there,
                     const std::string &here) {
    if (there != here)
      text += (text.empty() ? "" : ", ") + std::string(what) + " '" + there +
              "', not '" + here + "'";
  };
  compare("processor", processor, machine.processor);
  compare("threads", std::to_string(threads), std::to_string(wanted));
  compare("library", library, machine.library);
  return text;
}
