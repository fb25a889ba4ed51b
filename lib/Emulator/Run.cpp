//===- Run.cpp - a launch -------------------------------------------------===//
//
// Checks the launch against the kernel, decodes it, spreads the blocks over
// worker threads and adds up what they counted.
//
//===----------------------------------------------------------------------===//
#include "lib/Emulator/Block.h"
#include "lib/Emulator/OrderCheck.h"

#include <numeric>
#include <thread>

namespace wna16::emulator {
namespace {

Report launchReport(const ast::Module &module, unsigned line,
                    std::string message, Check check = Check::Launch) {
  Report report;
  report.check = check;
  report.file = module.fileName;
  report.line = line;
  report.message = std::move(message);
  return report;
}

std::string dims(const Dim3 &d) {
  return std::to_string(d[0]) + "x" + std::to_string(d[1]) + "x" +
         std::to_string(d[2]);
}

/// What a GPU would refuse before running anything; empty if nothing.
std::string checkLaunch(const ast::Function &entry, const Program &program,
                        const LaunchSpec &spec) {
  const uint64_t threads =
      uint64_t(spec.block[0]) * spec.block[1] * spec.block[2];
  if (threads == 0 || threads > 1024)
    return "a block of " + dims(spec.block) +
           " threads; expected between 1 and 1024";
  if (entry.requiredThreads[0] && entry.requiredThreads != spec.block)
    return "the kernel requires blocks of " + dims(entry.requiredThreads) +
           " threads (.reqntid), the launch has " + dims(spec.block);
  if (const auto &most = entry.maxThreads;
      most[0] && threads > uint64_t(most[0]) * most[1] * most[2])
    return "the kernel allows at most " + dims(most) +
           " threads in a block (.maxntid), the launch has " + dims(spec.block);
  if (entry.requiredCluster[0] && entry.requiredCluster != spec.cluster)
    return "the kernel requires clusters of " + dims(entry.requiredCluster) +
           " blocks (.reqnctapercluster), the launch has " + dims(spec.cluster);
  const uint64_t blocks =
      uint64_t(spec.cluster[0]) * spec.cluster[1] * spec.cluster[2];
  if (blocks == 0 || blocks > 16)
    return "a cluster of " + dims(spec.cluster) +
           " blocks; expected between 1 and 16";
  for (unsigned i = 0; i < 3; ++i)
    if (spec.grid[i] % spec.cluster[i])
      return "a grid of " + dims(spec.grid) +
             " blocks is no multiple of clusters of " + dims(spec.cluster);
  if (spec.params.size() != program.parameters.size())
    return "the kernel has " + std::to_string(program.parameters.size()) +
           " parameters, the launch gives " +
           std::to_string(spec.params.size());
  for (size_t i = 0; i < spec.params.size(); ++i)
    if (spec.params[i].size() != program.parameters[i].bytes)
      return "parameter " + std::to_string(i) + " ('" +
             program.parameters[i].name + "') has " +
             std::to_string(program.parameters[i].bytes) +
             " bytes, the launch gives " +
             std::to_string(spec.params[i].size());
  if (uint64_t(program.staticSharedBytes) + spec.sharedBytes > (228u << 10))
    return "shared memory: " + std::to_string(program.staticSharedBytes) +
           " static and " + std::to_string(spec.sharedBytes) +
           " dynamic bytes; at most 233472 in all";
  return "";
}

/// Runs clusters from a common queue; keeps several in flight when they spin.
class Worker {
public:
  Worker(Launch &launch, std::atomic<uint64_t> &next,
         const std::vector<uint64_t> &order, uint64_t total)
      : counters(launch.program, launch.device, launch.distinct),
        launch(launch), next(next), order(order), total(total) {}

  void run() {
    const unsigned resident = launch.options.resident;
    const size_t most =
        resident ? resident : std::max(1u, launch.options.residentBlocks);
    std::vector<std::unique_ptr<Cluster>> active, idle;
    size_t turn = 0;
    while (!launch.reporter.full()) {
      // With a limit as many as possible start; without, only when one spins.
      const bool wanted = resident || active.empty() || startNext;
      if (wanted && active.size() < most) {
        const uint64_t position = next.fetch_add(1);
        startNext = false;
        if (position < total) {
          if (idle.empty())
            idle.push_back(std::make_unique<Cluster>(launch, counters));
          active.push_back(std::move(idle.back()));
          idle.pop_back();
          active.back()->start(order.empty() ? position : order[position]);
          turn = active.size() - 1;
        } else if (active.empty()) {
          return;
        }
      }
      turn %= active.size();
      Cluster &cluster = *active[turn];
      const uint64_t before = cluster.progress;
      const uint64_t seen = launch.progress.load();
      const Cluster::Slice slice = cluster.run();
      if (cluster.progress != before)
        launch.progress.fetch_add(1);
      if (slice == Cluster::Slice::Spinning) {
        // Time during which others moved does not count as waiting in vain.
        if (launch.progress.load() != seen)
          cluster.idleSteps = 0;
        if (cluster.idleSteps > launch.options.maxIdleSteps) {
          cluster.reportDeadlock(deadlockReason());
        } else {
          startNext = true;
          ++turn;
          continue;
        }
      }
      if (slice == Cluster::Slice::Finished)
        counters.blocks += cluster.blocks.size();
      idle.push_back(std::move(active[turn]));
      active.erase(active.begin() + long(turn));
    }
  }

