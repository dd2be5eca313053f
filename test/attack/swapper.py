"""Exchanges pairs of names as fast as it can: swapper.py A1 B1 A2 B2 ... until its stdin closes."""
import ctypes, os, select, sys

libc = ctypes.CDLL(None, use_errno=True)
names = [os.fsencode(name) for name in sys.argv[1:]]
pairs = list(zip(names[::2], names[1::2]))
print("ready", flush=True)
swaps = 0
while not select.select([0], [], [], 0)[0]:
    for _ in range(64):
        for one, other in pairs:
            if libc.renameat2(-100, one, -100, other, 2) == 0:
                swaps += 1
print(swaps)
