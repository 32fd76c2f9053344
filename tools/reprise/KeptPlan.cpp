//===- KeptPlan.cpp - Plans that need no search again ---------------------===//
//
// A file is a line that says what it is, one with the digest of all behind it,
// one for people, and the program as MLIR's bytecode. The digest finds what was
// damaged by accident; who can write the folder can write digests.
//
//===----------------------------------------------------------------------===//

#include "KeptPlan.h"
#include "Console.h"
#include "Verbosity.h"
#include "text/Size.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace reprise;
using namespace reprise::tools;

static constexpr llvm::StringLiteral kMagic = "REPRISE PLAN\n";

static std::string digestOf(llvm::StringRef text) {
  llvm::SHA256 digest;
  digest.update(text);
  return llvm::toHex(digest.final(), /*LowerCase=*/true) + "\n";
}

/// Title and bytecode, where the file is whole.
static std::optional<std::pair<llvm::StringRef, llvm::StringRef>>
partsOf(const std::vector<uint8_t> &file) {
  llvm::StringRef text(reinterpret_cast<const char *>(file.data()),
                       file.size());
  if (!text.consume_front(kMagic))
    return std::nullopt;
  auto [digest, rest] = text.split('\n');
  if (digest.str() + "\n" != digestOf(rest))
    return std::nullopt;
  return rest.split('\n');
}

std::optional<std::string>
tools::titleOfPlan(const std::vector<uint8_t> &file) {
  auto parts = partsOf(file);
  if (!parts)
    return std::nullopt;
  return parts->first.str();
}

static std::string titleOf(const ModelRequest &request) {
  std::string title = request.source;
  if (int64_t batch = batchOf(request))
    title += ", batch " + std::to_string(batch);
  const BudgetRequest &budget = *request.compile.budget;
  if (budget.kind == BudgetRequest::Kind::Bytes)
    title += ", budget " + text::formatSize(budget.bytes);
  else if (budget.kind == BudgetRequest::Kind::Percent)
    title += ", budget " + text::formatFixed(budget.percent, 1) + "%";
  else
    title += ", budget of the knee";
  llvm::erase(title, '\n');
  return title;
}

void tools::tellKept(const std::string &what) {
  if (verbosity() == Verbosity::Verbose)
    note(what + " is taken from the cache");
}

rt::Status tools::lowerToProgram(Compiler &compiler,
                                 const ModelRequest &request,
                                 const CompileOptions &options) {
  constexpr auto kind = ProgramCache::Kind::Plan;
  bool isSearched = options.budget && options.training && options.planWork > 0;
  if (!isSearched)
    return compiler.lower(options, CompileLevel::Program);
  rt::Expected<ProgramCache> cache = ProgramCache::ofUser();
  if (!cache.ok())
    return cache.status();
  rt::Expected<std::string> name = ProgramCache::nameOf(request, compiler);
  if (!name.ok())
    return name.status();
  if (auto file = cache->find(*name, kind)) {
    auto parts = partsOf(*file);
    if (parts && compiler.recall(
                     {parts->second.bytes_begin(), parts->second.bytes_end()},
                     options)) {
      tellKept("the plan");
      return {};
    }
    cache->drop(*name, kind);
  }
  REPRISE_RETURN_IF_ERROR(compiler.lower(options, CompileLevel::Program));
  std::vector<uint8_t> memo = compiler.memo();
  std::string rest = titleOf(request) + "\n";
  rest.append(memo.begin(), memo.end());
  std::string file = (kMagic + digestOf(rest) + rest).str();
  cache->keep(*name, kind, {file.begin(), file.end()});
  return {};
}
