//===- MoeReference.cpp - tables and sums of a mixture of experts ---------===//
#include "lib/Run/MoeReference.h"

#include "lib/Run/Routing.h"

#include <cstring>

namespace wna16::run {

std::vector<int32_t> numbersOf(const ArgumentData &data) {
  std::vector<int32_t> numbers(data.bytes.size() / sizeof(int32_t));
  std::memcpy(numbers.data(), data.bytes.data(),
              numbers.size() * sizeof(int32_t));
  return numbers;
}

namespace {

const ArgumentData *findIfThere(const std::vector<ArgumentData> &arguments,
                                const std::string &name) {
  for (const ArgumentData &data : arguments)
    if (data.argument->name == name)
      return &data;
  return nullptr;
}

/// Local experts of all slots; -1 where a slot is dropped.
std::vector<int64_t>
expertsOfSlots(const LaunchRouting &routing,
               const std::vector<ArgumentData> &arguments) {
  const ArgumentData *map = findIfThere(arguments, routing.map);
  const std::vector<int32_t> table =
      map ? numbersOf(*map) : std::vector<int32_t>();
  std::vector<int64_t> experts;
  for (int64_t e : numbersOf(*findIfThere(arguments, routing.ids))) {
    if (map)
      e = e >= 0 && e < int64_t(table.size()) ? table[size_t(e)] : -1;
    experts.push_back(e >= 0 && e < routing.experts ? e : -1);
  }
  return experts;
}

} // namespace

std::vector<bool> keptSlots(const LaunchRouting &routing,
                            const std::vector<ArgumentData> &arguments) {
  std::vector<bool> kept;
  for (int64_t e : expertsOfSlots(routing, arguments))
    kept.push_back(e >= 0);
  return kept;
}

llvm::Expected<Reference>
routedItems(const LaunchRouting &routing,
            const std::vector<ArgumentData> &arguments) {
  const std::vector<int64_t> experts = expertsOfSlots(routing, arguments);
  const auto count = int64_t(experts.size());
  const int64_t rows = segmentRowsFor(routing, count);
  const int64_t rowsThere = findIfThere(arguments, routing.segments)->shape[0];
  const int64_t slotsThere = findIfThere(arguments, routing.slots)->shape[0];
  if (rowsThere != rows || slotsThere != count)
    return llvm::createStringError(
        "for " + llvm::Twine(count) + " slots expected " + llvm::Twine(rows) +
        " rows of '" + routing.segments + "' and " + llvm::Twine(count) +
        " of '" + routing.slots + "', found " + llvm::Twine(rowsThere) +
        " and " + llvm::Twine(slotsThere));
  RoutingTables tables = tablesOf(routing, experts);
  tables.segments.resize(size_t(rows) * 4);
  Reference out;
  for (const auto *table : {&tables.segments, &tables.slots})
    for (int32_t number : *table)
      out.values.push_back(double(uint32_t(number)));
  return out;
}

llvm::Expected<Reference>
summedRows(const LaunchProblem &problem,
           const std::vector<ArgumentData> &arguments) {
  const ArgumentData &h = *findIfThere(arguments, problem.x),
                     &y = *findIfThere(arguments, problem.y);
  const ArgumentData *weights =
      findIfThere(arguments, problem.routing->weights);
  const std::vector<bool> kept = keptSlots(*problem.routing, arguments);
  const int64_t topK = problem.routing->topK;
  if (h.shape.size() != 2 || y.shape.size() != 2 || h.shape[1] != y.shape[1] ||
      h.shape[0] != y.shape[0] * topK || int64_t(kept.size()) != h.shape[0])
    return llvm::createStringError(
        "the shapes of x, y and the ids of the problem do not fit together");
  Reference out{std::vector<double>(size_t(y.shape[0] * y.shape[1]), 0.0),
                std::vector<bool>(size_t(y.shape[0]), true)};
  for (int64_t slot = 0; slot < h.shape[0]; ++slot) {
    if (!kept[size_t(slot)])
      continue;
    const double weight = weights ? elementAt(*weights, slot) : 1;
    for (int64_t n = 0; n < h.shape[1]; ++n)
      out.values[size_t(slot / topK * y.shape[1] + n)] +=
          weight * elementAt(h, slot * h.strides[0] + n * h.strides[1]);
  }
  return out;
}

} // namespace wna16::run
