#include "algorithms/observe/poll_termination.h"

namespace baton {

namespace {

Info believed(std::string_view name, std::string_view title, std::string_view idea,
              std::string_view why, std::string_view example) {
  return {.name = name,
          .title = title,
          .publication = "refuted by Mattern, Distributed Computing 2, 1987",
          .idea = idea,
          .kind = Kind::observation,
          .assumes = reliable_channels,
          .promises = {Promise::detection},
          .problem = "announces early",
          .parameters = {&Diffusion::work},
          .example = example,
          .flaws = {{Promise::detection, {}, why}}};
}

}  // namespace

const Info& WrongTerminationAsksOnly::info() {
  static const Info info =
      believed("wrong-termination-asks-only", "Termination by asking who is passive",
               "ask everyone; when all are passive it is over",
               "work that is under way makes a process active that said it was passive",
               "-n 4 --delay exponential --seed 5");
  return info;
}

const Info& WrongTerminationCountsOnce::info() {
  static const Info info = believed(
      "wrong-termination-counts-once", "Termination by asking and counting once",
      "ask everyone; when all are passive and as much was received as was sent it is over",
      "the answers are of different moments: a message that one process has received although "
      "its sender had not yet sent it when it answered makes up for one that is under way",
      "-n 6 --delay exponential --seed 67");
  return info;
}

}  // namespace baton
