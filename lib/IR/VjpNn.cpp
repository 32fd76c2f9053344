#include "reprise/IR/Sg.h"
