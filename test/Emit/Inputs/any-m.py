"""Prints products for the ranges of M beyond 16: gemms of both element types, for a
shape with few blocks and one with many, whose schedules select-schedule chooses.
"""

TEXT = """\
func.func @m{m}_n{n}_{dtype}(%x: tensor<?x{k}x{dtype}>,
    %w: tensor<{k}x{n}x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<{g}x{n}x{dtype}, #wna16.layout<marlin_scales>>) -> tensor<?x{n}x{dtype}> {{
  %y = wna16.gemm %x, %w, %s {{max_m = {m} : i64}} : (tensor<?x{k}x{dtype}>,
    tensor<{k}x{n}x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    tensor<{g}x{n}x{dtype}, #wna16.layout<marlin_scales>>) -> tensor<?x{n}x{dtype}>
  return %y : tensor<?x{n}x{dtype}>
}}
"""

for n, k in ((4096, 4096), (28672, 4096)):
    for m in (32, 64, 128, 4096):
        for dtype in ("f16", "bf16"):
            print(TEXT.format(m=m, n=n, k=k, g=k // 128, dtype=dtype))
