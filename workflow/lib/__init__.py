"""Plain Python that the rules call: what a configuration may hold, what cells are called, what a job depends on.

It stands on `records` and `contactlab`, and knows no script.
"""