  WorkerCounters counters;

private:
  std::string deadlockReason() const {
    const uint64_t waiting =
        total - std::min(total, next.load(std::memory_order_relaxed));
    if (launch.options.resident && waiting)
      return "the block polls for something that no resident block provides; "
             "at most " +
             std::to_string(launch.options.resident) + " of " +
             std::to_string(total) +
             (launch.clusterBlocks > 1 ? " clusters" : " blocks") +
             " are resident and " + std::to_string(waiting) +
             " have not started: a block must not wait for one that may not "
             "have started";
    return "the block polls for something that no running block provides";
  }

  Launch &launch;
  std::atomic<uint64_t> &next;
  const std::vector<uint64_t> &order;
  const uint64_t total;
  bool startNext = false;
};

/// The order in which clusters start; empty: ascending.
std::vector<uint64_t> startOrder(const Options &options, uint64_t total) {
  std::vector<uint64_t> order;
  if (options.blockOrder == BlockOrder::Forward)
    return order;
  order.resize(total);
  std::iota(order.rbegin(), order.rend(), uint64_t(0));
  if (options.blockOrder == BlockOrder::Random)
    std::shuffle(order.begin(), order.end(), std::mt19937_64(options.seed));
  return order;
}

} // namespace

std::vector<std::string> entryNames(const ast::Module &module) {
  std::vector<std::string> names;
  for (const ast::Function &function : module.functions)
    if (function.isEntry)
      names.emplace_back(function.name);
  return names;
}

RunResult run(const ast::Module &module, Device &device, const LaunchSpec &spec,
              const Options &given) {
  RunResult result;
  Options options = given;
  if (spec.cooperative)
    options.resident = 0;
  auto refuse = [&](unsigned line, std::string message,
                    Check check = Check::Launch) {
    result.reports.push_back(
        launchReport(module, line, std::move(message), check));
    return result;
  };
  const ast::Function *entry = module.findEntry(spec.entry);
  if (!entry) {
    std::string known;
    for (const std::string &name : entryNames(module))
      known += (known.empty() ? "" : ", ") + name;
    return refuse(0, "no entry '" + spec.entry + "'; the file has: " +
                         (known.empty() ? "none" : known));
  }

  // Module variables in global memory become buffers of the device.
  std::vector<uint64_t> bases(module.variables.size());
  for (size_t i = 0; i < module.variables.size(); ++i) {
    const ast::Variable &variable = module.variables[i];
    if (variable.space != Space::Global)
      continue;
    const std::string name(variable.name);
    Buffer *buffer = device.find(name);
    if (!buffer) {
      buffer = &device.addBuffer(name, variable.bytes, variable.alignment);
      std::copy(variable.initializer.begin(), variable.initializer.end(),
                buffer->bytes.begin());
    }
    bases[i] = buffer->base;
  }

  Program program;
  for (const Diagnostic &diagnostic :
       decode(module, *entry, bases, options.allowUnsupported, program))
    refuse(diagnostic.line, diagnostic.message, Check::Unsupported);
  if (!result.reports.empty())
    return result;
  if (std::string message = checkLaunch(*entry, program, spec);
      !message.empty())
    return refuse(entry->line, message);

  Reporter reporter(options);
  GlobalOrder globalOrder(device);
  Launch launch{program, device, spec, options, reporter, globalOrder, {}};
  launch.clusterBlocks = spec.cluster[0] * spec.cluster[1] * spec.cluster[2];
  std::optional<DistinctBytes> distinct;
  if (options.counters && options.distinctBytes)
    launch.distinct = &distinct.emplace(device);
  std::optional<OrderCheck> orderCheck;
  if (options.checkOrder && options.enabled(Check::Order)) {
    orderCheck.emplace(program, device);
    if (!orderCheck->possible())
      return refuse(entry->line, "the kernel is too large for the order check",
                    Check::Unsupported);
    launch.orderCheck = &*orderCheck;
  }
  launch.threads = spec.block[0] * spec.block[1] * spec.block[2];
  launch.warps = (launch.threads + warpSize - 1) / warpSize;
  launch.sharedBytes = program.staticSharedBytes + spec.sharedBytes;
  launch.parameters.resize(program.parameterBytes);
  for (size_t i = 0; i < spec.params.size(); ++i)
    std::copy(spec.params[i].begin(), spec.params[i].end(),
              launch.parameters.begin() + program.parameters[i].offset);

  const uint64_t total = uint64_t(spec.grid[0]) * spec.grid[1] * spec.grid[2] /
                         launch.clusterBlocks;
  const std::vector<uint64_t> order = startOrder(options, total);
  uint64_t workers =
      options.threads ? options.threads : std::thread::hardware_concurrency();
  if (options.resident)
    workers = 1; // who is resident must not depend on timing
  workers = std::max<uint64_t>(1, std::min(workers, total));
  std::atomic<uint64_t> next{0};
  std::vector<std::unique_ptr<Worker>> pool;
  for (uint64_t i = 0; i < workers; ++i)
    pool.push_back(std::make_unique<Worker>(launch, next, order, total));
  std::vector<std::thread> threads;
  for (uint64_t i = 1; i < workers; ++i)
    threads.emplace_back([&, i] { pool[i]->run(); });
  pool[0]->run();
  for (std::thread &thread : threads)
    thread.join();

  if (options.counters)
    for (const auto &worker : pool)
      collectCounters(program, device, worker->counters, result.counters);
  if (distinct)
    collectDistinct(device, *distinct, result.counters);
  result.reports = reporter.take();
  return result;
}

} // namespace wna16::emulator
