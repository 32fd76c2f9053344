# Stands for another major version.
set(LLVM_VERSION_MAJOR 21)
