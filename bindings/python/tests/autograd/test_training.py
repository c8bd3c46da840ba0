# SPDX-License-Identifier: Apache-2.0
"""Training on forces and stress follows the losses of a plain Ewald sum."""

import os

import pytest

torch = pytest.importorskip("torch")

import farsum.torch as ft  # noqa: E402

DEVICE = os.environ.get("FARSUM_TORCH_DEVICE", "cpu")
PI = torch.pi
# Real space: images to +-2 cells.  Modes: to +-6.
XI = 1.2
IMAGES = torch.cartesian_prod(*[torch.arange(-2, 3).double()] * 3)
MODES = torch.cartesian_prod(*[torch.arange(-6, 7).double()] * 3)


def ewald(x, q, cell):
    """The energy of one neutral box."""
    images, modes = IMAGES.to(x), MODES.to(x)
    n = len(x)
    d = (x[:, None] - x[None])[:, :, None] + images @ cell
    r2 = d.square().sum(-1)
    home = (images == 0).all(-1)
    own = torch.eye(n, dtype=torch.bool, device=x.device)[..., None] & home
    r = torch.where(own, torch.ones_like(r2), r2).sqrt()
    near = torch.where(own, torch.zeros_like(r), torch.erfc(XI * r) / r).sum(-1)
    k = 2 * PI * modes[(modes != 0).any(-1)] @ torch.linalg.inv(cell).T
    k2 = k.square().sum(-1)
    volume = torch.linalg.det(cell).abs()
    phase = x @ k.T
    s2 = (q @ phase.cos()).square() + (q @ phase.sin()).square()
    far = 2 * PI / volume * (torch.exp(-k2 / (4 * XI * XI)) / k2 * s2).sum()
    return 0.5 * q @ near @ q + far - XI / PI**0.5 * q.square().sum()


def boxes(count=6):
    rng = torch.Generator().manual_seed(5)

    def random(*shape):
        return torch.rand(*shape, generator=rng, dtype=torch.float64)

    found = []
    for k in range(count):
        n = 8 + k % 3
        cell = 3.6 * torch.eye(3, dtype=torch.float64) \
            + 0.5 * (random(3, 3) - 0.5)
        grid = torch.cartesian_prod(*[torch.arange(3).double()] * 3)
        chosen = grid[torch.randperm(27, generator=rng)[:n]]
        x = (chosen + 0.25 * random(n, 3)) / 3 @ cell
        found.append((x.to(DEVICE), torch.arange(n).to(DEVICE) % 3,
                      cell.to(DEVICE)))
    return found


class Model(torch.nn.Module):
    """Charges by type and surroundings; the energy is their Coulomb sum."""

    def __init__(self, energy, start):
        super().__init__()
        self.energy = energy
        self.weights = torch.nn.Parameter(torch.tensor(
            start, dtype=torch.float64, device=DEVICE))

    def charges(self, x, kind):
        own = self.weights[kind]
        r2 = (x[:, None] - x[None]).square().sum(-1)
        q = own + self.weights[3] * (torch.exp(-r2) @ own)
        return q - q.mean()

    def forward(self, x, kind, cell):
        """Forces and stress, which include the derivatives of the charges."""
        x = x.clone().requires_grad_()
        strain = torch.zeros_like(cell).requires_grad_()
        grown = torch.eye(3).to(cell) + (strain + strain.T) / 2
        there = x @ grown
        energy = self.energy(there, self.charges(there, kind), cell @ grown)
        g, s = torch.autograd.grad(energy, (x, strain), create_graph=True)
        return -g, s / torch.linalg.det(cell)


def losses(energy, steps, data, targets):
    model = Model(energy, [1.0, -0.6, 0.3, 0.05])
    adam = torch.optim.Adam(model.parameters(), lr=0.02)
    found = []
    for _ in range(steps):
        loss = 0.0
        for box, (forces, stress) in zip(data, targets):
            f, s = model(*box)
            loss = loss + (f - forces).square().mean() \
                + 100 * (s - stress).square().mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
        found.append(loss.item())
    return torch.tensor(found, dtype=torch.float64)


def test_fifty_steps():
    data = boxes()
    truth = Model(ewald, [1.3, -0.9, 0.1, 0.1])
    targets = [tuple(v.detach() for v in truth(*box)) for box in data]
    want = losses(ewald, 50, data, targets)
    got = losses(lambda *v: ft.coulomb(*v, tolerance=1e-10).energy, 50, data,
                 targets)
    assert want[-1] < 0.5 * want[0]
    assert ((got - want).abs() / want).max() < 1e-6


def test_fifty_steps_with_outputs():
    """One backward through forces and stress, all boxes in one sum."""
    data = boxes()
    x = torch.cat([b[0] for b in data])
    kind = torch.cat([b[1] for b in data])
    cell = torch.stack([b[2] for b in data])
    index = torch.cat([torch.full_like(b[1], k) for k, b in enumerate(data)])
    counts = torch.bincount(index)

    def plain(q):
        q = q.split(counts.tolist())
        found = []
        for (x, _, cell), own in zip(data, q):
            x = x.clone().requires_grad_()
            strain = torch.zeros_like(cell).requires_grad_()
            grown = torch.eye(3).to(cell) + strain
            energy = ewald(x @ grown.T, own, cell @ grown.T)
            g, s = torch.autograd.grad(energy, (x, strain), create_graph=True)
            found.append((-g, s / torch.linalg.det(cell)))
        return torch.cat([f for f, _ in found]), torch.stack(
            [s for _, s in found])

    layer = ft.Coulomb(tolerance=1e-10, virial=True)

    def by_sums(q):
        r = layer(x, q, cell, index)
        return r.forces, r.stress

    def train(run):
        weights = torch.tensor([1.0, -0.6, 0.3], dtype=torch.float64,
                               device=DEVICE, requires_grad=True)
        adam = torch.optim.Adam([weights], lr=0.02)
        found = []
        for _ in range(50):
            q = weights[kind]
            mean = torch.zeros_like(q[:len(data)]).index_add(0, index, q)
            f, s = run(q - (mean / counts)[index])
            loss = (f - f0).square().mean() + 100 * (s - s0).square().mean()
            adam.zero_grad()
            loss.backward()
            adam.step()
            found.append(loss.item())
        return torch.tensor(found, dtype=torch.float64)

    start = torch.tensor([1.4, -1.0, 0.1], dtype=torch.float64).to(DEVICE)
    q = start[kind]
    mean = torch.zeros_like(q[:len(data)]).index_add(0, index, q)
    f0, s0 = (v.detach() for v in plain(q - (mean / counts)[index]))
    want, got = train(plain), train(by_sums)
    assert want[-1] < 0.5 * want[0]
    assert ((got - want).abs() / want).max() < 1e-6
