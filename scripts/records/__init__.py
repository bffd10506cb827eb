"""What jobs read and write: cells and their seals, settings, tables, comparisons, the look of figures.

It imports `contactlab`, the physics, and is imported by the scripts; it knows neither the scripts nor the workflow.
"""
