"""Fail in one line where a variation changes what an audit requires to stand."""

import argparse
import sys
from pathlib import Path

from records import audit_headline, script


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verdicts", required=True, type=Path, help="the table of verdicts, CSV")
    if broken := audit_headline.broken(parser.parse_args().verdicts):
        sys.exit(broken)


if __name__ == "__main__":
    script.run(main)
