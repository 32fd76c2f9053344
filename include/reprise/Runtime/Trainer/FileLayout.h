//===- FileLayout.h - Between a program's layout and a file's ---*- C++ -*-===//
//
// A variable's file_permutation maps each dimension of the file to one of the
// program: file shape[i] = program shape[permutation[i]]. A filter (O,KH,KW,I)
// with [0,3,1,2] is (O,I,KH,KW) in files.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_FILELAYOUT_H
#define REPRISE_RUNTIME_TRAINER_FILELAYOUT_H

#include "reprise/Runtime/Trainer/Backend.h"

namespace reprise::rt {

/// The shape of a variable in files. Fails if the permutation is invalid, or if
/// bytes, shape and type of `variable` contradict each other.
Expected<std::vector<int64_t>> fileShape(const TensorInfo &variable);

/// Copies a variable into the layout of files. `variable` has passed
/// fileShape; both sides hold variable.bytes.
void toFileLayout(const TensorInfo &variable, const void *program, void *file);

/// The inverse of toFileLayout.
void fromFileLayout(const TensorInfo &variable, const void *file,
                    void *program);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_FILELAYOUT_H
