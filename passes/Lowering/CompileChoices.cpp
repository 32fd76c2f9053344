//===- CompileChoices.cpp - Names of choices in options -------------------===//

#include "reprise/Passes/Pipelines.h"

using namespace mlir;
using namespace reprise;

StringRef reprise::stringify(MixedPrecision type) {
  switch (type) {
  case MixedPrecision::None:
    return "none";
  case MixedPrecision::BF16:
    return "bf16";
  case MixedPrecision::F16:
    return "f16";
  }
  llvm_unreachable("unknown type");
}

std::optional<MixedPrecision> reprise::parseMixedPrecision(StringRef name) {
  for (auto type :
       {MixedPrecision::None, MixedPrecision::BF16, MixedPrecision::F16})
    if (name == stringify(type))
      return type;
  return std::nullopt;
}

StringRef reprise::stringify(AttentionChoice form) {
  switch (form) {
  case AttentionChoice::Auto:
    return "auto";
  case AttentionChoice::Tiled:
    return "tiled";
  case AttentionChoice::Stored:
    return "stored";
  }
  llvm_unreachable("unknown form");
}

std::optional<AttentionChoice> reprise::parseAttentionChoice(StringRef name) {
  for (auto form :
       {AttentionChoice::Auto, AttentionChoice::Tiled, AttentionChoice::Stored})
    if (name == stringify(form))
      return form;
  return std::nullopt;
}
