"""Run benchmarks, print their tables, keep the raw numbers; `--save` also rewrites the summary RESULTS.md."""

import argparse
import importlib
import json
import pkgutil
from pathlib import Path

import benchmarks
from benchmarks.harness import Report, environment

HERE = Path(__file__).parent


def modules() -> list[str]:
    """The names of the modules here that have a `run`."""
    names = [info.name for info in pkgutil.iter_modules(benchmarks.__path__) if not info.name.startswith("_")]
    return [name for name in names if hasattr(importlib.import_module(f"benchmarks.{name}"), "run")]


def main() -> None:
    available = modules()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which to run (default all): {', '.join(available)}")
    parser.add_argument("--save", action="store_true", help="rewrite the sections of RESULTS.md that were run")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(available):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    (HERE / "out").mkdir(exist_ok=True)
    versions = environment()
    print(_line(versions))
    for name in arguments.names or available:
        report: Report = importlib.import_module(f"benchmarks.{name}").run()
        print(f"\n{report.markdown()}", flush=True)
        raw = {"benchmark": name, "versions": versions, **report.raw}
        (HERE / "out" / f"{name}.json").write_text(json.dumps(raw, indent=1))
        if arguments.save:
            _save(name, f"{report.markdown()}\n\n{_line(versions)}")


def _line(versions: dict[str, str]) -> str:
    return "Versions: " + ", ".join(f"{package} {version}" for package, version in versions.items()) + "."


def _save(name: str, text: str) -> None:
    """Replace one section of RESULTS.md, or add it."""
    path = HERE / "RESULTS.md"
    start, end = f"<!-- {name} -->\n", f"\n<!-- end {name} -->\n"
    header = "# Benchmark results\n\nWritten by `python -m benchmarks --save`; raw numbers go to `benchmarks/out/`.\n"
    old = path.read_text() if path.exists() else header
    section = f"{start}{text}{end}"
    if start in old:
        before, rest = old.split(start, 1)
        path.write_text(before + section + rest.split(end, 1)[1])
    else:
        path.write_text(f"{old}\n{section}")


if __name__ == "__main__":
    main()
