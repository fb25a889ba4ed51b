"""The packer against the independent unpackers."""

import numpy as np
import pytest

from wna16 import DTypeError, ShapeError, reference
from wna16.pack import repack_scales, repack_weights, repack_zeros, zero_bits

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


def random_codes(rows, columns, bits):
    return np.random.default_rng(rows + bits).integers(0, 2**bits, (rows, columns), np.uint8)


def unpack_weights(words, layout, k, n, bits):
    """By the closed forms of the formats; uint8 codes [K, N]."""
    if layout == "row_major":
        return words
    if layout == "marlin":
        return reference.unpack_marlin(words, k, n, bits)
    if layout == "gptq":
        return reference.unpack_gptq(words.reshape(-1, n), n, bits)
    if layout == "compressed_tensors":
        return reference.unpack_compressed_tensors(words.reshape(n, -1), k, bits)
    assert layout == "awq"
    return reference.unpack_awq(words.reshape(k, -1), n)


def unpack_zeros(words, layout, groups, n, bits):
    if layout == "row_major":
        return words
    if layout == "marlin_zeros":
        return reference.unpack_marlin_zeros(words, groups, n, zero_bits(bits))
    if layout == "gptq_zeros":
        return reference.unpack_gptq_zeros(words.reshape(groups, -1), n, bits)
    if layout == "compressed_tensors_zeros":
        return reference.unpack_compressed_tensors_zeros(words.reshape(-1, groups), n, bits)
    assert layout == "awq_zeros"
    return reference.unpack_awq(words.reshape(groups, -1), n)


WEIGHT_LAYOUTS = ["row_major", "marlin", "gptq", "compressed_tensors"]
ZERO_LAYOUTS = ["row_major", "marlin_zeros", "gptq_zeros", "compressed_tensors_zeros"]


@pytest.mark.parametrize("bits", range(1, 9))
def test_weights_between_all_layouts(bits):
    k, n = 96, 192
    codes = random_codes(k, n, bits)
    layouts = WEIGHT_LAYOUTS + ["awq"] * (bits == 4)
    for source in layouts:
        words = repack_weights(codes, k, n, source="row_major", target=source, bits=bits)
        np.testing.assert_array_equal(unpack_weights(words, source, k, n, bits), codes)
        for target in layouts:
            there = repack_weights(words, k, n, source=source, target=target, bits=bits)
            assert np.array_equal(unpack_weights(there, target, k, n, bits), codes), target


@pytest.mark.parametrize("bits", range(1, 9))
def test_zeros_between_all_layouts(bits):
    groups, n = 5, 192
    codes = random_codes(groups, n, bits)
    layouts = ZERO_LAYOUTS + ["awq_zeros"] * (bits == 4)
    for source in layouts:
        words = repack_zeros(codes, groups, n, source="row_major", target=source, bits=bits)
        np.testing.assert_array_equal(unpack_zeros(words, source, groups, n, bits), codes)
        for target in layouts:
            there = repack_zeros(words, groups, n, source=source, target=target, bits=bits)
            assert np.array_equal(unpack_zeros(there, target, groups, n, bits), codes), target


def padded(values, rows, columns):
    result = np.zeros((rows, columns), values.dtype)
    result[: values.shape[0], : values.shape[1]] = values
    return result


@pytest.mark.parametrize("bits", range(1, 9))
@pytest.mark.parametrize("k, n, kp, np_", [(96, 56, 128, 64), (192, 200, 384, 256), (3, 1, 64, 64)])
def test_weights_are_padded(k, n, kp, np_, bits):
    """compressed-tensors stores any K and N; beyond them the kernel's codes are 0."""
    codes = random_codes(k, n, bits)
    words = repack_weights(
        codes, k, n, source="row_major", target="compressed_tensors", bits=bits
    )
    assert words.size == n * -(-k * bits // 32)
    np.testing.assert_array_equal(
        reference.unpack_compressed_tensors(words.reshape(n, -1), k, bits), codes
    )
    options = dict(source="compressed_tensors", bits=bits, target_shape=(kp, np_))
    for threads in (1, 2):
        marlin = repack_weights(words, k, n, threads=threads, **options)
        np.testing.assert_array_equal(
            reference.unpack_marlin(marlin, kp, np_, bits), padded(codes, kp, np_)
        )
    # What a padded source has beyond the matrix is not read.
    marlin = repack_weights(
        np.full((kp, np_), 2**bits - 1, np.uint8), kp, np_, source="row_major", bits=bits
    )
    back = repack_weights(
        marlin, k, n, source="marlin", target="row_major", bits=bits, source_shape=(kp, np_)
    )
    np.testing.assert_array_equal(back, np.full((k, n), 2**bits - 1))


def test_zeros_and_scales_are_padded():
    groups, n, shape = 3, 40, (4, 64)
    codes = random_codes(groups, n, 3)
    words = repack_zeros(
        codes, groups, n, source="row_major", target="compressed_tensors_zeros", bits=3
    )
    marlin = repack_zeros(
        words, groups, n, source="compressed_tensors_zeros", bits=3, target_shape=shape
    )
    np.testing.assert_array_equal(
        reference.unpack_marlin_zeros(marlin, *shape), padded(codes, *shape)
    )
    scales = np.arange(1, n * groups + 1, dtype=np.float16).reshape(n, groups)
    packed = repack_scales(scales, groups, n, target_shape=shape)
    np.testing.assert_array_equal(
        reference.unpack_marlin_scales(packed, *shape), padded(scales.T, *shape)
    )


def test_codes_that_do_not_fit_are_an_error():
    for place in [(0, 0), (97, 63), (99, 64)]:
        codes = random_codes(100, 65, 3)
        codes[place] = 8
        with pytest.raises(ShapeError, match=r"codes below 8 \(3 bits\), found 8 at \(%d, %d\)" % place):
            repack_weights(codes, 100, 65, source="row_major", bits=3, target_shape=(112, 128))


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
    """A10: groups and columns that no block of 64 has alike."""
    scales = np.arange(n * groups, dtype=np.float16).reshape(n, groups)
    packed = repack_scales(scales, groups, n)
    np.testing.assert_array_equal(reference.unpack_marlin_scales(packed, groups, n), scales.T)


@pytest.mark.parametrize("groups, n", [(1, 64), (1, 96), (3, 384)])
def test_channel_scales_and_bias(groups, n):
    scales = np.arange(n * groups, dtype=np.float16).reshape(groups, n)
    packed = repack_scales(
        scales, groups, n, source="row_major", target="marlin_channel_scales"
    )
    np.testing.assert_array_equal(
        reference.unpack_marlin_channel_scales(packed, groups, n), scales
    )


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
        (dict(bits=9), ShapeError, "1 to 8 bits, found 9"),
        (dict(target_shape=512), DTypeError, "two integers, found 512"),
        (dict(target_shape=(512, "a")), DTypeError, "columns to be an integer"),
        (dict(source="row_major"), DTypeError, "uint8 words, found int32"),
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
    with pytest.raises(ShapeError, match=r"target of at least 512 x 384.*found 496 x 384"):
        repack_weights(words, 512, 384, source="gptq", target_shape=(496, 384))
    with pytest.raises(DTypeError, match=r"float16 or bfloat16 scales, found float32 \[PACK1\]"):
        repack_scales(np.zeros((384, 4), np.float32), 4, 384)
    with pytest.raises(ShapeError, match=r"3072 bytes.*found 2304 bytes \[PACK2\]"):
        repack_scales(np.zeros((384, 3), np.float16), 4, 384)
