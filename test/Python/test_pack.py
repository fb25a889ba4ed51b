"""The packer against the independent unpackers."""

import numpy as np
import pytest

from wna16 import DTypeError, ShapeError, reference
from wna16.pack import repack_scales, repack_weights

pytestmark = pytest.mark.needs_runtime

SHAPES = [(128, 64), (256, 384), (512, 576)]


def random_words(*shape):
    rng = np.random.default_rng(sum(shape))
    return rng.integers(-(2**31), 2**31, shape, dtype=np.int64).astype(np.int32)


@pytest.mark.parametrize("k, n", SHAPES)
def test_from_compressed_tensors(k, n):
    words = random_words(n, k // 8)
    packed = repack_weights(words, k, n, source="compressed_tensors")
    np.testing.assert_array_equal(
        reference.unpack_marlin(packed, k, n), reference.unpack_compressed_tensors(words, k)
    )


@pytest.mark.parametrize("k, n", SHAPES)
def test_from_gptq(k, n):
    words = random_words(k // 8, n)
    packed = repack_weights(words, k, n, source="gptq")
    np.testing.assert_array_equal(
        reference.unpack_marlin(packed, k, n), reference.unpack_gptq(words, n)
    )


def test_one_code_moves_to_one_place():
    k, n = 128, 64
    places = set()
    for i, j in [(0, 0), (1, 0), (8, 0), (0, 8), (0, 1), (127, 63)]:
        words = np.zeros((n, k // 8), np.int64)
        words[j, i // 8] = 15 << (4 * (i % 8))
        packed = repack_weights(
            words.astype(np.uint32).view(np.int32), k, n, source="compressed_tensors"
        )
        codes = reference.unpack_marlin(packed, k, n)
        assert codes[i, j] == 15 and codes.sum() == 15
        places.add(packed.tobytes())
    assert len(places) == 6


@pytest.mark.parametrize("threads", [1, 2, 0])
def test_threads_do_not_change_the_result(threads):
    words = random_words(384, 64)
    one = repack_weights(words, 512, 384, source="compressed_tensors", threads=1)
    many = repack_weights(words, 512, 384, source="compressed_tensors", threads=threads)
    np.testing.assert_array_equal(one, many)


@pytest.mark.parametrize("groups, n", [(1, 64), (4, 384)])
def test_scales(groups, n):
    scales = np.arange(n * groups, dtype=np.float16).reshape(n, groups)
    packed = repack_scales(scales, groups, n)
    np.testing.assert_array_equal(reference.unpack_marlin_scales(packed, groups, n), scales.T)


def test_strided_input_is_read_as_it_looks():
    words = random_words(384, 128)[:, ::2]
    packed = repack_weights(words, 512, 384, source="compressed_tensors")
    np.testing.assert_array_equal(
        reference.unpack_marlin(packed, 512, 384), reference.unpack_compressed_tensors(words, 512)
    )


@pytest.mark.parametrize(
    "change, error, text",
    [
        (dict(words="x"), DTypeError, r"words to be a NumPy array.*found str"),
        (dict(words=None), DTypeError, r"found NoneType"),
        (dict(words=np.ma.array(np.zeros(4, np.int32))), DTypeError, "MaskedArray"),
        (dict(k=512.0), DTypeError, "rows to be an integer, found 512.0"),
        (dict(n=None), DTypeError, "columns to be an integer"),
        (dict(bits="4"), DTypeError, "bits to be an integer"),
        (dict(threads="a"), DTypeError, "threads to be an integer"),
        (dict(source=5), DTypeError, "source to be the name of a layout"),
        (dict(target=None), DTypeError, "target to be the name of a layout"),
        (dict(threads=-1), ShapeError, "-1 threads"),
        (dict(k=2**40), ShapeError, "1099511627776 x 384"),
        (dict(n=0), ShapeError, "512 x 0"),
    ],
)
def test_arguments_of_a_wrong_type(change, error, text):
    good = dict(words=random_words(384, 64), k=512, n=384, source="compressed_tensors")
    with pytest.raises(error, match=rf"{text}.*\[PACK[12]\]"):
        repack_weights(**{**good, **change})


def test_scales_of_a_wrong_type():
    with pytest.raises(DTypeError, match=r"scales to be a NumPy array.*\[PACK1\]"):
        repack_scales("x", 4, 384)
    with pytest.raises(ShapeError, match=r"-1 x 384.*\[PACK2\]"):
        repack_scales(np.zeros((384, 4), np.float16), -1, 384)


def test_numpy_integers_as_sizes():
    words = random_words(384, 64)
    sizes = (np.int64(512), np.int32(384))
    repack_weights(words, *sizes, source="compressed_tensors", threads=np.int64(1))


def test_bad_input():
    words = random_words(384, 64)
    with pytest.raises(ShapeError, match=r"98304 bytes.*found 98048 bytes \[PACK2\]"):
        repack_weights(words[:-1], 512, 384, source="compressed_tensors")
    with pytest.raises(DTypeError, match=r"int32 words, found float32 \[PACK1\]"):
        repack_weights(words.astype(np.float32), 512, 384, source="gptq")
    with pytest.raises(ShapeError, match="unknown layout.*marlin"):
        repack_weights(words, 512, 384, source="martin")
    with pytest.raises(ShapeError):
        repack_weights(words, 512, 380, source="gptq")
    with pytest.raises(DTypeError, match=r"float16 or bfloat16 scales, found float32 \[PACK1\]"):
        repack_scales(np.zeros((384, 4), np.float32), 4, 384)
    with pytest.raises(ShapeError, match=r"3072 bytes.*found 2304 bytes \[PACK2\]"):
        repack_scales(np.zeros((384, 3), np.float16), 4, 384)
