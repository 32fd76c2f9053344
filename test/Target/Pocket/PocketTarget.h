//===- PocketTarget.h - A second target, as an example ----------*- C++ -*-===//
//
// What a newcomer writes for the compiler's side of a new device. The pocket
// computer of these tests aligns buffers to 256 bytes, has vectors of 8 lanes,
// runs library calls by loops of its own that need a copy of the smallest
// operand as workspace, and loads kernels as text of the LLVM dialect.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_TARGET_POCKET_POCKETTARGET_H
#define REPRISE_TEST_TARGET_POCKET_POCKETTARGET_H

namespace reprise::test {

/// Registers "pocket"; what is written as "pocket:SIZE" may be "small" or
/// "large".
void registerPocketTarget();

} // namespace reprise::test

#endif // REPRISE_TEST_TARGET_POCKET_POCKETTARGET_H
