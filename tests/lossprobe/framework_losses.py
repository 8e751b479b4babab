"""Losses as people write them, for the tests of the frameworks. Each imports its framework when it is made."""

from __future__ import annotations


def optax_masked():
    """Ignores 255 by a mask, as loss code for JAX does, since optax has no ignore index."""
    import optax

    def loss(logits, labels):
        keep = labels != 255
        per_pixel = optax.softmax_cross_entropy_with_integer_labels(logits, labels * keep)
        return (per_pixel * keep).sum() / keep.sum()

    return loss


def compiled_by_xla():
    import tensorflow as tf

    @tf.function(jit_compile=True)
    def loss(labels, logits):
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

    return loss


def one_hot_of_tensorflow():
    import tensorflow as tf

    def loss(labels, logits):
        return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(tf.one_hot(labels, logits.shape[-1]), logits))

    return loss


def softmax_output():
    """The output layer of MXNet's symbolic days: its "loss" is the probabilities, and its gradient does not come from them."""
    import mxnet

    return lambda logits, labels: mxnet.nd.SoftmaxOutput(logits, labels, multi_output=True)


def softmax_output_ignoring():
    import mxnet

    return lambda logits, labels: mxnet.nd.SoftmaxOutput(logits, labels, multi_output=True, use_ignore=True, ignore_label=255)


def sparse_of_mindspore():
    from mindspore import nn, ops

    flat = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return lambda logits, labels: flat(ops.transpose(logits, (0, 2, 3, 1)).reshape(-1, logits.shape[1]), labels.reshape(-1))


def a_number(_logits, _labels):
    return 0
