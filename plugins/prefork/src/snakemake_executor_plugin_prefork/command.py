"""Which shell commands can be forked: `<python> script.py args`, redirected to files or not, and nothing else."""

import os
import re
import shlex
from dataclasses import dataclass

# A word that Bash changes in nothing but its quotes: no expansion, no operator, no comment.
WORD = r"""(?:[\w@%+=:,./^-]|'[^']*'|"[^"$`\\]*"|\\[^\n])+"""
CONTINUED = r"(?:\\\n)*"  # a line that ends in a backslash goes on in the next, without a blank
BLANK = rf"(?:{CONTINUED}[ \t]{CONTINUED})"
REDIRECT = rf"(?:[12]?>&[12](?![^ \t\n\\])|(?:&|[12])?>>?{BLANK}*{WORD})"
PLAIN = re.compile(rf"\s*(?P<words>{WORD}(?:{BLANK}+{WORD})*)(?P<redirects>(?:{BLANK}+{REDIRECT})*)\s*")
PARTS = re.compile(rf"(?P<stream>&|[12])?(?P<operator>>&|>>?){BLANK}*(?P<target>{WORD})")
PYTHON = re.compile(r"python(3(\.\d+)?)?")
QUOTING = {"'", '"', "\\"}
STDOUT, STDERR = 1, 2


@dataclass(frozen=True)
class Redirect:
    """A stream of a command led to a file, or to where another stream (1 or 2) goes."""

    stream: int
    target: str | int
    append: bool = False


@dataclass(frozen=True)
class Command:
    """A Python script, its arguments, and its redirects in the order in which Bash makes them."""

    python: str
    script: str
    arguments: tuple[str, ...]
    redirects: tuple[Redirect, ...]


def parse(line: str) -> Command | None:
    """The command of a line of Bash, or None where the line is, or may be, anything but a plain Python script."""
    plain = PLAIN.fullmatch(line)
    if plain is None:
        return None
    words = [unquoted(word) for word in re.findall(WORD, plain["words"])]
    if len(words) < 2 or not PYTHON.fullmatch(os.path.basename(words[0])):
        return None
    python, script, *arguments = words
    if script.startswith("-") or not (script.endswith(".py") and os.path.isfile(script)):
        return None
    redirects = [redirect for part in PARTS.finditer(plain["redirects"]) for redirect in read_redirect(part)]
    if not all(isinstance(redirect.target, int) or is_file_to_be(redirect.target) for redirect in redirects):
        return None
    return Command(python, script, tuple(arguments), tuple(redirects))


def unquoted(word: str) -> str:
    """A word as the program gets it."""
    return "".join(shlex.split(word)) if QUOTING & set(word) else word


def read_redirect(part: re.Match) -> list[Redirect]:
    """The redirects that one operator stands for: two for `&>`."""
    stream = int(part["stream"]) if part["stream"] in ("1", "2") else STDOUT
    if part["operator"] == ">&":
        return [Redirect(stream, int(part["target"]))]
    first = Redirect(stream, unquoted(part["target"]), append=part["operator"] == ">>")
    return [first, Redirect(STDERR, STDOUT)] if part["stream"] == "&" else [first]


def is_file_to_be(path: str) -> bool:
    """Whether opening `path` can neither block, as a pipe's does, nor mean a stream of the opener, as /dev/stdout does."""
    return path == os.devnull or os.path.isfile(os.path.realpath(path)) or not os.path.exists(path)
