"""`skirmish tournament` and `compare`: known outcomes, results that survive interruptions, and
errors."""

import collections
import itertools
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import time

import arena

# Plays N turns of Aliens without a move, then exits, which forfeits: the longer stay wins.
SURVIVOR = """i=0
while [ $i -lt $1 ] && read -r view; do
    printf '[]\\n'
    i=$((i+1))
done
"""
WAIT = 120


class TournamentTest(arena.ArenaTest):
    def setUp(self):
        super().setUp()
        self.write("survive.sh", SURVIVOR)

    def survivors(self, *strengths):
        return [{"name": f"s{s}", "bot": f"sh survive.sh {s}"} for s in strengths]

    def plan(self, bots, **members):
        plan = {"game": "aliens", "seed": 1, "sandbox": "none", "bots": bots, **members}
        return self.write("plan.json", json.dumps(plan))

    def tournament(self, *arguments, status=0, **options):
        result = self.run_skirmish("tournament", *arguments, **options)
        self.assertEqual(result.status, status, result.err)
        self.assert_no_processes_left()
        return result

    def rows(self, query, name="tournament.db"):
        database = sqlite3.connect(f"file:{self.path(name)}?mode=ro", uri=True, timeout=WAIT)
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()

    def matches(self, name="tournament.db"):
        """Each match as (round, fixture, leg, map, seed, bots by seat, ranks by seat)."""
        found = collections.OrderedDict()
        for row in self.rows(
            "SELECT match, round, fixture, leg, map, seed, bot, rank "
            "FROM matches JOIN seats USING (match) "
            "ORDER BY fixture, leg, seat",
            name,
        ):
            match = found.setdefault(row[0], [*row[1:6], [], []])
            match[5].append(row[6])
            match[6].append(row[7])
        return list(found.values())


