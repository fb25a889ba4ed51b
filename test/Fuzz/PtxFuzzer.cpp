//===- PtxFuzzer.cpp - no PTX text makes the emulator crash or hang -------===//
//
// A libFuzzer target: text is parsed, every entry decoded and what decodes run
// with small buffers and tight limits. Built and run by `make fuzz`.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Emulator.h"
#include "lib/Emulator/Program.h"

using namespace wna16::emulator;

/// Runs one entry; whatever is wrong with it comes back as reports.
static void runEntry(const ast::Module &module, const ast::Function &function) {
  Device device;
  Buffer &buffer = device.addBuffer("buffer", 4096, 16);
  buffer.poison();
  TensorMap map;
  map.base = buffer.base;
  LaunchSpec launch;
  launch.entry = std::string(function.name);
  launch.grid = launch.cluster = {2, 1, 1};
  launch.block = {64, 1, 1};
  if (function.requiredThreads[0])
    launch.block = function.requiredThreads;
  if (function.requiredCluster[0])
    launch.grid = launch.cluster = function.requiredCluster;
  launch.sharedBytes = 4096;
  const std::vector<uint64_t> bases(module.variables.size(), buffer.base);
  Program program;
  if (!decode(module, function, bases, true, program).empty())
    return;
  for (const ParameterSlot &slot : program.parameters) {
    if (slot.bytes == TensorMap::bytes) {
      launch.params.push_back(Device::tensorMapBytes(device.addTensorMap(map)));
      continue;
    }
    launch.params.emplace_back(slot.bytes);
    // Every pointer points to the buffer.
    for (size_t i = 0; i < slot.bytes; ++i)
      launch.params.back()[i] = uint8_t(buffer.base >> (i % 8 * 8));
  }
  Options options;
  options.threads = 1;
  options.allowUnsupported = true;
  options.maxSteps = 20'000;
  options.maxIdleSteps = 2'000;
  options.seed = module.functions.size() % 2;
  options.completion = Completion::Random;
  run(module, device, launch, options);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string text(reinterpret_cast<const char *>(data), size);
  ParseResult parsed = parsePtx(text, "fuzz.ptx");
  if (auto *diagnostic = std::get_if<Diagnostic>(&parsed)) {
    (void)diagnostic->str();
    return 0;
  }
  const ast::Module &module = *std::get<0>(parsed);
  for (const ast::Function &function : module.functions)
    if (function.isEntry)
      runEntry(module, function);
  return 0;
}
