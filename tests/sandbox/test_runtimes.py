"""Language runtimes, compilers and shells work under the seccomp filter, with threads and children.

Skips programs that are not installed.
"""

import os
import shutil
import subprocess
import tempfile
import unittest

UNDER_FILTER = os.environ["UNDER_FILTER"]
PATH = "/usr/local/bin:/usr/bin:/bin"


class Runtimes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="runtimes-")
        self.addCleanup(self.folder.cleanup)
        self.temporary = os.path.join(self.folder.name, "tmp")
        os.mkdir(self.temporary)

    def write(self, name, text):
        with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
            file.write(text)

    def expect(self, output, *command):
        """Runs the command in the folder with the environment of a bot, and checks its output."""
        program = command[0]
        if "/" not in program and not shutil.which(program, path=PATH):
            self.skipTest(f"{program} is not installed")
        done = subprocess.run(
            [UNDER_FILTER, *command],
            cwd=self.folder.name,
            env={"PATH": PATH, "HOME": self.temporary, "TMPDIR": self.temporary, "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=300,
            check=False,
        )
        self.assertEqual((done.returncode, done.stdout.strip()), (0, output), done.stderr)

    def test_python(self):
        self.write(
            "bot.py",
            """
import asyncio, concurrent.futures, multiprocessing, os, random, signal, socket, subprocess
import tempfile, threading, time

def square(number):
    return number * number

async def talk():
    loop = asyncio.get_running_loop()
    signalled = asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, signalled.set)
    loop.call_later(0.001, os.kill, os.getpid(), signal.SIGUSR1)
    await signalled.wait()
    process = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
    return (await process.communicate(b"async"))[0].decode()

if __name__ == "__main__":
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(square, range(4))) == [0, 1, 4, 9]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(square, range(4)) == [0, 1, 4, 9]
    assert asyncio.run(talk()) == "async"
    assert subprocess.check_output(["echo", "hello"]) == b"hello\\n"
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"x" * 100000)
    signal.setitimer(signal.ITIMER_REAL, 60)
    time.sleep(0.001)
    os.sched_getaffinity(0)
    try:
        socket.socket()
    except PermissionError:
        print("fine")
""",
        )
        self.expect("fine", "/usr/bin/python3", "bot.py")

    def test_javascript(self):
        self.write(
            "bot.js",
            """
const { Worker, isMainThread, parentPort } = require("worker_threads");
const { execFileSync, spawn, fork } = require("child_process");
const fs = require("fs");
if (process.argv[2] === "child") {
  process.send("hello");
  process.disconnect();
} else if (!isMainThread) {
  parentPort.postMessage(6 * 7);
} else {
  let sum = 0;
  for (let i = 0; i < 1e7; i++) sum = (sum * 31 + i) | 0; // enough to be compiled
  fs.writeFileSync("file", execFileSync("echo", ["hello"]));
  try {
    fs.watch("."); // inotify is refused
  } catch (error) {
    if (error.code !== "ENOSYS") throw error;
  }
  new Worker(__filename).on("message", (answer) => {
    fork(__filename, ["child"]).on("message", (word) => {
      spawn("cat", ["file"]).stdout.on("data", (data) => {
        fs.promises.readFile("file", "utf8").then((text) => console.log(answer, word, text + data));
      });
    });
  });
}
""",
        )
        self.expect("42 hello hello\nhello", "node", "bot.js")

    def test_ruby(self):
        self.write(
            "bot.rb",
            """
require "json"
require "tempfile"
sum = 4.times.map { |i| Thread.new { i * i } }.sum(&:value)
word = IO.popen("cat", "r+") { |io| io.puts "hello"; io.close_write; io.read.strip }
reader, writer = IO.pipe
Process.wait(fork { writer.puts "child" })
Tempfile.create("x") { |f| f.puts "x" }
puts JSON.generate([sum, word, reader.gets.strip, `echo shell`.strip])
""",
        )
        self.expect('[14,"hello","child","shell"]', "ruby", "bot.rb")

    def test_java(self):
        self.write(
            "Bot.java",
            """
import java.nio.file.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Bot {
    public static void main(String[] arguments) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        int sum = 0;
        var parts = IntStream.range(0, 4).mapToObj(i -> (Callable<Integer>) () -> i * i).toList();
        for (Future<Integer> part : pool.invokeAll(parts))
            sum += part.get();
        pool.shutdown();
        long parallel = LongStream.range(0, 5_000_000).parallel().map(i -> i * 31 ^ i).sum();
        Path file = Files.createTempFile("bot", "");
        Files.writeString(file, "hello");
        Process child = new ProcessBuilder("cat", file.toString()).start();
        String word = new String(child.getInputStream().readAllBytes());
        System.gc();
        System.out.println(sum + " " + (parallel != 0) + " " + word);
    }
}
""",
        )
        self.expect("", "javac", "Bot.java")
        self.expect("14 true hello", "java", "-cp", ".", "Bot")
        self.expect("14 true hello", "java", "-XX:+UseParallelGC", "-Xmx128m", "Bot.java")

    def test_perl(self):
        self.write(
            "bot.pl",
            """
use strict; use warnings;
my $word = `echo hello`; chomp $word;
pipe(my $read, my $write);
if (!fork) { print $write "child\\n"; exit }
wait; close $write; my $line = <$read>; chomp $line;
alarm 60; select(undef, undef, undef, 0.001);
print "$word $line\\n";
""",
        )
        self.expect("hello child", "perl", "bot.pl")

    def test_lua(self):
        self.write(
            "bot.lua",
            'local p = io.popen("echo hello")\n'
            'print(p:read("l"), os.time() > 0, os.tmpname() ~= nil)\n',
        )
        self.expect("hello\ttrue\ttrue", "lua5.4", "bot.lua")

    def test_c_and_cpp(self):
        program = """
#include <pthread.h>
#include <stdio.h>
static void *run(void *unused) { puts("thread"); return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    return pthread_join(thread, 0);
}
"""
        self.write("bot.c", program)
        self.write(
            "bot.cpp",
            "#include <iostream>\n#include <thread>\n"
            'int main() { std::thread([] { std::cout << "thread\\n"; }).join(); }\n',
        )
        self.expect("", "gcc", "-O2", "-pipe", "bot.c", "-o", "c")
        self.expect("thread", "./c")
        self.expect("", "g++", "-O2", "-flto", "bot.cpp", "-o", "cpp")
        self.expect("thread", "./cpp")

    def test_go(self):
        self.write("go.mod", "module bot\n")
        self.write(
            "bot.go",
            """
package main

import (
	"fmt"
	"os/exec"
	"sync"
	"time"
)

func main() {
	var group sync.WaitGroup
	parts := make([]int, 100)
	for i := range parts {
		group.Add(1)
		go func(i int) { defer group.Done(); time.Sleep(time.Millisecond); parts[i] = i }(i)
	}
	group.Wait()
	sum := 0
	for _, part := range parts {
		sum += part
	}
	word, err := exec.Command("echo", "hello").Output()
	fmt.Println(sum, string(word), err)
}
""",
        )
        self.expect("", "go", "build", "-o", "bot", ".")
        self.expect("4950 hello\n <nil>", "./bot")

    def test_rust(self):
        if not shutil.which("rustc"):
            self.skipTest("rustc is not installed")
        self.write(
            "bot.rs",
            """
use std::{process::Command, sync::mpsc, thread, time::Duration};

fn main() {
    let (send, receive) = mpsc::channel();
    for i in 0..4 {
        let send = send.clone();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(1));
            send.send(i).unwrap()
        });
    }
    drop(send);
    let sum: i32 = receive.iter().sum();
    let word = Command::new("echo").arg("hello").output().unwrap();
    println!("{} {}", sum, String::from_utf8(word.stdout).unwrap().trim());
}
""",
        )
        # rustc is often in a home directory, where bots do not find it: only the result is a bot.
        subprocess.run(["rustc", "-O", "bot.rs"], cwd=self.folder.name, check=True)
        self.expect("6 hello", "./bot")

    def test_haskell(self):
        self.write(
            "Bot.hs",
            """
import Control.Concurrent

main :: IO ()
main = do
  done <- newEmptyMVar
  mapM_ (\\i -> forkIO (threadDelay 1000 >> putMVar done i)) [0 .. 3 :: Int]
  parts <- mapM (const (takeMVar done)) [0 .. 3 :: Int]
  print (sum parts)
""",
        )
        # The runtime's clock uses a timerfd, unless -V0 disables it.
        for more in ((), ("-threaded",)):
            compiler = ("ghc", "+RTS", "-V0", "-RTS", "-v0", "-with-rtsopts=-V0", *more)
            self.expect("", *compiler, "Bot.hs", "-o", "bot")
            self.expect("6", "./bot")

    def test_lisp(self):
        self.write(
            "bot.lisp",
            """
(defvar *threads*
  (loop for i below 4 collect (let ((i i)) (sb-thread:make-thread (lambda () (sleep 0.001) i)))))
(handler-case (sb-ext:with-timeout 0.01 (loop))
  (sb-ext:timeout () (format t "late ")))
(sb-ext:gc :full t)
(format t "~a ~a" (reduce #'+ (mapcar #'sb-thread:join-thread *threads*))
        (with-output-to-string (out) (sb-ext:run-program "/bin/echo" '("hello") :output out)))
""",
        )
        self.expect("late 6 hello", "sbcl", "--script", "bot.lisp")

    def test_shell(self):
        self.write(
            "bot.sh",
            """
ulimit -c 0
ulimit -n 64
mkfifo pipe
seq 1000 >pipe &
sort -rn <pipe | head -n 1 | tr 0 o
d=$(mktemp -d)
cp -p /etc/passwd "$d/a" 2>&1
mv "$d/a" "$d/b"
ln "$d/b" "$d/c"
ln -s b "$d/d"
cat "$d/d" | cmp - /etc/passwd
tar cf - -C "$d" . | gzip | gzip -d | tar tf - | wc -l
find "$d" -type f -exec rm {} +
printf 'b\\na\\n' | sort | xargs echo
timeout 5 sleep 0.01
nice -n 5 true
echo hello >/dev/stderr
awk 'BEGIN { print "awk" }'
wait
""",
        )
        self.expect("1ooo\n4\na b\nawk", "sh", "bot.sh")

    def test_bash(self):
        self.expect(
            "a b", "bash", "-c", "trap 'true' EXIT; exec 3<<<b; echo $(cat <(echo a) <(cat <&3))"
        )


if __name__ == "__main__":
    unittest.main()
