# SPDX-License-Identifier: Apache-2.0
"""How a notebook shows a plan, and how a terminal shows its progress."""

from __future__ import annotations

import html
import logging
from typing import Any

logger = logging.getLogger("farsum")


def table(plan: Any, closed: bool) -> str:
    """HTML: the stages with a bar for their seconds, and all choices."""
    if closed:
        return html.escape(repr(plan))
    rows = []
    stages = plan.info.stages
    longest = max((stage.seconds for stage in stages), default=0) or 1
    for stage in stages:
        bar = (f'<div style="background:#4878a8;height:0.8em;'
               f'width:{8 * stage.seconds / longest:.2f}em"></div>')
        cells = [html.escape(stage.stage), html.escape(stage.variant),
                 f"{1e3 * stage.seconds:.3g} ms", bar,
                 html.escape(stage.reason or "")]
        rows.append("<tr>" + "".join(
            f'<td style="text-align:left">{cell}</td>' for cell in cells)
            + "</tr>")
    return (f"<div>{html.escape(repr(plan))}<table>{''.join(rows)}</table>"
            f"<details><summary>all choices</summary>"
            f"<pre>{html.escape(str(plan))}</pre></details></div>")


def plot(plan: Any, ax: Any = None) -> Any:
    """A bar for the seconds of each stage, drawn by matplotlib."""
    if ax is None:
        from matplotlib import pyplot
        ax = pyplot.subplots(figsize=(6, 2.5), layout="constrained")[1]
    stages = plan.info.stages[::-1]
    ax.barh([f"{stage.stage}: {stage.variant}" for stage in stages],
            [1e3 * stage.seconds for stage in stages])
    ax.set_xlabel("ms in the last sum")
    ax.set_title(f"{plan.info.method}, n = {plan.info.n_sources}")
    return ax


class Bar:
    """Progress by tqdm, or by lines of the logger "farsum" without it."""

    def __init__(self) -> None:
        self.bar: Any = None

    def __call__(self, done: int, every: int, what: str) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            logger.info("%s: %d of %d", what, done, every)
            return
        if self.bar is None:
            self.bar = tqdm(total=every or None, leave=False)
        elif self.bar.total != (every or None):
            self.bar.reset()
            self.bar.total = every or None
        self.bar.set_description(what, refresh=False)
        self.bar.n = done
        self.bar.refresh()

    def close(self) -> None:
        """Removes the bar when the call has ended."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None
