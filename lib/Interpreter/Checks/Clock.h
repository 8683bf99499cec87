//===- Clock.h - what happened before what ----------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Vector clocks that hold only the programs which were heard of: in a grid of
// millions most never synchronise. See Flanagan and Freund, "FastTrack" (2009),
// for epochs.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_CHECKS_CLOCK_H
#define TILEC_LIB_INTERPRETER_CHECKS_CLOCK_H

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tilec::interpreter {

/// For each program, up to which of its times everything happened before.
/// Times count from 1; programs from 1 too, 0 is nobody.
class Clock {
public:
  /// The time of a program, 0 if nothing of it happened before.
  uint32_t get(uint32_t program) const {
    auto it = find(program);
    return it != times.end() && it->first == program ? it->second : 0;
  }

  /// Sets a program's time.
  void set(uint32_t program, uint32_t time) {
    auto it = std::lower_bound(times.begin(), times.end(),
                               std::make_pair(program, uint32_t(0)));
    if (it != times.end() && it->first == program)
      it->second = time;
    else
      times.insert(it, {program, time});
  }

  /// Takes over what `other` knows.
  void join(const Clock &other) {
    std::vector<std::pair<uint32_t, uint32_t>> merged;
    merged.reserve(std::max(times.size(), other.times.size()));
    auto a = times.cbegin(), b = other.times.cbegin();
    while (a != times.cend() || b != other.times.cend()) {
      if (b == other.times.cend() ||
          (a != times.cend() && a->first < b->first)) {
        merged.push_back(*a++);
      } else if (a == times.cend() || b->first < a->first) {
        merged.push_back(*b++);
      } else {
        merged.emplace_back(a->first, std::max(a->second, b->second));
        ++a, ++b;
      }
    }
    times = std::move(merged);
  }

private:
  std::vector<std::pair<uint32_t, uint32_t>>::const_iterator
  find(uint32_t program) const {
    return std::lower_bound(times.begin(), times.end(),
                            std::make_pair(program, uint32_t(0)));
  }

  std::vector<std::pair<uint32_t, uint32_t>> times; // by program
};

/// A clock that several places share.
using SharedClock = std::shared_ptr<const Clock>;

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_CHECKS_CLOCK_H
