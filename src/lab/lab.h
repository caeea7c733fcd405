// The laboratory as a library (docs/lab-library.md): what an algorithm is written with, and what is
// done with it.
#pragma once

#include "core/clocks.h"
#include "core/fifo.h"
#include "core/ids.h"
#include "core/info.h"
#include "core/node_set.h"
#include "core/outbox.h"
#include "core/parameter.h"
#include "core/protocol.h"
#include "core/setup.h"
#include "core/symmetry.h"
#include "lab/algorithm.h"
#include "lab/text.h"
#include "lab/view/chrome.h"
#include "lab/view/diagram.h"
#include "lab/view/json_lines.h"
#include "lab/view/shiviz.h"
#include "lab/view/svg.h"
