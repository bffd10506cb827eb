"""Run a scan of chapter 5's faults with MJX."""

import batches
import mjx_batch

from contactlab import controls_replay
from records import script

if __name__ == "__main__":
    script.run(lambda: batches.run_scan(mjx_batch.run, controls_replay))
