//===- LaunchRecordTest.cpp - Text, meaning and errors of launch records --===//
#include "lib/Launch/LaunchRecord.h"

#include "gtest/gtest.h"

using namespace wna16;

namespace {

/// A record with every field.
LaunchRecord sample() {
  LaunchRecord record;
  record.kernel = "layer";
  record.target = "sm_90a";
  record.ptx = "layer.ptx";
  record.cubin = "layer.cubin";
  LaunchArgument x;
  x.name = "x";
  x.dtype = "f16";
  x.shape = {"M", 4096};
  x.strides = {"ldx", 1};
  x.alignment = 16;
  LaunchArgument w;
  w.name = "w";
  w.dtype = "i32";
  w.shape = {3145728};
  w.alignment = 16;
  w.layout = "marlin";
  w.logicalShape = {4096, 6144};
  w.bits = 4;
  w.offset = 8;
  LaunchArgument s = w;
  s.name = "s";
  s.dtype = "f16";
  s.layout = "marlin_scales";
  s.bits = s.offset = std::nullopt;
  LaunchArgument y = x;
  y.name = "y";
  y.access = LaunchArgument::Access::Write;
  y.strides = {};
  LaunchArgument m;
  m.name = "M";
  m.kind = LaunchArgument::Kind::Scalar;
  m.dtype = "i32";
  m.value = "M";
  record.arguments = {x, w, s, y, m};
  record.symbols["M"] = {0, 16, 1};
  record.symbols["ldx"] = {4096, std::nullopt, 8};
  record.grid = {GridDimension{6144, 64}, GridDimension{"M", 16},
                 GridDimension{1, 1}};
  record.block = {256, 1, 1};
  record.sharedBytes = 150528;
  record.problem = LaunchProblem{"gemm", "x", "w", "s", "y", 128};
  record.schedule = "#wna16.schedule<>";
  record.resources = LaunchResources{82, 0, 16};
  return record;
}

/// Reads `text`, which must fail, and returns the error.
std::string errorOf(llvm::StringRef text) {
  llvm::Expected<LaunchRecord> record = LaunchRecord::fromJSON(text);
  if (record)
    return "no error";
  return llvm::toString(record.takeError());
}

/// The sample's text with `from` replaced by `to`.
std::string edited(llvm::StringRef from, llvm::StringRef to) {
  std::string text = sample().toJSON();
  size_t position = text.find(from.str());
  EXPECT_NE(position, std::string::npos) << from.str();
  return text.replace(position, from.size(), to.str());
}

TEST(LaunchRecord, RoundTrip) {
  const LaunchRecord record = sample();
  llvm::Expected<LaunchRecord> again = LaunchRecord::fromJSON(record.toJSON());
  ASSERT_TRUE(static_cast<bool>(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(*again, record);
  EXPECT_EQ(again->toJSON(), record.toJSON());
}

TEST(LaunchRecord, RepackNeedsSourceAndResultOnly) {
  LaunchRecord record = sample();
  LaunchProblem problem;
  problem.op = "repack";
  problem.x = "w";
  problem.y = "y";
  record.problem = problem;
  std::string text = record.toJSON();
  EXPECT_EQ(text.find("\"group\""), std::string::npos);
  llvm::Expected<LaunchRecord> again = LaunchRecord::fromJSON(text);
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(*again, record);
  record.problem->y = "M";
  EXPECT_NE(llvm::toString(record.validate()).find("no buffer is named 'M'"),
            std::string::npos);
}

TEST(LaunchRecord, RoundTripWithoutWhatIsOptional) {
  LaunchRecord record;
  record.kernel = "layer";
  record.target = "sm_90a";
  llvm::Expected<LaunchRecord> again = LaunchRecord::fromJSON(record.toJSON());
  ASSERT_TRUE(static_cast<bool>(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(*again, record);
}

TEST(LaunchRecord, GridFollowsSymbols) {
  LaunchRecord record = sample();
  for (auto [m, blocks] : {std::pair(0, 0), {1, 1}, {16, 1}, {17, 2}}) {
    auto grid = record.gridBlocks({{"M", m}});
    ASSERT_TRUE(static_cast<bool>(grid));
    EXPECT_EQ(*grid, (std::array<int64_t, 3>{96, blocks, 1}));
  }
  auto grid = record.gridBlocks({});
  ASSERT_FALSE(static_cast<bool>(grid));
  EXPECT_EQ(llvm::toString(grid.takeError()),
            "kernel 'layer' needs a value for symbol 'M'");
}

TEST(LaunchRecord, PersistentBlocksLieAlongX) {
  LaunchRecord record = sample();
  record.persistentBlocks = 132;
  for (auto [m, blocks] : {std::pair(0, 0), {1, 96}, {17, 132}}) {
    auto grid = record.gridBlocks({{"M", m}});
    ASSERT_TRUE(static_cast<bool>(grid));
    EXPECT_EQ(*grid, (std::array<int64_t, 3>{blocks, 1, 1}));
  }
  EXPECT_EQ(*LaunchRecord::fromJSON(record.toJSON()), record);
  record.persistentBlocks = -1;
  EXPECT_EQ(errorOf(record.toJSON()),
            "launch record of kernel 'layer': persistent_blocks: expected a "
            "positive number, and no clusters, found -1");
}

TEST(LaunchRecord, SymbolsAreChecked) {
  LaunchRecord record = sample();
  auto check = [&](int64_t m, int64_t ldx) {
    return llvm::toString(record.checkSymbols({{"M", m}, {"ldx", ldx}}));
  };
  EXPECT_EQ(check(16, 4096), "");
  EXPECT_EQ(check(17, 4096), "symbol 'M' of kernel 'layer' is 17; the most is "
                             "16");
  EXPECT_EQ(check(-1, 4096),
            "symbol 'M' of kernel 'layer' is -1; the least is 0");
  EXPECT_EQ(check(1, 4100), "symbol 'ldx' of kernel 'layer' is 4100; it must "
                            "be a multiple of 8");
  EXPECT_EQ(llvm::toString(record.checkSymbols({{"M", 1}})),
            "kernel 'layer' needs a value for symbol 'ldx'");
}

TEST(LaunchRecord, ErrorsNameTheField) {
  EXPECT_EQ(errorOf("{").substr(0, 24), "launch record: not JSON:");
  EXPECT_EQ(errorOf("[]"), "launch record: expected an object, found []");
  EXPECT_EQ(errorOf(edited("\"version\": 2", "\"version\": 1")),
            "launch record: version: this program reads version 2, the record "
            "has version 1; compile the kernel again");
  EXPECT_EQ(errorOf(edited("wna16-launch", "other")),
            "launch record: format: expected 'wna16-launch', found 'other'");
  EXPECT_EQ(errorOf(edited("\"f16\"", "\"f61\"")),
            "launch record: arguments[0].dtype: expected one of f16, bf16, "
            "f32, f64, i8, i16, i32, i64; found 'f61'");
  EXPECT_EQ(errorOf(edited("\"alignment\": 16", "\"alignment\": \"x\"")),
            "launch record: arguments[0].alignment: expected an integer, found "
            "\"x\"");
  EXPECT_EQ(errorOf(edited("\"schedule\"", "\"shedule\"")),
            "launch record: shedule: unknown field");
  EXPECT_EQ(errorOf(edited("\"kernel\": \"layer\",", "")),
            "launch record: kernel: the field is missing");
  EXPECT_EQ(errorOf(edited("[256,1,1]", "[256,1]")),
            "launch record: block: expected three numbers, found 2");
}

TEST(LaunchRecord, ContradictionsAreRefused) {
  auto messageOf = [](auto change) {
    LaunchRecord record = sample();
    change(record);
    return llvm::toString(record.validate());
  };
  std::string head = "launch record of kernel 'layer': ";
  EXPECT_EQ(messageOf([](LaunchRecord &) {}), "");
  EXPECT_EQ(messageOf([](LaunchRecord &r) { r.symbols.erase("ldx"); }),
            head + "argument 'x', strides: symbol 'ldx' is not declared");
  EXPECT_EQ(messageOf([](LaunchRecord &r) { r.arguments[1].shape = {"M"}; }),
            head + "argument 'w', shape: " +
                "only a row_major buffer may have a symbol in its shape; its "
                "layout is 'marlin'");
  EXPECT_EQ(messageOf([](LaunchRecord &r) { r.arguments[0].alignment = 12; }),
            head + "argument 'x': alignment must be a power of two, found 12");
  EXPECT_EQ(messageOf([](LaunchRecord &r) { r.arguments[1].name = "x"; }),
            head + "two arguments are named 'x'");
  EXPECT_EQ(messageOf([](LaunchRecord &r) { r.problem->y = "M"; }),
            head + "problem: no buffer is named 'M'");
  EXPECT_EQ(messageOf([](LaunchRecord &r) { r.grid[0].tile = 0; }),
            head + "grid: tile must be positive, found 0");
  EXPECT_EQ(messageOf([](LaunchRecord &r) { r.arguments[0].strides = {1}; }),
            head + "argument 'x': 1 strides for 2 dimensions");
}

} // namespace
