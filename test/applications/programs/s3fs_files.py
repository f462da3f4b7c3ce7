import os

from steps import BUCKET, recipe, step

fs = recipe().fs
root = f"{BUCKET}/tree"
os.makedirs("up/deep/er")
for at in range(20):
    with open(f"up/deep/{at}.bin", "wb") as file:
        file.write(os.urandom(1000 * at))
big = os.urandom(30_000_000)
with open("up/deep/er/big.bin", "wb") as file:
    file.write(big)
fs.put("up/", root, recursive=True)
fs.get(root, "down/", recursive=True)
assert len(fs.find(root)) == 21
for path in fs.find(root):
    name = path.removeprefix(f"{root}/")
    with open(f"up/{name}", "rb") as one, fs.open(path, "rb") as two:
        assert one.read() == two.read(), name
step("a tree of 21 files, the largest of 30 MB, up, listed and read back, compared")
with fs.open(f"{root}/deep/er/big.bin", "rb") as file:
    file.seek(12_345_678)
    assert file.read(1000) == big[12_345_678:12_346_678]
fs.pipe_file(f"{root}/once", b"first", mode="create")
try:
    fs.pipe_file(f"{root}/once", b"second", mode="create")
    raise AssertionError("an object was made twice")
except FileExistsError:
    pass
assert fs.cat_file(f"{root}/once") == b"first"
step("ranges; creation only where nothing is")
fs.copy(f"{root}/deep", f"{root}/copied", recursive=True)
assert fs.du(f"{root}/copied") == fs.du(f"{root}/deep")
fs.pipe_file(f"{root}/once", b"third")
assert fs.cat_file(f"{root}/once") == b"third"
fs.rm(root, recursive=True)
fs.invalidate_cache()
assert not fs.exists(root)
step("copied, overwritten, deleted")
