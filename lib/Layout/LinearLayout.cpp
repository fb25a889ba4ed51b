//===- LinearLayout.cpp - GF(2)-linear index maps -------------------------===//
//
// The algebra works on flat bit vectors: one 64-bit mask per input bit, holding
// the image of that bit with all output dimensions laid side by side, the first
// in the lowest bits.
//
//===----------------------------------------------------------------------===//
#include "lib/Layout/LinearLayout.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

using namespace wna16::layout;

namespace {

[[noreturn]] void fail(const std::string &message) {
  throw std::invalid_argument("linear layout: " + message);
}

template <typename Dim>
const Dim *find(const std::vector<Dim> &dims, const std::string &name) {
  auto it = std::find_if(dims.begin(), dims.end(),
                         [&](const Dim &dim) { return dim.name == name; });
  return it == dims.end() ? nullptr : &*it;
}

template <typename Dim> std::string listNames(const std::vector<Dim> &dims) {
  std::string text;
  for (const Dim &dim : dims)
    text += (text.empty() ? "'" : ", '") + dim.name + "'";
  return text.empty() ? "none" : text;
}

template <typename Dim> void checkUnique(const std::vector<Dim> &dims) {
  for (size_t i = 0; i < dims.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (dims[i].name == dims[j].name)
        fail("dimension '" + dims[i].name + "' is given twice");
}

uint64_t flatten(const Basis &coords, const std::vector<OutDim> &outs) {
  uint64_t flat = 0;
  unsigned shift = 0;
  for (size_t i = 0; i < outs.size(); ++i) {
    flat |= uint64_t(coords[i]) << shift;
    shift += outs[i].bits;
  }
  return flat;
}

/// The image of every input bit, over all input dimensions in order.
std::vector<uint64_t> columns(const LinearLayout &layout) {
  std::vector<uint64_t> result;
  for (const InDim &in : layout.ins())
    for (const Basis &basis : in.bases)
      result.push_back(flatten(basis, layout.outs()));
  return result;
}

/// An echelon basis of the span of some columns, which remembers for every
/// vector the set of columns whose XOR it is.
class Echelon {
public:
  /// XORs basis vectors into `value` until none applies, and the sets they
  /// stand for into `combination`.
  void reduce(uint64_t &value, uint64_t &combination) const {
    for (const Row &row : rows)
      if (value >> row.lead & 1) {
        value ^= row.value;
        combination ^= row.combination;
      }
  }

  /// Adds a column; false when it depends on those already there.
  bool add(uint64_t value, unsigned column) {
    uint64_t combination = uint64_t(1) << column;
    reduce(value, combination);
    if (!value)
      return false;
    unsigned lead = std::bit_width(value) - 1;
    auto it = std::find_if(rows.begin(), rows.end(),
                           [&](const Row &row) { return row.lead < lead; });
    rows.insert(it, {lead, value, combination});
    return true;
  }

  unsigned rank() const { return rows.size(); }

private:
  struct Row {
    unsigned lead;
    uint64_t value, combination;
  };
  /// Sorted by decreasing leading bit, so that one pass reduces a vector.
  std::vector<Row> rows;
};

} // namespace

LinearLayout::LinearLayout(std::vector<InDim> ins, std::vector<OutDim> outs)
    : inDims(std::move(ins)), outDims(std::move(outs)) {
  checkUnique(inDims);
  checkUnique(outDims);
  for (const OutDim &out : outDims)
    if (out.bits > 31)
      fail("output dimension '" + out.name + "' has " +
           std::to_string(out.bits) + " bits, at most 31 are possible");
  for (const InDim &in : inDims)
    if (in.bases.size() > 31)
      fail("input dimension '" + in.name + "' has " +
           std::to_string(in.bases.size()) + " bits, at most 31 are possible");
  if (totalInBits() > 63 || totalOutBits() > 63)
    fail("more than 63 input or output bits in all");
  for (const InDim &in : inDims)
    for (size_t bit = 0; bit < in.bases.size(); ++bit) {
      const Basis &basis = in.bases[bit];
      std::string where = "basis " + std::to_string(bit) + " of '" + in.name;
      if (basis.size() != outDims.size())
        fail(where + "' has " + std::to_string(basis.size()) +
             " coordinates, expected one for each of the " +
             std::to_string(outDims.size()) + " output dimensions");
      for (size_t i = 0; i < basis.size(); ++i)
        if (basis[i] >= outDims[i].size())
          fail(where + "' is " + std::to_string(basis[i]) + " along '" +
               outDims[i].name + "', expected less than its size " +
               std::to_string(outDims[i].size()));
    }
}

LinearLayout LinearLayout::identity(unsigned bits, const std::string &in,
                                    const std::string &out) {
  if (bits > 31)
    fail("identity of " + std::to_string(bits) +
         " bits, at most 31 are possible");
  std::vector<Basis> bases;
  for (unsigned bit = 0; bit < bits; ++bit)
    bases.push_back({1u << bit});
  return LinearLayout({{in, bases}}, {{out, bits}});
}

LinearLayout LinearLayout::zeros(unsigned bits, const std::string &in,
                                 const std::string &out) {
  return LinearLayout({{in, std::vector<Basis>(bits, Basis{0})}}, {{out, 0}});
}

bool LinearLayout::hasIn(const std::string &name) const {
  return find(inDims, name) != nullptr;
}

unsigned LinearLayout::inBits(const std::string &name) const {
  const InDim *in = find(inDims, name);
  return in ? in->bases.size() : 0;
}

unsigned LinearLayout::outBits(const std::string &name) const {
  const OutDim *out = find(outDims, name);
  return out ? out->bits : 0;
}

unsigned LinearLayout::totalInBits() const {
  unsigned bits = 0;
  for (const InDim &in : inDims)
    bits += in.bases.size();
  return bits;
}

unsigned LinearLayout::totalOutBits() const {
  unsigned bits = 0;
  for (const OutDim &out : outDims)
    bits += out.bits;
  return bits;
}

const std::vector<Basis> &LinearLayout::bases(const std::string &name) const {
  const InDim *in = find(inDims, name);
  if (!in)
    fail("no input dimension '" + name + "', there are " + listNames(inDims));
  return in->bases;
}

std::vector<uint32_t>
LinearLayout::apply(const std::vector<uint32_t> &index) const {
  if (index.size() != inDims.size())
    fail("applied to " + std::to_string(index.size()) +
         " indices, expected one for each of the " +
         std::to_string(inDims.size()) + " input dimensions");
  std::vector<uint32_t> result(outDims.size(), 0);
  for (size_t i = 0; i < index.size(); ++i) {
    const std::vector<Basis> &bases = inDims[i].bases;
    if (index[i] >> bases.size())
      fail("index " + std::to_string(index[i]) + " of '" + inDims[i].name +
           "' is not below its size " +
           std::to_string(uint64_t(1) << bases.size()));
    for (uint32_t rest = index[i]; rest; rest &= rest - 1) {
      const Basis &basis = bases[std::countr_zero(rest)];
      for (size_t j = 0; j < result.size(); ++j)
        result[j] ^= basis[j];
    }
  }
  return result;
}

uint64_t LinearLayout::applyFlat(uint64_t index) const {
  if (index >> totalInBits())
    fail("flat index " + std::to_string(index) + " is not below the size " +
         std::to_string(uint64_t(1) << totalInBits()));
  uint64_t result = 0;
  for (const InDim &in : inDims)
    for (const Basis &basis : in.bases) {
      if (index & 1)
        result ^= flatten(basis, outDims);
      index >>= 1;
    }
  return result;
}

LinearLayout LinearLayout::operator*(const LinearLayout &other) const {
  // Where the coordinates of `other` go: behind the bits of `this`.
  std::vector<OutDim> outs = outDims;
  std::vector<size_t> position;
  std::vector<unsigned> shift;
  for (const OutDim &out : other.outDims) {
    const OutDim *mine = find(outDims, out.name);
    position.push_back(mine ? mine - outDims.data() : outs.size());
    shift.push_back(mine ? mine->bits : 0);
    if (!mine)
      outs.push_back({out.name, 0});
    outs[position.back()].bits += out.bits;
  }

  std::vector<InDim> ins = inDims;
  for (InDim &in : ins)
    for (Basis &basis : in.bases)
      basis.resize(outs.size(), 0);
  for (const InDim &in : other.inDims) {
    auto it = std::find_if(ins.begin(), ins.end(), [&](const InDim &mine) {
      return mine.name == in.name;
    });
    if (it == ins.end())
      it = ins.insert(ins.end(), {in.name, {}});
    for (const Basis &basis : in.bases) {
      Basis moved(outs.size(), 0);
      for (size_t i = 0; i < basis.size(); ++i)
        moved[position[i]] = basis[i] << shift[i];
      it->bases.push_back(std::move(moved));
    }
  }
  return LinearLayout(std::move(ins), std::move(outs));
}

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  for (const InDim &in : outer.inDims)
    if (!find(outDims, in.name))
      fail("cannot compose: the outer layout needs '" + in.name +
           "', the inner one yields " + listNames(outDims));
  for (const OutDim &out : outDims) {
    if (!outer.hasIn(out.name))
      fail("cannot compose: the inner layout yields '" + out.name +
           "', the outer one takes " + listNames(outer.inDims));
    if (out.bits > outer.inBits(out.name))
      fail("cannot compose: '" + out.name + "' has " +
           std::to_string(out.bits) + " bits in the inner layout, only " +
           std::to_string(outer.inBits(out.name)) + " in the outer one");
  }
  std::vector<InDim> ins = inDims;
  for (InDim &in : ins)
    for (Basis &basis : in.bases) {
      std::vector<uint32_t> index;
      for (const InDim &outerIn : outer.inDims)
        index.push_back(basis[find(outDims, outerIn.name) - outDims.data()]);
      basis = outer.apply(index);
    }
  return LinearLayout(std::move(ins), outer.outDims);
}

