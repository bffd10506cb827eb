"""A configuration file is what it looks like: YAML with keys at the top, each once, no tags, nothing nested without end."""

from pathlib import Path

import yaml

from lib import messages
from lib.messages import ConfigError

DEEPEST = 30  # levels of a configuration; its schema has 6


def check_readable(path: Path) -> None:
    """Raises ConfigError, with the line, for a file that YAML cannot read as a mapping, or would read otherwise than it looks.

    Of a key that stands twice YAML would take the last, and a tag may run code. A missing file is for Snakemake to report.
    """
    if not path.is_file():
        return
    try:
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, UnicodeError) as error:
        place = getattr(error, "problem_mark", None)
        line = f", line {place.line + 1}" if place else ""
        said = getattr(error, "problem", None) or str(error)
        raise ConfigError(f"config: {path}{line}: {' '.join(said.split())}; allowed: YAML") from None
    if not isinstance(root, yaml.MappingNode):
        raise ConfigError(f"config: {path} has no keys; allowed: YAML with keys at the top")
    _check_once(root, "config", path, ())


def _check_once(node: yaml.Node, key: str, path: Path, around: tuple[yaml.Node, ...]) -> None:
    where = f"in line {node.start_mark.line + 1} of {path}"
    if node in around:
        raise ConfigError(f"{key}, {where}, has itself in it; allowed: other values")
    if len(around) > DEEPEST:
        raise ConfigError(f"{messages.clipped(key)}, {where}, is nested too deeply; allowed: {DEEPEST} levels")
    if node.tag not in yaml.SafeLoader.yaml_constructors:
        raise ConfigError(f"{key}, {where}, has the tag {messages.short(node.tag)}; allowed: no tag")
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for name, value in node.value:
            line, child = name.start_mark.line + 1, f"{key}.{name.value}"
            if not isinstance(name, yaml.ScalarNode):
                raise ConfigError(f"{key} has a key that is no word, in line {line} of {path}; allowed: words")
            if name.value in seen:
                raise ConfigError(f"{messages.clipped(child)} stands twice, in line {line} of {path} again; allowed: once")
            seen.add(name.value)
            _check_once(value, child, path, (*around, node))
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _check_once(value, f"{key}[{index}]", path, (*around, node))
