//===- RecipeFile.cpp - Recipes of files and states -----------------------===//

#include "reprise/Run/RecipeFile.h"
#include "reprise/Console/Console.h"
#include "reprise/Recipe/Recipe.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/File.h"
#include "reprise/Runtime/Trainer/State.h"
#include "reprise/Text/Printable.h"
#include "llvm/ADT/StringRef.h"
#include <cstdio>

using namespace reprise;
using namespace reprise::driver;

/// Detects the length of a header, and the header.
bool driver::isSavedState(const std::string &path) {
  if (llvm::StringRef(path).ends_with(".safetensors"))
    return true;
  rt::Expected<rt::InputFile> file = rt::InputFile::open(path);
  uint8_t begin[9] = {};
  if (!file.ok() || file->size() < sizeof begin ||
      !file->readAt(0, begin, sizeof begin).ok())
    return false;
  uint64_t length = 0;
  for (size_t at = 8; at-- > 0;)
    length = length << 8 | begin[at];
  return begin[8] == '{' && length <= file->size() - 8;
}

rt::Expected<std::string> driver::readRecipeText(const std::string &path) {
  if (isSavedState(path)) {
    REPRISE_EXPECT(position, rt::readStatePosition(path));
    if (position->recipe.empty())
      return invalid(
          "'" + path +
          "' holds no recipe; the run that saved it was set up by options");
    return position->recipe;
  }
  REPRISE_EXPECT(file, rt::InputFile::open(path));
  if (file->size() > recipe::kMostRecipeBytes)
    return invalid("'" + path + "' has " + std::to_string(file->size()) +
                   " bytes; a recipe has " +
                   std::to_string(recipe::kMostRecipeBytes) + " at most");
  std::string text(size_t(file->size()), '\0');
  REPRISE_RETURN_IF_ERROR(file->readAt(0, text.data(), text.size()));
  return text;
}

void driver::showProblems(const std::vector<FileProblem> &problems) {
  for (const FileProblem &problem : problems)
    std::fprintf(stderr, "%s:%d:%d: error: %s\n",
                 text::printable(problem.file).c_str(), problem.line,
                 problem.column, text::printable(problem.message).c_str());
}
