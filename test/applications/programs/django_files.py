import os
from urllib.request import urlopen

import django
from django.conf import settings
from steps import recipe, step

settings.configure(STORAGES=recipe().STORAGES, USE_TZ=True)
django.setup()
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

big = os.urandom(12_000_000)
name = default_storage.save("uploads/big.bin", ContentFile(big))
assert default_storage.open(name).read() == big and default_storage.size(name) == len(big)
step("12 MB saved, opened and compared")
other = default_storage.save("uploads/big.bin", ContentFile(b"another"))
assert other != name and default_storage.open(other).read() == b"another"
assert default_storage.listdir("uploads") == ([], sorted([os.path.basename(name), os.path.basename(other)]))
assert default_storage.get_modified_time(name).tzinfo is not None
with urlopen(default_storage.url(name)) as answer:
    assert answer.read() == big
step("a second file of the name beside it, listed, read by its signed URL")
with default_storage.open("uploads/written.txt", "w") as file:
    file.write("line\n" * 1000)
with default_storage.open("uploads/written.txt", "w") as file:
    file.write("anew")
assert default_storage.open("uploads/written.txt").read() == b"anew"
default_storage.delete(name)
assert not default_storage.exists(name)
step("overwritten, deleted")
