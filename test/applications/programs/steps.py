"""What the programs of applications in Python share."""

import os
import subprocess
from types import SimpleNamespace

ENDPOINT = os.environ["ENDPOINT"]
BUCKET = os.environ["BUCKET"]
ACCESS_KEY = os.environ["ACCESS_KEY"]
SECRET_KEY = os.environ["SECRET_KEY"]


def step(text):
    """Says that something went well; the page of applications repeats it."""
    print(f"* {text}", flush=True)


def recipe(**known):
    """Runs the block of the page, and gives the names that it sets."""
    names = dict(known)
    with open("recipe.py", encoding="utf-8") as block:
        exec(compile(block.read(), "recipe.py", "exec"), names)
    return SimpleNamespace(**names)


def exports():
    """Takes over the variables that the block of the page exports."""
    said = subprocess.run(["bash", "-c", ". ./recipe.sh && env -0"], check=True, capture_output=True, text=True).stdout
    os.environ.update(line.split("=", 1) for line in said.split("\0") if "=" in line)
