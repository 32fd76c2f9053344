//===- RematInterfaces.td - The planner's interface to ops -*- tablegen -*-===//
#ifndef REPRISE_IR_REMATINTERFACES
#define REPRISE_IR_REMATINTERFACES

include "mlir/IR/OpBase.td"

def RematOpInterface : OpInterface<"RematOpInterface"> {
  let cppNamespace = "::reprise::remat";
  let description = [{
    Tells the planner of `remat-to-budget` about an op. Every method has a default that
    uses MLIR's own interfaces, so a dialect implements only the methods in which its op
    differs. An op without this interface gets the same defaults. Discardable attributes
    of the `remat` dialect on an op override its class.
  }];
  let methods = [
    InterfaceMethod<[{
        Milliseconds of one execution, where the op knows better than an
        estimate of its arithmetic and the bytes of its operands and results.
        Default: it doesn't.
      }], "::std::optional<double>", "getRematMilliseconds", (ins), "",
      [{ return ::std::nullopt; }]>,
    InterfaceMethod<[{
        Arithmetic operations of one execution; a multiply-add counts two.
        Default: one for each element of a result.
      }], "uint64_t", "getRematFlops", (ins), "",
      [{ return ::reprise::remat::defaultFlops($_op); }]>,
    InterfaceMethod<[{
        Bytes that a result takes while it lives, or nothing where they are not
        known, which the planner refuses. Default: those of the elements of a
        ranked tensor or memref of static shape; none for scalars, vectors,
        tokens and other types that are no memory.
      }], "::std::optional<uint64_t>", "getRematBytes",
      (ins "unsigned":$result), "",
      [{ return ::reprise::remat::bytesOf($_op->getResult(result).getType()); }]>,
    InterfaceMethod<[{
        How often and in which order the op may run. Default: again and anywhere
        if it has no memory effects by MemoryEffectOpInterface; once, in the
        order of all others like it, if it has some or does not say.
      }], "::reprise::remat::Execution", "getRematExecution", (ins), "",
      [{ return ::reprise::remat::defaultExecution($_op); }]>,
    InterfaceMethod<[{
        The operand whose storage the op's only result shares: such an op moves
        no bytes and is made anew wherever its result is read. Default: what
        ViewLikeOpInterface says.
      }], "::std::optional<unsigned>", "getRematViewSource", (ins), "",
      [{ return ::reprise::remat::defaultViewSource($_op); }]>,
    InterfaceMethod<[{
        (result, operand): the result may take the storage of the operand where
        that dies at the op. Default: results and the destinations they are tied
        to by DestinationStyleOpInterface, which the op reads through no other
        place.
      }], "::llvm::SmallVector<::reprise::remat::InPlacePair>",
      "getRematInPlacePairs", (ins), "",
      [{ return ::reprise::remat::defaultInPlacePairs($_op); }]>,
    InterfaceMethod<[{
        Bytes that are in use while the op runs, beside operands and results.
        Default: none.
      }], "uint64_t", "getRematWorkspaceBytes", (ins), "", [{ return 0; }]>,
    InterfaceMethod<[{
        Whether the op belongs to the forward or to the backward pass. It only
        guides the search. Default: not said; what runs after the moment of most
        live bytes is then taken for the backward pass.
      }], "::std::optional<::reprise::Phase>", "getRematPhase", (ins),
      "", [{ return ::std::nullopt; }]>];
}

#endif // REPRISE_IR_REMATINTERFACES