class Formats(TournamentTest):
    def test_in_a_round_robin_every_pair_meets_in_both_seats(self):
        self.plan(self.survivors(1, 2, 3, 4))
        result = self.tournament("plan.json", "--json")
        table = result.json
        self.assertEqual([row["name"] for row in table["bots"]], ["s4", "s3", "s2", "s1"])
        self.assertEqual([row["points"] for row in table["bots"]], [6, 4, 2, 0])
        self.assertTrue(table["finished"])
        meetings = collections.Counter()
        for _, _, _, _, _, bots, ranks in self.matches():
            meetings[tuple(bots)] += 1
            self.assertEqual(ranks[0] < ranks[1], bots[0] > bots[1])  # bot n has strength n + 1
        self.assertEqual(meetings, {pair: 1 for pair in itertools.permutations(range(4), 2)})

    def test_all_pairings_of_a_round_have_the_same_maps_and_seeds(
        self,
    ):
        self.plan(self.survivors(1, 2, 3, 4), maps=["standard", "standard"], rounds=2)
        self.tournament("plan.json", "--quiet")
        seeds = collections.defaultdict(set)
        for round_number, fixture, leg, map_name, seed, _, _ in self.matches():
            seeds[round_number, leg // 2].add((map_name, seed))
        self.assertEqual(len(seeds), 12)  # six rounds, two games each
        for same in seeds.values():
            self.assertEqual(len(same), 1)
        self.assertEqual(len({next(iter(same)) for same in seeds.values()}), 12)

    def test_every_replay_verifies(self):
        self.plan(self.survivors(1, 2, 3))
        self.tournament("plan.json", "--quiet")
        names = [name for (name,) in self.rows("SELECT replay FROM matches")]
        self.assertEqual(sorted(names), sorted(os.listdir(self.path("tournament.db.replays"))))
        self.assertEqual(len(names), 6)
        for name in names:
            result = self.run_skirmish(
                "replay", "verify", os.path.join("tournament.db.replays", name)
            )
            self.assertEqual(result.status, 0, result.err)

    def test_the_best_of_13_bots_wins_a_knockout(self):
        self.plan(self.survivors(*range(13, 0, -1)), format="knockout")
        table = self.tournament("plan.json", "--json").json
        self.assertEqual(table["bots"][0]["name"], "s13")
        self.assertEqual(len(self.matches()), 12 * 2)
        first = [
            sorted(bots)
            for round_number, _, leg, _, _, bots, _ in self.matches()
            if round_number == 1 and leg == 0
        ]
        self.assertEqual(sorted(first), [[3, 12], [4, 11], [5, 10], [6, 9], [7, 8]])  # three byes

    def test_each_play_off_has_its_own_map_and_seed(self):
        self.write("short.json", '{"max_turns": 1}')
        maps = ["generate:1", "generate:2"]
        self.plan(
            ["cat", "cat"],
            game="planetwars",
            format="knockout",
            maps=maps,
            games=1,
            config="short.json",
        )
        self.tournament("plan.json", "--quiet")
        games = collections.defaultdict(set)
        for _, fixture, _, map_name, seed, _, _ in self.matches():
            games[fixture].add((map_name, seed))
        self.assertEqual(
            [len(same) for same in games.values()], [1, 1, 1, 1]
        )  # both seat orders, four times
        self.assertEqual(len({seed for same in games.values() for _, seed in same}), 4)
        self.assertEqual([next(iter(games[i]))[0] for i in sorted(games)], maps * 2)

    def test_in_a_double_knockout_every_loser_has_lost_twice(self):
        self.plan(self.survivors(1, 8, 2, 7, 3, 6, 4, 5), format="double-knockout")
        table = self.tournament("plan.json", "--json").json
        self.assertEqual(table["bots"][0]["name"], "s8")
        losses = collections.Counter()
        fixtures = collections.defaultdict(lambda: collections.Counter())
        for _, fixture, _, _, _, bots, ranks in self.matches():
            fixtures[fixture][bots[ranks.index(2)]] += 1
        for lost in fixtures.values():
            losses[lost.most_common(1)[0][0]] += 1
        self.assertEqual(losses, {bot: 2 for bot in range(8) if bot != 1})

    def test_a_swiss_of_9_has_byes_and_no_rematches_and_ranks_by_buchholz(self):
        self.plan(self.survivors(*range(9, 0, -1)), format="swiss", rounds=5)
        table = self.tournament("plan.json", "--json").json
        self.assertEqual(table["bots"][0]["name"], "s9")
        pairs = collections.Counter(
            tuple(sorted(bots)) for _, _, leg, _, _, bots, _ in self.matches() if leg == 0
        )
        self.assertEqual(len(pairs), 5 * 4)
        self.assertEqual(set(pairs.values()), {1})
        played = collections.Counter(itertools.chain.from_iterable(pairs))
        self.assertTrue(all(count >= 4 for count in played.values()), played)
        # A win or a bye is one point. Buchholz is the sum of the opponents' points; a bye counts as
        # an opponent with the bot's own points.
        self.assertTrue(
            all(len(set(ranks)) == 2 for *_, ranks in self.matches()),
            "this test expects a tournament without draws",
        )
        byes = {bot: 5 - played[bot] for bot in range(9)}
        points = {
            bot: byes[bot] + sum(min(pair) == bot for pair in pairs) for bot in range(9)
        }  # the smaller number is the stronger bot
        buchholz = {
            bot: byes[bot] * points[bot]
            + sum(points[sum(pair) - bot] for pair in pairs if bot in pair)
            for bot in range(9)
        }
        for row in table["bots"]:
            bot = row["bot"]
            self.assertEqual(
                row["swiss"],
                {"points": points[bot], "buchholz": buchholz[bot], "byes": byes[bot]},
                row["name"],
            )
        order = [(-points[row["bot"]], -buchholz[row["bot"]]) for row in table["bots"]]
        self.assertEqual(order, sorted(order))

    def test_a_round_robin_of_four_player_matches_rotates_the_seats(self):
        self.write("short.json", '{"max_turns": 3}')
        bots = ["house:random", "house:random", "house:random", "house:random", "house:medium"]
        self.plan(bots, game="planetwars", players=4, config="short.json", maps=["generate:1"])
        table = self.tournament("plan.json", "--json").json
        self.assertEqual(len(table["bots"]), 5)
        seats = collections.Counter()
        sets = collections.Counter()
        for _, _, _, _, _, seated, ranks in self.matches():
            self.assertEqual(len(ranks), 4)
            sets[tuple(sorted(seated))] += 1
            seats.update(enumerate(seated))
        self.assertEqual(sets, {four: 4 for four in itertools.combinations(range(5), 4)})
        self.assertEqual(set(seats.values()), {4})  # every bot four times in every seat
        self.assertEqual(
            sorted(row["name"] for row in table["bots"]),
            ["medium", "random", "random (2)", "random (3)", "random (4)"],
        )

    def test_in_a_gauntlet_the_first_bot_plays_all_others(self):
        self.plan(self.survivors(3, 1, 2, 4), format="gauntlet")
        self.tournament("plan.json", "--quiet")
        self.assertEqual(
            sorted(tuple(bots) for _, _, _, _, _, bots, _ in self.matches()),
            sorted([(0, 1), (1, 0), (0, 2), (2, 0), (0, 3), (3, 0)]),
        )

    def test_every_meeting_of_a_ladder_has_its_own_seed(self):
        self.plan(self.survivors(1, 2), format="ladder", rounds=2)
        self.tournament("plan.json", "--quiet")
        seeds = {}
        for _, fixture, _, _, seed, _, _ in self.matches():
            seeds.setdefault(fixture, set()).add(seed)
        self.assertEqual(len(seeds), 16)
        self.assertTrue(all(len(one) == 1 for one in seeds.values()), "a meeting has one seed")
        self.assertEqual(len(set.union(*seeds.values())), 16, "and no two meetings have the same")

    def test_a_ladder_ends_after_its_rounds(self):
        self.plan(self.survivors(1, 2, 3, 4), format="ladder", rounds=6)
        table = self.tournament("plan.json", "--json").json
        self.assertEqual(table["bots"][0]["name"], "s4")
        self.assertEqual({r for r, *_ in self.matches()}, set(range(1, 7)))

    def test_the_same_seed_gives_the_same_tournament_with_any_number_of_jobs(self):
        self.plan(self.survivors(5, 1, 4, 2, 3), format="swiss", rounds=3)
        self.tournament("plan.json", "--quiet", "--jobs", "1", "--out", "one.db")
        self.tournament("plan.json", "--quiet", "--out", "all.db")
        self.assertEqual(self.matches("one.db"), self.matches("all.db"))
        self.tournament("plan.json", "--quiet", "--out", "other.db", "--seed", "2")
        self.assertNotEqual(
            [seed for _, _, _, _, seed, _, _ in self.matches("one.db")],
            [seed for _, _, _, _, seed, _, _ in self.matches("other.db")],
        )

    def test_random_bots_have_the_same_results_with_the_same_seed(self):
        bots = [{"name": name, "bot": "house:random"} for name in "abc"]
        self.plan(bots, game="planetwars", games=3, sandbox="best-effort")
        self.tournament("plan.json", "--quiet", "--jobs", "1", "--out", "one.db")
        self.tournament("plan.json", "--quiet", "--out", "all.db")
        ranks = [ranks for *_, ranks in self.matches("one.db")]
        self.assertEqual(len(ranks), 18)
        self.assertGreater(len(set(map(tuple, ranks))), 1)
        self.assertEqual(self.matches("one.db"), self.matches("all.db"))
        query = "SELECT turns FROM matches ORDER BY fixture, leg"
        self.assertEqual(self.rows(query, "one.db"), self.rows(query, "all.db"))


class Interruptions(TournamentTest):
    def start(self, *arguments, before=()):
        process = subprocess.Popen(
            [*before, arena.SKIRMISH, "tournament", *arguments],
            cwd=self.directory,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, condition, process=None):
        deadline = time.monotonic() + WAIT
        while not condition():
            if process and process.poll() is not None:
                return
            self.assertLess(time.monotonic(), deadline, "timed out")
            time.sleep(0.002)

    def press_ctrl_c(self, process, pid):
        """Interrupts a tournament while one match runs, and waits for its message. On a busy
        machine, lines about its progress come first."""
        os.kill(pid, signal.SIGINT)
        lines = []
        while "running match;" not in "".join(lines):
            lines.append(process.stderr.readline())
            self.assertTrue(lines[-1], "".join(lines))
        self.assertIn("finishing 1 running match; press Ctrl-C again to abort", lines[-1])

    def recorded(self):
        try:
            return self.rows("SELECT count(*) FROM matches")[0][0]
        except sqlite3.Error:
            return 0

    def runners(self, process):
        """The runners of a command. The keeper of a sandboxed bot has the same command line, and
        becomes the command's child when its runner dies, but has another pid namespace."""
        here = os.readlink("/proc/self/ns/pid")
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                    parent = int(file.read().rsplit(")", 1)[1].split()[1])
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
                namespace = os.readlink(f"/proc/{pid}/ns/pid")
            except OSError:
                continue
            if parent == process.pid and b"runner" in words and namespace == here:
                found.append(int(pid))
        return found

    def slow_bot(self, name):
        """A bot that waits once per match, until release_bots()."""
        return self.bot(
            name,
            """
view()
until = time.monotonic() + 1000
while time.monotonic() < until and not os.path.exists('go'):
    time.sleep(0.01)
say('[]')
view()
say('[]')
view()
""",
        )

    def release_bots(self):
        self.write("go", "")

    def test_a_killed_tournament_resumes_without_losing_or_repeating_matches(self):
        strengths = [3, 1, 4, 9, 5, 2, 6, 8]
        self.plan(self.survivors(*strengths), format="swiss", rounds=5)
        self.tournament("plan.json", "--quiet", "--out", "whole.db")
        seed = random.randrange(1 << 32)
        print("seed", seed)
        chance = random.Random(seed)
        total = len(self.matches("whole.db"))
        done = 0
        arguments = ["plan.json", "--quiet"]
        kills = 0
        while done < total:
            target = done + chance.randrange(1, 8)
            process = self.start(*arguments)
            self.wait_for(lambda: self.recorded() >= target, process)
            process.kill()
            process.wait()
            process.stderr.close()
            kills += 1
            now = self.recorded()
            self.assertGreaterEqual(now, done)
            done = now
            arguments = ["--resume", "tournament.db", "--quiet"]
        self.assertGreater(kills, 4)
        self.wait_for(lambda: not self.leftovers())
        self.tournament("--resume", "tournament.db", "--quiet")
        self.assertEqual(self.matches(), self.matches("whole.db"))
        self.assertEqual(self.rows("PRAGMA integrity_check"), [("ok",)])
        self.assertEqual(
            sorted(os.listdir(self.path("tournament.db.replays"))),
            sorted(name for (name,) in self.rows("SELECT replay FROM matches")),
        )

    def test_resuming_a_finished_tournament_plays_nothing(self):
        self.plan(self.survivors(1, 2))
        self.tournament("plan.json", "--quiet")
        before = self.matches()
        result = self.tournament("--resume", "tournament.db", "--json")
        self.assertTrue(result.json["finished"])
        self.assertEqual(self.matches(), before)

    def test_a_runner_killed_during_a_match_is_replaced_and_the_match_replayed(
        self,
    ):
        self.plan([self.slow_bot("slow"), *self.survivors(1, 2)], turn_time=3600000)
        process = self.start("plan.json", "--jobs", "1")
        self.wait_for(lambda: self.runs("slow.py"), process)
        for pid in self.runners(process):
            os.kill(pid, signal.SIGKILL)
        self.release_bots()
        error = process.communicate(timeout=WAIT)[1]
        self.assertEqual(process.returncode, 0, error)
        self.assertIn("a runner was killed by signal 9", error)
        self.assertEqual(len(self.matches()), 6)
        self.assert_no_processes_left()

    def kill_three_runners(self, process, bot):
        """Kills each runner as soon as it plays with this bot. Returns what the command printed."""

        def playing():
            return [pid for pid in self.runners(process) if self.runs(bot, pid)]

        killed = set()
        while len(killed) < 3:
            self.wait_for(playing, process)
            self.assertIsNone(process.poll())
            for pid in set(playing()) - killed:
                killed.add(pid)
                os.kill(pid, signal.SIGKILL)
        error = process.communicate(timeout=WAIT)[1]
        self.assertEqual(process.returncode, 1, error)
        return error

    def test_a_match_during_which_three_runners_die_stops_the_tournament_with_an_error(self):
        self.plan([self.slow_bot("slow"), *self.survivors(1)], turn_time=3600000)
        process = self.start("plan.json", "--jobs", "1")
        error = self.kill_three_runners(process, "slow.py")
        self.assert_no_processes_left()
        self.assertIn("3 runners died during this match", error)
        self.assertIn("--resume tournament.db", error)

    def test_children_of_bots_of_killed_runners_end_before_the_tournament(self):
        # The child has left the bot's session and holds memory, which takes time to free.
        bot = self.bot(
            "parent",
            """
import subprocess, sys
memory = "import time; memory = bytearray(b'x') * (120 << 20); "
memory += "print('.', flush=True); time.sleep(1000)"
child = subprocess.Popen(
    [sys.executable, "-c", memory], start_new_session=True, stdout=subprocess.PIPE
)
child.stdout.read(1)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)", "ready.py"])
time.sleep(1000)
""",
        )
        for sandbox in ("none", "best-effort"):
            with self.subTest(sandbox=sandbox):
                self.plan([bot, *self.survivors(1)], sandbox=sandbox, start_time=3600000)
                process = self.start("plan.json", "--jobs", "1", "--out", f"{sandbox}.db")
                self.kill_three_runners(process, "ready.py")
                self.assert_no_processes_left()

    def start_as_process_1(self, *arguments):
        """Starts it as in a container: in its own pid namespace, in which another program runs."""
        before = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
        if (
            os.getuid() != 0
            or subprocess.run([*before, "true"], capture_output=True, check=False).returncode
        ):
            self.skipTest("this machine does not allow pid namespaces")
        return self.start(*arguments, before=[*before, "sh", "-c", 'sleep 98765 & exec "$@"', "sh"])

    def processes_with(self, word):
        """The processes of this test that have the word on their command line."""
        found = []
        for pid in self.leftovers():
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    if word.encode() in file.read().split(b"\0"):
                        found.append(pid)
            except OSError:
                pass
        return found

    def test_process_1_of_a_container_leaves_other_programs_alone(self):
        self.plan([self.slow_bot("slow"), *self.survivors(1)], sandbox="none", turn_time=3600000)
        process = self.start_as_process_1("plan.json", "--jobs", "1")

        def playing():
            # Excludes bots, which have the same command line until they execute their program.
            return [pid for pid in self.processes_with("runner") if self.runs("slow.py", pid)]

        self.wait_for(playing, process)
        other = self.processes_with("98765")
        self.assertEqual(len(other), 1)
        (runner,) = playing()
        os.kill(runner, signal.SIGKILL)
        self.wait_for(lambda: set(playing()) - {runner}, process)
        self.assertEqual(self.processes_with("98765"), other)
        self.release_bots()
        error = process.communicate(timeout=WAIT)[1]
        self.assertEqual(process.returncode, 0, error)
        self.assertIn("a runner was killed by signal 9", error)
        self.assert_no_processes_left()

    def test_process_1_of_a_container_can_be_interrupted(self):
        self.plan([self.slow_bot("slow"), *self.survivors(1)], sandbox="none", turn_time=3600000)
        process = self.start_as_process_1("plan.json", "--jobs", "1")
        self.wait_for(lambda: self.runs("slow.py"), process)
        first = [pid for pid in self.processes_with("plan.json") if self.is_process_1(pid)]
        self.assertEqual(len(first), 1)
        self.press_ctrl_c(process, first[0])
        os.kill(first[0], signal.SIGINT)
        self.assertEqual(process.wait(WAIT), 130)
        self.assert_no_processes_left()

    @staticmethod
    def is_process_1(pid):
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            return re.search(r"^NSpid:.*\t1$", file.read(), re.MULTILINE) is not None

    def test_one_ctrl_c_ends_a_ladder_of_forfeited_matches(self):
        self.plan([{"name": "gone", "bot": "./not_there"}, *self.survivors(1)], format="ladder")
        process = self.start("plan.json", "--quiet")
        self.wait_for(lambda: self.recorded() >= 1, process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(WAIT), 130)

    def test_a_second_ctrl_c_ends_a_tournament_whose_runner_does_not_respond(self):
        self.plan([self.slow_bot("a"), self.slow_bot("b")], start_time=3600000, turn_time=3600000)
        process = self.start("plan.json", "--jobs", "1")
        # One bot suffices: the other may be paused before it has started, as it is not its turn.
        self.wait_for(lambda: self.runs("a.py") or self.runs("b.py"), process)
        (runner,) = self.runners(process)
        os.kill(runner, signal.SIGSTOP)
        self.press_ctrl_c(process, process.pid)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(WAIT), 130)
        self.assert_no_processes_left()

    def test_a_tournament_killed_while_writing_its_list_of_bots_can_be_resumed(self):
        self.plan(self.survivors(1, 2, 3))
        self.tournament("plan.json", "--quiet")
        whole = self.matches()
        database = sqlite3.connect(self.path("tournament.db"))
        with database:
            for table in ("seats", "matches", "bots WHERE bot > 0"):
                database.execute("DELETE FROM " + table)
        database.close()
        self.tournament("--resume", "tournament.db", "--quiet")
        self.assertEqual(self.matches(), whole)
        self.assertEqual(self.rows("SELECT bot, name FROM bots"), [(0, "s1"), (1, "s2"), (2, "s3")])
        self.assertEqual(self.run_skirmish("rate", "tournament.db").status, 0)

    def test_thousands_of_bots_with_the_same_name_get_unique_names_quickly(self):
        self.plan([{"name": "twin", "bot": "sh survive.sh 1"}] * 2000, format="knockout")
        process = self.start("plan.json", "--quiet", "--no-replays")
        self.wait_for(lambda: self.recorded() >= 1, process)
        self.assertEqual(
            self.rows("SELECT name FROM bots WHERE bot IN (0, 1, 2, 1999) ORDER BY bot"),
            [("twin",), ("twin (2)",), ("twin (3)",), ("twin (2000)",)],
        )

    def test_a_tournament_whose_file_is_moved_stops_with_an_error(self):
        self.plan(self.survivors(1, 2), rounds=100000)
        process = self.start("plan.json", "--quiet")
        self.wait_for(lambda: self.recorded() >= 1, process)
        os.rename(self.path("tournament.db"), self.path("elsewhere.db"))
        self.assertEqual(process.wait(WAIT), 1)
        self.assertIn("tournament.db was deleted or moved", process.stderr.read())

    def test_a_tournament_file_can_be_rated_without_write_permission(self):
        if os.getuid() != 0:
            self.skipTest("only root can become another user")
        self.plan(self.survivors(1, 2))
        self.tournament("plan.json", "--quiet")
        # A copy, because other users may have no access to the tree, for example in root's home.
        program = shutil.copy(arena.SKIRMISH, self.path("skirmish"))
        result = self.run_skirmish(
            "rate",
            "tournament.db",
            "--csv",
            executable=program,
            user=65534,
            group=65534,
            extra_groups=[],
        )
        self.assertEqual((result.status, result.err), (0, ""))
        self.assertEqual(len(result.out.splitlines()), 3)

    def test_ctrl_c_finishes_running_matches_and_the_rest_can_be_resumed(self):
        self.plan([*[{"name": n, "bot": self.slow_bot("slow")} for n in "abc"]], turn_time=3600000)
        process = self.start("plan.json", "--jobs", "1")
        self.wait_for(lambda: self.runs("slow.py"), process)
        before = self.recorded()
        self.press_ctrl_c(process, process.pid)
        self.release_bots()
        error = process.communicate(timeout=WAIT)[1]
        self.assertEqual(process.returncode, 130, error)
        self.assertGreater(self.recorded(), before)
        self.assertLess(self.recorded(), 6)
        self.assert_no_processes_left()
        self.tournament("--resume", "tournament.db", "--quiet")
        self.assertEqual(len(self.matches()), 6)

    def test_a_second_ctrl_c_aborts_matches(self):
        self.plan([self.slow_bot("slow"), *self.survivors(2)], turn_time=3600000)
        process = self.start("plan.json", "--jobs", "1")
        self.wait_for(lambda: self.runs("slow.py"), process)
        self.press_ctrl_c(process, process.pid)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=WAIT)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(self.recorded(), 0)
        self.assert_no_processes_left()
        self.assertEqual(os.listdir(self.path("tournament.db.replays")), [])

    def test_a_running_tournament_can_be_rated(self):
        self.plan(
            [*self.survivors(2, 1), {"name": "slow", "bot": self.slow_bot("slow")}],
            format="knockout",
            turn_time=3600000,
        )
        process = self.start("plan.json", "--jobs", "1")
        self.wait_for(lambda: self.runs("slow.py"), process)
        result = self.run_skirmish("rate", "tournament.db", "--json")
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual((result.json["finished"], result.json["matches"]), (False, 0))
        self.assertEqual(sorted(row["name"] for row in result.json["bots"]), ["s1", "s2", "slow"])
        process.kill()
        process.communicate()
        self.wait_for(lambda: not self.leftovers())

    def test_rate_prints_what_the_tournament_printed(self):
        self.plan(self.survivors(1, 2, 3, 4, 5), format="knockout", title="A <cup>")
        for kind in ("--json", "--csv"):
            whole = self.tournament("plan.json", kind, "--out", kind[2:] + ".db")
            again = self.run_skirmish("rate", kind[2:] + ".db", kind)
            self.assertEqual((again.status, again.out), (0, whole.out), again.err)
        whole = self.tournament("plan.json", "--out", "text.db").out
        shown = self.run_skirmish("rate", "text.db", "--html", "page.html")
        self.assertIn("A <cup>", shown.out)
        self.assertIn("Wins, draws and losses of row against column", shown.out)
        self.assertEqual(shown.out, whole[: whole.rindex("seed: 1")])
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertIn("A &lt;cup&gt;", file.read())

    def test_two_tournaments_cannot_use_the_same_file(self):
        self.plan([self.slow_bot("slow"), *self.survivors(2)], turn_time=3600000)
        process = self.start("plan.json", "--jobs", "1")
        self.wait_for(lambda: self.runs("slow.py"), process)
        second = self.run_skirmish("tournament", "--resume", "tournament.db")
        self.assertEqual(second.status, 2)
        self.assertIn("is in use", second.err)
        process.kill()
        process.communicate()
        self.wait_for(lambda: not self.leftovers())


