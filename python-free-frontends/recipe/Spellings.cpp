//===- Spellings.cpp - Other spellings of keys ----------------------------===//
//
// The spellings of other frameworks for keys that have another form here; see
// docs/from-other-frameworks.md.
//
//===----------------------------------------------------------------------===//
#include "Spellings.h"

using namespace reprise::recipe;

namespace {

class Spellings {
public:
  Spellings(Parsed &parsed) : parsed(parsed) {}
  void replaceAmp();
  void replaceMaxNorm();
  /// `section`: "model.backbone" or "training".
  void replaceCheckpointing(const std::string &section);
  void replaceMemoryCheckpoint();

private:
  /// Removes and returns a setting; its path is empty if there is none.
  Setting take(const std::string &path);
  /// The same for a number of the memory_checkpoint hook, which may also be in
  /// its dc_cfg.
  Setting takeOfMemory(const std::string &name);
  void put(const char *path, const std::string &value, const Setting &from);
  void problem(const Setting &at, const std::string &message) {
    parsed.problems.push_back({at.line, at.column, message});
  }
  Parsed &parsed;
};

} // namespace

Setting Spellings::take(const std::string &path) {
  std::vector<Setting> &settings = parsed.settings;
  for (auto it = settings.begin(); it != settings.end(); ++it)
    if (it->path == path) {
      Setting taken = std::move(*it);
      settings.erase(it);
      return taken;
    }
  return {};
}

void Spellings::put(const char *path, const std::string &value,
                    const Setting &from) {
  for (const Setting &other : parsed.settings)
    if (other.path == path)
      return problem(from, from.path + " and " + path +
                               " say the same thing; keep one of them (the "
                               "other is in line " +
                               std::to_string(other.line) + ")");
  parsed.settings.push_back({path, {value}, from.line, from.column});
}

void Spellings::replaceAmp() {
  Setting use = take("training.use_amp"), type = take("training.amp_type");
  if (use.path.empty() && type.path.empty())
    return;
  if (use.path.empty())
    return problem(type, "training.amp_type needs training.use_amp");
  bool isOn = use.values.front() == "true";
  std::string wanted = type.path.empty() ? "bf16" : type.values.front();
  put("training.amp", isOn ? wanted : "none", use);
}

void Spellings::replaceMaxNorm() {
  Setting most = take("hooks.grad_clipper.max_norm");
  if (!most.path.empty())
    put("training.clip_grad_norm", most.values.front(), most);
}

void Spellings::replaceCheckpointing(const std::string &section) {
  std::string path = section + ".gradient_checkpointing.";
  Setting enabled = take(path + "enabled"), count = take(path + "segments");
  if (enabled.path.empty() && count.path.empty())
    return;
  bool isOn = enabled.path.empty() || enabled.values.front() == "true";
  std::string mode = !isOn                ? "none"
                     : count.path.empty() ? "annotated"
                                          : "segments=" + count.values.front();
  put("training.checkpointing", mode, enabled.path.empty() ? count : enabled);
}

Setting Spellings::takeOfMemory(const std::string &name) {
  const std::string hook = "hooks.memory_checkpoint.";
  Setting plain = take(hook + name), nested = take(hook + "dc_cfg." + name);
  if (!plain.path.empty() && !nested.path.empty())
    problem(nested, nested.path + " and " + plain.path +
                        " say the same thing; keep one of them");
  return plain.path.empty() ? nested : plain;
}

/// A limit becomes a budget: plans are exact, so that no iterations are needed
/// for measurements, and the plan is the fastest one of any strategy. Without a
/// limit, every block of the level is recomputed.
void Spellings::replaceMemoryCheckpoint() {
  const std::string hook = "hooks.memory_checkpoint.",
                    backbone = hook + "checkpoint_patterns.backbone.";
  Setting enable = take(hook + "enable"), level = take(backbone + "level.num"),
          first = enable;
  std::vector<Setting> others = {level, take(backbone + "patterns_mode"),
                                 take(backbone + "share_weight_num")};
  for (const char *name : {"strategy", "warmup_iters", "debug_freq"})
    others.push_back(takeOfMemory(name));
  Setting limit = takeOfMemory("max_memory");
  others.push_back(limit);
  for (const Setting &other : others)
    if (first.path.empty())
      first = other;
  if (first.path.empty())
    return;
  if (!enable.path.empty() && enable.values.front() == "false")
    return put("training.checkpointing", "none", first);
  if (!limit.path.empty())
    return put("training.budget", limit.values.front() + "GiB", limit);
  bool isStages = !level.path.empty() && level.values.front() == "1";
  put("training.checkpointing", isStages ? "annotated" : "per-block", first);
}

void reprise::recipe::replaceSpellings(Parsed &parsed) {
  Spellings spellings(parsed);
  spellings.replaceAmp();
  spellings.replaceMaxNorm();
  spellings.replaceCheckpointing("model.backbone");
  spellings.replaceCheckpointing("training");
  spellings.replaceMemoryCheckpoint();
}
