"""Decides from the history of a load and the content of the store whether anything was lost or
happened twice.

`violations()` depends only on its arguments. `DUMP` reads the tables in one transaction, `files`
maps the names of files to paths, and `replays` verifies those that are replays. Each violation is a
pair: its kind, and a sentence.
"""

import collections
import hashlib
import json
import math
import os
import subprocess

MATCH_WAITING, MATCH_PLAYING, MATCH_OVER, MATCH_GIVEN_UP, MATCH_CALLED_OFF = range(5)
KIND_PLAY_NOW, KIND_TOURNAMENT, KIND_LADDER = range(3)
JOB_BUILD, JOB_MATCH = 1, 2

TABLES = {
    "accounts": "SELECT id, name, state FROM accounts",
    "bots": "SELECT id, owner, game, name, active, retired FROM bots",
    "versions": "SELECT id, bot, number, source, language, build FROM versions",
    "tournaments": "SELECT id, name, state FROM tournaments",
    "matches": "SELECT m.id, kind, state, game, tournament, fixture, leg, turns, reason, replay,"
    " result, md5(verdict) AS verdict FROM matches m LEFT JOIN match_texts t ON t.match = m.id",
    "seats": "SELECT match, seat, bot, version, place FROM seats",
    "jobs": "SELECT id, kind, match, version, attempt, losses, expires, holder FROM jobs",
    "records": "SELECT * FROM records",
    "streaks": "SELECT * FROM streaks",
    "results": "SELECT last FROM results",
    "ratings": "SELECT bot, game, version, rating, matches, won, drawn, lost FROM ratings",
}
SELECTS = "".join(
    f"SELECT json_build_array('{name}', row_to_json(r)) FROM ({sql}) AS r;\n"
    for name, sql in TABLES.items()
)
DUMP = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;\n" + SELECTS + "COMMIT;\n"


def read_dump(text):
    tables = {name: [] for name in TABLES}
    for line in text.splitlines():
        name, row = json.loads(line)
        tables[name].append(row)
    return tables


def read_files(folder):
    """The paths of all files below a folder whose names are hashes, by name."""
    return {
        name: os.path.join(at, name)
        for at, _, names in os.walk(folder)
        for name in names
        if len(name) == 64
    }


def file_name(content):
    """The name of a file in the store."""
    content = content.encode() if isinstance(content, str) else content
    return hashlib.blake2b(content, digest_size=32).hexdigest()


def content_matches(path, name):
    try:
        with open(path, "rb") as file:
            return file_name(file.read()) == name
    except OSError:
        return False


class Replays:
    """Verifies replays, each valid one only once."""

    def __init__(self, program, batch=50):
        self.program, self.batch = program, batch
        self.good = set()
        self.verdicts = {}

    def bad(self, paths):
        """The given files that do not verify."""
        paths = [path for path in paths if path not in self.good]
        found = []
        for at in range(0, len(paths), self.batch):
            found += self.look(paths[at : at + self.batch])
        self.good |= set(paths) - set(found)
        return found

    def look(self, paths):
        command = [self.program, "replay", "verify", *paths]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return []
        if len(paths) == 1:
            return paths
        half = len(paths) // 2
        return self.look(paths[:half]) + self.look(paths[half:])

    def verdict(self, path):
        """The verdict of a valid replay: turns, reason, and the place of each player."""
        if path not in self.verdicts:
            command = [self.program, "replay", "info", path]
            text = subprocess.run(command, capture_output=True, check=True).stdout
            found = json.loads(text.splitlines()[1])
            places = [player["rank"] for player in found["players"]]
            self.verdicts[path] = (found["turns"], found["reason"], places)
        return self.verdicts[path]


# ---- ratings ----

ELO = 400 / math.log(10)  # points in one unit of log strength
MEAN, PRIOR, PRIOR_TIE = 1500, 350 / ELO, 5


def solve(matrix, vector):
    """Solves a system of linear equations by Gaussian elimination."""
    size = len(vector)
    rows = [list(row) + [value] for row, value in zip(matrix, vector)]
    for i in range(size):
        best = max(range(i, size), key=lambda k: abs(rows[k][i]))
        rows[i], rows[best] = rows[best], rows[i]
        for k in range(i + 1, size):
            factor = rows[k][i] / rows[i][i]
            for column in range(i, size + 1):
                rows[k][column] -= factor * rows[i][column]
    answer = [0.0] * size
    for i in reversed(range(size)):
        rest = sum(rows[i][k] * answer[k] for k in range(i + 1, size))
        answer[i] = (rows[i][size] - rest) / rows[i][i]
    return answer


