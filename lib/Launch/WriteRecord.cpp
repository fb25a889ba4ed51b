//===- WriteRecord.cpp - a launch record as text --------------------------===//
//
// Fields in a fixed order; flags and options only where they differ from what a
// reader assumes.
//
//===----------------------------------------------------------------------===//
#include "lib/Launch/LaunchRecord.h"
#include "lib/Launch/RecordText.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using llvm::StringRef;
namespace json = llvm::json;

namespace wna16 {

static json::Value toValue(const Extent &extent) {
  if (extent.isSymbol())
    return extent.symbol;
  return extent.value;
}

/// Lists stay on one line, unlike the writer's own arrays.
template <typename Range>
static void inlineList(json::OStream &out, StringRef name, const Range &range) {
  out.attributeBegin(name);
  json::Array array;
  for (const auto &item : range)
    if constexpr (std::is_convertible_v<decltype(item), int64_t>)
      array.push_back(static_cast<int64_t>(item));
    else
      array.push_back(toValue(item));
  out.rawValue(llvm::formatv("{0}", json::Value(std::move(array))).str());
  out.attributeEnd();
}

static void writeBuffer(json::OStream &out, const LaunchArgument &argument) {
  using Initial = LaunchArgument::Initial;
  inlineList(out, "shape", argument.shape);
  if (!argument.strides.empty())
    inlineList(out, "strides", argument.strides);
  out.attribute("alignment", argument.alignment);
  out.attribute("layout", argument.layout);
  if (!argument.logicalShape.empty())
    inlineList(out, "logical_shape", argument.logicalShape);
  if (argument.bits)
    out.attribute("bits", *argument.bits);
  if (argument.offset)
    out.attribute("offset", *argument.offset);
  if (argument.afterDependency)
    out.attribute("after_dependency", true);
  if (argument.isWorkspace)
    out.attribute("workspace", true);
  if (argument.ids != LaunchArgument::Ids::None)
    out.attribute("ids", text::ids[static_cast<int>(argument.ids)]);
  if (std::optional<Initial> initial = argument.initial)
    out.attribute("initial", text::initials[static_cast<int>(*initial)]);
  if (argument.below)
    out.attribute("below", toValue(*argument.below));
}

static void writeTarget(json::OStream &out, const LaunchArgument &argument) {
  if (argument.buffer.empty())
    out.attribute("buffer", nullptr);
  else
    out.attribute("buffer", argument.buffer);
  if (argument.byteOffset)
    out.attribute("byte_offset", argument.byteOffset);
}

static void writeMap(json::OStream &out, const LaunchArgument &argument) {
  const LaunchTensorMap &map = argument.map;
  writeTarget(out, argument);
  inlineList(out, "dims", map.dims);
  inlineList(out, "strides", map.strides);
  inlineList(out, "box", map.box);
  if (!map.elementStrides.empty())
    inlineList(out, "element_strides", map.elementStrides);
  out.attribute("swizzle", map.swizzle);
  out.attribute("l2_promotion", map.l2Promotion);
  out.attribute("out_of_bounds",
                text::outsides[static_cast<int>(map.outOfBounds)]);
  out.attribute("alignment", argument.alignment);
}

static void write(json::OStream &out, const LaunchArgument &argument,
                  bool isField = false) {
  using Kind = LaunchArgument::Kind;
  out.attribute("name", argument.name);
  if (isField)
    out.attribute("offset", argument.fieldOffset);
  out.attribute("kind", text::kinds[static_cast<int>(argument.kind)]);
  if (argument.isBuffer()) {
    if (!argument.isParameter)
      out.attribute("parameter", false);
    out.attribute("access", text::accesses[static_cast<int>(argument.access)]);
  }
  if (argument.kind != Kind::Pointer && argument.kind != Kind::Struct)
    out.attribute("dtype", argument.dtype);
  switch (argument.kind) {
  case Kind::Buffer:
    return writeBuffer(out, argument);
  case Kind::Scalar:
    if (argument.fraction)
      return out.attribute("value", *argument.fraction);
    return out.attribute("value", toValue(argument.value));
  case Kind::Pointer:
    return writeTarget(out, argument);
  case Kind::TensorMap:
    return writeMap(out, argument);
  case Kind::Struct:
    out.attribute("size", argument.size);
    out.attribute("alignment", argument.alignment);
    out.attributeArray("fields", [&] {
      for (const LaunchArgument &field : argument.fields)
        out.object([&] { write(out, field, /*isField=*/true); });
    });
  }
}

static json::Value toValue(const std::optional<std::string> &text) {
  if (text)
    return *text;
  return nullptr;
}

std::string LaunchRecord::toJSON() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream out(stream, /*IndentSize=*/2);
  out.object([&] {
    out.attribute("format", formatName);
    out.attribute("version", formatVersion);
    out.attribute("kernel", kernel);
    out.attribute("target", target);
    out.attribute("ptx", toValue(ptx));
    out.attribute("cubin", toValue(cubin));
    if (library)
      out.attribute("library", *library);
    out.attributeArray("arguments", [&] {
      for (const LaunchArgument &argument : arguments)
        out.object([&] { write(out, argument); });
    });
    out.attributeObject("symbols", [&] {
      for (const auto &[name, rule] : symbols)
        out.attributeObject(name, [&, &rule = rule] {
          out.attribute("min", rule.min);
          if (rule.max)
            out.attribute("max", *rule.max);
          if (rule.multipleOf != 1)
            out.attribute("multiple_of", rule.multipleOf);
        });
    });
    out.attributeArray("grid", [&] {
      for (const GridDimension &dimension : grid)
        out.object([&] {
          out.attribute("size", toValue(dimension.size));
          out.attribute("tile", dimension.tile);
        });
    });
    if (persistentBlocks)
      out.attribute("persistent_blocks", persistentBlocks);
    inlineList(out, "block", block);
    inlineList(out, "cluster", cluster);
    out.attribute("shared_bytes", sharedBytes);
    out.attribute("workspace_bytes", workspaceBytes);
    if (cooperative)
      out.attribute("cooperative", true);
    if (dependentLaunch)
      out.attribute("dependent_launch", true);
    if (problem)
      out.attributeObject("problem", [&] {
        out.attribute("op", problem->op);
        if (!problem->x.empty())
          out.attribute("x", problem->x);
        if (!problem->w.empty())
          out.attribute("w", problem->w);
        if (!problem->s.empty())
          out.attribute("s", problem->s);
        if (!problem->y.empty())
          out.attribute("y", problem->y);
        if (!problem->zeros.empty())
          out.attribute("zeros", problem->zeros);
        if (!problem->bias.empty())
          out.attribute("bias", problem->bias);
        if (problem->group)
          out.attribute("group", problem->group);
        if (const auto &routing = problem->routing)
          out.attributeObject("routing", [&] {
            const std::pair<const char *, const std::string &> names[] = {
                {"segments", routing->segments}, {"slots", routing->slots},
                {"x_rows", routing->xRows},      {"y_rows", routing->yRows},
                {"ids", routing->ids},           {"map", routing->map},
                {"weights", routing->weights}};
            for (const auto &[field, name] : names)
              if (!name.empty())
                out.attribute(field, name);
            out.attribute("experts", routing->experts);
            out.attribute("top_k", routing->topK);
            if (routing->segmentRows)
              out.attribute("segment_rows", routing->segmentRows);
          });
      });
    else
      out.attribute("problem", nullptr);
    out.attribute("schedule", schedule);
    if (resources)
      out.attributeObject("resources", [&] {
        out.attribute("registers", resources->registers);
        out.attribute("spill_bytes", resources->spillBytes);
        out.attribute("static_shared_bytes", resources->staticSharedBytes);
      });
    else
      out.attribute("resources", nullptr);
  });
  text += '\n';
  return text;
}

} // namespace wna16
