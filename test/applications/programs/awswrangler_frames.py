import os

from steps import BUCKET, exports, step

exports()
import awswrangler as wr
import pandas as pd

wr.config.s3_endpoint_url = os.environ["AWS_ENDPOINT_URL_S3"]
root = f"s3://{BUCKET}/frames"
frame = pd.DataFrame({"id": range(100000), "part": [at % 3 for at in range(100000)], "text": "x"})
wr.s3.to_parquet(frame, f"{root}/whole.parquet")
pd.testing.assert_frame_equal(wr.s3.read_parquet(f"{root}/whole.parquet").astype(frame.dtypes), frame)
wr.s3.to_parquet(frame, f"{root}/parts", dataset=True, partition_cols=["part"])
assert len(wr.s3.read_parquet(f"{root}/parts", dataset=True)) == 100000
step("Parquet whole and by partitions, read back")
wr.s3.to_parquet(frame.head(5), f"{root}/parts", dataset=True, mode="overwrite")
assert len(wr.s3.read_parquet(f"{root}/parts", dataset=True)) == 5
wr.s3.to_csv(frame.head(10), f"{root}/rows.csv.gz", index=False, compression="gzip")
assert len(wr.s3.read_csv(f"{root}/rows.csv.gz")) == 10
step("overwritten; CSV under gzip")
with open("big.bin", "wb") as file:
    file.write(os.urandom(20_000_000))
wr.s3.upload("big.bin", f"{root}/big.bin")
wr.s3.download(f"{root}/big.bin", "again.bin")
with open("big.bin", "rb") as one, open("again.bin", "rb") as two:
    assert one.read() == two.read()
wr.s3.copy_objects([f"{root}/big.bin"], source_path=root, target_path=f"s3://{BUCKET}/copied")
assert wr.s3.size_objects(f"s3://{BUCKET}/copied/big.bin") == {f"s3://{BUCKET}/copied/big.bin": 20_000_000}
wr.s3.delete_objects(f"s3://{BUCKET}/")
assert wr.s3.list_objects(f"s3://{BUCKET}/") == []
step("20 MB up and down, copied, all deleted")
