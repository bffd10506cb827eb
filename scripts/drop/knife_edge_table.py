"""Collect a sweep of drop heights and mark the timesteps whose outcome hangs on the height: a knife-edge."""

import drop_table

from records import script
from records.drop_tables import with_knife_edges

if __name__ == "__main__":
    script.run(lambda: drop_table.main(with_knife_edges))
