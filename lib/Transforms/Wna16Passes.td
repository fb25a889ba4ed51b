//===- Wna16Passes.td - checks at the problem level --------*- tablegen -*-===//
//
// Passes over wna16 ops that change nothing: they say no before anything is
// lowered.
//
//===----------------------------------------------------------------------===//
#ifndef WNA16_LIB_TRANSFORMS_WNA16PASSES_TD
#define WNA16_LIB_TRANSFORMS_WNA16PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyEncodedUse : Pass<"verify-encoded-use"> {
  let summary = "Refuse encoded tensors outside the wna16 dialect";
  let description = [{
    Other dialects accept a tensor with a `#wna16.layout` encoding and drop the
    encoding silently in casts, slices and bufferization; elements would then
    be read in the wrong order. This pass refuses such a tensor as operand,
    result or block argument of any op that is not of the wna16 dialect (ENC1),
    except `func.func`, `func.call`, `func.return` and `tensor.dim`.

    *Requires*: nothing; it runs first.

    *Guarantees*: encoded tensors go from function arguments, calls and wna16
    ops to wna16 ops, calls and returns only.

    *Leaves alone*: everything; it changes no IR.
  }];
}

def VerifyOrder : Pass<"verify-order", "::mlir::ModuleOp"> {
  let summary = "Refuse operands that were reordered along K";
  let description = [{
    The order of K is static (ORD3): scales belong to consecutive rows of k, so
    a tensor of activations, weights, scales or zero points that was gathered or
    permuted along K on its way to a wna16 op is refused, with a note on the
    gather. Values are followed backwards through casts, reshapes, slices,
    concatenations, transposes, element-wise ops, loops, branches and calls
    inside the module. Conditions and bounds that depend on loaded data count
    as indices do where they choose an index, or one of several elements of K.

    Accepted: a permutation of M (rows of a mixture of experts), constant
    indices that are the identity, masks, loops as long as data say, function
    arguments of unknown origin, and the results of ops that the pass does not
    know.

    The functions and modules around wna16 ops are checked as well: they carry
    no attribute of the order vocabulary and name no constant by it (ORD1).

    *Requires*: nothing.

    *Guarantees*: no reordering along K that the module shows.

    *Leaves alone*: everything; it changes no IR.
  }];
}

#endif // WNA16_LIB_TRANSFORMS_WNA16PASSES_TD
