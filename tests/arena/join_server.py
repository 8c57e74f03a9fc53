"""An arena for a test: started on a free port, stopped with SIGTERM, and checked for leftovers."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading

import accounts_server

SKIRMISH = os.environ.get("SKIRMISH") or sys.exit("SKIRMISH must name the program to test")
WAIT = 120


def processes():
    """Maps live processes, as (pid, start time) because pids are reused, to their parents' pids."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            found[int(pid), int(fields[19])] = int(fields[1])
    return found


def descendants(root):
    """The descendants of a process. Only ancestry identifies runners and bots."""
    found, everything, members = set(), processes(), {root}
    while True:
        more = {one for one, parent in everything.items() if parent in members} - found
        if not more:
            return found
        found |= more
        members |= {pid for pid, _ in more}


def groups(pids):
    """The control groups of these runners. In a container, names include its pid namespace."""
    namespace = os.readlink("/proc/self/ns/pid")[len("pid:[") : -1]
    processes = "|".join(map(str, pids))
    own = re.compile(rf"skirmish-(runner-)?({namespace}\.)?({processes})(-|$)")
    return [name for _, found, _ in os.walk("/sys/fs/cgroup") for name in found if own.match(name)]


class Server:
    def __init__(self, data, *options):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [SKIRMISH, "serve", "--port", "0", "--data", data, "--sandbox", "best-effort",
             "--jobs", "1", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True,
        )  # fmt: skip
        self.password = None
        self.url = None
        timer = threading.Timer(WAIT, self.process.kill)
        timer.start()
        for line in self.process.stdout:
            found = re.search(r"http://\S+", line)
            if found:
                self.url = found[0].replace("localhost", "127.0.0.1")
                break
        timer.cancel()
        if not self.url:
            self.log.seek(0)
            raise AssertionError("the arena did not start: " + self.log.read().decode())
        path = os.path.join(data, "initial-password")
        if os.path.exists(path):
            self.password = accounts_server.change_initial_password(self.url, path)

    def stop(self):
        """Stops the server; returns its exit status and the processes that it left running."""
        started = descendants(self.process.pid)
        self.process.send_signal(signal.SIGTERM)
        self.process.stdout.read()
        status = self.process.wait(timeout=WAIT)
        self.process.stdout.close()
        self.log.close()
        return status, [pid for pid, _ in started & set(processes())]
