"""Run the audits of a file in the current folder, which may be a repository of its own beside contactlab's clone."""

import argparse
import os
import sys
from pathlib import Path

import yaml

from lib import audit_locks, yaml_files
from lib.messages import ConfigError

PROJECT = Path(__file__).resolve().parents[2]


def names(file: Path) -> list[str]:
    """The audits that a configuration has. Raises ConfigError for one without any, or that cannot be read."""
    yaml_files.check_readable(file)
    found = (yaml.safe_load(file.read_text(encoding="utf-8")) or {}).get("audits")
    if not isinstance(found, dict) or not found:
        raise ConfigError(f"{file} has no audits; allowed: a file with audits: NAME: ...")
    return list(found)


def main() -> None:
    parser = argparse.ArgumentParser(prog="audit", description=__doc__)
    parser.add_argument("file", type=Path, help="a configuration with audits; then targets and options of snakemake")
    parser.add_argument("--lock", action="store_true", help="write the locks of their requirements into envs/, and run nothing")
    arguments, others = parser.parse_known_args()
    if arguments.lock:
        sys.argv[1:] = ["--audits", str(arguments.file), "--envs", str(PROJECT / "envs")]
        audit_locks.main()
        return
    targets = names(arguments.file)
    cores = [] if any(word.startswith(("--cores", "-c", "--jobs", "-j")) for word in others) else ["--cores", "all"]
    options = ["--snakefile", str(PROJECT / "Snakefile"), *cores, "--configfile", str(arguments.file)]
    os.execv(sys.executable, [sys.executable, "-m", "snakemake", *targets, *others, *options])


if __name__ == "__main__":
    try:
        main()
    except (ValueError, OSError) as error:
        sys.exit(f"audit: {error}")
