"""Rows of figures, their ratios to the yardstick, the aims; as text, JSON and Markdown."""

import dataclasses
import datetime
import json
import os
import pathlib
import platform

from . import neighbours, processes

COUNTS = ("requests", "failed")  # kept in the JSON, not shown


@dataclasses.dataclass
class Row:
    """The figures of one subject in one variant of a workload."""

    workload: str
    variant: str
    subject: str
    figures: dict[str, float]
    yardstick: str | None = None  # what this is compared with: "SUBJECT" or "SUBJECT @ VARIANT"


@dataclasses.dataclass
class Aim:
    """A figure of ours, or its ratio to another row's, with the limit that is wanted."""

    words: str
    workload: str
    variant: str
    figure: str
    limit: float
    at_least: bool = False
    ratio: bool = True
    subject: str = "navstate"


def aims() -> list[Aim]:
    cpu, rate, p50, p99 = "CPU µs/request", "requests/s", "p50 µs", "p99 µs"
    c64, c256, c1 = "64 connections", "256 connections", "1 connection"
    thousand, million = "1,000 subscribers", "1,000,000 sessions, spread over all"
    return [
        Aim("CPU of a GET, 64 connections", "reads", c64, cpu, 1.2),
        Aim("CPU of a GET, 256 connections", "reads", c256, cpu, 1.2),
        Aim("p99 of a GET, 64 connections", "reads", c64, p99, 2),
        Aim("latency of a GET, one connection", "reads", c1, p50, 1.3),
        Aim("CPU of a durable change, 64 connections", "durable", c64, cpu, 1.7),
        Aim("CPU of a durable change, path of 5, 64 connections", "durable-depth", f"path of 5, {c64}",
            cpu, 1.9),
        Aim("CPU of a durable change, path of 20, 64 connections", "durable-depth",
            f"path of 20, {c64}", cpu, 2.5),
        Aim("durable changes per second, path of 5, 64 connections", "durable-depth",
            f"path of 5, {c64}", rate, 0.8, at_least=True),
        Aim("durable changes per second, path of 5, 256 connections", "durable-depth",
            f"path of 5, {c256}", rate, 0.7, at_least=True),
        Aim("durable changes per second, 64 connections", "durable", c64, rate, 0.6, at_least=True),
        Aim("durable changes per second, 256 connections", "durable", c256, rate, 0.5, at_least=True),
        Aim("p99 of a durable change, 64 connections", "durable", c64, p99, 2),
        Aim("p99 of a durable change, 256 connections", "durable", c256, p99, 3),
        Aim("latency of a durable change, one connection", "durable", c1, p50, 1.2),
        Aim("p99 of nine GETs and a change, 64 connections", "mixed", c64, p99, 1.5),
        Aim("CPU of a GET, a million sessions relative to a thousand", "growth reads", million, cpu, 1.4),
        Aim("CPU of a change, a million sessions relative to a thousand", "growth durable", million, cpu, 1.25),
        Aim("MB resident at a million sessions", "growth memory", "1,000,000 sessions",
            "MB resident", 600, ratio=False),
        Aim("startup with a million sessions", "growth start", "1,000,000 sessions", "ms", 3),
        Aim("bytes of an idle connection", "idle memory", "10,000 connections",
            "bytes/connection", 1536, ratio=False),
        Aim("reads with 10,000 idle connections", "idle reads", "10,000 beside", rate, 0.8,
            at_least=True),
        Aim("p99 of reads while each sync takes 50 ms longer", "slow", "syncs + 50 ms", p99, 1.5),
        *(Aim(f"p99 of other clients next to {kind}", "neighbours", kind, p99, 1.25)
          for kind in neighbours.KINDS),
        Aim("deliveries per second to 1,000 subscribers", "streams", thousand, "deliveries/s", 0.9,
            at_least=True),
        Aim("deliveries per second to 100 subscribers", "streams", "100 subscribers",
            "deliveries/s", 0.8, at_least=True),
        Aim("p99 of a delivery to 1,000 subscribers", "streams", thousand, "last p99 ms", 1.5),
        *(Aim(f"changes per second on the shared store, {subject}, {count}", "shared changes", count,
              rate, 0.8, at_least=True, subject=subject)
          for subject in ("one node", "two nodes") for count in (c64, c256)),
        *(Aim(f"p99 of a change on the shared store, {subject}, {count}", "shared changes", count,
              p99, 1.2, subject=subject)
          for subject in ("one node", "two nodes") for count in (c64, c256)),
        *(Aim(f"changes per second on a shared store that is far, {subject}, {count}", "shared far",
              count, rate, 0.8, at_least=True, subject=subject)
          for subject in ("one node", "two nodes") for count in ("16 connections", c64)),
        *(Aim(f"p99 of a change on a shared store that is far, {subject}, {count}", "shared far",
              count, p99, 1.2, subject=subject)
          for subject in ("one node", "two nodes") for count in ("16 connections", c64)),
        Aim("ms from a change to the other node's event, p99, beside 64 writers", "shared feed",
            "beside 64 writers", "lag p99 ms", 50, ratio=False),
        *(Aim(f"ms until the console shows {what}", "console", variant, "list ms", 200, ratio=False,
              subject="console")
          for what, variant in (
              ("its list, first visit", "first visit"),
              ("a session of ten revisions, first visit", "session, first visit"),
              ("a session of ten revisions beside 10,000", "session beside 10,000, first visit"))),
    ]


