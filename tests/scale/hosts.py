"""Hosts for a test: network namespaces on a bridge.

`enter()` restarts the test in its own network, mount and process namespaces. The kernel removes
them with the last process, so that no address, mount or process is left, even after `kill -9`.

Programs run on a host through nsenter, because `ip netns exec` would remount /sys, and the sandbox
needs the control groups there.
"""

import os
import signal
import subprocess
import sys

NETWORK = "10.77.0."
BRIDGE = NETWORK + "254"  # the address of the test itself
SKIPPED = 77  # the exit status that meson reports as skipped
UNSHARE = (
    *("unshare", "--net", "--mount", "--propagation", "private"),
    *("--pid", "--fork", "--kill-child", "--mount-proc"),
)
# The features of the kernel and of iproute2 that the tests need.
PROBE = """set -e
mount -t tmpfs none /run && mkdir /run/netns
ip netns add probe
ip link add probe0 type veth peer name probe1
ip link add probe2 type bridge
tc qdisc add dev probe0 root handle 1: htb
tc class add dev probe0 parent 1: classid 1:1 htb rate 1gbit
tc qdisc add dev probe0 parent 1:1 pfifo limit 0
tc filter add dev probe0 parent 1: protocol ip u32 match ip dst 10.77.0.1 flowid 1:1
"""


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def missing():
    """Why hosts cannot be created here, or None."""
    if os.getuid() != 0:
        return "only root can create network namespaces"
    done = subprocess.run([*UNSHARE, "sh", "-c", PROBE], capture_output=True, text=True)
    return None if done.returncode == 0 else "no network namespaces: " + done.stderr.strip()


def enter():
    """Restarts the test in the namespaces, where it returns; outside, it exits. Call it first."""
    if os.environ.get("TEST_HOSTS") != "inside":
        why = missing()
        if why:
            print("skipped: " + why)
            sys.exit(SKIPPED)
        os.environ["TEST_HOSTS"] = "inside"
        # unshare ignores SIGTERM, and so does the first process of a namespace.
        command = ["setpriv", "--pdeathsig=KILL", *UNSHARE, sys.executable, *sys.argv]
        inside = subprocess.Popen(command)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: inside.kill())
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C also reaches the test inside
        sys.exit(1 if inside.wait() < 0 else inside.returncode)
    # Do not hide all of /run: the sandbox may need other files there.
    os.makedirs("/run/netns", exist_ok=True)
    run("mount", "-t", "tmpfs", "none", "/run/netns")
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", "hosts", "type", "bridge", "stp_state", "0", "forward_delay", "0")
    run("ip", "address", "add", BRIDGE + "/24", "dev", "hosts")
    run("ip", "link", "set", "hosts", "up")


class Host:
    """A network namespace with one address."""

    def __init__(self, name, number):
        self.name = name
        self.address = NETWORK + str(number)
        run("ip", "netns", "add", name)
        run(
            "ip", "link", "add", "to-" + name, "type", "veth", "peer", "name", "eth0", "netns", name
        )
        run("ip", "link", "set", "to-" + name, "master", "hosts", "up")
        self.run("ip", "link", "set", "lo", "up")
        self.run("ip", "address", "add", self.address + "/24", "dev", "eth0")
        self.run("ip", "link", "set", "eth0", "up")

    def remove(self):
        run("ip", "link", "delete", "to-" + self.name)  # before it goes with its namespace
        run("ip", "netns", "delete", self.name)

    def command(self, *words):
        return ["nsenter", "--net=/run/netns/" + self.name, *words]

    def run(self, *words):
        return run(*self.command(*words))

    def start(self, *words, **options):
        return subprocess.Popen(self.command(*words), **options)

    def drop_to(self, addresses):
        """From now on, packets from this host to these addresses are lost; those from them
        arrive."""
        self.run("tc", "qdisc", "add", "dev", "eth0", "root", "handle", "1:", "htb")
        self.run(
            *("tc", "class", "add", "dev", "eth0", "parent", "1:", "classid", "1:1"),
            *("htb", "rate", "1gbit", "quantum", "1514"),
        )
        self.run("tc", "qdisc", "add", "dev", "eth0", "parent", "1:1", "pfifo", "limit", "0")
        for address in addresses:
            self.run(
                *("tc", "filter", "add", "dev", "eth0", "parent", "1:", "protocol", "ip"),
                *("u32", "match", "ip", "dst", address, "flowid", "1:1"),
            )

    def drop_nothing(self):
        self.run("tc", "qdisc", "del", "dev", "eth0", "root")


# ---- processes ----


def stat_of(pid):
    """The state and the parent of a process, or None if it has exited."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            words = file.read().rsplit(")", 1)[1].split()
        return words[0], int(words[1])
    except OSError:
        return None


def command_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            return file.read().replace("\0", " ").strip()
    except OSError:
        return ""


def processes():
    """All processes of the test except zombies, with their parents."""
    found = {int(pid): stat_of(pid) for pid in os.listdir("/proc") if pid.isdigit()}
    return {pid: stat[1] for pid, stat in found.items() if stat and stat[0] not in "ZX"}


def tree(roots, parents):
    """These processes and all their descendants."""
    found = set(roots)
    more = True
    while more:
        fresh = {pid for pid, parent in parents.items() if parent in found} - found
        found |= fresh
        more = bool(fresh)
    return found


def orphans(roots):
    """The processes that do not descend from these, without the test itself."""
    parents = processes()
    return sorted(set(parents) - tree(roots, parents) - {os.getpid()})


def reap(known):
    """Reaps orphans that have exited. Their parent is the test, which is the first process of the
    namespace."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        stat = stat_of(pid)
        if stat and stat[0] == "Z" and stat[1] == os.getpid() and int(pid) not in known:
            try:
                os.waitpid(int(pid), os.WNOHANG)
            except ChildProcessError:
                pass
