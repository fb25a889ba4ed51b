//===- RecordFields.h - read an object of JSON, field by field ------------===//
//
// The first error wins, says where it is, and stops nothing: a caller asks for
// all fields and looks at the failure once. Private to lib/Launch.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_LAUNCH_RECORDFIELDS_H
#define WNA16_LIB_LAUNCH_RECORDFIELDS_H

#include "lib/Launch/LaunchArgument.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace wna16::text {

namespace json = llvm::json;
using llvm::StringRef;

/// First error of a read.
struct Failure {
  std::string text;
  void set(const llvm::Twine &message) {
    if (text.empty())
      text = message.str();
  }
};

inline std::string show(const json::Value &value) {
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

  /// The same for a field that may be missing.
  template <typename Enum>
  std::optional<Enum> choiceIfPresent(StringRef name,
                                      llvm::ArrayRef<StringRef> choices) {
    if (!get(name, /*required=*/false))
      return std::nullopt;
    return static_cast<Enum>(choice(name, choices));
  }

  bool flag(StringRef name, bool otherwise = false) {
    const json::Value *value = get(name, /*required=*/false);
    if (!value)
      return otherwise;
    if (auto flag = value->getAsBoolean())
      return *flag;
    failure.set(at(name) + ": expected true or false, found " + show(*value));
    return otherwise;
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

} // namespace wna16::text

#endif // WNA16_LIB_LAUNCH_RECORDFIELDS_H
