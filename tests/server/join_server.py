"""An arena for a test: started on a free port with a directory of its own, stopped by SIGTERM, and looked at for what it left."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import uuid

SKIRMISH = os.environ.get("SKIRMISH") or sys.exit("SKIRMISH must name the program to test")
WAIT = 120


class Server:
    def __init__(self, data, *options):
        self.mark = "ARENA_TEST_MARK=" + uuid.uuid4().hex
        name, value = self.mark.split("=")
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [SKIRMISH, "serve", "--port", "0", "--data", data, "--sandbox", "best-effort", "--jobs", "1", *options],
            env=dict(os.environ, **{name: value}), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True,
        )  # fmt: skip
        self.password = None
        self.url = None
        timer = threading.Timer(WAIT, self.process.kill)
        timer.start()
        for line in self.process.stdout:
            found = re.search(r"has the password (\S+)", line)
            self.password = found[1] if found else self.password
            found = re.search(r"http://\S+", line)
            if found:
                self.url = found[0].replace("localhost", "127.0.0.1")
                break
        timer.cancel()
        if not self.url:
            self.log.seek(0)
            raise AssertionError("the arena did not start: " + self.log.read().decode())

    def stop(self):
        """Returns the exit status and the processes that are left."""
        self.process.send_signal(signal.SIGTERM)
        self.process.stdout.read()
        status = self.process.wait(timeout=WAIT)
        self.process.stdout.close()
        self.log.close()
        return status, self.leftovers()

    def leftovers(self):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    if self.mark.encode() in file.read():
                        found.append(int(pid))
            except OSError:
                pass
        return found
