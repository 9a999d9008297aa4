"""A small generator of Y given X, and how far it is from the truth."""

import numpy as np

from condmmd import cmmd_loss

try:
    import torch
except ImportError:
    torch = None

ROWS, STEPS, BATCH, HIDDEN = 600, 250, 128, 24


def outcomes(x, noise):
    """The truth: a bent mean, and noise that grows with x."""
    return np.sin(2 * x) + (0.2 + 0.5 * (x > 0) * x) * noise


class Generator:
    """``z = f(x, noise)`` with two hidden layers of tanh."""

    def __init__(self, seed):
        self.chance = torch.Generator().manual_seed(seed)
        shapes = ((2, HIDDEN), (HIDDEN,), (HIDDEN, HIDDEN), (HIDDEN,), (HIDDEN, 1))
        self.parameters = [
            (torch.randn(shape, generator=self.chance) / shape[0] ** 0.5).requires_grad_() for shape in shapes
        ]

    def __call__(self, x, draws):
        first, shift, second, shift_2, last = self.parameters
        noise = torch.randn((len(x), draws), generator=self.chance)
        inputs = torch.stack([x[:, None].expand(-1, draws), noise], dim=2)
        return (torch.tanh(torch.tanh(inputs @ first + shift) @ second + shift_2) @ last)[:, :, 0]


def train(generator, *, draws, **options):
    """Minimise the loss over batches."""
    rng = np.random.default_rng(1)
    x = rng.uniform(-1.5, 1.5, ROWS)
    x, y = (torch.tensor(part, dtype=torch.float32) for part in (x, outcomes(x, rng.normal(size=ROWS))))
    optimiser = torch.optim.Adam(generator.parameters, lr=0.02)
    for _ in range(STEPS):
        rows = torch.randint(ROWS, (BATCH,), generator=generator.chance)
        optimiser.zero_grad()
        cmmd_loss(x[rows], y[rows], generator(x[rows], draws), **options).backward()
        optimiser.step()
    return generator


def excess(generator):
    """Its energy score on 2,000 new rows, less that of the truth: an estimate of the energy distance from it."""
    rng = np.random.default_rng(2)
    x = rng.uniform(-1.5, 1.5, 2000)
    y, truth = outcomes(x, rng.normal(size=2000)), outcomes(x[:, None], rng.normal(size=(2000, 20)))
    with torch.no_grad():
        made = generator(torch.tensor(x, dtype=torch.float32), 20).double().numpy()
    return cmmd_loss(x, y, made, kernel_y="energy") - cmmd_loss(x, y, truth, kernel_y="energy")
