//===- Cases.cpp - kernels and what a GPU answered ------------------------===//
//
// A case is a line of words, then the bytes whose lengths its last words give.
//
//===----------------------------------------------------------------------===//
#include "test/unit/Hardware/Cases.h"

#include "lib/Emulator/Numerics.h"

#include <bit>
#include <cstring>
#include <fstream>
#include <sstream>

namespace wna16::hardware {
namespace {

/// "32:0,16:1024" or "-".
std::vector<Column> parseColumns(const std::string &text) {
  std::vector<Column> columns;
  std::istringstream stream(text);
  std::string word;
  while (text != "-" && std::getline(stream, word, ',')) {
    const size_t colon = word.find(':');
    columns.push_back({unsigned(std::stoul(word)),
                       size_t(std::stoul(word.substr(colon + 1)))});
  }
  return columns;
}

/// "3,17" or "-".
std::set<unsigned> parseLanes(const std::string &text) {
  std::set<unsigned> lanes;
  std::istringstream stream(text);
  std::string word;
  while (text != "-" && std::getline(stream, word, ','))
    lanes.insert(unsigned(std::stoul(word)));
  return lanes;
}

template <typename Bytes>
bool take(std::ifstream &file, size_t size, Bytes &to) {
  to.resize(size / sizeof(to[0]));
  return bool(file.read(reinterpret_cast<char *>(to.data()), size));
}

} // namespace

std::vector<Case> readCases(const std::string &path, std::string &error) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    error = "cannot read " + path + "; ninja hardware-cases makes it";
  std::vector<Case> cases;
  std::string line;
  while (file && std::getline(file, line)) {
    std::istringstream words(line);
    Case made;
    std::string tag, undefined, operands, results;
    size_t text = 0, input = 0, answer = 0, bounds = 0;
    words >> tag >> made.name >> made.rule >> made.element >> made.threads >>
        made.grid >> undefined >> operands >> results >> text >> input >>
        answer >> bounds;
    if (!words || tag != "case" || !take(file, text, made.text) ||
        !take(file, input, made.input) || !take(file, answer, made.answer) ||
        !take(file, bounds, made.bounds)) {
      error = path + ": case " + std::to_string(cases.size()) +
              " is incomplete; ninja hardware-cases writes the file anew";
      break;
    }
    made.undefined = parseLanes(undefined);
    made.operands = parseColumns(operands);
    made.results = parseColumns(results);
    cases.push_back(std::move(made));
  }
  return cases;
}

uint64_t bitsAt(const std::vector<uint8_t> &bytes, size_t offset,
                unsigned width) {
  uint64_t bits = 0;
  if (offset + width / 8 <= bytes.size())
    std::memcpy(&bits, bytes.data() + offset, width / 8);
  return bits;
}

double decodeFloat(const std::string &element, uint64_t bits) {
  if (element == "f16")
    return emulator::halfToFloat(uint32_t(bits));
  if (element == "bf16")
    return emulator::bfloatToFloat(uint32_t(bits));
  return element == "f32" ? double(std::bit_cast<float>(uint32_t(bits)))
                          : std::bit_cast<double>(bits);
}

unsigned floatWidth(const std::string &element) {
  return element == "f64" ? 64 : element == "f32" ? 32 : 16;
}

} // namespace wna16::hardware
