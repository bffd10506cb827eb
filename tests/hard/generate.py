"""Values that a schema allows, drawn at random: its bounds and its defaults as often as what lies between."""

import math
import re
from random import Random

# What a shell would act on, what a path could escape with, what YAML and JSON read otherwise than it looks.
NASTY = [
    "$(touch PWNED)", "`touch PWNED`", ";touch PWNED", "| touch PWNED", "&& touch PWNED", "> PWNED", "'; touch PWNED; '",
    '"; touch PWNED; "', "\ntouch PWNED\n", "$HOME", "~", "../..", "/etc/passwd", "a b", "a\tb", "{wildcards}", "{output}",
    "%s", "été", "速度", "🧊", "\u202e", "\u0000", "", " ", "-rf", "--help", "null", "yes", "1e3", "0x10", "1_000", ".inf",
    "default", "x" * 5000,
]  # fmt: skip
WORDS = [
    "x", "mine", "a_b", "thick", "own-robot", "so101", "s0", "motor", "filtered position", "3.17.0", "3.11.0", "3.17.0-aarch64",
    "5", "-1.5e3", "nan", "16K", "0" * 64, "scene.xml", "folder/robot.xml", "wheel", *NASTY,
]  # fmt: skip
SMALLEST = 1e-12  # of numbers that are drawn over many powers of ten
MANY = 3  # entries of a list or a mapping, at most


def resolved(schema: dict, root: dict) -> dict:
    """A subschema with what its reference says."""
    while "$ref" in schema:
        target = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        schema = target | {key: value for key, value in schema.items() if key != "$ref"}
    return schema


def valid(random: Random, schema: dict, root: dict):
    """A value that the schema allows."""
    schema = resolved(schema, root)
    if "default" in schema and random.random() < 0.2:
        return schema["default"]
    if "anyOf" in schema:
        chosen = resolved(random.choice(schema["anyOf"]), root)
        return valid(random, {key: value for key, value in schema.items() if key not in ("anyOf", "default")} | chosen, root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return random.choice(schema["enum"])
    kinds = {"object": mapping, "array": sequence, "string": text, "boolean": lambda random, *_: random.random() < 0.5}
    return kinds.get(schema.get("type"), number)(random, schema, root)


def number(random: Random, schema: dict, root: dict) -> int | float:
    """A bound, a number between them, or one over all powers of ten between them."""
    low = schema.get("minimum", schema.get("exclusiveMinimum", -1e9))
    high = schema.get("maximum", schema.get("exclusiveMaximum", 1e9))
    drawn = [
        random.uniform(low, high),
        *(value for value in (schema.get("minimum"), schema.get("maximum")) if value is not None),
    ]
    for sign, end in ((1, high), (-1, -low)):
        if end > 0:
            least = max(SMALLEST, sign * (low if sign > 0 else high))
            drawn.append(sign * math.exp(random.uniform(math.log(least), math.log(end))))
    value = random.choice(drawn)
    if schema.get("type") == "integer":
        return round(value)
    excluded = (schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum"))
    return value if value not in excluded else number(random, schema, root)


def sequence(random: Random, schema: dict, root: dict) -> list:
    """A list of allowed values, each once where the schema asks for it."""
    first = schema.get("prefixItems", [])
    least = schema.get("minItems", 0)
    count = random.randint(least, max(least, min(schema.get("maxItems", MANY), max(MANY, len(first)))))
    items = [*first[:count], *[schema.get("items", {})] * (count - len(first))]
    found = [valid(random, item, root) for item in items]
    if "contains" in schema and not any(found):
        found[0] = 1
    return [value for index, value in enumerate(found) if value not in found[:index]] if schema.get("uniqueItems") else found


def mapping(random: Random, schema: dict, root: dict) -> dict:
    """A mapping with what is required, some of what may be there, and names of its own where they are free."""
    known = schema.get("properties", {})
    required = schema.get("required", [])
    chosen = [name for name in known if name in required or random.random() < MANY / (MANY + len(known))]
    found = {name: valid(random, known[name], root) for name in chosen}
    if isinstance(schema.get("additionalProperties"), dict):
        names = resolved(schema.get("propertyNames", {}), root)
        for _ in range(random.randint(max(1, schema.get("minProperties", 0)), 2)):
            found[text(random, names, root)] = valid(random, schema["additionalProperties"], root)
    most = schema.get("maxProperties", len(found))
    found = dict(random.sample(list(found.items()), most)) if len(found) > most else found
    while len(found) < schema.get("minProperties", 0):
        name = random.choice(list(known))
        found[name] = valid(random, known[name], root)
    return found


def text(random: Random, schema: dict, root: dict) -> str:
    """A word that matches the pattern, if there is one."""
    allowed = [
        word
        for word in WORDS
        if re.search(schema.get("pattern", ""), word)
        and len(word) >= schema.get("minLength", 0)
        and word not in schema.get("not", {}).get("enum", [])
    ]
    return random.choice(allowed)


def places(schema: dict, root: dict, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The path of every key that a schema describes; a name that is free is "x"."""
    schema = resolved(schema, root)
    below = dict(schema.get("properties", {}))
    if isinstance(schema.get("additionalProperties"), dict):
        below["x"] = schema["additionalProperties"]
    return [place for name, part in below.items() for place in ((*path, name), *places(part, root, (*path, name)))]


def put(random: Random, config: dict, path: tuple[str, ...], root: dict) -> dict:
    """`config` with an allowed value at a path, and with what the mappings on the way to it require."""
    holder, schema = config, root
    for name in path[:-1]:
        schema = part_of(schema, name, root)
        required = {key: schema["properties"][key] for key in schema.get("required", [])}
        holder = holder.setdefault(name, {key: valid(random, part, root) for key, part in required.items()})
    holder[path[-1]] = valid(random, part_of(schema, path[-1], root), root)
    return config


def part_of(schema: dict, name: str, root: dict) -> dict:
    return resolved(schema.get("properties", {}).get(name) or schema["additionalProperties"], root)
