// RUN: wna16-opt %s --convert-wna16-to-linalg --split-input-file --verify-diagnostics

// The encoding is not dropped where upstream ops would drop it.

!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>

func.func @cast(%s: !s) -> tensor<?x64xf16> {
  // expected-error@+1 {{failed to legalize operation 'tensor.cast'}}
  %0 = tensor.cast %s : !s to tensor<?x64xf16>
  return %0 : tensor<?x64xf16>
}

// -----

!s = tensor<2x64xf16, #wna16.layout<marlin_scales>>

func.func @constant_of_encoded() {
  // expected-error@+1 {{failed to legalize operation 'tensor.empty'}}
  %0 = tensor.empty() : !s
  return
}
