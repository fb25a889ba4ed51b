//===- Request.cpp - what wna16-run is asked to do ------------------------===//
//
// Options are --name VALUE or --name=VALUE; switches of checks are
// --check-NAME=0.
//
//===----------------------------------------------------------------------===//
#include "lib/Run/Request.h"

#include "llvm/ADT/StringExtras.h"

using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace wna16::run {

StringRef usage() {
  return R"(wna16-run: run a kernel on the emulator or on a GPU

  wna16-run FILE.ptx [--launch FILE.json] [options]
  wna16-run FILE.json [options]
  wna16-run FILE.mlir [options]

FILE.mlir, of any stage, is compiled first and leaves no files. The launch record says what the kernel's arguments are. Inputs without a file
are generated, outputs are filled with NaN first. If the record states a
problem, the result is compared with an fp64 reference computed from the same
data. The exit code is 0 only if the result is right and no check reported.

  --target NAME          compile FILE.mlir for it (default: what the file says,
                         else the GPU of this machine, else sm_90a)
  --kernel NAME          the kernel to run if FILE.mlir has several
  --symbol NAME=N        value of a symbol (default: its least, at least 1)
  --arg NAME=FILE        raw little-endian data of an argument
  --out NAME=FILE        write an argument's data there after the run
  --data KIND            random (default), adversarial, onehot
  --seed S               seed of data and of random interleavings
  --routing KIND         where slots of a mixture of experts go: uniform
                         (default), skewed, last (all to the last expert),
                         dropped (a third nowhere), broken (tables with numbers
                         out of range)
  --device DEVICE        emulator (default) or gpu
  --reference 0|1        compare with fp64 (default 1)
  --counters             print counters: instructions, bytes by buffer and
                         hint, matrix work, bank conflicts
  --counters=lines       also the lines that execute most
  --json                 print the result as JSON
 emulator only:
  --schedules N          run N interleavings (number 0 is round robin) until one
                         fails; random ones vary copies and block order too
  --schedule I           run interleaving number I of the same seed only
  --completion WHEN      late (default), early, random: arrival of async copies
  --resident N           at most N clusters run at a time (default 0: no limit);
                         1 finds blocks that wait for blocks yet to start
  --block-order ORDER    forward (default), reverse, random: order of starts
  --check-order          refuse addresses in loops that depend on loaded data
                         other than row and expert numbers (ORD5b)
  --threads N            worker threads (default: all cores)
  --max-steps N          warp instructions that one block may execute
  --max-reports N        stop after N different reports (default 20)
  --allow-unsupported    fail on reaching an unsupported instruction only
  --check-NAME=0         switch a check off: bounds, alignment, access,
                         uninitialized, async, race, divergence, barrier,
                         mbarrier, proxy, wgmma, tensor-map, dependency,
                         cluster, deadlock, step-limit, trap
)";
}

