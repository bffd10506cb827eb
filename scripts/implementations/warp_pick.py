"""Run a batch of picks, open loop, with MuJoCo Warp."""

import batches
import warp_batch

from contactlab import pick_replay
from records import script

if __name__ == "__main__":
    script.run(lambda: batches.run_cells(warp_batch.run, pick_replay))
