"""ORD6 for every format, and shapes (field reports C, D, E).

Every case changes one thing in a checkpoint that a real package wrote.
"""

import numpy as np
import pytest

import wna16
from wna16 import CheckpointError, DTypeError, OrderError

from conftest import DOWN, INPUTS, group, put, rules

GPTQ = INPUTS / "gptqmodel" / "v1"
GPTQ_V2 = INPUTS / "gptqmodel" / "v2"
CT = INPUTS / "compressed-tensors-widths"


class TestClassC:
    """ORD6, for every format, before a file of tensors is opened."""

    @pytest.fixture(autouse=True)
    def no_tensors(self, monkeypatch, request):
        if "accept" not in request.node.name and "g_idx" not in request.node.name:
            from wna16.formats.checkpoint import Checkpoint

            monkeypatch.setattr(Checkpoint, "tensors", lambda _: pytest.fail("opened"))

    @pytest.mark.parametrize(
        "change, where",
        [
            (put(desc_act=True), "desc_act = true with group_size = 32"),
            (put(desc_act=1), "desc_act = true with group_size = 32"),
            (put(desc_act=True, meta={"static_groups": True}), "set desc_act to false"),
            (put(desc_act=True, static_groups=True), "set desc_act to false"),
            (rules(desc_act=True), "down_proj"),
            # The raw base: a rule that only adds groups to desc_act over one group.
            (
                put(desc_act=True, group_size=-1, dynamic={".*down": {"group_size": 128}}),
                "rule '.*down'",
            ),
            (put(meta={"desc_act": True}), "desc_act"),
            (put(actorder="GROUP"), "actorder"),
        ],
    )
    def test_gptq_refused(self, edit, change, where):
        """C2, C3, C4: refused as it is loaded, for any number of ranks."""
        with pytest.raises(OrderError, match=r"group activation ordering.*\[ORD6\]") as info:
            wna16.open(edit(GPTQ, change))
        assert where in str(info.value) and "desc_act" in str(info.value)

    def test_another_part_of_config_json(self, edit):
        change = lambda w: w.update(text_config={"quantization_config": {"desc_act": True}})
        with pytest.raises(OrderError, match="text_config"):
            wna16.open(edit(GPTQ, whole=change))

    @pytest.mark.parametrize("value", [True, "group", "GROUP", "dynamic", "Dynamic"])
    def test_actorder_refused(self, edit, value):
        with pytest.raises(OrderError, match=r"group activation ordering.*\[ORD6\]"):
            wna16.open(edit(CT, group(actorder=value)))

    @pytest.mark.parametrize("value", [None, False, "static", "weight", "STATIC", "Weight"])
    def test_actorder_accepted(self, edit, value):
        """C1: static is not true."""
        assert wna16.open(edit(CT, group(actorder=value))).records["b4"].group == 16

    def test_desc_act_over_one_group_accepted(self):
        """C5: there is nothing to order."""
        checkpoint = wna16.open(INPUTS / "gptqmodel" / "channelwise")
        assert {r.group for r in checkpoint} == {-1}
        assert "means nothing" in next(iter(checkpoint)).order

    def test_excluded_module_with_its_own_desc_act_accepted(self, edit):
        change = lambda c: c["dynamic"].update(
            {r"-:.*layers\.1\.mlp\.gate_proj": {"desc_act": True, "group_size": 128}}
        )
        assert DOWN in wna16.open(edit(GPTQ, change)).records

    def test_static_groups_and_gar_accepted(self, edit):
        change = put(desc_act=False, meta={"static_groups": True, "act_group_aware": True})
        order = wna16.open(edit(GPTQ, change)).records[DOWN].order
        assert order == "desc_act=false, static_groups, act_group_aware, g_idx is k // group"

    @pytest.mark.parametrize("value", [0, -1, 5])
    def test_g_idx_is_judged_by_its_values(self, edit, value):
        """C6, C7: trivial, unset and missing are fine; anything else is refused."""
        def change(tensors):
            g_idx = tensors[f"{DOWN}.g_idx"]
            g_idx[...] = value if value != 5 else g_idx[::-1].copy()
            del tensors["model.layers.0.mlp.up_proj.g_idx"]

        folder = edit(GPTQ, tensors=change)
        if value == -1:
            assert DOWN in wna16.open(folder).records
        else:
            with pytest.raises(OrderError, match=rf"{DOWN}: g_idx\[.*\[ORD6\]"):
                wna16.open(folder)

    def test_g_idx_of_compressed_tensors(self, edit):
        change = lambda t: t.update({"b2.weight_g_idx": np.zeros(96, np.int32)})
        with pytest.raises(OrderError, match=r"b2: g_idx\[32\] is 0, expected 1"):
            wna16.open(edit(CT, tensors=change))


class TestClassesDAndE:
    """Shapes: nothing is guessed, and what is stored has to fit what is said."""

    @pytest.mark.parametrize(
        "name, shape, error",
        [
            ("scales", (5, 128), CheckpointError),
            ("scales", (0, 128), CheckpointError),
            ("qzeros", (6, 15), CheckpointError),
            ("qweight", (20, 128), CheckpointError),
            ("qweight", (24, 128, 1), CheckpointError),
        ],
    )
    def test_wrong_shape(self, edit, name, shape, error):
        def change(tensors):
            old = tensors[f"{DOWN}.{name}"]
            tensors[f"{DOWN}.{name}"] = np.zeros(shape, old.dtype)

        asymmetric = put(sym=False)
        with pytest.raises(error, match=rf"{DOWN}: expected {DOWN}.*\[CKPT3\]"):
            wna16.open(edit(GPTQ, asymmetric, change))

    def test_group_size_is_never_inferred(self, edit):
        """B6, E4, E5: scales for another group size than the configuration's."""
        with pytest.raises(CheckpointError, match=r"scales of shape \[3, 128\], found \[6, 128\]"):
            wna16.open(edit(GPTQ, put(group_size=64)))

    @pytest.mark.parametrize("dtype", [np.float32, np.int32, np.float64])
    def test_scales_of_a_wrong_type(self, edit, dtype):
        """B9: the message names the tensor and both types."""
        change = lambda t: t.update({f"{DOWN}.scales": t[f"{DOWN}.scales"].astype(dtype)})
        with pytest.raises(DTypeError, match=rf"{DOWN}.scales of dtype F16 or BF16.*CKPT3"):
            wna16.open(edit(GPTQ, tensors=change))

    def test_scales_that_are_not_finite(self, edit):
        def change(tensors):
            tensors[f"{DOWN}.scales"][2, 3] = np.inf

        layer = wna16.open(edit(GPTQ, tensors=change)).layer(DOWN)
        with pytest.raises(CheckpointError, match=rf"{DOWN}: scales .* not finite \[CKPT3\]"):
            layer.scales()

    def test_a_verdict_never_raises(self):
        """B1, D: the question itself has no way to fail."""
        for folder in (GPTQ, GPTQ_V2, CT):
            for record in wna16.open(folder):
                verdict = wna16.supports(record.problem)
                assert verdict.ok or verdict.reason
