"""The command line. It decides nothing about privacy: it reads arguments, calls the library, prints what comes back."""

from dpselect.cli.app import main

__all__ = ["main"]
