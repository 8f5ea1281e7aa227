#!/usr/bin/env python3
"""Time of short commands, the start and the end of the process included.

    bench/start_time.py build/release/firn

Runs `firn --version`, and `firn table describe` of a table of testdata/, many times in turn.
Printed are the least and the median elapsed time, the median CPU time of all threads, and the peak
resident memory.
"""

import argparse
import os
import statistics
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "testdata", "spark", "seed_small_files")
COMMANDS = {"firn --version": ["--version"],
            "firn table describe": ["table", "describe", TABLE]}


def run(command):
    """Elapsed seconds, CPU seconds and peak KiB of one run."""
    silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    start = time.perf_counter()
    process = os.posix_spawn(command[0], command, os.environ, file_actions=silent)
    _, status, used = os.wait4(process, 0)
    elapsed = time.perf_counter() - start
    if status != 0:
        raise SystemExit(f"{' '.join(command)}: wait status {status}")
    return elapsed, used.ru_utime + used.ru_stime, used.ru_maxrss


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("firn", help="build/release/firn")
    parser.add_argument("--rounds", type=int, default=100)
    options = parser.parse_args()
    runs = {name: [] for name in COMMANDS}
    for _ in range(options.rounds):
        for name, arguments in COMMANDS.items():
            runs[name].append(run([os.path.abspath(options.firn), *arguments]))
    for name, results in runs.items():
        elapsed, cpu, memory = zip(*results)
        print(f"{name:20} least {min(elapsed) * 1000:5.1f} ms   median "
              f"{statistics.median(elapsed) * 1000:5.1f} ms   CPU "
              f"{statistics.median(cpu) * 1000:5.1f} ms   {max(memory) / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
