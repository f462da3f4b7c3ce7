import hashlib
import json
import os
import socket
import subprocess
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from steps import step

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    host = f"127.0.0.1:{free.getsockname()[1]}"
registry = subprocess.Popen(
    ["docker-registry", "serve", "config.yml"],
    env={**os.environ, "REGISTRY_HTTP_ADDR": host, "REGISTRY_LOG_LEVEL": "error"},
)


def ask(method, path, body=None, **headers):
    url = path if path.startswith("http") else f"http://{host}/v2/{path}"
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return urlopen(Request(url, data=body, method=method, headers=named))


def digest_of(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def push_blob(data, chunk):
    location = ask("POST", "app/blobs/uploads/").headers["Location"]
    for at in range(0, len(data), chunk):
        piece = data[at : at + chunk]
        said = {"Content_Type": "application/octet-stream", "Content_Range": f"{at}-{at + len(piece) - 1}"}
        location = ask("PATCH", location, piece, **said).headers["Location"]
    assert ask("PUT", f"{location}&digest={digest_of(data)}", b"").status == 201
    return {"digest": digest_of(data), "size": len(data)}


def push_image(tag, layers):
    config = json.dumps({"architecture": "amd64", "os": "linux", "tag": tag}).encode()
    kind = "application/vnd.oci.image.manifest.v1+json"
    manifest = {
        "schemaVersion": 2,
        "mediaType": kind,
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", **push_blob(config, 1_000_000)},
        "layers": [
            {"mediaType": "application/vnd.oci.image.layer.v1.tar", **push_blob(layer, 6_000_000)} for layer in layers
        ],
    }
    return ask("PUT", f"app/manifests/{tag}", json.dumps(manifest).encode(), Content_Type=kind), manifest, kind


try:
    ends = time.monotonic() + 60
    while True:
        try:
            ask("GET", "")
            break
        except OSError:
            assert time.monotonic() < ends and registry.poll() is None, "the registry does not answer"
            time.sleep(0.1)
    layers = [os.urandom(25_000_000), os.urandom(3_000_000)]
    pushed, manifest, kind = push_image("one", layers)
    step("an image pushed: layers of 25 MB and 3 MB by chunks, configuration, manifest")
    with ask("GET", "app/manifests/one", Accept=kind) as answer:
        assert json.load(answer) == manifest
    for layer in layers:
        with ask("GET", f"app/blobs/{digest_of(layer)}") as answer:
            assert answer.read() == layer
    step("pulled by the links to the gateway that it answers, compared")
    push_image("two", layers[1:])
    push_image("one", [b"another"])
    assert sorted(json.load(ask("GET", "app/tags/list"))["tags"]) == ["one", "two"]
    assert json.load(ask("GET", "_catalog"))["repositories"] == ["app"]
    step("a second tag, the first one overwritten, both listed")
    assert ask("DELETE", f"app/manifests/{pushed.headers['Docker-Content-Digest']}").status == 202
    subprocess.run(["docker-registry", "garbage-collect", "config.yml"], check=True, capture_output=True)
    try:
        ask("GET", f"app/blobs/{digest_of(layers[0])}")
        raise AssertionError("a layer is still there")
    except HTTPError as error:
        assert error.code == 404
    with ask("GET", f"app/blobs/{digest_of(layers[1])}") as answer:
        assert answer.read() == layers[1]
    step("a manifest deleted, garbage collected: its layer is gone, the shared one is there")
finally:
    registry.terminate()
    registry.wait(30)
