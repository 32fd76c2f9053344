//===- InputFile.cpp - Input files of the planner -------------------------===//

#include "reprise/PlanSearch/InputFile.h"
#include "reprise/Console/Console.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/OutputFile.h"
#include "reprise/Text/Size.h"
#include <cerrno>
#include <cstdio>
#include <memory>

namespace reprise::plan::search {

static constexpr size_t kMostBytes = size_t(256) << 20;

std::string inputName(const std::string &path) {
  return path == "-" ? "standard input" : path;
}

rt::Expected<std::string> readInput(const std::string &path) {
  using File = std::unique_ptr<FILE, int (*)(FILE *)>;
  // Accepts more than regular files, such as pipes.
  File opened(path == "-" ? nullptr : std::fopen(path.c_str(), "rb"),
              [](FILE *file) { return file ? std::fclose(file) : 0; });
  if (path != "-" && !opened)
    return rt::systemError("open", path, errno);
  FILE *file = opened ? opened.get() : stdin;
  std::string text;
  std::string chunk(size_t(1) << 16, '\0');
  while (size_t count = std::fread(&chunk[0], 1, chunk.size(), file)) {
    text.append(chunk, 0, count);
    if (text.size() > kMostBytes)
      return driver::invalid("'" + inputName(path) + "' has more than " +
                             text::formatSize(kMostBytes) +
                             ", the largest input this tool reads");
  }
  if (std::ferror(file))
    return rt::systemError("read", inputName(path), errno);
  return text;
}

rt::Expected<format::GraphFile> loadGraph(const std::string &path) {
  REPRISE_EXPECT(text, readInput(path));
  return format::readGraph(inputName(path), std::move(*text));
}

} // namespace reprise::plan::search
