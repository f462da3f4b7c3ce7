from chdb.session import Session
from steps import ACCESS_KEY, BUCKET, ENDPOINT, SECRET_KEY, step

session = Session("clickhouse")
with open("recipe.sql", encoding="utf-8") as block:
    session.query(block.read())
session.query("CREATE DATABASE d")
session.query(
    "INSERT INTO FUNCTION s3(gateway, filename = 'numbers.parquet') "
    "SELECT number AS id, toString(cityHash64(number)) AS text FROM numbers(500000)"
)
asked = "SELECT count(), sum(id), max(text) FROM "
written = session.query(asked + "s3(gateway, filename = 'numbers.parquet')", "CSV").bytes()
local = session.query(asked + "(SELECT number AS id, toString(cityHash64(number)) AS text FROM numbers(500000))", "CSV")
assert written == local.bytes()
step("500,000 rows written as Parquet by the function s3, read back, sums compared")
session.query(
    "INSERT INTO FUNCTION s3(gateway, filename = 'parts/{_partition_id}.csv') PARTITION BY id % 4 "
    "SELECT number AS id FROM numbers(1000)"
)
assert session.query("SELECT count() FROM s3(gateway, filename = 'parts/*.csv')", "CSV").bytes() == b"1000\n"
step("written by partitions, read by a glob")
session.query(
    "INSERT INTO FUNCTION s3(gateway, filename = 'numbers.parquet') SELECT 7 AS id "
    "SETTINGS s3_truncate_on_insert = 1"
)
assert session.query("SELECT id FROM s3(gateway, filename = 'numbers.parquet')", "CSV").bytes() == b"7\n"
step("overwritten")
disk = (
    f"disk(type = s3, endpoint = '{ENDPOINT}/{BUCKET}/disk/', access_key_id = '{ACCESS_KEY}', "
    f"secret_access_key = '{SECRET_KEY}')"
)
session.query(f"CREATE TABLE d.t (id UInt64, text String) ENGINE = MergeTree ORDER BY id SETTINGS disk = {disk}")
for at in range(3):
    session.query(f"INSERT INTO d.t SELECT number + {at} * 1000, hex(number) FROM numbers(1000)")
session.query("OPTIMIZE TABLE d.t FINAL")
assert session.query("SELECT count(), uniq(id) FROM d.t", "CSV").bytes() == b"3000,3000\n"
session.query("ALTER TABLE d.t DELETE WHERE id < 500 SETTINGS mutations_sync = 1")
assert session.query("SELECT count() FROM d.t", "CSV").bytes() == b"2500\n"
session.query("DROP TABLE d.t SYNC")
step("a MergeTree table on a disk of type s3: inserts, merge, mutation, drop")
