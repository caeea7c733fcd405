// The laboratory as a library (docs/lab-library.md): the headers for writing an algorithm, and for
// running, measuring and checking it.
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
