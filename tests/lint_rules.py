"""Snakemake's linter, without its one question that does not apply: software is locked in envs/ and built by `make` and the engines' rule.

It asks for a conda environment or a container in every rule, and has no way to be told of another.
"""

import json
import subprocess
import sys

NOT_ASKED = "Specify a conda environment or container for each rule."


def main() -> None:
    command = [sys.executable, "-m", "snakemake", "--lint", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout.startswith("{"):
        sys.exit(done.stdout + done.stderr)
    found = [(rule["for"], lint) for rules in json.loads(done.stdout).values() for rule in rules or () for lint in rule["lints"]]
    left = [f"{place}: {lint['title']}" for place, lint in found if lint["title"] != NOT_ASKED]
    if left:
        sys.exit("\n".join(left))


if __name__ == "__main__":
    main()
