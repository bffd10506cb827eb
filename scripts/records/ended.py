"""The words for runs of which nothing is known but how they ended: the `outcome` of a result that has nothing else but `why`.

They stand here alone, so that what measures does not depend on what compares.
"""

from contactlab.limit import TIMED_OUT

FAILED = "failed"  # code of the user's own raised an error, or died
CANNOT_RUN = "cannot run"  # the scene or the code does not run on this version
ENDED = (TIMED_OUT, FAILED, CANNOT_RUN)
