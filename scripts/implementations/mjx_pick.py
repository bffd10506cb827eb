"""Run a batch of picks, open loop, with MJX."""

import batches
import mjx_batch

from contactlab import pick_replay
from records import script

if __name__ == "__main__":
    script.run(lambda: batches.run_cells(mjx_batch.run, pick_replay))
