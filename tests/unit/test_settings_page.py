"""The table of the machine and its versions."""

import settings_page


def test_an_engine_of_another_architecture_has_a_row_of_its_own():
    own = {"python": "3.11.7", "mujoco": "3.17.0", "numpy": "2.5.1"}
    other = own | {"python": "3.11.2", "architecture": "aarch64", "debian": {"python3": "3.11.2-1", "libc6": "2.36"}}
    found = settings_page.machine_rows("machine Linux", ["Python=3.11.7"], {"3.17.0": own, "3.17.0-aarch64": other})
    assert [row["item"] for row in found] == ["machine", "Python", "MuJoCo 3.17.0", "MuJoCo 3.17.0-aarch64"]
    assert found[2]["value"] == "with python 3.11.7, numpy 2.5.1"
    assert found[3]["value"].startswith("with python 3.11.2, numpy 2.5.1, architecture aarch64")
