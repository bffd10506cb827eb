"""The tables of control faults: the rows of a scan on every engine. No pandas: importing it takes longer than most scans."""

from records import settings


def controls_table(records: dict[str, dict]) -> list[dict]:
    """The rows of each engine's record, the engine first; in long form values are words, as they share one column."""
    rows = [{"engine": engine} | row for engine, record in records.items() for row in record["rows"]]
    return [row | {"value": settings.to_word(row["value"])} if "quantity" in row else row for row in rows]
