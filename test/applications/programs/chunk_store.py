import hashlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor

from botocore.exceptions import ClientError
from steps import recipe, step

names = recipe()
client, bucket = names.client, names.bucket
chunks = {hashlib.sha256(data).hexdigest(): data for data in (os.urandom(1_500_000) for _ in range(24))}


def put(digest):
    """A chunk is put only where none of its name is. @returns whether it was new"""
    key = f".chunks/{digest[:4]}/{digest}"
    try:
        client.put_object(Bucket=bucket, Key=key, Body=chunks[digest], IfNoneMatch="*")
        return True
    except ClientError as error:
        assert error.response["ResponseMetadata"]["HTTPStatusCode"] in (409, 412), error
        return False


with ThreadPoolExecutor(8) as pool:
    assert all(pool.map(put, chunks))
    assert not any(pool.map(put, chunks))
step("24 chunks of 1.5 MB put under If-None-Match, eight at a time; each refused the second time")
raced = hashlib.sha256(b"raced").hexdigest()
chunks[raced] = b"raced"
start = threading.Barrier(8)


def race(_):
    start.wait()
    return put(raced)


with ThreadPoolExecutor(8) as pool:
    assert sum(pool.map(race, range(8))) == 1
step("one chunk put by eight at once: one of them made it")
pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=".chunks/", PaginationConfig={"PageSize": 7})
keys = [entry["Key"] for page in pages for entry in page["Contents"]]
assert sorted(keys) == sorted(f".chunks/{digest[:4]}/{digest}" for digest in chunks)
for key in keys:
    assert client.get_object(Bucket=bucket, Key=key)["Body"].read() == chunks[key.rsplit("/")[-1]]
step("all listed by pages, read back and compared")
deleted = client.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key} for key in keys], "Quiet": True})
assert "Errors" not in deleted and client.list_objects_v2(Bucket=bucket)["KeyCount"] == 0
step("deleted in one request")