LinearLayout LinearLayout::rightInverse() const {
  Echelon echelon;
  std::vector<uint64_t> images = columns(*this);
  for (size_t i = 0; i < images.size(); ++i)
    echelon.add(images[i], i);
  if (echelon.rank() != totalOutBits())
    fail("no right inverse: only 2^" + std::to_string(echelon.rank()) +
         " of 2^" + std::to_string(totalOutBits()) +
         " coordinates are reached by " + str());

  std::vector<OutDim> newOuts;
  for (const InDim &in : inDims)
    newOuts.push_back({in.name, unsigned(in.bases.size())});
  std::vector<InDim> newIns;
  unsigned outBit = 0;
  for (const OutDim &out : outDims) {
    InDim in{out.name, {}};
    for (unsigned bit = 0; bit < out.bits; ++bit, ++outBit) {
      uint64_t value = uint64_t(1) << outBit, combination = 0;
      echelon.reduce(value, combination);
      Basis basis;
      for (const OutDim &newOut : newOuts) {
        basis.push_back(combination & (newOut.size() - 1));
        combination >>= newOut.bits;
      }
      in.bases.push_back(std::move(basis));
    }
    newIns.push_back(std::move(in));
  }
  return LinearLayout(std::move(newIns), std::move(newOuts));
}

