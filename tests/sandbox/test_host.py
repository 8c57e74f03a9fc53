"""Hostile bots do not take the host's memory and disk, and do not see who else runs on it."""

import os
import unittest

import hostile_match

HUGE_PAGES = "/proc/sys/vm/nr_hugepages"


class Host:
    """The tests."""

    # ---- memory

    def offer_huge_pages(self, count):
        """Adds huge pages to the machine's pool for the time of the test."""
        try:
            with open(HUGE_PAGES, "r+", encoding="ascii") as file:
                before = int(file.read())
                file.seek(0)
                file.write(str(before + count))
        except OSError:
            self.skipTest("only root can reserve huge pages, where the kernel has them")

        def restore():
            with open(HUGE_PAGES, "w", encoding="ascii") as file:
                file.write(str(before))

        self.addCleanup(restore)
        with open(HUGE_PAGES, encoding="ascii") as file:
            if int(file.read()) < before + count:
                self.skipTest("the machine has no memory for huge pages")

    def test_huge_pages_cannot_evade_the_memory_limit(self):
        self.offer_huge_pages(60)  # 120 MiB
        for name in ("huge", "huge-memfd", "huge-segment"):
            with self.subTest(name=name):
                hostile = self.against_honest(f"bombs {name} 60", "--limit", "memory=48", turn=5000)
                self.assertEqual(hostile["status"], "ok", self.said)
                self.assertRegex(self.said, f"DENIED {name} (EPERM|ENOSYS) after 0")


class AsRoot(hostile_match.Root, Host, unittest.TestCase):
    """Strict."""


class AsUser(hostile_match.User, Host, unittest.TestCase):
    """Without "uid"."""


if __name__ == "__main__":
    hostile_match.arena.main()