def fit(bots, results):
    """Ratings of bots from matches of two: the Bradley-Terry model with Davidson's draws, in a
    second, independent implementation. `results` counts (bot, bot, 1, 0 or -1)."""
    index = {bot: i for i, bot in enumerate(bots)}
    draws = any(how == 0 for _, _, how in results)
    size = len(bots) + draws
    at = [0.0] * size
    for _ in range(200):
        slope = [value / (PRIOR if i < len(bots) else PRIOR_TIE) ** 2 for i, value in enumerate(at)]
        curve = [[0.0] * size for _ in range(size)]
        for i in range(size):
            curve[i][i] = 1 / (PRIOR if i < len(bots) else PRIOR_TIE) ** 2
        for (one, other, how), times in results.items():
            a, b = index[one], index[other]
            outcomes = [(1, {a: 1.0}), (-1, {b: 1.0})]
            if draws:
                outcomes.append((0, {a: 0.5, b: 0.5, len(bots): 1.0}))
            weights = [math.exp(sum(at[i] * x for i, x in parts.items())) for _, parts in outcomes]
            total = sum(weights)
            mean = collections.Counter()
            for weight, (_, parts) in zip(weights, outcomes):
                for i, x in parts.items():
                    mean[i] += weight / total * x
            happened = dict(outcomes)[how]
            for i in mean:
                slope[i] += times * (mean[i] - happened.get(i, 0))
                for k in mean:
                    both = sum(
                        weight / total * parts.get(i, 0) * parts.get(k, 0)
                        for weight, (_, parts) in zip(weights, outcomes)
                    )
                    curve[i][k] += times * (both - mean[i] * mean[k])
        step = solve(curve, slope)
        length = min(1, 1 / max(map(abs, step), default=1)) if any(step) else 0
        at = [value - length * change for value, change in zip(at, step)]
        if max(map(abs, step), default=0) < 1e-9:
            break
    return {bot: MEAN + at[i] * ELO for bot, i in index.items()}


# ---- the checker ----


