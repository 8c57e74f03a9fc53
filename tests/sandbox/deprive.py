"""Runs a program as if the machine lacked system calls or namespaces:

    deprive.py CALLS KINDS COMMAND...

CALLS are the numbers of system calls that fail with ENOSYS. KINDS are the kinds of namespaces that
cannot be created: their number is limited to 0 in a user namespace with the same users. Both lists
are separated by commas and may be empty.
"""

import ctypes
import errno
import os
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)


def call(name, *arguments):
    if getattr(libc, name)(*arguments) != 0:
        sys.exit(f"{name}: {os.strerror(ctypes.get_errno())}")


def limit_namespaces(kinds):
    """Continues in a child, because only a process outside the namespace can map all users."""
    PR_SET_PDEATHSIG, SIGKILL, CLONE_NEWUSER = 1, 9, 0x10000000
    created, mapped = os.pipe(), os.pipe()
    child = os.fork()
    if child:
        os.close(created[1])
        os.read(created[0], 1)
        me = os.geteuid()
        users = f"0 0 {2**32 - 2}" if me == 0 else f"{me} {me} 1"
        for name, text in [("setgroups", "deny")] * (me != 0) + [
            ("uid_map", users),
            ("gid_map", users),
        ]:
            with open(f"/proc/{child}/{name}", "w", encoding="ascii") as file:
                file.write(text)
        os.close(mapped[1])
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os.close(mapped[1])
    call("prctl", PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    call("unshare", CLONE_NEWUSER)
    os.close(created[0])
    os.close(created[1])
    os.read(mapped[0], 1)
    for kind in kinds:
        with open(f"/proc/sys/user/max_{kind}_namespaces", "w", encoding="ascii") as file:
            file.write("0")


def refuse_calls(numbers):
    PR_SET_SECCOMP, MODE_FILTER, PR_SET_NO_NEW_PRIVS = 22, 2, 38
    LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
    ALLOW, ERRNO = 0x7FFF0000, 0x50000
    code = [(LOAD, 0, 0, 0)]  # load the number of the system call
    for number in numbers:
        code += [(JUMP_IF_EQUAL, 0, 1, number), (RETURN, 0, 0, ERRNO | errno.ENOSYS)]
    code.append((RETURN, 0, 0, ALLOW))
    text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in code))
    program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(text))
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    call("prctl", PR_SET_SECCOMP, MODE_FILTER, program, 0, 0)


if __name__ == "__main__":
    if sys.argv[2]:
        limit_namespaces(sys.argv[2].split(","))
    if sys.argv[1]:
        refuse_calls([int(number) for number in sys.argv[1].split(",")])
    os.execvp(sys.argv[3], sys.argv[3:])
