import gzip
import os

from smart_open import open as opened
from smart_open import s3
from steps import ACCESS_KEY, BUCKET, SECRET_KEY, recipe, step

params = recipe().transport_params
uri = f"s3://{BUCKET}/stream"
bytes_ = os.urandom(18_000_000)
with opened(uri, "wb", transport_params={**params, "min_part_size": 5 * 1024 * 1024}) as file:
    for at in range(0, len(bytes_), 1_000_000):
        file.write(bytes_[at : at + 1_000_000])
with opened(uri, "rb", transport_params=params) as file:
    assert file.read() == bytes_
    file.seek(9_000_000)
    assert file.read(100) == bytes_[9_000_000:9_000_100]
step("18 MB streamed up in parts, streamed down, sought in, compared")
with opened(f"{uri}.gz", "w", transport_params=params) as file:
    file.writelines(f"line {at}\n" for at in range(100_000))
with opened(f"{uri}.gz", transport_params=params) as file:
    assert sum(1 for _ in file) == 100_000
step("lines under gzip")
try:
    with opened(uri, "wb", transport_params=params) as file:
        file.write(b"half")
        raise KeyError("the writer fails")
except KeyError:
    pass
client = params["client"]
assert client.head_object(Bucket=BUCKET, Key="stream")["ContentLength"] == len(bytes_)
assert "Uploads" not in client.list_multipart_uploads(Bucket=BUCKET)
step("a write that fails leaves the object as it was, and no open upload")
