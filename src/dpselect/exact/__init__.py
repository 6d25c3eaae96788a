"""Exact arithmetic and exact random draws: numbers, reals, bits, noise, exponents, scores, draw.

Everything that decides privacy is an integer, a rational or a lazily refined real. Floating point only
proposes; an exact coin disposes (theory section 10).
"""
