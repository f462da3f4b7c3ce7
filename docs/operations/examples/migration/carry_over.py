"""Makes the new server say of each object in a bucket what the old one says. Both serve the same blobs.

    python3 carry_over.py [--tags] [--dry-run] OLD NEW BUCKET

OLD and NEW are profiles of ~/.aws/config. An object that the new server does not show is copied to it. Where content
headers or user metadata differ, the new server copies the object over itself with those of the old one. With --tags,
so are tags. What the new server has written is left as it is, so a second run changes nothing. No client may write
meanwhile. Prints a line for each change; ends with 1 if anything failed. Needs boto3.
"""

import argparse
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import boto3
from botocore.exceptions import BotoCoreError, ClientError

HEADERS = ("CacheControl", "ContentDisposition", "ContentEncoding", "ContentLanguage", "ContentType", "Expires")
# What the new server itself wrote, as the old one shows it: its record among the metadata of an object, and keys that the
# cloud does not take as names.
RECORD = "s3gw"
ESCAPED = "~s3~/"
AT_ONCE = 8


def said(head):
    """What a HEAD says of an object that a copy can say again."""
    told = {name: head[name] for name in HEADERS if head.get(name)}
    return {**told, "Metadata": {name.lower(): value for name, value in head["Metadata"].items()}}


def tags_of(client, bucket, key):
    tags = client.get_object_tagging(Bucket=bucket, Key=key)["TagSet"]
    return sorted(tags, key=lambda tag: tag["Key"])


def head_or_none(client, bucket, key):
    try:
        return client.head_object(Bucket=bucket, Key=key)
    except ClientError as error:
        if error.response["ResponseMetadata"]["HTTPStatusCode"] == 404:
            return None
        raise


class CarryOver:
    def __init__(self, options):
        self.old = boto3.Session(profile_name=options.old).client("s3")
        self.new = boto3.Session(profile_name=options.new).client("s3")
        self.bucket, self.with_tags, self.dry_run = options.bucket, options.tags, options.dry_run

    def keys(self):
        for page in self.old.get_paginator("list_objects_v2").paginate(Bucket=self.bucket):
            yield from (e["Key"] for e in page.get("Contents", []) if not e["Key"].startswith(ESCAPED))

    def one(self, key):
        """Returns what was changed, or failed, in words; None where both say the same."""
        try:
            done = self.changes(key)
        except (ClientError, BotoCoreError) as error:
            return f"FAILED {key}: {error}"
        return f"{key}: {', '.join(done)}" if done else None

    def changes(self, key):
        at = {"Bucket": self.bucket, "Key": key}
        old, new = self.old.head_object(**at), head_or_none(self.new, self.bucket, key)
        wanted, done = said(old), []
        if new is None:
            done.append("copied")
            if not self.dry_run:
                self.copy(key, wanted)
        elif RECORD not in wanted["Metadata"] and said(new) != wanted:
            done += [name for name in (*HEADERS, "Metadata") if said(new).get(name) != wanted.get(name)]
            if not self.dry_run:
                kept = {"StorageClass": new["StorageClass"]} if "StorageClass" in new else {}
                source = {**at, "CopySource": at, "CopySourceIfMatch": new["ETag"]}
                self.new.copy_object(**source, **wanted, **kept, MetadataDirective="REPLACE")
        if self.with_tags:
            tags = tags_of(self.old, self.bucket, key)
            if tags != (tags_of(self.new, self.bucket, key) if new or not self.dry_run else []):
                done.append("tags")
                if not self.dry_run:
                    self.new.put_object_tagging(**at, Tagging={"TagSet": tags})
        return done

    def copy(self, key, wanted):
        """Through a file, since the bytes are read twice: for a checksum, and to be sent."""
        with tempfile.TemporaryFile() as file:
            shutil.copyfileobj(self.old.get_object(Bucket=self.bucket, Key=key)["Body"], file)
            file.seek(0)
            self.new.upload_fileobj(file, self.bucket, key, ExtraArgs=wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tags", action="store_true")
    parser.add_argument("--dry-run", action="store_true")
    for name in ("old", "new", "bucket"):
        parser.add_argument(name)
    work = CarryOver(parser.parse_args())
    failed = changed = 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for line in pool.map(work.one, work.keys()):
            if line is not None:
                print(line)
                failed += line.startswith("FAILED ")
                changed += not line.startswith("FAILED ")
    print(f"{changed} changed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
