import io
import os
from datetime import timedelta
from urllib.request import urlopen

from minio.commonconfig import CopySource, Tags
from minio.deleteobjects import DeleteObject
from minio.error import S3Error
from steps import BUCKET, recipe, step

client = recipe().client
big = os.urandom(22_000_000)
client.put_object(BUCKET, "files/insert_log/1", io.BytesIO(big), -1, part_size=5 * 1024 * 1024)
client.put_object(BUCKET, "files/stats_log/1", io.BytesIO(b"stats"), 5)
assert client.get_object(BUCKET, "files/insert_log/1").read() == big
assert client.get_object(BUCKET, "files/insert_log/1", offset=7_000_000, length=99).read() == big[7_000_000:7_000_099]
assert client.stat_object(BUCKET, "files/insert_log/1").size == len(big)
step("22 MB in parts from a stream of no known length, read back whole and by a range, stat")
listed = [entry.object_name for entry in client.list_objects(BUCKET, "files/", recursive=True)]
assert listed == ["files/insert_log/1", "files/stats_log/1"]
assert [entry.object_name for entry in client.list_objects(BUCKET, "files/")] == ["files/insert_log/", "files/stats_log/"]
client.copy_object(BUCKET, "files/copied", CopySource(BUCKET, "files/insert_log/1"))
client.put_object(BUCKET, "files/stats_log/1", io.BytesIO(b"anew"), 4)
assert client.get_object(BUCKET, "files/stats_log/1").read() == b"anew"
with urlopen(client.presigned_get_object(BUCKET, "files/stats_log/1", timedelta(minutes=5))) as answer:
    assert answer.read() == b"anew"
step("listed, copied, overwritten, read by a signed URL")
names = ["files/copied", "files/insert_log/1", "files/stats_log/1", "never/there"]
assert list(client.remove_objects(BUCKET, [DeleteObject(name) for name in names])) == []
try:
    client.stat_object(BUCKET, "files/copied")
    raise AssertionError("an object is still there")
except S3Error as error:
    assert error.code == "NoSuchKey"
step("deleted in one request")
