//===- FileEndings.cpp - File formats by name -----------------------------===//

#include "FileEndings.h"
#include <cctype>
#include <cstring>
#include <filesystem>
#include <vector>

using namespace reprise::rt;

namespace {
struct Ending {
  const char *text;
  FileFormat format;
};
} // namespace

static constexpr Ending kEndings[] = {
#define FILE_ENDING(ENDING, USE, WHAT) {ENDING, {FileUse::USE, WHAT}},
#include "FileEndings.def"
#undef FILE_ENDING
};

static std::string inSmallLetters(std::string text) {
  for (char &c : text)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string reprise::rt::endingOfName(const std::string &name) {
  std::string ending = std::filesystem::path(name).extension().string();
  return ending.empty() ? "without an ending" : inSmallLetters(ending);
}

FileFormat reprise::rt::formatOfName(const std::string &name) {
  const std::string lower = inSmallLetters(name);
  FileFormat found;
  size_t longest = 0;
  for (const Ending &ending : kEndings) {
    size_t size = std::strlen(ending.text);
    if (size > longest && lower.size() > size &&
        !lower.compare(lower.size() - size, size, ending.text)) {
      longest = size;
      found = ending.format;
    }
  }
  return found;
}

std::map<std::string, uint64_t>
reprise::rt::countFiles(const std::string &directory,
                        const std::string &where) {
  std::map<std::string, uint64_t> counts;
  std::error_code error;
  for (std::filesystem::directory_iterator it(directory, error), end;
       !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const FileFormat format = formatOfName(name);
    std::error_code ignored;
    if (name.front() == '.')
      ++counts["hidden"];
    else if (!it->is_directory(ignored))
      ++counts[format.use == FileUse::Other
                   ? endingOfName(name)
                   : std::string(format.what) + " " + where];
  }
  return counts;
}

std::string reprise::rt::endingsOf(FileUse use) {
  std::vector<const char *> list;
  for (const Ending &ending : kEndings)
    if (ending.format.use == use)
      list.push_back(ending.text);
  std::string text;
  for (size_t i = 0; i < list.size(); ++i)
    text += (i == 0                 ? ""
             : i + 1 == list.size() ? " or "
                                    : ", ") +
            std::string(list[i]);
  return text;
}