def machine(data: pathlib.Path) -> str:
    """The shape of the machine, without its name."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cores = len(processes.CORES_AT_START)
    kernel = ".".join(platform.release().split("-")[0].split(".")[:2])
    return (f"{cores} cores ({platform.machine()}), {memory:.0f} GiB, Linux {kernel}, "
            f"data on {filesystem(data)}")


def filesystem(path: pathlib.Path) -> str:
    """The type of the file system that `path` lies on, from /proc/self/mountinfo."""
    best, kind = -1, "?"
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        before, after = line.split(" - ", 1)
        point = before.split()[4]
        if path.resolve().is_relative_to(point) and len(point) >= best:
            best, kind = len(point), after.split()[0]
    return kind


def shown(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


class Report:
    def __init__(self, shape: str):
        self.rows: list[Row] = []
        self.notes: list[str] = []
        self.shape = shape
        self.date = datetime.date.today().isoformat()

    def add(self, *arguments, **options) -> None:
        row = Row(*arguments, **options)
        self.rows.append(row)
        cells = (f"{k} {self.cell(row, k)}" for k in row.figures if k not in COUNTS)
        print(f"  {row.variant:28} {row.subject:14} " + "   ".join(cells), flush=True)

    def note(self, words: str) -> None:
        self.notes.append(words)
        print("  " + words, flush=True)

    def failed(self) -> int:
        """Requests that were not answered as they must be, over everything that was run."""
        return int(sum(row.figures.get("failed", 0) for row in self.rows))

    def reference(self, row: Row) -> Row | None:
        """The row that this one is compared with, if it is there."""
        if row.yardstick is None:
            return None
        subject, _, variant = row.yardstick.partition(" @ ")
        wanted = (row.workload, variant or row.variant, subject)
        return next((r for r in self.rows if (r.workload, r.variant, r.subject) == wanted), None)

    def ratio(self, row: Row, figure: str) -> float | None:
        other = self.reference(row)
        below = other.figures.get(figure) if other else None
        return row.figures[figure] / below if below and figure in row.figures else None

    def cell(self, row: Row, figure: str) -> str:
        if figure not in row.figures:
            return ""
        ratio = self.ratio(row, figure)
        value = shown(row.figures[figure])
        return value if ratio is None else f"{value} ({ratio:.2f}×)"

    def judged(self) -> list[dict]:
        """The aims that this run can speak about, with their figures."""
        found = []
        for aim in aims():
            for row in self.rows:
                key = (aim.workload, aim.variant, aim.subject)
                value = self.ratio(row, aim.figure) if aim.ratio else row.figures.get(aim.figure)
                if (row.workload, row.variant, row.subject) == key and value is not None:
                    met = value >= aim.limit if aim.at_least else value <= aim.limit
                    found.append({"aim": aim.words, "limit": aim.limit, "value": value, "met": met,
                                  "atLeast": aim.at_least, "ratio": aim.ratio})
        return found

    def to_json(self) -> str:
        rows = []
        for row in self.rows:
            ratios = {k: r for k in row.figures if (r := self.ratio(row, k)) is not None}
            rows.append(dataclasses.asdict(row) | {"ratios": ratios})
        content = {"date": self.date, "machine": self.shape, "rows": rows, "aims": self.judged(),
                   "notes": self.notes}
        return json.dumps(content, indent=2, ensure_ascii=False) + "\n"

    def to_markdown(self) -> str:
        lines = [f"{self.date}, {self.shape}. Medians of the rounds; in parentheses the ratio to the "
                 "yardstick of the same run."]
        for workload in dict.fromkeys(row.workload for row in self.rows):
            rows = [row for row in self.rows if row.workload == workload]
            keys = dict.fromkeys(k for row in rows for k in row.figures if k not in COUNTS)
            lines += ["", f"**{workload}**", "", "| | | " + " | ".join(keys) + " |",
                      "| --- | --- |" + " ---: |" * len(keys)]
            lines += [f"| {r.variant} | {r.subject} | " + " | ".join(self.cell(r, k) for k in keys)
                      + " |" for r in rows]
        if judged := self.judged():
            lines += ["", "**Aims**", "", "| aim | limit | measured | |",
                      "| --- | ---: | ---: | --- |"]
            for each in judged:
                unit = "×" if each["ratio"] else ""
                sign = "≥" if each["atLeast"] else "≤"
                verdict = "met" if each["met"] else "**missed**"
                lines.append(f"| {each['aim']} | {sign} {each['limit']:g}{unit} | "
                             f"{shown(each['value'])}{unit} | {verdict} |")
        lines += [""] + [f"- {note}" for note in self.notes] if self.notes else []
        return "\n".join(lines) + "\n"

    def write_readme(self, path: pathlib.Path, block: str) -> None:
        """Replaces the text between the two markers of a block."""
        begin, end = f"<!-- {block}: begin -->", f"<!-- {block}: end -->"
        before, rest = path.read_text().split(begin)
        _, after = rest.split(end)
        path.write_text(f"{before}{begin}\n{self.to_markdown()}{end}{after}")
