//===- Routing.cpp - tables of a mixture of experts -----------------------===//
#include "lib/Run/Routing.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <random>

using llvm::createStringError;
using llvm::Expected;

namespace wna16::run {
namespace {

/// The expert of a slot, or -1 where it is dropped.
int64_t chooseExpert(RoutingKind kind, int64_t experts,
                     std::mt19937_64 &random) {
  const double uniform = double(random() >> 11) * 0x1p-53;
  switch (kind) {
  case RoutingKind::Last:
    return experts - 1;
  case RoutingKind::Skewed: // half of what is left goes to each next one
    return std::min<int64_t>(experts - 1, int64_t(-std::log2(1 - uniform)));
  case RoutingKind::Dropped:
    if (random() % 3 == 0)
      return -1;
    break;
  case RoutingKind::Uniform:
  case RoutingKind::Broken:
    break;
  }
  return int64_t(uniform * double(experts));
}

/// Numbers out of range, wherever they do not make two segments meet.
void breakTables(RoutingTables &tables, const LaunchRouting &routing,
                 int64_t positions, std::mt19937_64 &random) {
  const int32_t p = int32_t(positions), e = int32_t(routing.experts);
  for (size_t i = 0; i < tables.segments.size(); i += 4) {
    int32_t *row = &tables.segments[i];
    switch (random() % 6) {
    case 0:
      row[0] = (random() % 2) ? -1 : e;
      break;
    case 1:
      row[1] = (random() % 2) ? p : INT_MIN;
      break;
    case 2:
      row[2] = row[2] == routing.segmentRows ? INT_MAX : -row[2];
      break;
    default:
      row[3] = int32_t(random()); // not read
    }
  }
  const int32_t wrong[] = {p, -1, INT_MAX, INT_MIN, p + 1};
  for (int32_t &slot : tables.slots)
    if (random() % 4 == 0)
      slot = wrong[random() % 5];
}

} // namespace

std::vector<int32_t> makeIds(RoutingKind kind, uint64_t seed, int64_t slots,
                             int64_t idEnd) {
  std::mt19937_64 random(seed);
  const int32_t wrong[] = {-1, int32_t(idEnd), INT_MAX, INT_MIN};
  std::vector<int32_t> ids;
  for (int64_t slot = 0; slot < slots; ++slot) {
    ids.push_back(int32_t(chooseExpert(kind, idEnd, random)));
    if (kind == RoutingKind::Broken && random() % 4 == 0)
      ids.back() = wrong[random() % 4];
  }
  return ids;
}

std::vector<int32_t> makeExpertMap(RoutingKind kind, uint64_t seed,
                                   int64_t size, int64_t experts) {
  std::mt19937_64 random(seed);
  const int32_t wrong[] = {-2, int32_t(experts), INT_MAX, INT_MIN};
  std::vector<int32_t> map;
  for (int64_t id = 0; id < size; ++id) {
    const int64_t local = (id + experts) % size;
    map.push_back(local < experts ? int32_t(local) : -1);
    if (kind == RoutingKind::Broken && random() % 3 == 0)
      map.back() = wrong[random() % 4];
  }
  return map;
}

int64_t segmentRowsFor(const LaunchRouting &routing, int64_t positions) {
  const int64_t busy = std::min(positions, routing.experts);
  return busy + (positions - busy) / routing.segmentRows;
}

RoutingTables tablesOf(const LaunchRouting &routing,
                       const std::vector<int64_t> &expertOfSlot) {
  std::vector<std::vector<int32_t>> slotsOf(size_t(routing.experts));
  for (size_t slot = 0; slot < expertOfSlot.size(); ++slot)
    if (expertOfSlot[slot] >= 0)
      slotsOf[size_t(expertOfSlot[slot])].push_back(int32_t(slot));
  RoutingTables tables;
  for (int64_t e = 0; e < routing.experts; ++e) {
    const auto &mine = slotsOf[size_t(e)];
    for (size_t first = 0; first < mine.size();
         first += size_t(routing.segmentRows)) {
      const auto left = int64_t(mine.size() - first);
      for (int64_t field : {e, int64_t(tables.slots.size() + first),
                            std::min(left, routing.segmentRows), int64_t(0)})
        tables.segments.push_back(int32_t(field));
    }
    tables.slots.insert(tables.slots.end(), mine.begin(), mine.end());
  }
  tables.slots.resize(expertOfSlot.size(), int32_t(expertOfSlot.size()));
  return tables;
}

Expected<RoutingTables> makeRouting(const LaunchRouting &routing,
                                    RoutingKind kind, uint64_t seed,
                                    int64_t positions, int64_t rows) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> experts;
  for (int64_t slot = 0; slot < positions; ++slot)
    experts.push_back(chooseExpert(kind, routing.experts, random));
  RoutingTables tables = tablesOf(routing, experts);
  const int64_t used = int64_t(tables.segments.size()) / 4;
  if (used > rows)
    return createStringError("the routing needs " + llvm::Twine(used) +
                             " rows of '" + routing.segments + "', which has " +
                             llvm::Twine(rows));
  tables.segments.resize(size_t(rows) * 4, 0);
  if (kind == RoutingKind::Broken)
    breakTables(tables, routing, positions, random);
  return tables;
}

std::vector<RoutedRow> routedRows(const LaunchRouting &routing,
                                  const RoutingTables &tables) {
  const auto positions = int64_t(tables.slots.size());
  auto rowOf = [&](const std::string &order, int64_t position, int64_t slot) {
    return order == "position" ? position
           : order == "token"  ? slot / routing.topK
                               : slot;
  };
  std::vector<RoutedRow> rows;
  for (size_t i = 0; i + 3 < tables.segments.size(); i += 4) {
    const int64_t expert = tables.segments[i], first = tables.segments[i + 1],
                  count = std::min<int64_t>(tables.segments[i + 2],
                                            routing.segmentRows);
    if (expert < 0 || expert >= routing.experts || first < 0)
      continue;
    for (int64_t position = first;
         position < std::min(first + count, positions); ++position) {
      const int64_t slot = tables.slots[size_t(position)];
      if (slot >= 0 && slot < positions)
        rows.push_back({expert, rowOf(routing.xRows, position, slot),
                        rowOf(routing.yRows, position, slot)});
    }
  }
  return rows;
}

} // namespace wna16::run
