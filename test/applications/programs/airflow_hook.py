import os

from steps import BUCKET, exports, step

exports()
os.environ["AIRFLOW_HOME"] = os.getcwd()
from airflow.providers.amazon.aws.hooks.s3 import S3Hook

hook = S3Hook(aws_conn_id="gateway")
big = os.urandom(20_000_000)
with open("big.bin", "wb") as file:
    file.write(big)
hook.load_file("big.bin", "in/big.bin", BUCKET)
hook.load_string("one", "in/text", BUCKET)
path = hook.download_file("in/big.bin", BUCKET, os.getcwd())
with open(path, "rb") as file:
    assert file.read() == big
assert hook.read_key("in/text", BUCKET) == "one"
step("20 MB and a text loaded, downloaded and compared")
try:
    hook.load_string("two", "in/text", BUCKET)
    raise AssertionError("a key was replaced unasked")
except ValueError:
    hook.load_string("two", "in/text", BUCKET, replace=True)
assert hook.read_key("in/text", BUCKET) == "two"
hook.copy_object("in/big.bin", "out/big.bin", BUCKET, BUCKET)
assert sorted(hook.list_keys(BUCKET)) == ["in/big.bin", "in/text", "out/big.bin"]
assert hook.list_prefixes(BUCKET, delimiter="/") == ["in/", "out/"]
assert hook.check_for_wildcard_key("*/big.bin", BUCKET) and hook.check_for_key("in/text", BUCKET)
step("replaced, copied, listed, found by a wildcard")
hook.delete_objects(BUCKET, ["in/big.bin", "in/text"])
hook.create_bucket(f"{BUCKET}-more", region_name="us-east-1")
hook.delete_bucket(f"{BUCKET}-more")
assert hook.list_keys(BUCKET) == ["out/big.bin"]
step("deleted; a bucket made and deleted")
