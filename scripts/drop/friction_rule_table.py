"""Collect drops whose cube and table differ in friction and solref, and name the rule that gives what the contact had."""

import drop_table

from records import script
from records.drop_tables import with_rules

if __name__ == "__main__":
    script.run(lambda: drop_table.main(with_rules))
