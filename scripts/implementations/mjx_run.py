"""Run a batch of cells with MJX, MuJoCo's physics on JAX, as one program."""

import batches
import mjx_batch

from records import script

if __name__ == "__main__":
    script.run(lambda: batches.main(mjx_batch.run, __doc__))
