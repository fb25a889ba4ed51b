//===- RingFields.cpp - what becomes a field of a ring, and how -----------===//

#include "lib/Analysis/RingFields.h"

#include "lib/Layout/Instances.h"
#include "lib/Layout/Padding.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::wna16;
using mlir::wna16::CopyEngine;
using mlir::wna16::ScheduleAttr;

namespace wna16 {

bool feedsProduct(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    auto dequant = dyn_cast<DequantOp>(user);
    return isa<MmaOp>(user) ||
           (dequant && llvm::any_of(dequant->getUsers(), [](Operation *other) {
              return isa<MmaOp>(other);
            }));
  });
}

bool staysInRing(LoadOp load, ScheduleAttr schedule) {
  return schedule.getMath() == mlir::wna16::MathEngine::Wgmma &&
         llvm::all_of(load->getUses(), [](OpOperand &use) {
           auto mma = dyn_cast<MmaOp>(use.getOwner());
           return mma && &use == &mma.getBMutable();
         });
}

Attribute fieldStorage(LoadOp load, Engine engine, ScheduleAttr schedule) {
  Attribute layout = load.getSource().getType().getLayout();
  if (layout)
    return layout;
  if (staysInRing(load, schedule))
    return SwizzleAttr::get(load.getContext(), 128);
  ValType type = load.getType();
  // A tensor copy leaves no gaps between rows; rows of whole swizzle panels
  // come without conflicts of banks all the same.
  if (engine == Engine::tensor) {
    bool hasPanels = type.getElementBits() == 16 &&
                     type.getShape()[0] % 8 == 0 &&
                     type.getShape()[1] % layout::swizzlePanelColumns == 0;
    return hasPanels ? SwizzleAttr::get(load.getContext(), 128) : Attribute();
  }
  int64_t padding = layout::rowPaddingBytes * 8 / type.getElementBits();
  return PitchAttr::get(load.getContext(), type.getShape()[1] + padding);
}

Engine engineFor(LoadOp load, CopyEngine copy) {
  GlobalType source = load.getSource().getType();
  if (copy == CopyEngine::CpAsync)
    return Engine::cp_async;
  bool isBounded = ShapedType::isDynamic(source.getShape()[0]);
  return copy == CopyEngine::Tensor || isBounded ? Engine::tensor
                                                 : Engine::bulk;
}

} // namespace wna16
