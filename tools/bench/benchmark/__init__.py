"""The benchmark: who is measured, how, and what is made of the numbers.

| module | holds |
|---|---|
| points, stats | what is measured; medians, spreads, geometric means |
| variants | kernels of schedules (or PTX) that the user wants to see beside ours |
| layer, timing | random layers and their exact results; graphs, rounds, pauses |
| candidates | everything that is timed: our kernels, variants, other libraries |
| session | one run over all points: check, time, check again |

Modules up to `variants` need neither PyTorch nor a GPU.
"""
