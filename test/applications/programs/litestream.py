import sqlite3
import subprocess
import time

from steps import BUCKET, step


def litestream(*words):
    return subprocess.run(["litestream", *words], check=True, capture_output=True, text=True).stdout


def rows(path):
    with sqlite3.connect(path) as db:
        return db.execute("SELECT count(*), sum(id), max(text) FROM t").fetchone()


database = sqlite3.connect("app.db", isolation_level=None)
database.execute("PRAGMA journal_mode = WAL")
database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)")
replicating = subprocess.Popen(["litestream", "replicate", "-config", "litestream.yml"])


def restored(name, expected):
    """What is written arrives within a second or two; restores are tried until it has."""
    ends = time.monotonic() + 60
    while True:
        try:
            litestream("restore", "-config", "litestream.yml", "-o", name, "app.db")
            if rows(name) == expected:
                return
        except subprocess.CalledProcessError as error:
            print(error.stderr)
        assert time.monotonic() < ends, "the rows do not arrive"
        subprocess.run(["rm", "-f", name], check=True)
        time.sleep(0.5)


for at in range(5):
    database.executemany("INSERT INTO t (text) VALUES (?)", [(f"{at} {n}" * 20,) for n in range(4000)])
restored("first.db", rows("app.db"))
step("a database replicated while it is written, restored, rows compared")
database.execute("DELETE FROM t WHERE id % 2 = 0")
database.execute("VACUUM")
restored("second.db", rows("app.db"))
step("the same after deletions and VACUUM")
replicating.terminate()
assert replicating.wait(30) == 0
database.execute("INSERT INTO t (text) VALUES ('while it was down')")
replicating = subprocess.Popen(["litestream", "replicate", "-config", "litestream.yml"])
restored("third.db", rows("app.db"))
step("ended and started again: what was written meanwhile arrives")
replicating.terminate()
replicating.wait(30)
