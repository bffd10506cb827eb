"""Run a batch of drops with MuJoCo Warp."""

import batches
import warp_batch

from contactlab import drop_replay
from records import script

if __name__ == "__main__":
    script.run(lambda: batches.run_cells(warp_batch.run, drop_replay))
