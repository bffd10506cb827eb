"""Write what the measures of an audit do over its timesteps: whether they converge, to what, and which timestep suffices."""

from records import audit_convergence, audit_headline, audit_tables, script


def main() -> None:
    print(audit_headline.timestep_sentence(audit_tables.write(__doc__, audit_convergence.rows)))


if __name__ == "__main__":
    script.run(main)
