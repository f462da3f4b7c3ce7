import os

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyarrow.fs import FileSelector
from steps import BUCKET, recipe, step

fs = recipe().fs
table = pa.table({"id": pa.array(range(300000), pa.int64()), "part": [at % 3 for at in range(300000)]})
root = f"{BUCKET}/data"
partitioning = ds.partitioning(pa.schema([("part", pa.int64())]), flavor="hive")
ds.write_dataset(table, root, filesystem=fs, format="parquet", partitioning=partitioning)
found = ds.dataset(root, filesystem=fs, partitioning=partitioning)
assert found.to_table().num_rows == 300000
assert found.to_table(filter=ds.field("part") == 1).num_rows == 100000
step("a partitioned data set written, read whole and by a filter")
ds.write_dataset(
    table.slice(0, 9), root, filesystem=fs, format="parquet", partitioning=partitioning,
    existing_data_behavior="delete_matching",
)
assert ds.dataset(root, filesystem=fs, partitioning=partitioning).to_table().num_rows == 9
step("partitions overwritten")
big = os.urandom(25_000_000)
with fs.open_output_stream(f"{BUCKET}/big.bin", metadata={"Content-Type": "application/x-own"}) as stream:
    stream.write(big)
with fs.open_input_file(f"{BUCKET}/big.bin") as file:
    assert file.read() == big
    file.seek(5)
    assert file.read(10) == big[5:15]
fs.copy_file(f"{BUCKET}/big.bin", f"{BUCKET}/copied.bin")
fs.move(f"{BUCKET}/copied.bin", f"{BUCKET}/moved.bin")
assert fs.get_file_info(f"{BUCKET}/moved.bin").size == len(big)
fs.delete_dir(root)
fs.delete_file(f"{BUCKET}/moved.bin")
left = [info.path for info in fs.get_file_info(FileSelector(BUCKET, recursive=True))]
assert left == [f"{BUCKET}/big.bin"], left
step("25 MB streamed, read back, copied, moved; all deleted")
