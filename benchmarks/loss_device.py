"""The loss on a device: the values of a processor, and the time of a step: ``python -m benchmarks.loss_device``.

Three things in one run, with PyTorch on ``--device`` (cuda); it ends with status 1 where a check fails:

1. every level on the same batch there and on the processor, in float64 (1e-9 of the largest) and in float32 (1e-3):
   value and gradient of the draws;
2. where PyTorch's memory is: nothing of the graph may be on another device;
3. seconds for a step of training (forward and backward through a network of 3 x 128, and Adam), by level, rows of the
   batch and draws a row, on the device and on the processor.
"""

import argparse
import json
import sys
from itertools import pairwise
from pathlib import Path
from time import perf_counter

import numpy as np

from condmmd import Gaussian, cmmd_loss

try:
    import torch
except ImportError:  # an extra; every benchmark can be imported
    torch = None

LOSSES = {
    "kernel score": ({}, 8),
    "energy score": ({"kernel_y": "energy"}, 8),
    "level 0": ({"level": 0}, 1),
    "level 1, ridge": ({"level": 1, "reg": 0.1}, 1),
    "level 2": ({"level": 2}, 1),
    "level 2, 4 draws": ({"level": 2}, 4),
}
ALLOWED = {"float64": 1e-9, "float32": 1e-3}


def batch(rows, draws, seed=0):
    """Five covariates, two outcomes, and draws of them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 5))
    mean = np.column_stack([np.sin(2 * X[:, 0]), X[:, 1]])
    Y, Z = mean + rng.normal(size=(rows, 2)), mean[:, None] + 1.5 * rng.normal(size=(rows, draws, 2))
    return X, Y, Z


def evaluated(device, dtype, draws, options, rows=512):
    """The value and the gradient."""
    X, Y, Z = (torch.tensor(part, dtype=getattr(torch, dtype), device=device) for part in batch(rows, draws))
    Z.requires_grad_()
    value = cmmd_loss(X, Y, Z, **options)
    value.backward()
    if value.device.type != torch.device(device).type or Z.grad.device != Z.device:
        raise SystemExit(f"the loss of draws on {Z.device} is on {value.device}.")
    return value.item(), Z.grad.double().cpu().numpy()


def differences(device):
    """{loss, precision: (of the value, of the gradient)}, each relative to its largest number on the processor."""
    found = {}
    for name, (options, draws) in LOSSES.items():
        expected, slope = evaluated("cpu", "float64", draws, options)
        for dtype in ALLOWED:
            value, gradient = evaluated(device, dtype, draws, options)
            apart = abs(value - expected) / abs(expected), np.abs(gradient - slope).max() / np.abs(slope).max()
            found[name, dtype] = tuple(float(gap) for gap in apart)
    return found


def step_seconds(device, name, rows, *, steps, dtype="float32"):
    """The median time of a step of training, after some to warm up."""
    options, draws = LOSSES[name]
    X, Y, _ = (torch.tensor(part, dtype=getattr(torch, dtype), device=device) for part in batch(rows, draws))
    options = {"kernel_y": Gaussian(1.5), **options}
    if name not in ("kernel score", "energy score"):
        options = {"kernel_x": Gaussian(2.0), **options}
    torch.manual_seed(0)
    widths = (5 + 2, 128, 128, 128, 2)
    layers = [part for a, b in pairwise(widths) for part in (torch.nn.Linear(a, b), torch.nn.ReLU())]
    network = torch.nn.Sequential(*layers[:-1]).to(X)
    optimiser = torch.optim.Adam(network.parameters())
    times = []
    for _ in range(steps):
        wait(device)
        start = perf_counter()
        noise = torch.randn(rows, draws, 2).to(X)
        made = network(torch.cat([X[:, None].expand(-1, draws, -1), noise], dim=2))
        optimiser.zero_grad()
        cmmd_loss(X, Y, made, **options).backward()
        optimiser.step()
        wait(device)
        times.append(perf_counter() - start)
    return float(np.median(times[steps // 3 :]))


def wait(device):
    if device != "cpu":
        torch.cuda.synchronize()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--steps", type=int, default=15)
    parser.add_argument("--rows", type=int, nargs="+", default=[256, 2048], help="of a batch")
    parser.add_argument("--out", help="write the numbers to this file, as JSON")
    options = parser.parse_args()
    passed, checks = True, {}
    for (name, dtype), (value, gradient) in differences(options.device).items():
        good = max(value, gradient) <= ALLOWED[dtype]
        passed &= good
        checks[f"{name}, {dtype}"] = {"value": value, "gradient": gradient}
        print(
            f"{'same' if good else 'DIFFERS':<8} {name}, {dtype}: value {value:.1e}, gradient {gradient:.1e}",
            flush=True,
        )
    times = {}
    for name in LOSSES:
        for rows in options.rows:
            if name == "level 2, 4 draws" and rows > 1000:
                continue  # 4 x 2048 draws are 67 million similarities
            there, here = (step_seconds(d, name, rows, steps=options.steps) for d in (options.device, "cpu"))
            times[f"{name}, {rows}"] = {options.device: there, "cpu": here}
            print(
                f"step, {name}, {rows} rows x {LOSSES[name][1]} draws: {1e3 * there:.2f} ms, "
                f"on the processor {1e3 * here:.1f} ms, {here / there:.1f} times",
                flush=True,
            )
    summary = {
        "device": torch.cuda.get_device_name() if options.device == "cuda" else options.device,
        "torch": torch.__version__, "passed": passed, "checks": checks, "step_seconds": times,
    }  # fmt: skip
    print(json.dumps(summary))
    if options.out:
        Path(options.out).write_text(json.dumps(summary, indent=1) + "\n")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
