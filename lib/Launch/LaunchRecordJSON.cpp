//===- LaunchRecordJSON.cpp - text of a launch record ---------------------===//
//
// Writer and reader. The reader is strict: a missing, unknown or mistyped field
// is an error that names the field, what was expected and what was found.
//
//===----------------------------------------------------------------------===//
#include "lib/Launch/LaunchRecord.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

namespace wna16 {

static constexpr StringRef dtypes[] = {"f16", "bf16", "f32", "f64",
                                       "i8",  "i16",  "i32", "i64"};
static constexpr StringRef kinds[] = {"buffer", "scalar"};
static constexpr StringRef accesses[] = {"read", "write", "read_write"};

//===----------------------------------------------------------------------===//
// Writer
//===----------------------------------------------------------------------===//

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

static void write(json::OStream &out, const LaunchArgument &argument) {
  bool isBuffer = argument.kind == LaunchArgument::Kind::Buffer;
  out.attribute("name", argument.name);
  out.attribute("kind", kinds[static_cast<int>(argument.kind)]);
  if (isBuffer)
    out.attribute("access", accesses[static_cast<int>(argument.access)]);
  out.attribute("dtype", argument.dtype);
  if (!isBuffer) {
    out.attribute("value", toValue(argument.value));
    return;
  }
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
    inlineList(out, "block", block);
    inlineList(out, "cluster", cluster);
    out.attribute("shared_bytes", sharedBytes);
    out.attribute("workspace_bytes", workspaceBytes);
    if (problem)
      out.attributeObject("problem", [&] {
        out.attribute("op", problem->op);
        out.attribute("x", problem->x);
        out.attribute("w", problem->w);
        out.attribute("s", problem->s);
        out.attribute("y", problem->y);
        out.attribute("group", problem->group);
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

//===----------------------------------------------------------------------===//
// Reader
//===----------------------------------------------------------------------===//

namespace {

/// First error of a read.
struct Failure {
  std::string text;
  void set(const llvm::Twine &message) {
    if (text.empty())
      text = message.str();
  }
};

std::string show(const json::Value &value) {
  std::string text = llvm::formatv("{0}", value).str();
  if (text.size() > 60)
    text = text.substr(0, 57) + "...";
  return text;
}

/// Reads the fields of one object; remembers which were asked for, so that
/// `finish` can refuse the rest.
class Fields {
public:
  Fields(const json::Value &value, std::string path, Failure &failure)
      : object(value.getAsObject()), path(std::move(path)), failure(failure) {
    if (!object)
      failure.set((this->path.empty() ? "" : this->path + ": ") +
                  "expected an object, found " + show(value));
  }

  std::string at(StringRef name) const {
    return path.empty() ? name.str() : path + "." + name.str();
  }

  /// The field, or null. A missing one is an error if `required`.
  const json::Value *get(StringRef name, bool required = true) {
    known.insert(name);
    const json::Value *value = object ? object->get(name) : nullptr;
    if (!value && object && required)
      failure.set(at(name) + ": the field is missing");
    return value;
  }

  std::string string(StringRef name) {
    const json::Value *value = get(name);
    if (!value)
      return {};
    if (auto text = value->getAsString())
      return text->str();
    failure.set(at(name) + ": expected a string, found " + show(*value));
    return {};
  }

  std::optional<std::string> stringOrNull(StringRef name) {
    const json::Value *value = get(name, /*required=*/false);
    if (!value || value->getAsNull())
      return std::nullopt;
    return string(name);
  }

  /// Index of the field's text in `choices`.
  int choice(StringRef name, llvm::ArrayRef<StringRef> choices) {
    std::string text = string(name);
    const auto *found = llvm::find(choices, text);
    if (found != choices.end())
      return static_cast<int>(found - choices.begin());
    failure.set(at(name) + ": expected one of " + llvm::join(choices, ", ") +
                "; found '" + text + "'");
    return 0;
  }

  int64_t integer(StringRef name) {
    const json::Value *value = get(name);
    return value ? toInteger(*value, at(name)) : 0;
  }

  std::optional<int64_t> integerIfPresent(StringRef name) {
    const json::Value *value = get(name, /*required=*/false);
    if (!value)
      return std::nullopt;
    return toInteger(*value, at(name));
  }

  Extent extent(StringRef name) {
    const json::Value *value = get(name);
    return value ? toExtent(*value, at(name)) : Extent();
  }

  /// Calls `read(element, path of the element)` for each element.
  template <typename Read> void list(StringRef name, bool required, Read read) {
    const json::Value *value = get(name, required);
    if (!value)
      return;
    const json::Array *array = value->getAsArray();
    if (!array) {
      failure.set(at(name) + ": expected a list, found " + show(*value));
      return;
    }
    for (auto [index, element] : llvm::enumerate(*array))
      read(element, at(name) + "[" + std::to_string(index) + "]");
  }

  std::vector<Extent> extents(StringRef name, bool required) {
    std::vector<Extent> result;
    list(name, required, [&](const json::Value &value, std::string where) {
      result.push_back(toExtent(value, where));
    });
    return result;
  }

  std::vector<int64_t> integers(StringRef name, bool required) {
    std::vector<int64_t> result;
    list(name, required, [&](const json::Value &value, std::string where) {
      result.push_back(toInteger(value, where));
    });
    return result;
  }

  std::array<int64_t, 3> triple(StringRef name) {
    std::vector<int64_t> list = integers(name, /*required=*/true);
    std::array<int64_t, 3> result = {1, 1, 1};
    if (list.size() == 3)
      llvm::copy(list, result.begin());
    else
      failure.set(at(name) + ": expected three numbers, found " +
                  llvm::Twine(list.size()));
    return result;
  }

  /// Refuses fields that nobody asked for.
  void finish() {
    if (!object)
      return;
    for (const auto &[key, value] : *object)
      if (!known.contains(key))
        failure.set(at(key.str()) + ": unknown field");
  }

  int64_t toInteger(const json::Value &value, const std::string &where) {
    if (auto number = value.getAsInteger())
      return *number;
    failure.set(where + ": expected an integer, found " + show(value));
    return 0;
  }

  Extent toExtent(const json::Value &value, const std::string &where) {
    if (auto number = value.getAsInteger())
      return Extent(*number);
    auto text = value.getAsString();
    if (text && !text->empty())
      return Extent(text->str());
    failure.set(where +
                ": expected an integer or the name of a symbol, found " +
                show(value));
    return {};
  }

private:
  const json::Object *object;
  std::string path;
  Failure &failure;
  llvm::StringSet<> known;
};

LaunchArgument readArgument(const json::Value &value, const std::string &path,
                            Failure &failure) {
  Fields fields(value, path, failure);
  LaunchArgument argument;
  argument.name = fields.string("name");
  argument.kind =
      static_cast<LaunchArgument::Kind>(fields.choice("kind", kinds));
  argument.dtype = dtypes[fields.choice("dtype", dtypes)].str();
  if (argument.kind == LaunchArgument::Kind::Scalar) {
    argument.value = fields.extent("value");
    fields.finish();
    return argument;
  }
  argument.access =
      static_cast<LaunchArgument::Access>(fields.choice("access", accesses));
  argument.shape = fields.extents("shape", /*required=*/true);
  argument.strides = fields.extents("strides", /*required=*/false);
  argument.alignment = fields.integer("alignment");
  argument.layout = fields.string("layout");
  argument.logicalShape = fields.integers("logical_shape", /*required=*/false);
  argument.bits = fields.integerIfPresent("bits");
  argument.offset = fields.integerIfPresent("offset");
  fields.finish();
  return argument;
}

void readSymbols(Fields &top, LaunchRecord &record, Failure &failure) {
  const json::Value *value = top.get("symbols");
  if (!value)
    return;
  const json::Object *symbols = value->getAsObject();
  if (!symbols) {
    failure.set("symbols: expected an object, found " + show(*value));
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

void readProblem(Fields &top, LaunchRecord &record, Failure &failure) {
  const json::Value *value = top.get("problem");
  if (!value || value->getAsNull())
    return;
  Fields fields(*value, "problem", failure);
  LaunchProblem problem;
  problem.op = fields.string("op");
  problem.x = fields.string("x");
  problem.w = fields.string("w");
  problem.s = fields.string("s");
  problem.y = fields.string("y");
  problem.group = fields.integer("group");
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
  top.list("arguments", /*required=*/true,
           [&](const json::Value &value, std::string path) {
             record.arguments.push_back(readArgument(value, path, failure));
           });
  readSymbols(top, record, failure);
  readGrid(top, record, failure);
  record.block = top.triple("block");
  record.cluster = top.triple("cluster");
  record.sharedBytes = top.integer("shared_bytes");
  record.workspaceBytes = top.integer("workspace_bytes");
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
