//===- Ranks.cpp - A run's part among the ranks ---------------------------===//
#include "Ranks.h"
#include "Digest.h"
#include "reprise/MicroBatchStreams.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/RankWords.h"

#include <algorithm>
#include <set>
#include <sstream>

using namespace reprise::rt;

/// Returns a digest of the values of all variables.
static Expected<std::string> digestVariables(Backend &backend) {
  Digest digest;
  std::vector<uint8_t> bytes;
  for (const TensorInfo &variable : backend.variables()) {
    if (variable.shardBytes) {
      std::string whole = backend.writtenDigest(variable.name);
      digest.add(whole.data(), whole.size());
      continue;
    }
    bytes.resize(variable.bytes);
    REPRISE_RETURN_IF_ERROR(
        backend.readVariable(variable.name, bytes.data(), bytes.size()));
    digest.add(bytes.data(), bytes.size());
  }
  return digest.hex();
}

Status Ranks::connect(Backend &backend) const {
  return areSeveral() ? backend.setCommunicator(communicator) : Status();
}

/// Returns the texts of all ranks, which may have different lengths.
Expected<std::vector<std::string>>
Ranks::gatherTexts(const std::string &own) const {
  std::vector<uint64_t> lengths(size(), own.size());
  REPRISE_RETURN_IF_ERROR(communicator->gather(
      lengths.data(), {lengths.size() * sizeof(uint64_t), sizeof(uint64_t)},
      Patience::Preparing));
  uint64_t longest = *std::max_element(lengths.begin(), lengths.end());
  std::string all(longest * size(), '\0');
  all.replace(rank() * longest, own.size(), own);
  REPRISE_RETURN_IF_ERROR(communicator->gather(
      all.data(), {all.size(), longest}, Patience::Preparing));
  std::vector<std::string> texts;
  for (unsigned r = 0; r < size(); ++r)
    texts.push_back(all.substr(r * longest, lengths[r]));
  return texts;
}

/// Returns the lines of a text that another one lacks, as "lr=0.1, steps=4".
static std::string linesBeside(const std::string &text,
                               const std::string &other) {
  std::set<std::string> known;
  std::string line, lines;
  for (std::istringstream from(other); std::getline(from, line);)
    known.insert(line);
  for (std::istringstream from(text); std::getline(from, line);)
    if (!known.count(line))
      lines += (lines.empty() ? "" : ", ") + line;
  return lines.empty() ? "none of these" : lines;
}

/// Returns the error on all ranks that `fact` differs on rank `other` and 0.
Status Ranks::refuse(unsigned other, const RankFact &fact) const {
  REPRISE_EXPECT(texts, gatherTexts(fact.second));
  const std::string &first = texts->front(), &second = (*texts)[other];
  return Status::error(RP_INVALID_ARGUMENT,
                       "rank " + std::to_string(other) + " has " + fact.first +
                           " than rank 0: " + linesBeside(second, first) +
                           "; rank 0 has " + linesBeside(first, second));
}

Status Ranks::compare(const std::vector<RankFact> &facts) const {
  size_t bytes = facts.size() * kDigestDigits;
  std::string all(bytes * size(), '\0');
  std::string own;
  for (const auto &[name, text] : facts) {
    Digest digest;
    digest.add(text.data(), text.size());
    own += digest.hex();
  }
  all.replace(rank() * bytes, bytes, own);
  REPRISE_RETURN_IF_ERROR(communicator->gather(all.data(), {all.size(), bytes},
                                               Patience::Preparing));
  for (unsigned r = 1; r < size(); ++r)
    for (size_t k = 0; k < facts.size(); ++k) {
      size_t at = k * kDigestDigits;
      if (all.compare(r * bytes + at, kDigestDigits, all, at, kDigestDigits))
        return refuse(r, facts[k]);
    }
  return {};
}

Status Ranks::compare(Backend &backend, const RunPosition &position,
                      const std::string &programDigest) const {
  if (!areSeveral())
    return {};
  std::string settings;
  for (const auto &[name, value] : position.runSettings)
    settings += name + "=" + value + "\n";
  REPRISE_EXPECT(variables, digestVariables(backend));
  REPRISE_RETURN_IF_ERROR(
      compare({{"another program", programDigest},
               {"another order of sums",
                communicator->addsInAnyOrder() ? "any" : "that of ranks"},
               {"another seed", std::to_string(position.seed)},
               {"another number of images", std::to_string(position.images)},
               {"other settings", settings},
               {"another step to begin with", std::to_string(position.step)},
               {"other values of variables", *variables}}));
  return backend.agree(rank_word::kBegin).status();
}

Status Ranks::placeDraws(Backend &backend) const {
  if (rank() == 0)
    return {};
  for (const TensorInfo &variable : backend.variables()) {
    uint64_t count = 0;
    if (variable.role != RP_COUNTER || variable.type != RP_I64 ||
        variable.bytes != sizeof count)
      continue;
    REPRISE_RETURN_IF_ERROR(
        backend.readVariable(variable.name, &count, sizeof count));
    count = stepOfMicroBatch(count + rank(), rank());
    REPRISE_RETURN_IF_ERROR(
        backend.writeVariable(variable.name, &count, sizeof count));
  }
  return {};
}

Expected<RunEnd> Ranks::agree(RunEnd own, Backend &backend) const {
  if (!areSeveral())
    return own;
  REPRISE_EXPECT(word, backend.agree(uint32_t(own)));
  return RunEnd(*word);
}
