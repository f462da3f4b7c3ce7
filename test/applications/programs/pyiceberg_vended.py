import json

import boto3
import pyarrow as pa
from botocore.config import Config
from pyiceberg.catalog import load_catalog
from pyiceberg.expressions import EqualTo
from steps import ACCESS_KEY, BUCKET, ENDPOINT, SECRET_KEY, recipe, step


def vend(prefix):
    """What a catalog does: asks for a session that reaches one table. The form is MinIO's, without a role."""
    objects = {"Effect": "Allow", "Action": "s3:*Object", "Resource": f"arn:aws:s3:::{BUCKET}/{prefix}/*"}
    listing = {
        "Effect": "Allow",
        "Action": "s3:ListBucket",
        "Resource": f"arn:aws:s3:::{BUCKET}",
        "Condition": {"StringLike": {"s3:prefix": f"{prefix}/*"}},
    }
    config = Config(parameter_validation=False)
    keys = {"aws_access_key_id": ACCESS_KEY, "aws_secret_access_key": SECRET_KEY}
    sts = boto3.client("sts", endpoint_url=ENDPOINT, region_name="us-east-1", config=config, **keys)
    policy = json.dumps({"Version": "2012-10-17", "Statement": [objects, listing]})
    vended = sts.assume_role(RoleSessionName="catalog", Policy=policy, DurationSeconds=900)["Credentials"]
    return {
        "s3.access-key-id": vended["AccessKeyId"],
        "s3.secret-access-key": vended["SecretAccessKey"],
        "s3.session-token": vended["SessionToken"],
    }


properties = recipe().properties
catalog = load_catalog("trial", **properties)
catalog.create_namespace("ns")
rows = pa.table({"id": pa.array(range(20000), pa.int64()), "part": [at % 4 for at in range(20000)]})
table = catalog.create_table("ns.t", rows.schema, location=f"s3://{BUCKET}/ns/t")
other = catalog.create_table("ns.other", rows.schema, location=f"s3://{BUCKET}/ns/other")
table.append(rows)
other.append(rows)
table.overwrite(rows.slice(0, 4), EqualTo("part", 3))
table.delete(EqualTo("part", 2))
assert table.scan().to_arrow().num_rows == 10003
assert table.scan(snapshot_id=table.history()[0].snapshot_id).to_arrow().num_rows == 20000
step("tables made, appended to, overwritten, deleted from, read at an earlier snapshot")

narrowed = load_catalog("trial", **{**properties, **vend("ns/t")})
mine = narrowed.load_table("ns.t")
mine.append(rows)
assert mine.scan().to_arrow().num_rows == 30003
step("with a session of AssumeRole without RoleArn for one table: appended to and read")
try:
    load_catalog("trial", **{**properties, **vend("ns/t")}).load_table("ns.other").scan().to_arrow()
    raise AssertionError("the session reads another table")
except OSError as refused:
    assert "ACCESS_DENIED" in str(refused) or "AccessDenied" in str(refused), refused
step("the other table refused to that session")
