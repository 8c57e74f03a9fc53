"""Plays many matches of honest house bots while other processes keep every core busy, and counts
the bots that lose time because of it.

    SKIRMISH=build/skirmish python3 tests/league/no_false_time_losses.py --matches 20000

Prints matches, turns, timeouts, other failures and graces; exits with status 1 if any bot failed.
The bots are quick, so grace is rare with the default limits. With --turn-time 1, bots wait longer
for a core than the limit, which shows what grace is for. The seeds of the matches count up from
--seed; the seed of a failure is printed."""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import time

SKIRMISH = os.environ.get("SKIRMISH") or sys.exit("SKIRMISH must name the program to test")
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
from house import BETTER

BOTS = {game: [f"house:{bot}", "house:random"] for game, bot in BETTER.items()}


def parse():
    parser = argparse.ArgumentParser(description="Plays honest bots on a burning machine.")
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument(
        "--jobs",
        type=int,
        default=len(os.sched_getaffinity(0)),
        help="matches at a time (the cores)",
    )
    parser.add_argument("--burners", type=int, default=2, help="burning processes on each core (2)")
    parser.add_argument("--nice", type=int, default=0, help="of the burners; below 0 only root may")
    parser.add_argument("--games", default="all", help="names with commas between, or all")
    parser.add_argument("--turn-time", type=int, help="milliseconds; default: the game's")
    parser.add_argument("--start-time", type=int, help="milliseconds; default: the game's")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.games = list(BOTS) if options.games == "all" else options.games.split(",")
    unknown = [game for game in options.games if game not in BOTS]
    if unknown:
        parser.error("unknown game " + ", ".join(unknown))
    return options


def start_burners(options):
    burners = []
    for core in sorted(os.sched_getaffinity(0)):
        for _ in range(options.burners):
            text = (
                "import os, sys\nos.sched_setaffinity(0, {%d})\nos.nice(%d)\n"
                "sys.stdout.write('x')\nsys.stdout.flush()\n"
                "while True:\n    pass\n" % (core, options.nice)
            )
            burners.append(subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE))
    for burner in burners:
        if burner.stdout.read(1) != b"x":
            end_burners(burners)
            sys.exit("a burner could not start; only root may use --nice below 0")
    return burners


def end_burners(burners):
    for burner in burners:
        burner.kill()
        burner.wait()
        burner.stdout.close()


def play(options, number):
    """Plays one match; returns its game, its seed, and its verdict or the error message."""
    game = options.games[number % len(options.games)]
    bots = BOTS[game][::-1] if number // len(options.games) % 2 else BOTS[game]
    seed = options.seed + number
    command = [SKIRMISH, "play", game, "--json", "--seed", str(seed)]
    if options.turn_time:
        command += ["--turn-time", str(options.turn_time)]
    if options.start_time:
        command += ["--start-time", str(options.start_time)]
    done = subprocess.run(
        command + bots,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return game, seed, json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip()


def count(results, options):
    sums = {
        "matches": 0,
        "turns": 0,
        "timeouts": 0,
        "failures": 0,
        "graces": 0,
        "graced_matches": 0,
        "longest_ms": 0.0,
    }
    shown = time.monotonic()
    for game, seed, verdict in results:
        sums["matches"] += 1
        if isinstance(verdict, str):
            sums["failures"] += 1
            print(f"{game} seed {seed}: {verdict}", flush=True)
            continue
        players = verdict["players"]
        sums["turns"] += verdict["turns"]
        sums["timeouts"] += sum(player["timeouts"] for player in players)
        sums["failures"] += sum(
            player["status"] != "ok" or player["restarts"] > 0 for player in players
        )
        sums["graces"] += sum(player["graces"] for player in players)
        sums["graced_matches"] += any(player["graces"] for player in players)
        sums["longest_ms"] = max(
            [sums["longest_ms"]] + [player["wall_longest_ms"] for player in players]
        )
        for player in players:
            if player["status"] != "ok" or player["timeouts"] or player["restarts"]:
                failure = player.get("failure", player["status"])
                print(f"{game} seed {seed}: {player['name']}: {failure}", flush=True)
        if time.monotonic() > shown + 10:
            shown = time.monotonic()
            print(
                f"{sums['matches']}/{options.matches} matches, {sums['timeouts']} timeouts, "
                f"{sums['graces']} graces",
                flush=True,
            )
    return sums


def main():
    options = parse()
    burners = start_burners(options)
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            # In batches, so that an interrupt does not wait for all matches.
            results = (
                result
                for first in range(0, options.matches, 200)
                for result in pool.map(
                    lambda number: play(options, number),
                    range(first, min(first + 200, options.matches)),
                )
            )
            began = time.monotonic()
            sums = count(results, options)
            seconds = time.monotonic() - began
    finally:
        end_burners(burners)
    print(
        f"{sums['matches']} matches and {sums['turns']} turns in {seconds:.0f} s, "
        f"{options.burners} burners on each core: {sums['timeouts']} timeouts, "
        f"{sums['failures']} other failures, {sums['graces']} turns with grace in "
        f"{sums['graced_matches']} matches, longest turn {sums['longest_ms']:.0f} ms"
    )
    sys.exit(1 if sums["timeouts"] or sums["failures"] else 0)


if __name__ == "__main__":
    main()
