// What the examples in C++ of docs/*.md stand in, those of the compiler: each
// takes the place of its EXAMPLE line (cpp.py).
#include "reprise/NN/Functional.h"
#include "reprise/NN/Graph.h"
#include "reprise/NN/Layers.h"
#include "reprise/Target/Target.h"

using namespace reprise;

void buildClassifier() {
  // EXAMPLE docs/frontends.md 1
}

void buildClassifierOfTheTutorial() {
  // EXAMPLE docs/tutorial.md 1
}

struct Perceptron : nn::Module {
  nn::Linear &fc1 = add<nn::Linear>("fc1", 64, 256);
  nn::Linear &fc2 = add<nn::Linear>("fc2", 256, 64);
  // EXAMPLE docs/frontends.md 2
};

void compile(mlir::ModuleOp module) {
  // EXAMPLE docs/program.md 1
}

void addTarget(TargetFactory fromText, TargetFactory fromFeatures) {
  // EXAMPLE docs/targets.md 1
}
