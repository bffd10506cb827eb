"""One episode of a Meta-World task (version 3.1.1), driven by the scripted policy that Meta-World has for it.

Source: metaworld.policies and metaworld.env_dict of the package, whose own tests call an episode a success when one step is.
"""

from metaworld.env_dict import ALL_V3_ENVIRONMENTS_GOAL_OBSERVABLE
from metaworld.policies import ENV_POLICY_MAP


def measure(task: str, seed: int) -> dict[str, bool]:
    """Whether the policy succeeds in one of the 500 steps, with the object and the goal where the seed puts them."""
    environment = ALL_V3_ENVIRONMENTS_GOAL_OBSERVABLE[f"{task}-goal-observable"](seed=seed)
    observation, _ = environment.reset(seed=seed)
    policy = ENV_POLICY_MAP[task]()
    for _ in range(environment.max_path_length):
        observation, *_, info = environment.step(policy.get_action(observation).clip(-1, 1))
        if info["success"]:
            return {"success": True}
    return {"success": False}
