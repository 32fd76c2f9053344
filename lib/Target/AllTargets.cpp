//===- AllTargets.cpp - The targets of this build -------------------------===//

#include "reprise/Target/Target.h"

namespace reprise {
#define TARGET(NAME) void register##NAME##Target();
#include "Targets.def"
#undef TARGET
} // namespace reprise

void reprise::registerAllTargets() {
#define TARGET(NAME) register##NAME##Target();
#include "Targets.def"
#undef TARGET
}
