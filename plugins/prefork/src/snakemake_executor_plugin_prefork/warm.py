"""The warm interpreter: imports modules once, and forks for each script that it is asked to run.

Run as `<python> warm.py <descriptor> [module ...]`; the descriptor is one end of a pair of stream sockets, and every message
on it is a line of JSON:

    from here   {"ready": true}                           once
    to here     {"job": n, "script": ..., "arguments": [...], "redirects": [[stream, target, append], ...]}
    from here   {"job": n, "pid": 123}; later {"job": n, "code": 0}, negative for a signal
             or {"job": n, "refused": null}               a file cannot be opened, or no process made: Bash says it best
             or {"job": n, "refused": "why"}              a fork would not be what a plain start is

A module is given by its name, or as FOLDER:NAME where it lies beside the scripts of a folder; then only those scripts get it.
The first is imported before any fork, the others one after another while nobody asks for one, so that the first jobs do not
wait for what they may not need.

It uses the standard library only, of Python 3.9 on, since it runs on the interpreter of the jobs and not on Snakemake's.
"""

import atexit
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
BUFFERED = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)


class Preload:
    """The modules that are imported here, and what they mean for a fork."""

    def __init__(self, entries):
        self.waiting = list(entries)
        self.beside = {}  # the folder of the scripts that may have a module, by the module's name
        self.threads = False

    def import_next(self):
        """Import the module whose turn it is, if it can be imported here."""
        folder, _, module = self.waiting.pop(0).rpartition(":")
        before, tasks = set(sys.modules), task_count()
        # A script that needs a module which cannot be imported says so itself, in its own words.
        with script_folder(folder), contextlib.suppress(Exception):
            importlib.import_module(module)
        if folder:
            root = os.path.realpath(folder)
            self.beside.update((name, root) for name in set(sys.modules) - before if lies_in(sys.modules[name], root))
        self.threads |= task_count() > tasks
        sys.stdout.flush()
        # A fork that collects garbage, as it does at its end, would otherwise copy every page of what is shared.
        gc.collect()
        gc.freeze()

    def hindrance(self, script):
        """Why a fork that runs a script would not be what a plain start is, or None."""
        if self.threads:
            return f"{sys.executable}: a preloaded module starts threads, and a fork would lose them"
        name = shadowing(script, {name.partition(".")[0] for name in sys.modules.keys() - self.beside.keys()})
        return name and f"{name} beside {script} has the name of a module that {sys.executable} has loaded"

    def forget_others(self, script):
        """In a fork: drop what lies beside the scripts of other folders."""
        folder = os.path.dirname(os.path.realpath(script))
        for name in [name for name, root in self.beside.items() if root != folder]:
            sys.modules.pop(name, None)


@contextlib.contextmanager
def script_folder(folder):
    """sys.path as a script of `folder` has it; as it is where there is no folder."""
    path = list(sys.path)
    if folder and not safe_path():
        sys.path.insert(0, os.path.realpath(folder))
    try:
        yield
    finally:
        sys.path[:] = path


def lies_in(module, folder):
    """Whether a module was read from a file below a folder."""
    return (getattr(module, "__file__", None) or "").startswith(os.path.join(folder, ""))


def shadowing(script, modules):
    """The file beside a script that a plain start would import in place of a module that is loaded here."""
    for entry in os.scandir(os.path.dirname(os.path.realpath(script))):
        if entry.name.partition(".")[0] in modules:
            suffixes = tuple(importlib.machinery.all_suffixes())
            if entry.name.endswith(suffixes) or os.path.exists(os.path.join(entry.path, "__init__.py")):
                return entry.name
    return None


def task_count():
    """The threads of this process, those of C libraries included where the system lists them."""
    return len(os.listdir(TASKS)) if os.path.isdir(TASKS) else threading.active_count()


class Forks:
    """Forks jobs and tells the other end of the socket how they fare."""

    def __init__(self, channel, preload):
        self.channel = channel
        self.preload = preload
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
            ready, _, _ = select.select([self.channel, self.woken], [], [], 0 if self.preload.waiting else None)
            if not ready:
                self.preload.import_next()
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
        """Fork with the streams of the request; return whether this is the fork. What is not forked is told."""
        if hindrance := self.preload.hindrance(request["script"]):
            self.tell(job=request["job"], refused=hindrance)
            return False
        opened = []
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, GROUP_SIGNALS)
        try:
            for redirect in request["redirects"]:
                opened.append(open_target(*redirect))
            if self.split(request["job"]):
                self.leave()
                for (stream, target, _), descriptor in zip(request["redirects"], opened):
                    os.dup2(target if descriptor is None else descriptor, stream)
                return True
        except OSError:
            self.tell(job=request["job"], refused=None)
        finally:
            for descriptor in filter(None, opened):
                os.close(descriptor)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return False

    def split(self, job):
        """Fork and tell the fork's id; return whether this is the fork, which goes on only once its id has been told.

        Where this process dies before that, nobody knows of the fork, and the job is started once more in another way.
        """
        ends = os.pipe()
        with open(ends[0], "rb", 0) as told, open(ends[1], "wb", 0) as tell:
            pid = os.fork()
            if pid == 0:
                tell.close()
                if not told.read(1):
                    os._exit(1)
                return True
            self.jobs[pid] = job
            self.tell(job=job, pid=pid)
            tell.write(b"\n")
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
    """Run a script as `python script` does. Unless it comes to its end as most do, the interpreter ends by itself."""
    before = set(sys.modules) - {"__main__"}
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
    del main
    finish(before)


def finish(shared):
    """End this fork as the interpreter does, save that it does not take apart the modules that were there before the script.

    That would write to, and so copy, every page that the forks share: it takes longer than many a job. The first two calls are
    those with which multiprocessing ends its forks. Returns where the interpreter must say what is wrong with a stream.
    """
    threading._shutdown()
    atexit._run_exitfuncs()
    try:
        flush()
        for name in sys.modules.keys() - shared:
            del sys.modules[name]
        gc.collect()  # of what is not shared: its objects end
        flush()
    except (OSError, ValueError, AttributeError):  # full, closed, or None
        return
    os._exit(0)


def flush():
    """Write out the standard streams, and every file that was opened since the fork and is not closed."""
    sys.stdout.flush()
    sys.stderr.flush()
    for file in [item for item in gc.get_objects() if type(item) in BUFFERED and not item.closed]:
        file.flush()


def safe_path():
    """Whether the interpreter leaves a script's folder out of sys.path (Python 3.11 on)."""
    return getattr(sys.flags, "safe_path", False)


def main():
    if not safe_path():
        del sys.path[0]  # this file's folder
    descriptor, *modules = sys.argv[1:]
    os.set_inheritable(int(descriptor), False)
    preload = Preload(modules)
    if preload.waiting:
        preload.import_next()
    forks = Forks(socket.socket(fileno=int(descriptor)), preload)
    forks.tell(ready=True)
    request = forks.serve()
    preload.forget_others(request["script"])
    run(request["script"], request["arguments"])


if __name__ == "__main__":
    main()