class Checker:
    def __init__(self, history, tables, files, replays):
        self.history, self.tables, self.files, self.replays = history, tables, files, replays
        self.found = []
        self.matches = {row["id"]: row for row in tables["matches"]}
        self.bots = {row["id"]: row for row in tables["bots"]}
        self.accounts = {row["id"]: row for row in tables["accounts"]}
        self.seats = collections.defaultdict(list)
        for row in tables["seats"]:
            self.seats[row["match"]].append(row)
        for row in tables["matches"]:
            self.seats[row["id"]].sort(key=lambda seat: seat["seat"])

    def report(self, what, sentence):
        self.found.append((what, sentence))

    def confirmed(self, op):
        return [event for event in self.history if event["type"] == "ok" and event["op"] == op]

    # Everything that was confirmed exists.

    def check_accounts(self):
        names = collections.Counter(row["name"] for row in self.tables["accounts"])
        tried = {event["name"] for event in self.history if event["op"] == "account"}
        confirmed = collections.Counter(event["name"] for event in self.confirmed("account"))
        for name in sorted(tried):
            if names[name] > 1 or confirmed[name] > 1:
                self.report("account twice", f"{name} was made twice")
            if confirmed[name] and not names[name]:
                self.report("account lost", f"{name} was confirmed, but is missing")
        for event in self.history:
            if event["op"] == "session" and event["status"] == 401:
                self.report("session lost", f"{event['name']} was logged out at {event['at']}")

    def check_uploads(self):
        owners = {row["id"]: row["name"] for row in self.tables["accounts"]}
        bots = {(owners[row["owner"]], row["name"]): row["id"] for row in self.tables["bots"]}
        for event in self.confirmed("bot"):
            if (event["owner"], event["name"]) not in bots:
                self.report("bot lost", f"{event['owner']}/{event['name']} was confirmed")
        versions = {row["id"]: row for row in self.tables["versions"]}
        for event in self.confirmed("upload"):
            version = versions.get(event["value"])
            bot = bots.get((event["owner"], event["name"]))
            if not version or version["bot"] != bot or version["source"] != event["source"]:
                self.report("upload lost", f"version {event['value']} was confirmed: {version}")
        for row in self.tables["versions"]:
            if row["language"] != "house" and not self.is_good(row["source"]):
                self.report("source lost", f"version {row['id']} has no source {row['source']}")

    def is_good(self, name):
        return name in self.files and content_matches(self.files[name], name)

    def check_requests(self):
        for event in self.confirmed("match"):
            if event["value"] not in self.matches:
                self.report("match lost", f"match {event['value']} was confirmed, but is missing")
        tournaments = {row["id"]: row for row in self.tables["tournaments"]}
        for event in self.confirmed("tournament"):
            if event["value"] not in tournaments:
                self.report("tournament lost", f"tournament {event['value']} was confirmed")
        for event in self.confirmed("start"):
            row = tournaments.get(event["value"])
            if row and row["state"] == 0:
                self.report("tournament lost", f"tournament {event['value']} is not started")

    # Every match has exactly one result.

    def check_matches(self):
        jobs = collections.Counter(
            row["match"] for row in self.tables["jobs"] if row["kind"] == JOB_MATCH
        )
        numbers = collections.Counter(row["result"] for row in self.matches.values())
        fixtures = collections.Counter(
            (row["tournament"], row["fixture"], row["leg"])
            for row in self.matches.values()
            if row["tournament"]
        )
        for fixture, count in fixtures.items():
            if count > 1:
                self.report("result twice", f"fixture {fixture} has {count} matches")
        for match in self.matches.values():
            waits = match["state"] in (MATCH_WAITING, MATCH_PLAYING)
            if waits and jobs[match["id"]] != 1:
                self.report("match stuck", f"match {match['id']} waits, but has no job")
            if not waits and jobs[match["id"]]:
                self.report("job left", f"match {match['id']} has ended, but has a job")
            if match["state"] == MATCH_OVER:
                self.check_result(match, numbers)
            elif match["result"] is not None:
                self.report("result incomplete", f"match {match['id']} is not over, has a result")

    def check_result(self, match, numbers):
        seats = self.seats[match["id"]]
        if match["result"] is None or not match["verdict"] or len(seats) < 2:
            self.report("result incomplete", f"match {match['id']} is over without a result")
        elif numbers[match["result"]] > 1:
            self.report("result twice", f"result {match['result']} is that of several matches")
        if any(seat["place"] < 1 for seat in seats):
            self.report("result incomplete", f"match {match['id']} has players without a place")
        if not match["replay"]:
            self.report("replay lost", f"match {match['id']} has no replay")

    def check_seen(self):
        """A result that people have seen never changes."""
        seen = collections.defaultdict(set)
        for event in self.history:
            if event["op"] == "look":
                seen[event["match"]].add(event["result"])
        for match, results in seen.items():
            if len(results) > 1 or "missing" in results:
                self.report("result twice", f"match {match} was seen with results {results}")

    def check_replays(self):
        matches = {}
        for match in self.matches.values():
            name = match["replay"]
            if name and name not in self.files:
                self.report("replay lost", f"match {match['id']} has no file {name}")
            elif name and self.files[name] in matches:
                self.report("replay wrong", f"match {match['id']} has that of another one")
            elif name:
                matches[self.files[name]] = match
        bad = self.replays.bad(sorted(matches))
        for path in bad:
            self.report("replay damaged", f"the replay of match {matches[path]['id']} is not valid")
        for path in set(matches) - set(bad):
            self.check_verdict(matches[path], self.replays.verdict(path))

    def check_verdict(self, match, recorded):
        """The result is that of the match's replay, and not of another attempt."""
        places = [seat["place"] for seat in self.seats[match["id"]]]
        stored = (match["turns"], match["reason"], places)
        if match["state"] == MATCH_OVER and stored != recorded:
            self.report("replay wrong", f"match {match['id']}: {stored}, recorded: {recorded}")

    # Recounting the matches gives the same records.

    def counted_matches(self):
        """The matches that the records include, in the order of their results."""
        last = self.tables["results"][0]["last"]
        rows = [row for row in self.matches.values() if 0 < (row["result"] or 0) <= last]
        return sorted(rows, key=lambda row: row["result"])

    def check_records(self):
        records = collections.defaultdict(lambda: [0, 0, 0, 0, None])
        streaks = {}
        for match in self.counted_matches():
            seats = [seat for seat in self.seats[match["id"]] if seat["bot"]]
            for me in seats:
                for other in seats:
                    if me["bot"] != other["bot"]:
                        record = records[me["bot"], other["bot"]]
                        record[0] += 1
                        record[1] += me["place"] < other["place"]
                        record[2] += me["place"] == other["place"]
                        record[3] += me["place"] > other["place"]
                        if me["place"] < other["place"] and match["kind"] != KIND_PLAY_NOW:
                            record[4] = record[4] or match["id"]
            if match["kind"] != KIND_PLAY_NOW:
                firsts = [seat["place"] for seat in self.seats[match["id"]]].count(1)
                for bot in {seat["bot"] for seat in seats}:
                    won = firsts == 1 and any(
                        seat["bot"] == bot and seat["place"] == 1 for seat in seats
                    )
                    current, longest = streaks.get(bot, (0, 0))
                    current = current + 1 if won else 0
                    streaks[bot] = (current, max(current, longest))
        stored = {
            (row["bot"], row["opponent"]): [
                row[name] for name in ("matches", "won", "drawn", "lost", "first_win")
            ]
            for row in self.tables["records"]
        }
        self.compare("record wrong", dict(records), stored)
        stored = {row["bot"]: (row["current"], row["longest"]) for row in self.tables["streaks"]}
        self.compare("streak wrong", streaks, stored)

    def compare(self, what, counted, stored):
        for key in sorted(set(counted) | set(stored)):
            if counted.get(key) != stored.get(key):
                self.report(what, f"{key}: {stored.get(key)} instead of {counted.get(key)}")

    # When all work is done.

    def check_rest(self):
        for row in self.tables["jobs"]:
            if row["kind"] in (JOB_BUILD, JOB_MATCH):
                self.report("job left", f"job {row['id']} of {row['match'] or row['version']}")
        uncounted = max((row["result"] or 0 for row in self.matches.values()), default=0)
        if uncounted > self.tables["results"][0]["last"]:
            self.report("record wrong", f"results up to {uncounted} are not counted")
        tournaments = {row["id"]: row for row in self.tables["tournaments"]}
        for event in self.confirmed("start"):
            row = tournaments.get(event["value"])
            if row and row["state"] == 1:
                self.report("tournament stuck", f"tournament {row['id']} has not ended")

    def check_ratings(self):
        for game in {row["game"] for row in self.tables["bots"]}:
            active = {
                row["active"]: row["id"]
                for row in self.tables["bots"]
                if row["game"] == game
                and row["active"]
                and not row["retired"]
                and self.accounts[row["owner"]]["state"] == 0
            }
            results, counts = collections.Counter(), collections.defaultdict(lambda: [0, 0, 0, 0])
            for match in self.matches.values():
                if match["game"] != game or match["kind"] != KIND_LADDER or not match["result"]:
                    continue
                seats = {
                    active[seat["version"]]: seat["place"]
                    for seat in self.seats[match["id"]]
                    if seat["version"] in active
                }
                if len(seats) != 2:
                    continue
                (one, a), (other, b) = seats.items()
                results[one, other, (a < b) - (a > b)] += 1
                for bot, better, worse in ((one, a < b, a > b), (other, b < a, b > a)):
                    count = counts[bot]
                    count[0] += 1
                    count[1] += better
                    count[2] += not better and not worse
                    count[3] += worse
            ratings = fit(sorted(active.values()), results) if results else {}
            stored = {
                row["bot"]: row
                for row in self.tables["ratings"]
                if row["game"] == game and row["version"] in active
            }
            for bot in sorted(set(counts) | set(stored)):
                row = stored.get(bot)
                numbers = row and [row[name] for name in ("matches", "won", "drawn", "lost")]
                if numbers != counts.get(bot):
                    self.report("rating wrong", f"bot {bot}: {numbers}, not {counts.get(bot)}")
                elif abs(row["rating"] / 1000 - ratings[bot]) > 0.05:
                    rating = round(ratings[bot], 3)
                    self.report("rating wrong", f"bot {bot}: {row['rating'] / 1000}, not {rating}")


def violations(history, tables, files, replays, settled):
    """Returns all violations. With `settled`, also those of rules for when all work is done."""
    checker = Checker(history, tables, files, replays)
    checker.check_accounts()
    checker.check_uploads()
    checker.check_requests()
    checker.check_matches()
    checker.check_seen()
    checker.check_replays()
    checker.check_records()
    if settled:
        checker.check_rest()
        checker.check_ratings()
    return checker.found