class Errors(TournamentTest):
    def test_a_bot_that_cannot_start_forfeits_and_the_others_play(self):
        os.mkdir(self.path("broken"))
        self.write(
            "broken/bot.json",
            '{"name": "broken", "build": "echo no compiler here >&2; exit 3", "run": "./nothing"}',
        )
        self.plan(["./broken", {"name": "gone", "bot": "./not_there"}, *self.survivors(1, 2)])
        result = self.tournament("plan.json", "--json")
        self.assertIn("broken cannot play and forfeits its matches", result.err)
        self.assertIn("no compiler here", result.err)
        self.assertIn("gone cannot play and forfeits its matches", result.err)
        self.assertIn("no such file: ./not_there", result.err)
        table = {row["name"]: row for row in result.json["bots"]}
        self.assertEqual(table["s2"]["points"], 6)
        self.assertEqual(table["s1"]["points"], 4)
        self.assertEqual(table["gone"]["points"], 1)  # a draw with the other bot that cannot play
        self.assertEqual(table["gone"]["crashes"], 6)
        self.assertEqual(
            sorted(self.rows("SELECT outcome, count(*) FROM matches GROUP BY outcome")),
            [("forfeited", 10), ("played", 2)],
        )

    def test_the_table_is_followed_by_each_bots_last_failure(self):
        self.plan([{"name": "fine", "bot": "house:medium"}, *self.survivors(1), "./not-there"])
        result = self.tournament("plan.json", "--html", "page.html")
        failures = result.out[result.out.index("Last failures") :].splitlines()[2:4]
        self.assertEqual(
            failures,
            [
                "s1           exited with status 0 in turn 2",
                './not-there  bot "./not-there": no such file: ./not-there',
            ],
        )
        with open(self.path("page.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("<bdi>s1</bdi></b>: exited with status 0 in turn 2</li>", page)
        self.assertIn("./not-there has not played a turn</title>", page)
        rows = {
            row["name"]: row.get("failure")
            for row in self.run_skirmish("rate", "tournament.db", "--json").json["bots"]
        }
        self.assertEqual(
            rows,
            {
                "fine": None,
                "s1": "exited with status 0 in turn 2",
                "./not-there": 'bot "./not-there": no such file: ./not-there',
            },
        )

    def test_a_bot_that_cannot_be_reached_forfeits_its_matches(self):
        self.plan([{"name": "far", "bot": "unix:nobody-listens"}, *self.survivors(1, 2)])
        result = self.tournament("plan.json", "--json")
        table = {row["name"]: row for row in result.json["bots"]}
        self.assertEqual(table["far"]["points"], 0)
        self.assertEqual(table["far"]["crashes"], 4)
        failures = self.rows("SELECT DISTINCT failure FROM seats WHERE bot = 0")
        self.assertEqual(len(failures), 1)
        self.assertIn("nobody-listens", failures[0][0])

    def test_the_table_is_printed_even_if_the_page_cannot_be_written(self):
        self.plan(self.survivors(1, 2))
        result = self.tournament("plan.json", "--html", "nowhere/cup.html", status=1)
        self.assertIn("cannot write nowhere/cup.html", result.err)
        self.assertIn("2-0-0", result.out)

    def test_an_output_file_that_cannot_be_created_is_an_error(self):
        self.plan(self.survivors(1, 2))
        for out, words in (("nowhere/cup.db", "nowhere/cup.db"), ("/proc/cup.db", "/proc/cup.db")):
            result = self.run_skirmish("tournament", "plan.json", "--out", out)
            self.assertEqual(result.status, 2)
            self.assertRegex(result.err, f"^skirmish: cannot create {words}: ")
        self.write("cup.db.replays", "in the way")
        result = self.run_skirmish("tournament", "plan.json", "--out", "cup.db")
        self.assertEqual(result.status, 2)
        self.assertIn("cup.db.replays", result.err)
        self.assertNotIn("cup.db", os.listdir(self.directory))

    def test_a_full_disk_is_an_error_and_the_tournament_can_be_resumed(
        self,
    ):
        self.plan(self.survivors(*range(1, 13)))
        os.mkdir(self.path("small"))
        script = f"""
            mount -t tmpfs -o size=360k none small || exit 77
            '{arena.SKIRMISH}' tournament plan.json --quiet --out small/cup.db
            echo "first $?"
            mount -o remount,size=20m small
            '{arena.SKIRMISH}' tournament --resume small/cup.db --quiet
            echo "second $?"
            cp small/cup.db whole.db
        """
        unshare = (
            ["unshare", "--mount"]
            if os.getuid() == 0
            else ["unshare", "--user", "--map-root-user", "--mount"]
        )
        done = subprocess.run(
            [*unshare, "sh", "-c", script],
            cwd=self.directory,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=WAIT,
            check=False,
        )
        if done.returncode != 0 and "first" not in done.stdout:
            self.skipTest("cannot mount a small file system here: " + done.stderr.strip())
        self.assertEqual(done.stdout, "first 1\nsecond 0\n", done.stderr)
        self.assertRegex(done.stderr, "No space left on device|the disk is full")
        kept = re.search(r"(\d+) matches saved in small/cup.db; continue with", done.stderr)
        self.assertGreater(int(kept.group(1)), 0, done.stderr)
        self.assertEqual(len(self.matches("whole.db")), 12 * 11)
        self.assert_no_processes_left()

    MISTAKES = [
        ([], "expected a PLAN.json, or --game GAME and bots"),
        (["a", "b"], "--game is required; `skirmish games` lists all games"),
        (["--game", "chess", "a", "b"], 'unknown game "chess"; known'),
        (
            ["--game", "aliens", "--format", "league", "a", "b"],
            'unknown format "league"; known: round-robin, gauntlet',
        ),
        (
            ["--game", "aliens", "--players", "3", "a", "b", "c"],
            "Aliens is for 2 players, not 3",
        ),
        (
            ["--game", "aliens", "--jobs", "100000", "a", "b"],
            "--jobs must be at most",
        ),
        (["--game", "aliens", "--map", "nowhere", "a", "b"], 'unknown map "nowhere"; known'),
        (
            ["--game", "aliens", "--limit", "love=3", "a", "b"],
            'unknown limit "love"; known: ',
        ),
        (["--game", "aliens", "house:medium"], "at least two bots"),
        (["no-such-plan.json"], "cannot read no-such-plan.json: No such file or directory"),
        (["--resume", "no-such.db"], "cannot read no-such.db: No such file or directory"),
        (["--resume", "survive.sh"], "survive.sh is not a tournament file"),
        (["--resume", "x.db", "--rounds", "3"], "--resume can be combined only with"),
        (["--resume", "x.db", "--no-replays"], "--resume can be combined only with"),
        (["--game", "aliens", "--json", "--csv", "a", "b"], "--json and --csv cannot be combined"),
        (["--rounds"], "option --rounds requires a value"),
        (["--game", "aliens", "a", " "], "bot 2 is empty"),
        (["--what"], 'unknown option "--what"'),
    ]

    def test_every_mistake_has_an_error_message(self):
        for arguments, sentence in self.MISTAKES:
            with self.subTest(arguments):
                result = self.run_skirmish("tournament", *arguments)
                self.assertEqual((result.status, result.out), (2, ""), result.err)
                self.assertIn(sentence, result.err)
                self.assertNotIn("tournament.db", os.listdir(self.directory))

    PLANS = [
        ("[]", "plan.json:1: expected a JSON object, found an array"),
        ('{"game": "chess"}', 'plan.json:1: unknown game "chess"'),
        ('{"game": "aliens",\n"boots": []}', 'plan.json:2: unknown field "boots"'),
        (
            '{"game": "aliens", "bots": [1]}',
            'plan.json:1: expected a string, or an object with "name" and "bot", found a number',
        ),
        (
            '{"game": "aliens", "bots": [{"name": "x"}]}',
            'plan.json:1: both "name" and "bot" are required',
        ),
        ('{"game": "aliens", "format": "cup"}', 'plan.json:1: unknown format "cup"'),
        ('{"game": "aliens", "rounds": 0}', 'plan.json:1: "rounds" must be a whole number from 1'),
        ('{"game": "aliens", "seed": -1}', 'plan.json:1: "seed" must be a whole number from 0'),
        ('{"game": "aliens", "error": "x"}', 'plan.json:1: "error" must be a number of Elo points'),
        ('{"game": "aliens", "limits": {"love": 1}}', 'plan.json:1: unknown field "love"'),
        (
            '{"game": "aliens", "sandbox": "soft"}',
            'plan.json:1: unknown sandbox "soft"; known: none, best-effort, strict-except-uid, ',
        ),
        (
            '{"game": "aliens", "sandbox": "strct"}',
            'plan.json:1: unknown sandbox "strct"; did you mean "strict"?',
        ),
        ("{", "plan.json: line 1, column 2"),
        (
            '{"game": "aliens", "bots": [{"name": " ", "bot": "x"}]}',
            "plan.json:1: the name of a bot must have visible characters",
        ),
        (
            '{"game": "aliens", "format": "knockout", "rounds": 2}',
            "the number of rounds of a knockout cannot be set",
        ),
        (
            '{"game": "aliens", "challengers": 2}',
            "challengers require the format gauntlet, not round-robin",
        ),
        (
            '{"game": "aliens", "format": "swiss", "error": 20}',
            "a target error requires the format ladder, not swiss",
        ),
        ('{"game": "aliens", "players": 4}', "Aliens is for 2 players, not 4"),
    ]

    def test_errors_in_a_plan_name_the_line(self):
        for text, sentence in self.PLANS:
            with self.subTest(text):
                self.write("plan.json", text)
                result = self.run_skirmish("tournament", "plan.json")
                self.assertEqual(result.status, 2)
                self.assertIn(sentence, result.err)

    def test_an_existing_file_is_not_overwritten(self):
        self.plan(self.survivors(1, 2))
        self.write("tournament.db", "precious")
        result = self.run_skirmish("tournament", "plan.json")
        self.assertEqual(result.status, 2)
        self.assertIn("tournament.db exists already", result.err)
        with open(self.path("tournament.db"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")

    def test_bots_run_in_the_directory_of_the_plan(self):
        os.makedirs(self.path("entries/ann"))
        self.write("entries/stay.sh", SURVIVOR)
        self.write("entries/ann/bot.json", '{"name": "ann", "run": "sh ../stay.sh 1"}')
        self.write("short.json", '{"maxTurns": 9}')
        self.plan(["./ann", "sh stay.sh 2"], directory="entries", config="short.json")
        table = self.tournament("plan.json", "--json", "--out", "cup.db", "--html", "cup.html").json
        self.assertEqual(
            [(row["name"], row["points"]) for row in table["bots"]],
            [("sh stay.sh 2", 2), ("ann", 0)],
        )
        self.assertTrue(os.path.exists(self.path("cup.html")))
        self.assertEqual(len(os.listdir(self.path("cup.db.replays"))), 2)
        self.assertEqual(os.listdir(self.path("entries/ann")), ["bot.json"])
        ((plan,),) = self.rows("SELECT json FROM plan", "cup.db")
        self.assertEqual(json.loads(plan)["directory"], os.path.realpath(self.path("entries")))
        self.plan(["./ann", "sh stay.sh 2"], directory="nowhere")
        result = self.tournament("plan.json", "--out", "other.db", status=2)
        self.assertRegex(result.err, "cannot enter nowhere, the directory of the plan: ")
        self.assertFalse(os.path.exists(self.path("other.db")))

    def test_an_option_overrides_the_game_of_the_plan(self):
        self.plan(["house:random", "house:random"])
        table = self.tournament("plan.json", "--game", "planetwars", "--json").json
        self.assertEqual((table["game"], table["matches"]), ("planetwars", 2))

    def test_options_override_the_plan(self):
        self.plan(self.survivors(1, 2, 3), format="knockout", maps=["standard"])
        self.tournament(
            "plan.json", "--format", "round-robin", "--rounds", "2", "--quiet", "--no-replays"
        )
        self.assertEqual(len(self.matches()), 12)
        self.assertNotIn("tournament.db.replays", os.listdir(self.directory))

    def test_bots_do_not_inherit_the_environment(self):
        os.mkdir(self.path("spy"))
        self.write(
            "spy/bot.json",
            '{"name": "spy", "run": "env > /tmp/out 2>&1; cat /tmp/out >&2; '
            'ls -l /proc/$$/fd >&2"}',
        )
        self.environment["SECRET_TOKEN"] = "hunter2"
        self.plan(["./spy", *self.survivors(1)])
        self.tournament("plan.json", "--quiet", "--sandbox", "none")
        replays = os.listdir(self.path("tournament.db.replays"))
        text = ""
        for name in replays:
            text += self.run_skirmish(
                "replay", "export", os.path.join("tournament.db.replays", name)
            ).out
            text += self.run_skirmish(
                "replay", "info", os.path.join("tournament.db.replays", name)
            ).out
        self.assertIn("PATH=", text)
        self.assertNotIn("hunter2", text)


class Compare(TournamentTest):
    def compare(self, old, new, *arguments, game="aliens"):
        result = self.run_skirmish(
            "compare",
            old,
            new,
            "--game",
            game,
            "--seed",
            "1",
            "--sandbox",
            "none",
            "--json",
            *arguments,
        )
        self.assert_no_processes_left()
        return result

    def test_a_better_bot_is_detected(self):
        result = self.compare("sh survive.sh 1", "sh survive.sh 2")
        self.assertEqual((result.status, result.json["answer"]), (0, "better"), result.err)
        self.assertEqual(result.json["by_points"][4], result.json["pairs"])
        self.assertLess(result.json["pairs"], 20)

    def test_a_worse_bot_is_detected(self):
        result = self.compare("sh survive.sh 2", "sh survive.sh 1")
        self.assertEqual((result.status, result.json["answer"]), (3, "not better"), result.err)

    def test_failures_of_a_bot_are_reported(self):
        result = self.compare("house:medium", self.bot("broken", "view(); sys.exit(3)"))
        self.assertEqual((result.status, result.json["answer"]), (3, "not better"), result.err)
        self.assertEqual(
            (result.json["old_failure"], result.json["new_failure"]),
            (None, "exited with status 3 in turn 1"),
        )
        result = self.run_skirmish(
            "compare",
            "house:medium",
            "/usr/bin/python3 broken.py",
            "--game",
            "aliens",
            "--pairs",
            "2",
            "--sandbox",
            "none",
        )
        self.assertIn(
            "python3 broken.py: 4 crashes and 0 timeouts in 4 matches; "
            "last failure: exited with status 3 in turn 1\n",
            result.out,
        )

    def test_equal_bots_are_undecided_after_the_last_pair(self):
        result = self.compare("sh survive.sh 1", "sh survive.sh 1 ", "--pairs", "5")
        self.assertEqual((result.status, result.json["answer"]), (4, "undecided"), result.err)
        self.assertEqual(result.json["by_points"], [0, 0, 5, 0, 0])

    def test_the_answer_does_not_depend_on_the_number_of_jobs(self):
        one = self.compare("sh survive.sh 1", "sh survive.sh 2", "--jobs", "1").json
        every = self.compare("sh survive.sh 1", "sh survive.sh 2").json
        self.assertEqual(one, every)

    def test_repeated_pairs_are_reported(self):
        """Neither Planet Wars nor its medium bot is random."""
        for maps, repeated in ([], 5), (["generate:1", "generate:2"], 4):
            with self.subTest(maps):
                chosen = [argument for name in maps for argument in ("--map", name)]
                result = self.compare(
                    "house:medium", "house:medium", "--pairs", "6", *chosen, game="planetwars"
                )
                self.assertEqual(
                    (result.status, result.json["pairs"], result.json["repeated"]),
                    (4, 6, repeated),
                    result.err,
                )
        result = self.run_skirmish(
            "compare", "house:medium", "house:medium", "--game", "planetwars", "--pairs", "6"
        )
        self.assertIn("5 pairs repeated the first pair on the same map exactly", result.out)

    def test_random_bots_do_not_repeat_pairs(self):
        """Even in the sandbox, where all bots have the same process id and start in the same
        second."""
        for game in "planetwars", "ctf", "footsoldiers", "underworld":
            with self.subTest(game):
                result = self.run_skirmish(
                    "compare",
                    "house:random",
                    "house:random",
                    "--game",
                    game,
                    "--pairs",
                    "3",
                    "--json",
                )
                self.assertEqual((result.json["pairs"], result.json["repeated"]), (3, 0))

    def test_matches_can_be_saved(self):
        self.compare("sh survive.sh 1", "sh survive.sh 2", "--out", "kept.db")
        self.assertGreater(len(self.matches("kept.db")), 2)
        self.assertTrue(os.listdir(self.path("kept.db.replays")))

    def test_a_bot_that_does_not_exist_is_an_error(self):
        result = self.compare("sh survive.sh 1", "./not_there")
        self.assertEqual(result.status, 2)
        self.assertIn("no such file: ./not_there", result.err)

    def test_a_bot_that_cannot_be_built_or_reached_is_an_error(self):
        os.mkdir(self.path("broken"))
        self.write("broken/bot.json", '{"name": "broken", "build": "exit 3", "run": "./nothing"}')
        for bad, reason in (
            ("./broken", "exited with status 3"),
            ("unix:nobody-listens", "nobody-listens"),
        ):
            for bots in ((bad, "sh survive.sh 1"), ("sh survive.sh 1", bad)):
                with self.subTest(bots):
                    result = self.compare(*bots)
                    self.assertEqual((result.status, result.out), (2, ""))
                    self.assertIn(reason, result.err)

    def test_every_mistake_has_an_error_message(self):
        for arguments, sentence in (
            (["a"], "expected two bots, OLD and NEW, but 1 was given"),
            (["a", "b", "--elo0", "5", "--elo1", "5"], "elo0"),
            (["a", "b", "--alpha", "0"], "alpha"),
            (["a", "b", "--alpha", "2"], "--alpha must be a number from 0 to 1"),
            (["a", "b", "--html", "x"], 'unknown option "--html"'),
            (["a", "b"], "--game is required"),
        ):
            with self.subTest(arguments):
                result = self.run_skirmish("compare", *arguments)
                self.assertEqual((result.status, result.out), (2, ""))
                self.assertIn(sentence, result.err)


if __name__ == "__main__":
    arena.main()
