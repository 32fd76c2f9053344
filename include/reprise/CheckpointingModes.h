//===- CheckpointingModes.h - The list of modes -----------------*- C++ -*-===//
//
// Every list of checkpointing modes (help, completion, recipes, tables, the
// kernels of a budget) follows from CheckpointingModes.def. Depends on the C++
// standard library only, so that every layer may include it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_CHECKPOINTINGMODES_H
#define REPRISE_CHECKPOINTINGMODES_H

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace reprise {

/// A line of CheckpointingModes.def.
struct CheckpointingMode {
  enum class Kind {
#define CHECKPOINTING_MODE(KIND, ...) KIND,
#include "reprise/CheckpointingModes.def"
#undef CHECKPOINTING_MODE
  };
  Kind kind;
  const char *name, *parameter, *example, *compared, *planned, *note;

  bool isPlain() const { return !*parameter; }
  /// Returns "segments=4" for the number "4"; a plain mode's name.
  std::string with(const std::string &number) const {
    return isPlain() ? name : std::string(name) + "=" + number;
  }
};

inline constexpr CheckpointingMode kCheckpointingModes[] = {
#define CHECKPOINTING_MODE(KIND, ...)                                          \
  {CheckpointingMode::Kind::KIND, __VA_ARGS__},
#include "reprise/CheckpointingModes.def"
#undef CHECKPOINTING_MODE
};

/// Returns the mode named `name`, without a parameter; null if there is none.
inline const CheckpointingMode *findCheckpointingMode(std::string_view name) {
  for (const CheckpointingMode &mode : kCheckpointingModes)
    if (name == mode.name)
      return &mode;
  return nullptr;
}

inline constexpr uint64_t kMostSegments = 1000000;

/// A mode, and the number of its parameter; recomputes nothing by default.
struct Checkpointing {
  CheckpointingMode::Kind kind = CheckpointingMode::Kind::None;
  uint64_t number = 0;

  bool operator==(const Checkpointing &other) const {
    return kind == other.kind && number == other.number;
  }
  bool operator!=(const Checkpointing &other) const {
    return !(*this == other);
  }
  /// Returns "nested" or "segments=4"; sizes are bytes.
  std::string text() const {
    return kCheckpointingModes[size_t(kind)].with(std::to_string(number));
  }
};

/// The inverse of text(); nothing for another text.
inline std::optional<Checkpointing> parseCheckpointing(std::string_view text) {
  size_t sign = text.find('=');
  const CheckpointingMode *mode = findCheckpointingMode(text.substr(0, sign));
  if (!mode || mode->isPlain() != (sign == text.npos))
    return std::nullopt;
  Checkpointing parsed{mode->kind};
  if (mode->isPlain())
    return parsed;
  const char *end = text.data() + text.size();
  auto [stop, error] =
      std::from_chars(text.data() + sign + 1, end, parsed.number);
  bool isInRange = mode->kind != CheckpointingMode::Kind::Segments ||
                   (parsed.number >= 1 && parsed.number <= kMostSegments);
  if (error != std::errc() || stop != end || !isInRange)
    return std::nullopt;
  return parsed;
}

/// Returns each mode once, with its example.
inline std::vector<std::string> exampleModes() {
  std::vector<std::string> all;
  for (const CheckpointingMode &mode : kCheckpointingModes)
    all.push_back(mode.with(mode.example));
  return all;
}

/// Returns every mode with each of its numbers `numbers`, which spaces
/// separate.
inline std::vector<Checkpointing>
modesWith(const char *CheckpointingMode::*numbers) {
  std::vector<Checkpointing> all;
  for (const CheckpointingMode &mode : kCheckpointingModes) {
    if (mode.isPlain())
      all.push_back({mode.kind});
    std::istringstream words(mode.*numbers);
    for (uint64_t number; words >> number;)
      all.push_back({mode.kind, number});
  }
  return all;
}

/// Returns the modes of a table of all.
inline std::vector<Checkpointing> comparedModes() {
  return modesWith(&CheckpointingMode::compared);
}

/// Returns the modes that recompute something and whose kernels a budget may
/// take.
inline std::vector<Checkpointing> plannedModes() {
  std::vector<Checkpointing> all = modesWith(&CheckpointingMode::planned);
  all.erase(std::find(all.begin(), all.end(), Checkpointing()));
  return all;
}

enum class ModeNotes { No, Yes };

/// Returns "none, annotated, ..., threshold-bytes=SIZE"; with notes in
/// parentheses.
inline std::string listCheckpointingModes(ModeNotes notes = ModeNotes::No) {
  std::string text;
  for (const CheckpointingMode &mode : kCheckpointingModes) {
    text += (text.empty() ? "" : ", ") + mode.with(mode.parameter);
    if (notes == ModeNotes::Yes && *mode.note)
      text += std::string(" (") + mode.note + ")";
  }
  return text;
}

} // namespace reprise

#endif // REPRISE_CHECKPOINTINGMODES_H