unsigned LinearLayout::rank() const {
  Echelon echelon;
  std::vector<uint64_t> images = columns(*this);
  for (size_t i = 0; i < images.size(); ++i)
    echelon.add(images[i], i);
  return echelon.rank();
}

bool LinearLayout::isInjective() const { return rank() == totalInBits(); }
bool LinearLayout::isSurjective() const { return rank() == totalOutBits(); }

uint32_t LinearLayout::freeMask(const std::string &in) const {
  uint32_t mask = 0;
  const std::vector<Basis> &all = bases(in);
  for (size_t bit = 0; bit < all.size(); ++bit)
    if (std::all_of(all[bit].begin(), all[bit].end(),
                    [](uint32_t coord) { return coord == 0; }))
      mask |= 1u << bit;
  return mask;
}

LinearLayout
LinearLayout::withIns(const std::vector<std::string> &names) const {
  std::vector<InDim> ins;
  for (const std::string &name : names)
    ins.push_back({name, bases(name)});
  return LinearLayout(std::move(ins), outDims);
}

LinearLayout LinearLayout::renameIn(const std::string &from,
                                    const std::string &to) const {
  const InDim *in = find(inDims, from);
  if (!in)
    fail("no input dimension '" + from + "' to rename, there are " +
         listNames(inDims));
  std::vector<InDim> ins = inDims;
  ins[in - inDims.data()].name = to;
  return LinearLayout(std::move(ins), outDims);
}