namespace {

Error failure(const llvm::Twine &message) {
  return createStringError(message + "; see wna16-run --help");
}

Error parseNumber(StringRef option, StringRef text, uint64_t &out) {
  if (text.getAsInteger(0, out))
    return failure(option + ": expected a number, found '" + text + "'");
  const bool large = option == "--seed" || option == "--max-steps";
  if (!large && out > UINT32_MAX)
    return failure(option + ": expected at most 4294967295, found " + text);
  return Error::success();
}

Error parseCheckSwitch(StringRef option, StringRef value,
                       emulator::Options &options) {
  auto check =
      emulator::parseCheck(option.drop_front(strlen("--check-")).str());
  if (!check)
    return failure("'" + option + "' names no check");
  if (value != "0" && value != "1")
    return failure(option + ": expected 0 or 1, found '" + value + "'");
  if (*check == emulator::Check::Order) // off unless asked for
    options.checkOrder = value == "1";
  else
    options.checks[unsigned(*check)] = value == "1";
  return Error::success();
}

/// Handles one option with its value.
Error apply(Request &request, StringRef option, StringRef value) {
  auto pair = [&](std::map<std::string, std::string> &out) -> Error {
    auto [name, file] = value.split('=');
    if (name.empty() || file.empty())
      return failure(option + ": expected NAME=FILE, found '" + value + "'");
    out[name.str()] = file.str();
    return Error::success();
  };
  uint64_t number = 0;
  if (option == "--launch") {
    request.launch = value.str();
  } else if (option == "--target") {
    request.target = value.str();
  } else if (option == "--kernel") {
    request.kernel = value.str();
  } else if (option == "--symbol") {
    auto [name, text] = value.split('=');
    int64_t n;
    if (name.empty() || text.getAsInteger(0, n))
      return failure("--symbol: expected NAME=NUMBER, found '" + value + "'");
    request.symbols[name.str()] = n;
  } else if (option == "--arg") {
    return pair(request.inputFiles);
  } else if (option == "--out") {
    return pair(request.outputFiles);
  } else if (option == "--data") {
    if (value == "random")
      request.data = DataKind::Random;
    else if (value == "adversarial")
      request.data = DataKind::Adversarial;
    else if (value == "onehot")
      request.data = DataKind::OneHot;
    else
      return failure("--data: expected random, adversarial or onehot, found '" +
                     value + "'");
  } else if (option == "--routing") {
    const std::pair<StringRef, RoutingKind> kinds[] = {
        {"uniform", RoutingKind::Uniform},
        {"skewed", RoutingKind::Skewed},
        {"last", RoutingKind::Last},
        {"dropped", RoutingKind::Dropped},
        {"broken", RoutingKind::Broken}};
    const auto *found = llvm::find_if(
        kinds, [&](const auto &kind) { return kind.first == value; });
    if (found == std::end(kinds))
      return failure("--routing: expected uniform, skewed, last, dropped or "
                     "broken, found '" +
                     value + "'");
    request.routing = found->second;
  } else if (option == "--device") {
    if (value != "emulator" && value != "gpu")
      return failure("--device: expected emulator or gpu, found '" + value +
                     "'");
    request.device = value == "gpu" ? DeviceKind::Gpu : DeviceKind::Emulator;
  } else if (option == "--completion") {
    if (value == "late")
      request.emulator.completion = emulator::Completion::Late;
    else if (value == "early")
      request.emulator.completion = emulator::Completion::Early;
    else if (value == "random")
      request.emulator.completion = emulator::Completion::Random;
    else
      return failure("--completion: expected late, early or random, found '" +
                     value + "'");
  } else if (option == "--block-order") {
    request.blockOrderGiven = true;
    if (value == "forward")
      request.emulator.blockOrder = emulator::BlockOrder::Forward;
    else if (value == "reverse")
      request.emulator.blockOrder = emulator::BlockOrder::Reverse;
    else if (value == "random")
      request.emulator.blockOrder = emulator::BlockOrder::Random;
    else
      return failure("--block-order: expected forward, reverse or random, "
                     "found '" +
                     value + "'");
  } else if (option.starts_with("--check-")) {
    return parseCheckSwitch(option, value, request.emulator);
  } else if (Error error = parseNumber(option, value, number)) {
    return error;
  } else if (option == "--seed") {
    request.seed = number;
  } else if (option == "--schedules") {
    if (number == 0)
      return failure("--schedules: expected at least 1");
    request.schedules = unsigned(number);
  } else if (option == "--schedule") {
    request.firstSchedule = unsigned(number);
  } else if (option == "--resident") {
    request.emulator.resident = unsigned(number);
  } else if (option == "--threads") {
    request.emulator.threads = unsigned(number);
  } else if (option == "--max-steps") {
    request.emulator.maxSteps = number;
  } else if (option == "--max-reports") {
    request.emulator.maxReports = unsigned(std::max<uint64_t>(1, number));
  } else if (option == "--reference") {
    if (number > 1)
      return failure("--reference: expected 0 or 1, found '" + value + "'");
    request.compare = number == 1;
  }
  return Error::success();
}

/// Options without a value; null if `name` is none.
bool *switchOf(Request &request, StringRef name) {
  return name == "--json"                ? &request.json
         : name == "--check-order"       ? &request.emulator.checkOrder
         : name == "--allow-unsupported" ? &request.emulator.allowUnsupported
                                         : nullptr;
}

/// One word of a shell command.
std::string quoted(StringRef word) {
  auto isPlain = [](char c) {
    return llvm::isAlnum(c) || StringRef("_-+=./:,@%").contains(c);
  };
  if (!word.empty() && llvm::all_of(word, isPlain))
    return word.str();
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

bool takesValue(StringRef option) {
  static constexpr StringRef names[] = {
      "--launch",      "--target",    "--kernel",     "--symbol",
      "--arg",         "--out",       "--data",       "--routing",
      "--device",      "--seed",      "--schedules",  "--schedule",
      "--completion",  "--resident",  "--threads",    "--max-steps",
      "--max-reports", "--reference", "--block-order"};
  return llvm::is_contained(names, option) || option.starts_with("--check-");
}

} // namespace

Expected<Request> parseCommandLine(llvm::ArrayRef<const char *> arguments) {
  Request request;
  request.command = "wna16-run";
  bool severalSchedules = false, oneSchedule = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    const size_t first = i;
    auto remember = [&] {
      for (size_t k = first; k <= i; ++k)
        request.command += " " + quoted(arguments[k]);
    };
    if (!argument.starts_with("-")) {
      if (!request.input.empty())
        return failure("two input files: '" + request.input + "' and '" +
                       argument + "'");
      request.input = argument.str();
      remember();
      continue;
    }
    if (argument == "--help" || argument == "-h") {
      request.help = true;
      return request;
    }
    if (argument == "--counters" || argument == "--counters=lines") {
      request.counters = request.emulator.distinctBytes = true;
      request.countLines = argument.ends_with("=lines");
      remember();
      continue;
    }
    if (bool *flag = switchOf(request, argument)) {
      *flag = true;
      remember();
      continue;
    }
    auto [option, value] = argument.split('=');
    if (!takesValue(option))
      return failure("unknown option '" + argument + "'");
    if (!argument.contains('=')) {
      if (i + 1 == arguments.size())
        return failure("'" + argument + "' needs a value");
      value = arguments[++i];
    }
    if (Error error = apply(request, option, value))
      return error;
    severalSchedules |= option == "--schedules";
    oneSchedule |= option == "--schedule";
    if (option != "--schedules" && option != "--schedule")
      remember();
  }
  if (severalSchedules && oneSchedule)
    return failure("--schedules runs several interleavings, --schedule one");
  if (request.input.empty())
    return failure("no input file");
  return request;
}

} // namespace wna16::run
