import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from steps import BUCKET, recipe, step

options = recipe().storage_options
uri = f"s3://{BUCKET}/delta"


def rows(first, count):
    return pa.table({"id": pa.array(range(first, first + count), pa.int64()), "value": ["x"] * count})


for at in range(5):
    write_deltalake(uri, rows(at * 1000, 1000), mode="append", storage_options=options)
table = DeltaTable(uri, storage_options=options)
assert table.to_pyarrow_table().num_rows == 5000 and table.version() == 4
step("five appends, read back")
stale = DeltaTable(uri, version=0, storage_options=options)
assert stale.to_pyarrow_table().num_rows == 1000
table.delete("id < 500")
table.update(updates={"value": "'y'"}, predicate="id >= 4000")
merge = table.merge(pa.table({"id": [4999, 9999], "value": ["z", "z"]}), "t.id = s.id", "s", "t")
merge.when_matched_update_all().when_not_matched_insert_all().execute()
found = table.to_pyarrow_table()
assert found.num_rows == 4501 and found["value"].to_pylist().count("z") == 2
step("an earlier version; delete, update and merge")
table.optimize.compact()
table.create_checkpoint()
removed = table.vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
assert removed and DeltaTable(uri, storage_options=options).to_pyarrow_table().num_rows == 4501
step("compacted, checkpoint, vacuumed, read again")