LinearLayout LinearLayout::renameOut(const std::string &from,
                                     const std::string &to) const {
  const OutDim *out = find(outDims, from);
  if (!out)
    fail("no output dimension '" + from + "' to rename, there are " +
         listNames(outDims));
  std::vector<OutDim> outs = outDims;
  outs[out - outDims.data()].name = to;
  return LinearLayout(inDims, std::move(outs));
}

LinearLayout LinearLayout::splitIn(const std::string &in, unsigned bits,
                                   const std::string &upper) const {
  if (bits > bases(in).size())
    fail("cannot split '" + in + "' after " + std::to_string(bits) +
         " bits, it has " + std::to_string(inBits(in)));
  if (in == upper)
    fail("cannot split '" + in + "' into itself");
  std::vector<InDim> ins = inDims;
  size_t position = find(inDims, in) - inDims.data();
  std::vector<Basis> moved(ins[position].bases.begin() + bits,
                           ins[position].bases.end());
  ins[position].bases.resize(bits);
  if (const InDim *existing = find(inDims, upper)) {
    std::vector<Basis> &target = ins[existing - inDims.data()].bases;
    target.insert(target.end(), moved.begin(), moved.end());
  } else {
    ins.insert(ins.begin() + position + 1, {upper, std::move(moved)});
  }
  return LinearLayout(std::move(ins), outDims);
}

size_t LinearLayout::hash() const {
  size_t seed = 0;
  auto mix = [&](size_t value) {
    seed ^= value + 0x9e3779b97f4a7c15 + (seed << 6) + (seed >> 2);
  };
  std::hash<std::string> hashName;
  for (const InDim &in : inDims) {
    mix(hashName(in.name));
    mix(in.bases.size());
    for (const Basis &basis : in.bases)
      for (uint32_t coord : basis)
        mix(coord);
  }
  for (const OutDim &out : outDims) {
    mix(hashName(out.name));
    mix(out.bits);
  }
  return seed;
}

std::string LinearLayout::str() const {
  std::string text = "{";
  auto separate = [&](bool &first) {
    if (!first)
      text += ", ";
    first = false;
  };
  bool firstIn = true;
  for (const InDim &in : inDims) {
    separate(firstIn);
    text += in.name + " = [";
    bool firstBasis = true;
    for (const Basis &basis : in.bases) {
      separate(firstBasis);
      text += "[";
      bool firstCoord = true;
      for (uint32_t coord : basis) {
        separate(firstCoord);
        text += std::to_string(coord);
      }
      text += "]";
    }
    text += "]";
  }
  text += "} -> {";
  bool firstOut = true;
  for (const OutDim &out : outDims) {
    separate(firstOut);
    text += out.name + " = " + std::to_string(out.size());
  }
  return text + "}";
}
