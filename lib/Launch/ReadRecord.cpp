//===- ReadRecord.cpp - a launch record from its text ---------------------===//
//
// The reader is strict: a missing, unknown or mistyped field is an error that
// names the field, what was expected and what was found.
//
//===----------------------------------------------------------------------===//
#include "lib/Launch/LaunchRecord.h"
#include "lib/Launch/RecordFields.h"
#include "lib/Launch/RecordText.h"
#include "lib/Runtime/TensorMapRules.h"

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

namespace wna16 {

using text::Failure;
using text::Fields;

namespace {

void readBuffer(Fields &fields, LaunchArgument &argument) {
  argument.isParameter = fields.flag("parameter", true);
  argument.access = static_cast<LaunchArgument::Access>(
      fields.choice("access", text::accesses));
  argument.shape = fields.extents("shape", /*required=*/true);
  argument.strides = fields.extents("strides", /*required=*/false);
  argument.alignment = fields.integer("alignment");
  argument.layout = fields.string("layout");
  argument.logicalShape = fields.integers("logical_shape", /*required=*/false);
  argument.bits = fields.integerIfPresent("bits");
  argument.offset = fields.integerIfPresent("offset");
  argument.afterDependency = fields.flag("after_dependency");
  argument.isWorkspace = fields.flag("workspace");
  argument.ids = fields.choiceIfPresent<LaunchArgument::Ids>("ids", text::ids)
                     .value_or(LaunchArgument::Ids::None);
  argument.initial = fields.choiceIfPresent<LaunchArgument::Initial>(
      "initial", text::initials);
  if (fields.get("below", /*required=*/false))
    argument.below = fields.extent("below");
}

void readScalar(Fields &fields, LaunchArgument &argument) {
  const json::Value *value = fields.get("value");
  std::optional<double> number = value ? value->getAsNumber() : std::nullopt;
  if (number && !value->getAsInteger())
    argument.fraction = number;
  else
    argument.value = fields.extent("value");
}

void readTarget(Fields &fields, LaunchArgument &argument) {
  if (fields.get("buffer"))
    argument.buffer = fields.stringOrNull("buffer").value_or("");
  argument.byteOffset = fields.integerIfPresent("byte_offset").value_or(0);
}

void readMap(Fields &fields, LaunchArgument &argument) {
  LaunchTensorMap &map = argument.map;
  readTarget(fields, argument);
  map.dims = fields.extents("dims", /*required=*/true);
  map.strides = fields.extents("strides", /*required=*/true);
  map.box = fields.integers("box", /*required=*/true);
  map.elementStrides = fields.integers("element_strides", /*required=*/false);
  map.swizzle = fields.integerIfPresent("swizzle").value_or(0);
  map.l2Promotion = fields.integerIfPresent("l2_promotion").value_or(0);
  map.outOfBounds = fields
                        .choiceIfPresent<LaunchTensorMap::OutOfBounds>(
                            "out_of_bounds", text::outsides)
                        .value_or(LaunchTensorMap::OutOfBounds::Zero);
  argument.alignment = fields.integerIfPresent("alignment").value_or(64);
}

LaunchArgument readArgument(const json::Value &value, const std::string &path,
                            Failure &failure, bool isField = false) {
  using Kind = LaunchArgument::Kind;
  Fields fields(value, path, failure);
  LaunchArgument argument;
  argument.name = fields.string("name");
  argument.kind = static_cast<Kind>(fields.choice("kind", text::kinds));
  if (isField)
    argument.fieldOffset = fields.integer("offset");
  if (argument.kind == Kind::TensorMap) {
    llvm::SmallVector<StringRef> names;
    for (const runtime::TensorMapType &type : runtime::tensorMapTypes)
      names.push_back(type.name);
    argument.dtype = names[fields.choice("dtype", names)].str();
  } else if (argument.kind != Kind::Pointer && argument.kind != Kind::Struct) {
    argument.dtype = text::dtypes[fields.choice("dtype", text::dtypes)].str();
  }
  switch (argument.kind) {
  case Kind::Buffer:
    readBuffer(fields, argument);
    break;
  case Kind::Scalar:
    readScalar(fields, argument);
    break;
  case Kind::Pointer:
    readTarget(fields, argument);
    break;
  case Kind::TensorMap:
    readMap(fields, argument);
    break;
  case Kind::Struct:
    argument.size = fields.integer("size");
    argument.alignment = fields.integer("alignment");
    if (isField) { // validate() has the words for it
      fields.get("fields");
      break;
    }
    fields.list("fields", /*required=*/true,
                [&](const json::Value &field, std::string where) {
                  argument.fields.push_back(
                      readArgument(field, where, failure, /*isField=*/true));
                });
    break;
  }
  fields.finish();
  return argument;
}

void readSymbols(Fields &top, LaunchRecord &record, Failure &failure) {
  const json::Value *value = top.get("symbols");
  if (!value)
    return;
  const json::Object *symbols = value->getAsObject();
  if (!symbols) {
    failure.set("symbols: expected an object, found " + text::show(*value));
    return;
  }
  for (const auto &[name, rule] : *symbols) {
    Fields fields(rule, "symbols." + name.str(), failure);
    LaunchSymbol symbol;
    symbol.min = fields.integer("min");
    symbol.max = fields.integerIfPresent("max");
    symbol.multipleOf = fields.integerIfPresent("multiple_of").value_or(1);
    fields.finish();
    record.symbols[name.str()] = symbol;
  }
}

void readGrid(Fields &top, LaunchRecord &record, Failure &failure) {
  std::vector<GridDimension> grid;
  top.list("grid", /*required=*/true,
           [&](const json::Value &value, std::string path) {
             Fields fields(value, path, failure);
             GridDimension dimension;
             dimension.size = fields.extent("size");
             dimension.tile = fields.integer("tile");
             fields.finish();
             grid.push_back(dimension);
           });
  if (grid.size() == 3)
    llvm::copy(grid, record.grid.begin());
  else
    failure.set("grid: expected three dimensions, found " +
                llvm::Twine(grid.size()));
}

/// Tables and orders of rows that the op needs; router ids likewise.
LaunchRouting readRouting(const json::Value &value, StringRef op,
                          Failure &failure) {
  Fields fields(value, "problem, routing", failure);
  LaunchRouting routing;
  if (op != "moe_sum") {
    routing.segments = fields.string("segments");
    routing.slots = fields.string("slots");
    routing.segmentRows = fields.integer("segment_rows");
  }
  if (op == "moe_sum" || op == "moe_route") {
    routing.ids = fields.string("ids");
    routing.map = fields.stringOrNull("map").value_or("");
  } else {
    routing.xRows = fields.string("x_rows");
    routing.yRows = fields.string("y_rows");
  }
  if (op == "moe_sum")
    routing.weights = fields.stringOrNull("weights").value_or("");
  routing.experts = fields.integer("experts");
  routing.topK = fields.integer("top_k");
  fields.finish();
  return routing;
}

void readProblem(Fields &top, LaunchRecord &record, Failure &failure) {
  const json::Value *value = top.get("problem");
  if (!value || value->getAsNull())
    return;
  Fields fields(*value, "problem", failure);
  LaunchProblem problem;
  problem.op = fields.string("op");
  const bool isRoute = problem.op == "moe_route";
  if (!isRoute) {
    problem.x = fields.string("x");
    problem.y = fields.string("y");
  }
  if (!isRoute && problem.op != "moe_sum" && problem.op != "repack") {
    problem.w = fields.string("w");
    problem.s = fields.string("s");
    problem.zeros = fields.stringOrNull("zeros").value_or("");
    problem.bias = fields.stringOrNull("bias").value_or("");
    problem.group = fields.integer("group");
  }
  if (const json::Value *found = fields.get("routing", /*required=*/false))
    problem.routing = readRouting(*found, problem.op, failure);
  fields.finish();
  record.problem = problem;
}

void readResources(Fields &top, LaunchRecord &record, Failure &failure) {
  const json::Value *value = top.get("resources", /*required=*/false);
  if (!value || value->getAsNull())
    return;
  Fields fields(*value, "resources", failure);
  LaunchResources resources;
  resources.registers = fields.integer("registers");
  resources.spillBytes = fields.integer("spill_bytes");
  resources.staticSharedBytes = fields.integer("static_shared_bytes");
  fields.finish();
  record.resources = resources;
}

} // namespace

Expected<LaunchRecord> LaunchRecord::fromJSON(StringRef text) {
  auto fail = [](const llvm::Twine &message) {
    return llvm::createStringError("launch record: " + message);
  };
  Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return fail("not JSON: " + llvm::toString(parsed.takeError()));

  Failure failure;
  Fields top(*parsed, "", failure);
  // Format and version first: nothing else is worth reporting if they differ.
  std::string format = top.string("format");
  int64_t version = top.integer("version");
  if (!failure.text.empty())
    return fail(failure.text);
  if (format != formatName)
    return fail("format: expected '" + formatName + "', found '" + format +
                "'");
  if (version != formatVersion)
    return fail("version: this program reads version " +
                llvm::Twine(formatVersion) + ", the record has version " +
                llvm::Twine(version) + "; compile the kernel again");

  LaunchRecord record;
  record.kernel = top.string("kernel");
  record.target = top.string("target");
  record.ptx = top.stringOrNull("ptx");
  record.cubin = top.stringOrNull("cubin");
  if (top.get("library", /*required=*/false))
    record.library = top.string("library");
  top.list("arguments", /*required=*/true,
           [&](const json::Value &value, std::string path) {
             record.arguments.push_back(readArgument(value, path, failure));
           });
  readSymbols(top, record, failure);
  readGrid(top, record, failure);
  record.persistentBlocks =
      top.integerIfPresent("persistent_blocks").value_or(0);
  record.block = top.triple("block");
  record.cluster = top.triple("cluster");
  record.sharedBytes = top.integer("shared_bytes");
  record.workspaceBytes = top.integer("workspace_bytes");
  record.cooperative = top.flag("cooperative");
  record.dependentLaunch = top.flag("dependent_launch");
  readProblem(top, record, failure);
  record.schedule = top.stringOrNull("schedule").value_or("");
  readResources(top, record, failure);
  top.finish();
  if (!failure.text.empty())
    return fail(failure.text);
  if (Error error = record.validate())
    return error;
  return record;
}

} // namespace wna16
