//===- make_seeds.cpp - Seeds of fuzz-ir from textual tests ---------------===//
//
// Usage: make_seeds FOLDER TEST...
// Writes the parts of the tests, which lines of "-----" part, as files of
// FOLDER. Comments are left out: they hold nothing worth mutating.
//
//===----------------------------------------------------------------------===//
#include <cstdio>
#include <fstream>
#include <string>

static bool isComment(const std::string &line) {
  size_t first = line.find_first_not_of(' ');
  return first == std::string::npos || line.compare(first, 2, "//") == 0;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: make_seeds FOLDER TEST...\n");
    return 1;
  }
  unsigned written = 0;
  auto write = [&](std::string &part) {
    if (part.empty())
      return true;
    std::ofstream file(std::string(argv[1]) + "/seed" +
                       std::to_string(written++));
    file << part;
    part.clear();
    return bool(file.flush());
  };
  for (int i = 2; i < argc; ++i) {
    std::ifstream test(argv[i]);
    if (!test) {
      std::fprintf(stderr, "make_seeds: cannot open '%s'\n", argv[i]);
      return 1;
    }
    std::string part, line;
    bool ok = true;
    while (ok && std::getline(test, line)) {
      if (line.find("// -----") == 0)
        ok = write(part);
      else if (!isComment(line))
        part += line + "\n";
    }
    if (!ok || !write(part)) {
      std::fprintf(stderr, "make_seeds: cannot write to '%s'\n", argv[1]);
      return 1;
    }
  }
  return 0;
}
