"""Copies a bucket with its versions and delete markers from one S3 server to another.

    python3 copy_versions.py OLD NEW BUCKET [NEW_BUCKET]

OLD and NEW are profiles of ~/.aws/config. The new bucket must be there, with versioning enabled, and with object lock
if the old one has it. Of each key all versions are written in their order, the oldest first, with content headers, user
metadata, tags, storage class, retention and legal hold. Objects that were uploaded in parts are uploaded in the same
parts, so that their ETags stay the same. Version ids and times are new ones.

A second run goes on where the first one broke off: it takes as copied what is there in the new bucket, if that agrees
with the oldest versions of the key. Prints a line for each key; ends with 1 if anything failed. Needs boto3.
"""

import argparse
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from urllib.parse import urlencode

import boto3
from botocore.exceptions import BotoCoreError, ClientError

SAID = (
    *("CacheControl", "ContentDisposition", "ContentEncoding", "ContentLanguage", "ContentType", "Expires"),
    *("Metadata", "StorageClass", "WebsiteRedirectLocation"),
    *("ObjectLockLegalHoldStatus", "ObjectLockMode", "ObjectLockRetainUntilDate"),
)
PROOFS = ("ETag", "ChecksumCRC32", "ChecksumCRC32C", "ChecksumCRC64NVME")
AT_ONCE = 8


def keys_of(client, bucket):
    """Each key that has a version or a delete marker, once, in S3's order."""
    names = (
        entry["Key"]
        for page in client.get_paginator("list_object_versions").paginate(Bucket=bucket)
        for entry in sorted(page.get("Versions", []) + page.get("DeleteMarkers", []), key=lambda e: e["Key"].encode())
    )
    return (key for key, _ in groupby(names))


def history_of(client, bucket, key):
    """Versions and delete markers of one key, the oldest first.

    One by one, since the SDK tells versions and markers apart and times are by the second: only S3's own order says
    which came first.
    """
    history, marker = [], {}
    while True:
        page = client.list_object_versions(Bucket=bucket, Prefix=key, MaxKeys=1, **marker)
        entries = page.get("Versions", []) + page.get("DeleteMarkers", [])
        if not entries or entries[0]["Key"] != key:
            return history[::-1]
        history.append(entries[0])
        if not page["IsTruncated"]:
            return history[::-1]
        marker = {"KeyMarker": page["NextKeyMarker"], "VersionIdMarker": page["NextVersionIdMarker"]}


def sizes(history):
    """What two histories must have in common; a delete marker has no size."""
    return [entry.get("Size") for entry in history]


class CopyVersions:
    def __init__(self, options):
        self.old = boto3.Session(profile_name=options.old).client("s3")
        self.new = boto3.Session(profile_name=options.new).client("s3")
        self.source, self.target = options.bucket, options.new_bucket or options.bucket

    def one(self, key):
        """Copies what the new bucket lacks of a key. Returns what became of it, in words."""
        try:
            history, there = (history_of(*at, key) for at in ((self.old, self.source), (self.new, self.target)))
            if sizes(history[: len(there)]) != sizes(there):
                return f"FAILED {key}: the new bucket has other versions of it"
            for entry in history[len(there) :]:
                self.version(key, entry)
            return f"{key}: {len(history) - len(there)} of {len(history)}"
        except (ClientError, BotoCoreError, ValueError) as error:
            return f"FAILED {key}: {error}"

    def version(self, key, entry):
        to = {"Bucket": self.target, "Key": key}
        if "Size" not in entry:
            self.new.delete_object(**to)
            return
        at = {"Bucket": self.source, "Key": key, "VersionId": entry["VersionId"]}
        head = self.old.head_object(**at)
        said = {name: head[name] for name in SAID if head.get(name)}
        tags = self.old.get_object_tagging(**at)["TagSet"] if head.get("TagCount") else []
        if tags:
            said["Tagging"] = urlencode({tag["Key"]: tag["Value"] for tag in tags})
        parts = self.old.head_object(**at, PartNumber=1).get("PartsCount") if "-" in head["ETag"] else None
        etag = self.whole(at, to, said) if parts is None else self.in_parts(at, to, said, parts)
        if "aws:kms" not in head.get("ServerSideEncryption", "") and etag != head["ETag"]:
            raise ValueError(f"version {entry['VersionId']} has the ETag {head['ETag']}, its copy {etag}")

    def whole(self, at, to, said):
        with self.bytes_of(at) as file:
            return self.new.put_object(**to, **said, Body=file)["ETag"]

    def in_parts(self, at, to, said, count):
        upload = {**to, "UploadId": self.new.create_multipart_upload(**to, **said)["UploadId"]}
        try:
            parts = []
            for number in range(1, count + 1):
                with self.bytes_of({**at, "PartNumber": number}) as file:
                    answer = self.new.upload_part(**upload, PartNumber=number, Body=file)
                # The SDK has each part verified by a checksum, which S3 then asks for again.
                proofs = {name: value for name, value in answer.items() if name in PROOFS}
                parts.append({"PartNumber": number, **proofs})
            return self.new.complete_multipart_upload(**upload, MultipartUpload={"Parts": parts})["ETag"]
        except Exception:
            self.new.abort_multipart_upload(**upload)
            raise

    def bytes_of(self, at):
        """In a file, since they are read twice: for a checksum, and to be sent."""
        file = tempfile.TemporaryFile()
        shutil.copyfileobj(self.old.get_object(**at)["Body"], file)
        file.seek(0)
        return file


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("old", "new", "bucket"):
        parser.add_argument(name)
    parser.add_argument("new_bucket", nargs="?")
    work = CopyVersions(parser.parse_args())
    failed = 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for line in pool.map(work.one, keys_of(work.old, work.source)):
            print(line)
            failed += line.startswith("FAILED ")
    print(f"{failed} failed" if failed else "all copied")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
