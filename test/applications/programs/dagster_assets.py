import dagster as dg
from dagster_aws.s3 import S3Resource
from steps import BUCKET, recipe, step

names = recipe()


@dg.asset
def numbers():
    return list(range(200_000))


@dg.asset
def total(numbers):
    return sum(numbers)


@dg.asset(partitions_def=dg.StaticPartitionsDefinition(["a", "b"]))
def letters(context: dg.AssetExecutionContext, s3: S3Resource):
    key = context.partition_key
    s3.get_client().put_object(Bucket=BUCKET, Key=f"by-hand/{key}", Body=key.encode())
    return key


assets = [numbers, total, letters]
resources = {"io_manager": names.io_manager, "s3": names.s3}
for _ in range(2):
    assert dg.materialize([numbers, total], resources=resources).success
step("two assets kept by the IO manager, the second made of the first read back; made again over them")
for partition in "ab":
    result = dg.materialize([letters], resources=resources, partition_key=partition)
    assert result.output_for_node("letters") == partition
step("a partitioned asset, which also puts objects by the S3 resource")
found = dg.Definitions(assets=assets, resources=resources).load_asset_value("total")
assert found == 19999900000, found
client = names.s3.get_client()
keys = [entry["Key"] for entry in client.list_objects_v2(Bucket=BUCKET)["Contents"]]
assert {"by-hand/a", "dagster/numbers", "dagster/letters/b"} <= set(keys), keys
step("loaded and listed")
