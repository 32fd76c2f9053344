//===- Terms.td - Shared enums as parameters of attributes --*- tablegen -*-===//
#ifndef REPRISE_IR_TERMS
#define REPRISE_IR_TERMS

include "mlir/IR/AttrTypeBase.td"

/// A value of an enum of include/reprise/ProgramTerms.h or LibraryFunctions.h,
/// written as its name. `count` limits the values that are accepted to the
/// first ones.
class Reprise_TermParameter<string type,
                            string count = "::reprise::kCountOf<::reprise::"
                                           # type # ">">
    : AttrParameter<"::reprise::" # type, "a value of " # type> {
  let parser = "::reprise::parseTerm<::reprise::" # type # ">($_parser, "
               # count # ")";
  let printer = "$_printer << ::reprise::termName($_self)";
}

#endif // REPRISE_IR_TERMS
