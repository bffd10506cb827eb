"""A Slurm of one node on the loopback interface, for as long as a `with` block lasts.

Everything of it lies in one folder that only its owner can enter, its own munge included; nothing of the system's is read or
changed. It keeps no accounts and counts no memory: it shows that jobs are submitted, run on the node, and are seen to end.
"""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "scancel", "squeue", "sinfo"]
CPUS = len(os.sched_getaffinity(0))
PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"
CONFIGURATION = """\
ClusterName=contactlab
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}
SlurmdSpoolDir={folder}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory_mb} State=UNKNOWN
PartitionName=test Nodes={host} Default=YES MaxTime=60 State=UP
"""


def refuse_beside_another() -> None:
    """Raises SystemExit with one line where this machine already has a Slurm: it is left alone."""
    if os.environ.get("SLURM_CONF") or Path("/etc/slurm/slurm.conf").exists():
        sys.exit("test-slurm: this machine has a Slurm already, which is left alone; run the test where there is none")
    for name in ("slurmctld", "slurmd"):
        if output(["pgrep", "--exact", "--runstates", "DRSTt", name], os.environ):
            sys.exit(f"test-slurm: a {name} is running already, which is left alone")


def install() -> None:
    """Install Debian's Slurm where it is missing. Raises SystemExit with one line where that cannot be done."""
    if all(shutil.which(program, path=PATH) for program in PROGRAMS):
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.exit("test-slurm: Slurm is missing; as root on Debian: apt-get install --no-install-recommends slurm-wlm munge")
    options = {"env": os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, "stdout": subprocess.DEVNULL}
    for command in (["update"], ["install", "--yes", "--no-install-recommends", "slurm-wlm", "munge"]):
        if subprocess.run(["apt-get", "-qq", *command], check=False, **options).returncode:
            sys.exit(f"test-slurm: apt-get {command[0]} failed; Slurm could not be installed")


@contextmanager
def one_node(folder: Path) -> Iterator[dict[str, str]]:
    """The environment in which sbatch and its kin find a cluster of this machine, which lasts as long as the block.

    `folder` is empty and stays so short that a socket's path fits into it. Raises SystemExit if the node does not come up.
    """
    folder.chmod(0o700)
    (folder / "munge.key").write_bytes(secrets.token_bytes(128))
    (folder / "munge.key").chmod(0o600)
    (folder / "slurm.conf").write_text(configuration(folder), encoding="utf-8")
    environment = os.environ | {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": PATH}
    files = {"key-file": "munge.key", "socket": "munge.socket", "pid-file": "munge.pid", "seed-file": "munge.seed"}
    # Forced, as munged expects other users, who could not enter the folder.
    munge = ["munged", "--foreground", "--force", *(f"--{option}={folder / name}" for option, name in files.items())]
    with ExitStack() as daemons:
        daemons.enter_context(daemon(munge, folder, environment))
        wait_for("munged", lambda: (folder / "munge.socket").exists())
        for command in (["slurmctld", "-D", "-i"], ["slurmd", "-D"]):
            daemons.enter_context(daemon(command, folder, environment))
        wait_for("the node", lambda: "idle" in output(["sinfo", "--noheader", "--format=%T"], environment))
        try:
            yield environment
        finally:
            output(["scancel", "--me"], environment)
            wait_for("the end of the jobs", lambda: not output(["squeue", "--noheader"], environment))


def configuration(folder: Path) -> str:
    """The text of slurm.conf."""
    return CONFIGURATION.format(
        folder=folder,
        host=socket.gethostname().partition(".")[0],
        user=output(["id", "--user", "--name"], os.environ).strip(),
        cpus=CPUS,
        memory_mb=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20 * 9 // 10,
        controller_port=free_port(),
        node_port=free_port(),
    )


@contextmanager
def daemon(command: list[str], folder: Path, environment: dict[str, str]) -> Iterator[None]:
    """A process in the foreground of its own session, where Ctrl-C does not reach it, ended with the block."""
    with (folder / f"{command[0]}.out").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for(what: str, ready, seconds: float = 30) -> None:
    """Wait until `ready()`. Raises SystemExit with one line when `seconds` have passed."""
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            sys.exit(f"test-slurm: {what} did not come up within {seconds:g} s")
        time.sleep(0.2)


def output(command: list[str], environment) -> str:
    """What a command prints; nothing where it fails."""
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout


def free_port() -> int:
    """A port of the loopback interface that nothing listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]
