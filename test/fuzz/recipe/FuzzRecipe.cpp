//===- FuzzRecipe.cpp - Any bytes as a recipe -----------------------------===//
//
// Input:   the text of a recipe.
// Holds:   no crash, no exception; what is refused has a place and a message;
//          what is read is written so that it is read the same.
//
//===----------------------------------------------------------------------===//
#include "reprise/Recipe/Recipe.h"
#include "reprise/Text/Table.h"
#include <cstdint>
#include <cstdlib>

using namespace reprise;
using namespace reprise::recipe;

static bool same(const Parsed &a, const Parsed &b) {
  if (a.settings.size() != b.settings.size())
    return false;
  for (size_t i = 0; i < a.settings.size(); ++i)
    if (a.settings[i].path != b.settings[i].path ||
        a.settings[i].values != b.settings[i].values)
      return false;
  return true;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Keys keys = Keys::standard();
  std::string text(reinterpret_cast<const char *>(data), size);
  Parsed parsed = parse(text, keys, text::nearest);
  for (const Problem &problem : parsed.problems)
    if (problem.line < 1 || problem.column < 1 || problem.message.empty())
      std::abort();
  if (!parsed.problems.empty())
    return 0;
  Parsed again = parse(write(parsed.settings, keys), keys, text::nearest);
  if (!again.problems.empty() || !same(parsed, again))
    std::abort();
  return 0;
}
