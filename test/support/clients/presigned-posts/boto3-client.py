"""Reads which forms shall be signed, and for whom (`Asked` in sign.ts), and writes them; both as JSON."""

import json
import sys

import boto3
from botocore.config import Config

asked = json.load(sys.stdin)
credentials = asked["credentials"]
client = boto3.client(
    "s3",
    endpoint_url=asked["endpoint"],
    region_name=asked["region"],
    aws_access_key_id=credentials["accessKeyId"],
    aws_secret_access_key=credentials["secretAccessKey"],
    aws_session_token=credentials.get("sessionToken"),
    config=Config(signature_version="s3v4", s3={"addressing_style": "path"}),
)


def signed(post):
    fields = post["fields"]
    # Unlike the SDK for JavaScript, boto3 leaves it to its caller to allow the fields that it is given.
    conditions = post["conditions"] + [{name: value} for name, value in fields.items()]
    return client.generate_presigned_post(
        post["bucket"], post["key"], Fields=fields, Conditions=conditions, ExpiresIn=post["expiresIn"]
    )


json.dump([signed(post) for post in asked["posts"]], sys.stdout)
