"""Shared machines are slow at times: properties are checked without a deadline."""

from hypothesis import settings

settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")
