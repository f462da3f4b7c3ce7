"""What a program in a pod does: it knows a role, a file with its token, and an endpoint. Prints how each step went."""

import json
import sys

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

bucket, = sys.argv[1:]
s3 = boto3.client("s3", config=Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}))


def step(work):
    try:
        return work()
    except ClientError as error:
        return error.response["Error"]["Code"]


print(json.dumps({
    "who": step(lambda: boto3.client("sts").get_caller_identity()["Arn"]),
    "put": step(lambda: s3.put_object(Bucket=bucket, Key="model", Body=b"weights") and "done"),
    "get": step(lambda: s3.get_object(Bucket=bucket, Key="model")["Body"].read().decode()),
    "outside": step(lambda: s3.put_object(Bucket="other", Key="model", Body=b"x") and "done"),
}))
