// JSON as Baton writes it, over HTTP and in what commands print: numbers as people write them.
#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace baton::io {

// On one line, without blanks. A number that is whole has no fraction and no exponent: 10, not 1E1;
// any other has the fewest digits that give the same number when they are read. JSON has neither
// infinity nor not-a-number: both are null.
std::string json_text(const boost::json::value& value);

}  // namespace baton::io
