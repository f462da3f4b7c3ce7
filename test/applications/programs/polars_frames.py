import polars as pl
from steps import BUCKET, recipe, step

options = recipe().storage_options
root = f"s3://{BUCKET}/frames"
frame = pl.DataFrame({"id": range(400000)}).with_columns(part=pl.col("id") % 4, text=pl.col("id").hash().cast(pl.String))
frame.write_parquet(f"{root}/whole.parquet", storage_options=options)
assert pl.read_parquet(f"{root}/whole.parquet", storage_options=options).equals(frame)
step("400,000 rows written as Parquet and read back, compared")
for part, rows in frame.partition_by("part", as_dict=True).items():
    rows.lazy().sink_parquet(f"{root}/parts/{part[0]}.parquet", storage_options=options)
found = pl.scan_parquet(f"{root}/parts/*.parquet", storage_options=options).filter(pl.col("part") == 2).collect()
assert found.sort("id").equals(frame.filter(pl.col("part") == 2))
step("sunk by parts, scanned by a glob with a filter")
frame.head(3).write_parquet(f"{root}/whole.parquet", storage_options=options)
assert pl.scan_parquet(f"{root}/whole.parquet", storage_options=options).collect().equals(frame.head(3))
frame.head(1000).write_csv(f"{root}/rows.csv", storage_options=options)
assert pl.scan_csv(f"{root}/rows.csv", storage_options=options).select(pl.len()).collect().item() == 1000
step("overwritten; CSV")
