"""The warm interpreter: imports modules once, then forks for each script that it is asked to run.

Run as `<python> warm.py <descriptor> [module ...]`; the descriptor is one end of a pair of stream sockets, and every message
on it is a line of JSON:

    from here   {"modules": [...], "threads": bool}       once, when the modules are imported
    to here     {"job": n, "script": ..., "arguments": [...], "redirects": [[stream, target, append], ...]}
    from here   {"job": n, "pid": 123} or {"job": n, "error": "..."}; later {"job": n, "code": 0}, negative for a signal

It uses the standard library only, of Python 3.9 on, since it runs on the interpreter of the jobs and not on Snakemake's.
"""

import contextlib
import gc
import importlib
import importlib.machinery
import io
import json
import os
import select
import signal
import socket
import sys
import threading
import types

# Sent to the whole process group by a terminal or a supervisor: the jobs are meant; this process ends with its socket.
GROUP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TASKS = "/proc/self/task"


def preload(modules):
    """Import what can be imported here, and return whether a thread was started, which a fork would not have."""
    before = task_count()
    for module in modules:
        # A script that needs a module which cannot be imported says so itself, in its own words.
        with contextlib.suppress(Exception):
            importlib.import_module(module)
    sys.stdout.flush()
    # A fork that collects garbage, as it does at its end, would otherwise copy every page of what is shared.
    gc.collect()
    gc.freeze()
    return task_count() > before


def task_count():
    """The threads of this process, those of C libraries included where the system lists them."""
    return len(os.listdir(TASKS)) if os.path.isdir(TASKS) else threading.active_count()


class Forks:
    """Forks jobs and tells the other end of the socket how they fare."""

    def __init__(self, channel):
        self.channel = channel
        self.jobs = {}
        self.woken, self.wake = os.pipe()
        os.set_blocking(self.wake, False)
        self.handlers = {number: signal.signal(number, signal.SIG_IGN) for number in GROUP_SIGNALS}
        self.handlers[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.wake, warn_on_full_buffer=False)

    def tell(self, **message):
        try:
            self.channel.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            self.end()

    def serve(self):
        """Serve until the other end closes the socket. Returns in a fork only, with the request and its open files."""
        received = b""
        while True:
            ready, _, _ = select.select([self.channel, self.woken], [], [])
            if self.woken in ready:
                os.read(self.woken, 4096)
                self.report_ended()
            if self.channel in ready:
                data = self.channel.recv(65536)
                if not data:
                    self.end()
                *lines, received = (received + data).split(b"\n")
                for request in map(json.loads, lines):
                    if self.fork(request):
                        return request

    def report_ended(self):
        """Report every job that has ended since the last look."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if pid in self.jobs:
                    self.tell(job=self.jobs.pop(pid), code=os.waitstatus_to_exitcode(status))

    def fork(self, request):
        """Fork with the streams of the request; return whether this is the fork. What cannot be opened or forked is told."""
        opened = []
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, GROUP_SIGNALS)
        try:
            for redirect in request["redirects"]:
                opened.append(open_target(*redirect))
            pid = os.fork()
            if pid == 0:
                self.leave()
                for (stream, target, _), descriptor in zip(request["redirects"], opened):
                    os.dup2(target if descriptor is None else descriptor, stream)
                return True
            self.jobs[pid] = request["job"]
            self.tell(job=request["job"], pid=pid)
        except OSError as error:
            self.tell(job=request["job"], error=str(error))
        finally:
            for descriptor in filter(None, opened):
                os.close(descriptor)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return False

    def leave(self):
        """In a fork: drop what belongs to the warm process."""
        signal.set_wakeup_fd(-1)
        for number, handler in self.handlers.items():
            signal.signal(number, handler)
        self.channel.close()
        os.close(self.woken)
        os.close(self.wake)

    def end(self):
        """Nobody waits for the jobs any more: end them, and this process without the exit hooks, which are the jobs'."""
        for pid in self.jobs:
            os.kill(pid, signal.SIGTERM)
        os._exit(0)


def open_target(stream, target, append):
    """The descriptor of a file that a redirect writes to, opened as Bash does; None where the target is a stream."""
    if isinstance(target, int):
        return None
    return os.open(target, os.O_WRONLY | os.O_CREAT | (os.O_APPEND if append else os.O_TRUNC), 0o666)


def renew_stream(name, descriptor):
    """Make sys.stdout or sys.stderr anew, since its buffering depends on what its descriptor is (CPython's create_stdio)."""
    old = getattr(sys, name)
    unbuffered = old.write_through
    binary = open(descriptor, "wb", 0 if unbuffered else -1, closefd=False)
    raw = binary if unbuffered else binary.raw
    raw.name = f"<{name}>"
    lines = not unbuffered and (name == "stderr" or raw.isatty())
    new = io.TextIOWrapper(binary, old.encoding, old.errors, newline="\n", line_buffering=lines, write_through=unbuffered)
    new.mode = "w"
    setattr(sys, name, new)
    setattr(sys, f"__{name}__", new)


def renew_randomness():
    """Seed afresh what a plain start seeds from the operating system on import; `random` does so by itself on a fork."""
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()


def main_module(script):
    """The module __main__ as `python script` makes it, and as this process got it too."""
    module = types.ModuleType("__main__")
    path = os.path.join(os.getcwd(), script)
    own = {name: value for name, value in vars(sys.modules["__main__"]).items() if name.startswith("__")}
    loader = importlib.machinery.SourceFileLoader("__main__", path)
    vars(module).update(own, __file__=path, __doc__=None, __loader__=loader)
    return module


def run(script, arguments):
    """Run a script as `python script` does. The interpreter then ends by itself, so hooks, threads and files end as ever."""
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        renew_stream(name, descriptor)
    renew_randomness()
    sys.argv[:] = [script, *arguments]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv[1:] = sys.argv
    if not safe_path():
        sys.path.insert(0, os.path.dirname(os.path.realpath(script)))
    main = sys.modules["__main__"] = main_module(script)
    try:
        with open(main.__file__, "rb") as file:
            source = file.read()
        exec(compile(source, main.__file__, "exec", dont_inherit=True), vars(main))
    except SystemExit:
        raise
    except BaseException as error:
        # Shown here without the frame of this file; raised on so that the exit code or signal is the interpreter's.
        error.__traceback__ = error.__traceback__.tb_next
        sys.excepthook(type(error), error, error.__traceback__)
        sys.excepthook = lambda *_: None
        raise


def safe_path():
    """Whether the interpreter leaves a script's folder out of sys.path (Python 3.11 on)."""
    return getattr(sys.flags, "safe_path", False)


def main():
    if not safe_path():
        del sys.path[0]  # this file's folder
    descriptor, *modules = sys.argv[1:]
    os.set_inheritable(int(descriptor), False)
    forks = Forks(socket.socket(fileno=int(descriptor)))
    threads = preload(modules)
    forks.tell(modules=sorted({name.partition(".")[0] for name in sys.modules}), threads=threads)
    request = forks.serve()
    run(request["script"], request["arguments"])


if __name__ == "__main__":
    main()
