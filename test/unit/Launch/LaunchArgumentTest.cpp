//===- LaunchArgumentTest.cpp - tensor maps, structs, pointers, flags -----===//
//
// A record of the kind that a Hopper kernel of another compiler needs: three
// parameters by value, and buffers that only these lead to.
//
//===----------------------------------------------------------------------===//
#include "lib/Launch/LaunchRecord.h"

#include "gtest/gtest.h"

#include <functional>

using namespace wna16;

namespace {

using Kind = LaunchArgument::Kind;

LaunchArgument named(std::string name, Kind kind, std::string dtype = "") {
  LaunchArgument argument;
  argument.name = std::move(name);
  argument.kind = kind;
  argument.dtype = std::move(dtype);
  return argument;
}

LaunchArgument pointer(std::string name, std::string buffer,
                       int64_t offset = 0) {
  LaunchArgument argument = named(std::move(name), Kind::Pointer);
  argument.buffer = std::move(buffer);
  argument.fieldOffset = offset;
  return argument;
}

LaunchRecord sample() {
  LaunchRecord record;
  record.kernel = "gemm";
  record.target = "sm_90a";
  record.symbols["M"] = {1, 64, 1};
  record.symbols["ldx"] = {512, std::nullopt, 8};
  record.grid = {GridDimension{8, 1}, GridDimension{"M", 64},
                 GridDimension{1, 1}};
  record.cluster = {2, 1, 1};
  record.cooperative = record.dependentLaunch = true;

  LaunchArgument x = named("x", Kind::Buffer, "bf16");
  x.isParameter = false;
  x.shape = {"M", 512};
  x.strides = {"ldx", 1};
  x.alignment = 16;
  x.afterDependency = true;
  LaunchArgument rows = named("rows", Kind::Buffer, "i32");
  rows.isParameter = false;
  rows.shape = {"M"};
  rows.alignment = 4;
  rows.ids = LaunchArgument::Ids::Row;
  rows.below = "M";
  LaunchArgument tickets = named("tickets", Kind::Buffer, "i32");
  tickets.access = LaunchArgument::Access::ReadWrite;
  tickets.shape = {64};
  tickets.alignment = 4;
  tickets.initial = LaunchArgument::Initial::Zero;

  LaunchArgument mx = named("mx", Kind::TensorMap, "bf16");
  mx.buffer = "x";
  mx.byteOffset = 32;
  mx.alignment = 128;
  mx.map.dims = {512, "M"};
  mx.map.strides = {"ldx"};
  mx.map.box = {64, 8};
  mx.map.elementStrides = {1, 2};
  mx.map.swizzle = 128;
  mx.map.l2Promotion = 256;
  mx.map.outOfBounds = LaunchTensorMap::OutOfBounds::Nan;

  LaunchArgument args = named("args", Kind::Struct);
  args.size = 32;
  args.alignment = 8;
  LaunchArgument m = named("M", Kind::Scalar, "i32");
  m.value = "M";
  m.fieldOffset = 16;
  LaunchArgument scale = named("scale", Kind::Scalar, "f32");
  scale.fraction = 0.25;
  scale.fieldOffset = 20;
  args.fields = {pointer("rows", "rows"), pointer("bias", "", 8), m, scale};

  record.arguments = {mx, x, rows, args, tickets, pointer("second", "tickets")};
  record.arguments.back().byteOffset = 128;
  return record;
}

std::string messageOf(const std::function<void(LaunchRecord &)> &change) {
  LaunchRecord record = sample();
  change(record);
  std::string text = llvm::toString(record.validate());
  const llvm::StringRef head = "launch record of kernel 'gemm': ";
  return llvm::StringRef(text).starts_with(head) ? text.substr(head.size())
                                                 : text;
}

TEST(LaunchArgument, RoundTrip) {
  const LaunchRecord record = sample();
  auto again = LaunchRecord::fromJSON(record.toJSON());
  ASSERT_TRUE(static_cast<bool>(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(*again, record);
  EXPECT_EQ(again->toJSON(), record.toJSON());
}

TEST(LaunchArgument, DefaultsNeedNoText) {
  auto record = LaunchRecord::fromJSON(R"({
    "format": "wna16-launch", "version": 2, "kernel": "k", "target": "sm_90a",
    "arguments": [
      {"name": "b", "kind": "buffer", "parameter": false, "access": "read",
       "dtype": "i8", "shape": [256], "alignment": 16, "layout": "row_major"},
      {"name": "m", "kind": "tensor_map", "dtype": "u8", "buffer": "b",
       "dims": [256], "strides": [], "box": [128]}],
    "symbols": {}, "grid": [{"size": 1, "tile": 1}, {"size": 1, "tile": 1},
    {"size": 1, "tile": 1}], "block": [32, 1, 1], "cluster": [1, 1, 1],
    "shared_bytes": 0, "workspace_bytes": 0, "problem": null})");
  ASSERT_TRUE(static_cast<bool>(record)) << llvm::toString(record.takeError());
  const LaunchArgument &map = record->arguments[1];
  EXPECT_EQ(map.alignment, 64);
  EXPECT_EQ(map.map.swizzle, 0);
  EXPECT_EQ(map.map.outOfBounds, LaunchTensorMap::OutOfBounds::Zero);
  EXPECT_FALSE(record->cooperative);
  EXPECT_FALSE(record->arguments[0].afterDependency);
  EXPECT_EQ(record->arguments[0].initialContents(),
            LaunchArgument::Initial::Random);
}

TEST(LaunchArgument, ParametersLieAtTheirAlignment) {
  // mx, x, rows, args, tickets, second; mx and args come by value.
  EXPECT_EQ(sample().parameterOffsets(),
            (std::vector<int64_t>{0, 128, 128, 128, 160, 168}));
  LaunchRecord record = sample();
  std::swap(record.arguments[0], record.arguments[4]);
  EXPECT_EQ(record.parameterOffsets(),
            (std::vector<int64_t>{0, 8, 8, 8, 128, 256}));
}

TEST(LaunchArgument, MapHasTheNumbersOfTheLaunch) {
  const LaunchRecord record = sample();
  auto map = record.arguments[0].evaluateMap({{"M", 7}, {"ldx", 520}});
  ASSERT_TRUE(static_cast<bool>(map)) << llvm::toString(map.takeError());
  EXPECT_EQ(map->rank, 2u);
  EXPECT_EQ(map->type, 9u); // CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
  EXPECT_EQ(map->dims[0], 512u);
  EXPECT_EQ(map->dims[1], 7u);
  EXPECT_EQ(map->strides[0], 1040u);
  EXPECT_EQ(map->box[1], 8u);
  EXPECT_EQ(map->element_strides[0], 1u);
  EXPECT_EQ(map->element_strides[1], 2u);
  EXPECT_EQ(map->swizzle, 128u);
  EXPECT_EQ(map->l2_promotion, 256u);
  EXPECT_EQ(map->fill_nan, 1u);

  auto errorOf = [&](SymbolValues values) {
    return llvm::toString(record.arguments[0].evaluateMap(values).takeError());
  };
  EXPECT_EQ(errorOf({{"M", 0}, {"ldx", 520}}),
            "dims[1]: expected 1 to 4294967296, found 0");
  EXPECT_EQ(errorOf({{"M", 1}, {"ldx", 516}}),
            "strides[0]: expected a multiple of 16 bytes below 2^40 bytes, "
            "found 1032 bytes");
  EXPECT_EQ(errorOf({{"M", -1}, {"ldx", 520}}),
            "expected no negative sizes, found -1");
  EXPECT_EQ(errorOf({{"M", 1}}), "it needs a value for symbol 'ldx'");
}

TEST(LaunchArgument, ClustersDivideTheGrid) {
  LaunchRecord record = sample();
  EXPECT_TRUE(static_cast<bool>(record.gridBlocks({{"M", 64}})));
  record.grid[0].size = 7;
  auto grid = record.gridBlocks({{"M", 64}});
  ASSERT_FALSE(static_cast<bool>(grid));
  EXPECT_EQ(llvm::toString(grid.takeError()),
            "kernel 'gemm': its clusters have 2 blocks in a dimension of the "
            "grid that has 7");
}

TEST(LaunchArgument, TensorMapsAreWhatTheDriverTakes) {
  auto with = [](std::function<void(LaunchArgument &)> change) {
    return messageOf([&](LaunchRecord &r) { change(r.arguments[0]); });
  };
  EXPECT_EQ(with([](LaunchArgument &) {}), "");
  EXPECT_EQ(with([](LaunchArgument &a) { a.map.box[0] = 128; }),
            "argument 'mx', box[0]: expected at most the 128 bytes of the "
            "swizzle, found 256 bytes (128 bf16)");
  EXPECT_EQ(with([](LaunchArgument &a) { a.map.box[0] = 4; }),
            "argument 'mx', box[0]: expected a multiple of 16 bytes, found 8 "
            "bytes (4 bf16)");
  EXPECT_EQ(with([](LaunchArgument &a) { a.map.box[1] = 257; }),
            "argument 'mx', box[1]: expected 1 to 256, found 257");
  EXPECT_EQ(with([](LaunchArgument &a) { a.map.box[1] = -1; }),
            "argument 'mx', box[1]: expected 1 to 256, found 0");
  EXPECT_EQ(with([](LaunchArgument &a) { a.map.elementStrides[1] = 9; }),
            "argument 'mx', element_strides[1]: expected 1 to 8, found 9");
  EXPECT_EQ(with([](LaunchArgument &a) { a.map.dims[0] = int64_t(1) << 33; }),
            "argument 'mx', dims[0]: expected 1 to 4294967296, found "
            "8589934592");
  EXPECT_EQ(with([](LaunchArgument &a) { a.map.strides[0] = 1 << 30; }), "");
  EXPECT_EQ(with([](LaunchArgument &a) { a.map.strides[0] = INT64_MAX; }),
            "argument 'mx', strides[0]: expected a multiple of 16 bytes below "
            "2^40 bytes, found 18446744073709551614 bytes");
  EXPECT_EQ(with([](LaunchArgument &a) { a.map.swizzle = 16; }),
            "argument 'mx', swizzle: expected 0, 32, 64 or 128, found 16");
  EXPECT_EQ(with([](LaunchArgument &a) { a.map.l2Promotion = 32; }),
            "argument 'mx', l2_promotion: expected 0, 64, 128 or 256, found "
            "32");
  EXPECT_EQ(with([](LaunchArgument &a) { a.dtype = "u16"; }),
            "argument 'mx', out_of_bounds: expected zero for elements that are "
            "no floats, found nan for u16");
  EXPECT_EQ(with([](LaunchArgument &a) { a.map.dims.clear(); }),
            "argument 'mx', dims: expected 1 to 5 dimensions, found 0");
  EXPECT_EQ(with([](LaunchArgument &a) { a.map.strides = {}; }),
            "argument 'mx', strides: expected 1 for 2 dimensions, found 0");
  EXPECT_EQ(with([](LaunchArgument &a) { a.map.dims[1] = "rows"; }),
            "argument 'mx', dims: symbol 'rows' is not declared");
  EXPECT_EQ(with([](LaunchArgument &a) { a.alignment = 32; }),
            "argument 'mx': alignment of a tensor map must be at least 64, "
            "found 32");
  EXPECT_EQ(with([](LaunchArgument &a) { a.byteOffset = 8; }),
            "argument 'mx', byte_offset: expected a multiple of 16, found 8");
  EXPECT_EQ(with([](LaunchArgument &a) { a.buffer = "rows"; }),
            "argument 'mx': a tensor map needs a buffer of alignment 16; that "
            "of 'rows' is 4");
  EXPECT_EQ(with([](LaunchArgument &a) { a.buffer = ""; }),
            "argument 'mx': no buffer is named ''");
  // The least value that a symbol may have must be one that works.
  EXPECT_EQ(messageOf([](LaunchRecord &r) {
              r.symbols["ldx"] = {1, 9, 1};
            }),
            "argument 'mx', strides[0]: expected a multiple of 16 bytes below "
            "2^40 bytes, found 2 bytes");
}

TEST(LaunchArgument, StructsDoNotOverlap) {
  auto with = [](std::function<void(LaunchArgument &)> change) {
    return messageOf([&](LaunchRecord &r) { change(r.arguments[3]); });
  };
  EXPECT_EQ(with([](LaunchArgument &a) { a.size = 20; }),
            "argument 'args': expected a size up to 32764 that is a multiple "
            "of the alignment 8, found 20");
  EXPECT_EQ(with([](LaunchArgument &a) { a.size = 16; }),
            "argument 'args', field 'M': it ends at byte 20 of a struct of 16 "
            "bytes");
  EXPECT_EQ(with([](LaunchArgument &a) { a.alignment = 0; }),
            "argument 'args': alignment must be a power of two, found 0");
  EXPECT_EQ(with([](LaunchArgument &a) { a.fields[1].fieldOffset = 0; }),
            "argument 'args', field 'bias': expected an offset from 8, the end "
            "of the field before it, to 32; found 0");
  EXPECT_EQ(with([](LaunchArgument &a) { a.fields[1].fieldOffset = 12; }),
            "argument 'args', field 'bias': it needs an alignment of 8; its "
            "offset is 12, the alignment of the struct 8");
  EXPECT_EQ(with([](LaunchArgument &a) { a.fields[1].byteOffset = 12; }),
            "argument 'args', field 'bias': a null pointer with a byte_offset");
  EXPECT_EQ(with([](LaunchArgument &a) { a.fields[0].buffer = "mx"; }),
            "argument 'args', field 'rows': no buffer is named 'mx'");
  EXPECT_EQ(with([](LaunchArgument &a) { a.fields[1].name = "rows"; }),
            "argument 'args': two fields are named 'rows'");
  EXPECT_EQ(with([](LaunchArgument &a) { a.fields[2].fraction = 1.5; }),
            "argument 'args', field 'M': a value of dtype i32 cannot have a "
            "fraction");
  EXPECT_EQ(with([](LaunchArgument &a) {
              a.fields[3] = named("inner", Kind::Struct);
            }),
            "argument 'args', field 'inner': expected a pointer, scalar or "
            "tensor_map");
}

TEST(LaunchArgument, FlagsFitTogether) {
  EXPECT_EQ(messageOf([](LaunchRecord &r) { r.dependentLaunch = false; }),
            "argument 'x': after_dependency, but the kernel has no "
            "dependent_launch");
  EXPECT_EQ(messageOf([](LaunchRecord &r) {
              r.arguments[3].fields[0].buffer = "tickets";
            }),
            "argument 'rows': it is no parameter, and nothing points to it");
  EXPECT_EQ(messageOf([](LaunchRecord &r) {
              r.arguments[1].ids = LaunchArgument::Ids::Expert;
            }),
            "argument 'x': ids must be integers, its dtype is bf16");
  EXPECT_EQ(messageOf([](LaunchRecord &r) { r.arguments[4].below = 4; }),
            "argument 'tickets': below is for random integers");
  EXPECT_EQ(messageOf([](LaunchRecord &r) { r.arguments[2].below = 0; }),
            "argument 'rows': below must be positive, found 0");
  EXPECT_EQ(messageOf([](LaunchRecord &r) {
              r.cluster = {4, 8, 1};
            }),
            "cluster: expected 1 to 16 blocks");
  EXPECT_EQ(messageOf([](LaunchRecord &r) {
              r.arguments.resize(260, r.arguments[0]);
              for (size_t i = 6; i < r.arguments.size(); ++i)
                r.arguments[i].name += std::to_string(i);
            }),
            "expected at most 32764 bytes of parameters, found 32768");
}

TEST(LaunchArgument, WorkspaceHasAKnownSize) {
  // `tickets`: 64 integers.
  auto workspace = [](LaunchRecord &r) -> LaunchArgument & {
    r.arguments[4].isWorkspace = true;
    r.workspaceBytes = 256;
    return r.arguments[4];
  };
  EXPECT_EQ(messageOf([&](LaunchRecord &r) { workspace(r); }), "");
  EXPECT_EQ(messageOf([&](LaunchRecord &r) {
              workspace(r).access = LaunchArgument::Access::Write;
            }),
            "argument 'tickets': workspace, but its access is not read_write");
  EXPECT_EQ(messageOf([&](LaunchRecord &r) { workspace(r).shape = {"M"}; }),
            "argument 'tickets': workspace must be contiguous and of a shape "
            "without symbols");
  EXPECT_EQ(messageOf([&](LaunchRecord &r) {
              workspace(r).initial = LaunchArgument::Initial::Random;
            }),
            "argument 'tickets': workspace begins undefined or as zeros, not "
            "random");
  EXPECT_EQ(messageOf([&](LaunchRecord &r) {
              workspace(r);
              r.workspaceBytes = 128;
            }),
            "workspace_bytes: expected 256, what the arguments marked as "
            "workspace have, found 128");
}

TEST(LaunchArgument, TextErrorsNameTheField) {
  auto errorOf = [](llvm::StringRef from, llvm::StringRef to) {
    std::string text = sample().toJSON();
    size_t position = text.find(from.str());
    EXPECT_NE(position, std::string::npos) << from.str();
    auto record =
        LaunchRecord::fromJSON(text.replace(position, from.size(), to.str()));
    return record ? "no error" : llvm::toString(record.takeError());
  };
  EXPECT_EQ(errorOf("\"bf16\"", "\"i16\""),
            "launch record: arguments[0].dtype: expected one of u8, u16, u32, "
            "s32, u64, s64, f16, f32, f64, bf16, f32_ftz, tf32, tf32_ftz; "
            "found 'i16'");
  EXPECT_EQ(errorOf("\"swizzle\": 128", "\"swizle\": 128"),
            "launch record: arguments[0].swizle: unknown field");
  EXPECT_EQ(errorOf("\"nan\"", "\"one\""),
            "launch record: arguments[0].out_of_bounds: expected one of zero, "
            "nan; found 'one'");
  EXPECT_EQ(errorOf("\"buffer\": null", "\"buffr\": null"),
            "launch record: arguments[3].fields[1].buffer: the field is "
            "missing");
  EXPECT_EQ(errorOf("\"parameter\": false", "\"parameter\": 0"),
            "launch record: arguments[1].parameter: expected true or false, "
            "found 0");
  EXPECT_EQ(errorOf("\"cooperative\": true", "\"cooperative\": 1"),
            "launch record: cooperative: expected true or false, found 1");
  EXPECT_EQ(errorOf("\"value\": 0.25", "\"value\": true"),
            "launch record: arguments[3].fields[3].value: expected an integer "
            "or the name of a symbol, found true");
}

} // namespace
