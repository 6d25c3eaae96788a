"""Compiled kernels: arrays in, arrays out, one idea a file. Importing a module of this folder imports numba.

All kernels release the interpreter lock and start no threads of their own, so they survive both fork and
threads.
"""
