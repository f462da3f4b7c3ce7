from glob import glob
from os.path import dirname

import duckdb
import duckdb_extension_httpfs
from steps import BUCKET, step

db = duckdb.connect()
# In place of INSTALL, which asks a server of DuckDB: the same extension comes from PyPI.
(extension,) = glob(f"{dirname(duckdb_extension_httpfs.__file__)}/extensions/*/httpfs.duckdb_extension")
db.execute(f"LOAD '{extension}'")
with open("recipe.sql", encoding="utf-8") as block:
    db.execute(block.read())
root = f"s3://{BUCKET}/lake"
db.execute("CREATE TABLE t AS SELECT i AS id, i % 5 AS part, md5(i::VARCHAR) AS text FROM range(500000) r(i)")
db.execute(f"COPY t TO '{root}/whole.parquet'")
db.execute(f"COPY t TO '{root}/parts' (FORMAT parquet, PARTITION_BY (part))")
step("COPY of 500,000 rows to Parquet, whole and by partitions")
same = "SELECT count(*), sum(id), min(text), max(text) FROM "
assert db.sql(same + f"'{root}/whole.parquet'").fetchall() == db.sql(same + "t").fetchall()
assert db.sql(same + f"'{root}/parts/*/*.parquet'").fetchall() == db.sql(same + "t").fetchall()
step("both read back by name and glob, sums compared")
rows = db.sql(f"SELECT count(*) FROM read_parquet('{root}/parts/*/*.parquet', hive_partitioning=true) WHERE part = 3")
assert rows.fetchall() == [(100000,)]
step("one partition read by a filter")
db.execute(f"COPY (SELECT 1 AS one) TO '{root}/whole.parquet'")
assert db.sql(f"SELECT * FROM '{root}/whole.parquet'").fetchall() == [(1,)]
db.execute(f"COPY t TO '{root}/t.csv.gz'")
assert db.sql(f"SELECT count(*) FROM '{root}/t.csv.gz'").fetchall() == [(500000,)]
step("overwritten; CSV under gzip")
