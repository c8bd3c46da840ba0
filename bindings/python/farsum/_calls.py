# SPDX-License-Identifier: Apache-2.0
"""What the library calls during a sum: log, progress and Ctrl-C.

ctypes prints and drops an exception that leaves a callback.  While the main
thread is in the library, Ctrl-C is therefore only noted.  The next call of
`progress`, at most 0.1 s later, stops the sum, and the exception is raised when
the library has returned.
"""

from __future__ import annotations

import signal
import threading
from typing import Any, Callable, List, Optional, Union

from . import _c, _options
from ._lib import check
from ._show import Bar, logger

_types = _options.types_of(_c.farsum_options)
_interrupt = signal.default_int_handler
_main = threading.main_thread().ident

Log = Callable[[str], None]
Progress = Callable[[int, int, str], Any]


class Listener:
    """The callbacks of a plan, and exceptions that wait for its return."""

    def __init__(self, log: Optional[Log] = None,
                 progress: Union[Progress, bool, None] = None) -> None:
        raised: List[BaseException] = []
        say = log or logger.warning
        self.bar = Bar() if progress is True else None
        report: Optional[Progress] = self.bar or (
            progress if callable(progress) else None)

        def on_log(line: bytes, _data: Any) -> None:
            try:
                say(line.decode(errors="replace"))
            except BaseException as error:  # raised by `run`
                raised.append(error)

        def on_progress(done: int, every: int, what: bytes, _: Any) -> int:
            try:
                if report and not raised and report(
                        done, every, what.decode(errors="replace")):
                    return 1
            except BaseException as error:
                raised.append(error)
            return 1 if raised else 0

        def on_interrupt(_number: int, _frame: Any) -> None:
            raised.append(KeyboardInterrupt())

        self.raised = raised
        self.log = _types["log"](on_log)
        self.progress = _types["progress"](on_progress)
        self._on_interrupt = on_interrupt

    def run(self, function: Callable[..., int], *arguments: Any) -> None:
        """Calls a function of the library, and raises what happened in it."""
        held = (threading.get_ident() == _main
                and signal.getsignal(signal.SIGINT) is _interrupt)
        if held:
            signal.signal(signal.SIGINT, self._on_interrupt)
        try:
            status = function(*arguments)
        finally:
            if held:
                signal.signal(signal.SIGINT, _interrupt)
            if self.bar:
                self.bar.close()
        if self.raised:
            error = self.raised[0]
            self.raised.clear()
            raise error
        check(status)
