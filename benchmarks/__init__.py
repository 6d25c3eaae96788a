"""Benchmarks: every module here with a `run() -> Report` is run by `python -m benchmarks` (`make bench`)."""
