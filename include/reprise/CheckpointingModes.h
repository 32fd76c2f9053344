//===- CheckpointingModes.h - The list of modes -----------------*- C++ -*-===//
//
// Every list of checkpointing modes (help, completion, recipes, tables, the
// kernels of a budget) follows from CheckpointingModes.def. Depends on the C++
// standard library only, so that every layer may include it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_CHECKPOINTINGMODES_H
#define REPRISE_CHECKPOINTINGMODES_H

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
  /// Returns the mode with each of `numbers`, which spaces separate.
  std::vector<std::string> withEach(const char *numbers) const {
    if (isPlain())
      return {name};
    std::vector<std::string> all;
    std::istringstream words(numbers);
    for (std::string word; words >> word;)
      all.push_back(with(word));
    return all;
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

/// A mode, and the number of its parameter.
struct ParsedMode {
  CheckpointingMode::Kind kind;
  uint64_t number = 0;
};

/// Reads "nested" or "segments=4"; sizes are bytes.
inline std::optional<ParsedMode> parseCheckpointingMode(std::string_view text) {
  size_t sign = text.find('=');
  const CheckpointingMode *mode = findCheckpointingMode(text.substr(0, sign));
  if (!mode || mode->isPlain() != (sign == text.npos))
    return std::nullopt;
  ParsedMode parsed{mode->kind};
  if (mode->isPlain())
    return parsed;
  const char *end = text.data() + text.size();
  auto [stop, error] =
      std::from_chars(text.data() + sign + 1, end, parsed.number);
  if (error != std::errc() || stop != end)
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

/// Returns the modes of a table of all.
inline std::vector<std::string> comparedModes() {
  std::vector<std::string> all;
  for (const CheckpointingMode &mode : kCheckpointingModes)
    for (std::string &one : mode.withEach(mode.compared))
      all.push_back(std::move(one));
  return all;
}

/// Returns the modes that recompute something and whose kernels a budget may
/// take.
inline std::vector<std::string> plannedModes() {
  std::vector<std::string> all;
  for (const CheckpointingMode &mode : kCheckpointingModes)
    if (mode.kind != CheckpointingMode::Kind::None)
      for (std::string &one : mode.withEach(mode.planned))
        all.push_back(std::move(one));
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
