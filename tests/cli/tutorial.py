"""The bots of the tutorials docs/tutorials/GAME.md, assembled as a reader would do it.

A tutorial starts from the Python starter of its game. Each section "## N. ..." has Python code:
functions and constants. They replace definitions of the same name in the bot; new ones are added
before think().

    python3 tests/cli/tutorial.py aliens 6 > my_bot/bot.py      # the bot of step 6
"""

import ast
import os
import re
import shutil
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
FOLDER = os.path.join(ROOT, "docs", "tutorials")


def tutorials():
    """The games that have a tutorial."""
    return sorted(name[:-3] for name in os.listdir(FOLDER) if name.endswith(".md"))


def page(game):
    with open(os.path.join(FOLDER, game + ".md"), encoding="utf-8") as file:
        return file.read()


def starter(game):
    """The folder of the starter."""
    return os.path.join(ROOT, "bots", "starter", game, "python")


def sections(game):
    """The steps of a tutorial: number, code and text of each."""
    parts = re.split(r"^## (\d+)\. ", page(game), flags=re.M)[1:]
    for number, text in zip(parts[::2], parts[1::2]):
        text = re.split(r"^## ", text, flags=re.M)[0]
        yield int(number), "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)), text


def names_of(statement):
    """The names that a statement at the top level of a file defines."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return [statement.name]
    if isinstance(statement, ast.Assign):
        return [target.id for target in statement.targets if isinstance(target, ast.Name)]
    return []


def change(bot, code):
    """The bot with the definitions of `code` in place of those with the same names."""
    for statement in ast.parse(code).body:
        text = "\n".join(code.splitlines()[statement.lineno - 1 : statement.end_lineno])
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            bot = text + "\n" + bot
            continue
        lines = bot.splitlines()
        tree = ast.parse(bot).body
        defined = {name: node for node in tree for name in names_of(node)}
        old = defined.get(names_of(statement)[0])
        first, last = (
            (old.lineno - 1, old.end_lineno) if old else (defined["think"].lineno - 1,) * 2
        )
        text += "" if old else "\n\n"
        bot = "\n".join([*lines[:first], text, *lines[last:]]) + "\n"
    return bot


def bots(game):
    """The source of the bot after each step: number, source and text of the step."""
    with open(os.path.join(starter(game), "bot.py"), encoding="utf-8") as file:
        bot = file.read()
    for number, code, text in sections(game):
        bot = change(bot, code)
        yield number, bot, text


def write(game, bot, folder):
    """Creates the folder of a bot with this source."""
    shutil.copytree(starter(game), folder)
    with open(os.path.join(folder, "bot.py"), "w", encoding="utf-8") as file:
        file.write(bot)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python3 tests/cli/tutorial.py GAME STEP")
    step = {str(number): bot for number, bot, _ in bots(sys.argv[1])}.get(sys.argv[2])
    if step is None:
        sys.exit(f"the tutorial of {sys.argv[1]} has no step {sys.argv[2]}")
    print(step, end="")
