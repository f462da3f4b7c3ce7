import os
from datetime import datetime, timedelta, timezone

from botocore.exceptions import ClientError
from steps import recipe, step

names = recipe()
client, bucket = names.client, f"{names.bucket}-locked"


def refused(code, call, **request):
    try:
        call(**request)
    except ClientError as error:
        assert error.response["Error"]["Code"] == code, error
        return
    raise AssertionError(f"{call.__name__} was not refused")


client.create_bucket(Bucket=bucket, ObjectLockEnabledForBucket=True)
assert client.get_bucket_versioning(Bucket=bucket)["Status"] == "Enabled"
lock = client.get_object_lock_configuration(Bucket=bucket)["ObjectLockConfiguration"]
assert lock == {"ObjectLockEnabled": "Enabled"}, lock
step("a bucket with object lock from its creation")
until = datetime.now(timezone.utc) + timedelta(days=2)
place = {"Bucket": bucket, "Key": "Veeam/Backup/repo/blob"}
data = os.urandom(1_000_000)
retention = {"ObjectLockMode": "GOVERNANCE", "ObjectLockRetainUntilDate": until}
version = client.put_object(**place, Body=data, **retention)["VersionId"]
refused("AccessDenied", client.delete_object, **place, VersionId=version)
assert client.get_object(**place, VersionId=version)["Body"].read() == data
step("a block of 1 MB put under a retention, its deletion refused, read back")
longer = {"Mode": "GOVERNANCE", "RetainUntilDate": until + timedelta(days=1)}
client.put_object_retention(**place, VersionId=version, Retention=longer)
shorter = {"Mode": "GOVERNANCE", "RetainUntilDate": until - timedelta(days=1)}
refused("AccessDenied", client.put_object_retention, **place, VersionId=version, Retention=shorter)
step("the retention prolonged; shortening it refused")
marker = client.delete_object(**place)["VersionId"]
versions = client.list_object_versions(Bucket=bucket, Prefix="Veeam/")
assert [entry["VersionId"] for entry in versions["Versions"]] == [version]
assert [entry["VersionId"] for entry in versions["DeleteMarkers"]] == [marker]
client.delete_object(**place, VersionId=marker)
client.delete_object(**place, VersionId=version, BypassGovernanceRetention=True)
assert "Versions" not in client.list_object_versions(Bucket=bucket)
step("delete marker, listing of versions, removal by who may bypass the governance")
client.delete_bucket(Bucket=bucket)
