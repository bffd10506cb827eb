"""Run a batch of drops with MJX."""

import batches
import mjx_batch

from contactlab import drop_replay
from records import script

if __name__ == "__main__":
    script.run(lambda: batches.run_cells(mjx_batch.run, drop_replay))
