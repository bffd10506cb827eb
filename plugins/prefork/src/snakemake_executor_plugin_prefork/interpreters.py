"""Snakemake's side of the warm interpreters: starting them, asking them for forks, and waiting for those."""

import itertools
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import astuple, dataclass, field
from pathlib import Path

from .command import Command

WARM = Path(__file__).with_name("warm.py")
STARTS = 2  # a warm interpreter that dies is started again once


class Fork:
    """A forked job, with what Snakemake asks of the process of a job that is in no group: its id, and to wait for its end."""

    def __init__(self):
        self.started: Future[int | None] = Future()
        self.ended: Future[int] = Future()

    @property
    def pid(self) -> int:
        return self.started.result()

    def wait(self) -> int:
        """The exit code, or the negative number of the signal that ended the job, as soon as it has ended."""
        return self.ended.result()

    def refuse(self) -> None:
        """Say that there is no such process."""
        self.started.set_result(None)

    def lose(self) -> None:
        """Give up a job whose warm interpreter died: its end can no longer be seen, so it is made certain."""
        if not self.started.done():
            self.refuse()
            return
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self.ended.set_result(-signal.SIGKILL)


class Interpreter:
    """One warm interpreter; `warn` is told why it refuses a fork. Raises ChildProcessError if it ends before it is ready."""

    def __init__(self, python: str, preload: Sequence[str], warn: Callable[[str], None], **popen_options):
        self._warn = warn
        self._channel, theirs = socket.socketpair()
        with theirs:
            # Started by the same shell as a job: it finds the same interpreter and hands on the same environment.
            line = shlex.join([python, str(WARM), str(theirs.fileno()), *preload])
            self._process = subprocess.Popen(
                f"set -euo pipefail; {line}", shell=True, pass_fds=[theirs.fileno()], **popen_options
            )
        self._replies = self._channel.makefile("rb")
        self._jobs = itertools.count()
        self._forks: dict[int, Fork] = {}
        self._lock = threading.Lock()
        self.alive = bool(self._replies.readline())
        if not self.alive:
            self.close()
            raise ChildProcessError(f"{python} ended before it was warm")
        self._listener = threading.Thread(target=self._listen, name="prefork", daemon=True)
        self._listener.start()

    def fork(self, command: Command) -> Fork | None:
        """The fork that runs a command, or None where none was made: the interpreter died, or refused."""
        job = next(self._jobs)
        fork = Fork()
        with self._lock:
            if not self.alive:
                return None
            self._forks[job] = fork
        redirects = [astuple(redirect) for redirect in command.redirects]
        self._send(job=job, script=command.script, arguments=command.arguments, redirects=redirects)
        return fork if fork.pid is not None else None

    def _send(self, **message) -> None:
        # A dead interpreter is seen by the listener, which gives up its forks.
        with self._lock, suppress(OSError):
            self._channel.sendall(json.dumps(message).encode() + b"\n")

    def _listen(self) -> None:
        with suppress(OSError, ValueError):  # closed, by the other end or by this one
            for line in self._replies:
                reply = json.loads(line)
                fork = self._forks[reply["job"]]
                if "pid" in reply:
                    fork.started.set_result(reply["pid"])
                    continue
                del self._forks[reply["job"]]
                if "code" in reply:
                    fork.ended.set_result(reply["code"])
                    continue
                if reply["refused"]:
                    self._warn(reply["refused"])
                fork.refuse()
        with self._lock:
            self.alive = False
        for fork in self._forks.values():
            fork.lose()

    def close(self) -> None:
        """End the interpreter, and with it any job that still runs."""
        with suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)
        self._process.wait()
        self._replies.close()
        self._channel.close()


@dataclass
class Place:
    """Where the warm interpreter of one Python in one environment is kept."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    interpreter: Interpreter | None = None
    starts: int = 0
    given_up: bool = False


class Interpreters:
    """The warm interpreters of a workflow: one for each Python, working directory and environment that its jobs have.

    Libraries read the environment while they are imported (OMP_NUM_THREADS, MUJOCO_GL), so a job is forked from an
    interpreter that was started with exactly the job's own.
    """

    def __init__(self, preload: Sequence[str], limit: int, warn: Callable[[str], None]):
        self._preload = preload
        self._limit = limit
        self._warn = warn
        self._warned: set[str] = set()
        self._places: dict[tuple, Place] = {}
        self._lock = threading.Lock()

    def fork(self, command: Command, env: Mapping[str, str], **popen_options) -> Fork | None:
        """The fork that runs a command, or None where it has to be started in the plain way."""
        if shutil.which(command.python, path=env.get("PATH")) is None:
            return None
        place = self._place((command.python, os.getcwd(), *sorted(env.items())))
        if place is None:
            return None
        with place.lock:
            interpreter = self._warm(place, command.python, env=env, **popen_options)
        return interpreter and interpreter.fork(command)

    def _place(self, key: tuple) -> Place | None:
        with self._lock:
            if key not in self._places and len(self._places) >= self._limit:
                self._warn_once(f"jobs need more than {self._limit} warm interpreters (--prefork-interpreters)")
                return None
            return self._places.setdefault(key, Place())

    def _warm(self, place: Place, python: str, **popen_options) -> Interpreter | None:
        """The interpreter of a place, started if it is not there or has died."""
        while not (place.given_up or (place.interpreter and place.interpreter.alive)):
            self._close(place)
            if place.starts == STARTS:
                place.given_up = True
                self._warn_once(f"the warm interpreter {python} died, and died again after it was started anew")
                break
            place.starts += 1
            with suppress(ChildProcessError):
                place.interpreter = Interpreter(python, self._preload, self._warn_once, **popen_options)
        return place.interpreter

    def _warn_once(self, reason: str) -> None:
        if reason not in self._warned:
            self._warned.add(reason)
            self._warn(f"prefork: {reason}; such jobs run as with the local executor.")

    @staticmethod
    def _close(place: Place) -> None:
        if place.interpreter is not None:
            place.interpreter.close()
            place.interpreter = None

    def close(self) -> None:
        for place in self._places.values():
            self._close(place)
