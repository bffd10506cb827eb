"""What jobs read and write: cells and their seals, settings, tables, comparisons, the look of figures.

It stands on `contactlab`, the physics, and below the scripts; it knows neither the scripts nor the workflow.
"""
