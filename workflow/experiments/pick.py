"""What a configuration of picks must hold beside its schema: a robot that can be found, and settings that fit it."""

from pathlib import Path

from lib.messages import ConfigError
from lib.schema import Schema, defaults

SO_101 = "so101"  # the robot whose cells carry no mark
ROBOT_PARTS = (
    "arm_joints", "arm_actuators", "jaw_joint", "jaw_actuator", "tool_body", "fixed_jaw_body", "moving_jaw_body",
)  # fmt: skip


def source(part: dict) -> dict[str, str]:
    """The mark of a robot of the user's own in the names of its cells."""
    return {} if part["robot"]["name"] == SO_101 else {"robot": part["robot"]["name"]}


def own_defaults(part: dict) -> dict:
    """The settings that a robot brings with it."""
    return part["robot"]["settings"]


def check_part(part: dict, key: str, schema: Schema, envs: Path) -> None:
    """The robot's model can be found, and one that is not the SO-101 is not called so. Raises ConfigError."""
    robot, key = part["robot"], f"{key}.robot"
    if robot["name"] in schema.experiments:
        raise ConfigError(f"{key}.name is {robot['name']}; allowed: a name that no experiment has")
    if robot["source"] == "wheel" and not (envs / f"{robot['lock']}.txt").is_file():
        raise ConfigError(f"{key}.lock is {robot['lock']}; allowed: the NAME of a file envs/NAME.txt")
    if robot["source"] not in ("wheel", "menagerie") and not (Path(robot["source"]) / robot["file"]).is_file():
        raise ConfigError(
            f"{key}.source is {robot['source']}; allowed: wheel, menagerie or a folder that holds {robot['file']}"
        )
    parts = schema["properties"]["pick"]["properties"]["robot"]["properties"]
    for name in ("file", "settings", *ROBOT_PARTS):
        if robot["name"] == SO_101 and robot[name] != parts[name]["default"]:
            raise ConfigError(f"{key}.{name} is not the SO-101's, whose name the robot has; allowed: a name of its own")
    joints, actuators = len(robot["arm_joints"]), len(robot["arm_actuators"])
    if joints != actuators:
        raise ConfigError(f"{key}.arm_actuators has {actuators} names; allowed: one for each of the {joints} arm_joints")


def check_grid(sweep: dict, key: str, part: dict, schema: Schema) -> None:
    """Every position is one of the seeded ones, and the arm's start has a value for each of its joints. Raises ConfigError."""
    joints = len(part["robot"]["arm_joints"])
    for home in sweep.get("home_rad", [defaults(schema, "pick")["home_rad"]]):
        if len(home) != joints:
            raise ConfigError(
                f"{key}.home_rad has {len(home)} values; allowed: one for each of the robot's {joints} arm_joints"
            )
    numbers = [number for number in sweep.get("turn_joint", [defaults(schema, "pick")["turn_joint"]]) if number != "last"]
    if numbers and max(numbers) > joints:
        raise ConfigError(f"{key}.turn_joint is {max(numbers)}; allowed: last, or one of the robot's {joints} arm_joints")
    count = min(sweep.get("position_count", [defaults(schema, "pick")["position_count"]]))
    beyond = [position for position in sweep["position"] if position != "nominal" and position >= count]
    if beyond:
        raise ConfigError(f"{key}.position is {beyond[0]}; allowed: nominal, or up to position_count - 1, {count - 1}")
