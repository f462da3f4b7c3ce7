import lance
import pyarrow as pa
from steps import BUCKET, recipe, step

options = recipe().storage_options
uri = f"s3://{BUCKET}/vectors.lance"


def rows(first, count):
    vectors = [[float((first + at) % 97), float(at % 89), 1.0, 2.0] for at in range(count)]
    return pa.table({"id": pa.array(range(first, first + count), pa.int64()), "v": pa.array(vectors, pa.list_(pa.float32(), 4))})


lance.write_dataset(rows(0, 5000), uri, storage_options=options)
lance.write_dataset(rows(5000, 5000), uri, mode="append", storage_options=options)
dataset = lance.dataset(uri, storage_options=options)
assert dataset.to_table().num_rows == 10000
assert lance.dataset(uri, version=1, storage_options=options).count_rows() == 5000
step("written, appended to, read back, read at an earlier version")
dataset.delete("id < 100")
dataset.update({"v": "v"}, where="id = 200")
assert dataset.count_rows() == 9900
dataset.optimize.compact_files()
nearest = dataset.to_table(nearest={"column": "v", "q": [0.0, 0.0, 1.0, 2.0], "k": 3})
assert nearest.num_rows == 3
step("delete, update, compaction, nearest neighbours")
lance.write_dataset(rows(0, 10), uri, mode="overwrite", storage_options=options)
assert lance.dataset(uri, storage_options=options).to_table().num_rows == 10
step("overwritten")
