//===- KeptPlan.cpp - Cache of plans --------------------------------------===//
//
// A file has a line with its type, one with the digest of everything after it,
// one for people, and the program as MLIR's bytecode, or an answer. The digest
// detects accidental damage only: whoever can write the folder can write
// digests.
//
//===----------------------------------------------------------------------===//

#include "reprise/Driver/KeptPlan.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/Verbosity.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Size.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace reprise;
using namespace reprise::driver;

static constexpr llvm::StringLiteral kMagic = "REPRISE PLAN\n";

static std::string digestOf(llvm::StringRef text) {
  llvm::SHA256 digest;
  digest.update(text);
  return llvm::toHex(digest.final(), /*LowerCase=*/true) + "\n";
}

/// Returns title and bytecode if the file is intact.
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
driver::titleOfPlan(const std::vector<uint8_t> &file) {
  auto parts = partsOf(file);
  if (!parts)
    return std::nullopt;
  return parts->first.str();
}

static std::string titleOf(const ModelRequest &request) {
  std::string title = request.source;
  if (int64_t batch = batchOf(request))
    title += ", batch " + std::to_string(batch);
  const std::optional<plan::Budget> &budget = request.compile.budget;
  if (budget && budget->kind == plan::Budget::Kind::Bytes)
    title += ", budget " + text::formatSize(budget->bytes);
  else if (budget && budget->kind == plan::Budget::Kind::Percent)
    title += ", budget " + text::formatFixed(budget->percent, 1) + "%";
  else if (budget)
    title += ", budget of the knee";
  llvm::erase(title, '\n');
  return title;
}

void driver::tellKept(const std::string &what) {
  if (verbosity() == Verbosity::Verbose)
    note(what + " is taken from the cache");
}

std::optional<std::string> KeptFile::find() const {
  auto file = cache.find(name, ProgramCache::Kind::Plan);
  if (!file)
    return std::nullopt;
  if (auto parts = partsOf(*file))
    return parts->second.str();
  drop();
  return std::nullopt;
}

void KeptFile::keep(llvm::StringRef content) const {
  std::string rest = title + "\n" + content.str();
  std::string file = (kMagic + digestOf(rest) + rest).str();
  cache.keep(name, ProgramCache::Kind::Plan, {file.begin(), file.end()});
}

rt::Expected<KeptPlan> KeptPlan::of(const ModelRequest &request,
                                    const Compiler &loaded) {
  REPRISE_EXPECT(cache, ProgramCache::ofUser());
  REPRISE_EXPECT(name, ProgramCache::nameOf(request, loaded));
  return KeptPlan({std::move(*cache), std::move(*name), titleOf(request)});
}

bool KeptPlan::recall(Compiler &compiler, const CompileOptions &options) const {
  auto memo = file.find();
  if (!memo)
    return false;
  if (compiler.recall({memo->begin(), memo->end()}, options)) {
    tellKept("the plan");
    return true;
  }
  file.drop();
  return false;
}

void KeptPlan::keep(const Compiler &compiler) const {
  std::vector<uint8_t> memo = compiler.memo();
  file.keep({reinterpret_cast<const char *>(memo.data()), memo.size()});
}

rt::Expected<KeptAnswer> KeptAnswer::of(const ModelRequest &request,
                                        const std::string &question) {
  REPRISE_EXPECT(cache, ProgramCache::ofUser());
  Compiler compiler;
  REPRISE_RETURN_IF_ERROR(compiler.load(request.source, request.model));
  REPRISE_EXPECT(name, ProgramCache::nameOf(request, compiler, question));
  return KeptAnswer({std::move(*cache), std::move(*name),
                     titleOf(request) + ", " + question});
}

std::optional<std::string> KeptAnswer::find() const {
  auto answer = file.find();
  if (answer)
    tellKept("the answer");
  return answer;
}

void KeptAnswer::keep(const std::string &answer) const { file.keep(answer); }
