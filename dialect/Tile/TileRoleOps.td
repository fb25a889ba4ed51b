//===- TileRoleOps.td - warps with different tasks -------*- tablegen -*---===//
#ifndef WNA16_DIALECT_TILE_TILEROLEOPS_TD
#define WNA16_DIALECT_TILE_TILEROLEOPS_TD

include "dialect/Tile/TileOpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/IR/OpAsmInterface.td"

def RolesOp : Tile_Op<"roles", [
    HasParent<"ForEachWorkOp">, NoRegionArguments, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"RoleEndOp">]> {
  let summary = "gives the warps of the block different tasks";
  let description = [{
    The body holds roles and nothing else. The warps of the block are shared out
    in their order: the first role has the first warps. All roles run at the same
    time and meet in rings only: a tile of one role cannot be used in another.

    ```mlir
    tile.roles {
      tile.role "consumer" warps 8 parts 2 (%part) { ... }
      tile.role "producer" warps 1 single_thread { ... }
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def RoleOp : Tile_Op<"role", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    HasParent<"RolesOp">, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"RoleEndOp">]> {
  let summary = "what some warps of the block do";
  let description = [{
    `warps` run the body. With `parts` > 1 they form that many groups of equal
    size, each with its own part number and the K steps that are congruent to it,
    as in `tile.for_each_work`. With `single_thread` one thread of them runs the
    body: the role of a producer that starts copies. `registers` per thread are
    taken or given back at the start (whole groups of four warps).

    ```mlir
    tile.role "producer" warps 4 single_thread registers 40 { ... }
    ```
  }];
  let arguments = (ins
    StrAttr:$name,
    ConfinedAttr<I64Attr, [IntPositive]>:$warps,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$parts,
    UnitAttr:$single_thread,
    OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$registers);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The part number; null when the warps are not split.
    Value getPart() {
      return getBody().getNumArguments() ? getBody().getArgument(0) : Value();
    }
    /// Number of its first warp within the block.
    int64_t getFirstWarp();
    /// Barriers at which its threads meet: all, and those of each part.
    int64_t getBarriers();
    /// Checks an op of the body.
    LogicalResult verifyInside(Operation *op);
  }];
}

def RoleEndOp : Tile_Op<"role_end", [
    Pure, Terminator, ParentOneOf<["RolesOp", "RoleOp"]>]> {
  let summary = "end of a role, or of the list of roles";
  let description = [{
    It is not printed, and need not be written.

    ```mlir
    tile.roles {
      tile.role "all" warps 4 {
        tile.role_end
      }
      tile.role_end
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // WNA16_DIALECT_TILE_TILEROLEOPS_TD
