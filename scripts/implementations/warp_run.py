"""Run a batch of cells with MuJoCo Warp as one program."""

import batches
import warp_batch

from records import script

if __name__ == "__main__":
    script.run(lambda: batches.main(warp_batch.run, __doc__))
