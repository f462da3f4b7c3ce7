import numpy as np
import zarr
from steps import recipe, step

store = recipe(zarr=zarr).store
values = np.arange(4_000_000, dtype="int64").reshape(2000, 2000)
group = zarr.create_group(store=store)
array = group.create_array("a", shape=values.shape, chunks=(250, 250), dtype="int64")
array[:] = values
again = zarr.open_group(store=store, mode="r")
assert np.array_equal(again["a"][:], values)
assert np.array_equal(again["a"][1000:1010, 5:995], values[1000:1010, 5:995])
step("an array of 32 MB in 64 chunks written, read back whole and in part, compared")
array[0:300, 0:300] = 7
array.attrs["unit"] = "m"
group.create_array("b", shape=(10,), chunks=(5,), shards=(10,), dtype="f4")[:] = 1
zarr.consolidate_metadata(store)
again = zarr.open_consolidated(store)
assert (again["a"][0:300, 0:300] == 7).all() and again["a"].attrs["unit"] == "m"
assert sorted(again.array_keys()) == ["a", "b"]
step("overwritten in part, attributes, a sharded array, consolidated metadata")
del group["a"]
assert sorted(zarr.open_group(store=store, mode="r", use_consolidated=False).array_keys()) == ["b"]
step("deleted")
