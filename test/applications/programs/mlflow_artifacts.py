import os

import mlflow
from steps import exports, step

exports()
client = mlflow.MlflowClient(os.environ["MLFLOW_TRACKING_URI"])
experiment = client.create_experiment("gateway", artifact_location=os.environ["ARTIFACT_ROOT"])
run = client.create_run(experiment).info.run_id
big = os.urandom(24_000_000)
with open("model.bin", "wb") as file:
    file.write(big)
client.log_artifact(run, "model.bin", "model")
client.log_text(run, "first", "notes/text.txt")
client.log_dict(run, {"a": 1}, "notes/values.json")
step("artifacts of a run logged: 24 MB in parts, a text, a dictionary")
assert [entry.path for entry in client.list_artifacts(run)] == ["model", "notes"]
assert [entry.path for entry in client.list_artifacts(run, "notes")] == ["notes/text.txt", "notes/values.json"]
step("listed")
path = client.download_artifacts(run, "model/model.bin", ".")
with open(path, "rb") as file:
    assert file.read() == big
client.log_text(run, "second", "notes/text.txt")
assert mlflow.artifacts.load_text(f"{os.environ['ARTIFACT_ROOT']}/{run}/artifacts/notes/text.txt") == "second"
step("downloaded and compared, one overwritten")
repository = mlflow.store.artifact.artifact_repository_registry.get_artifact_repository(
    f"{os.environ['ARTIFACT_ROOT']}/{run}/artifacts"
)
repository.delete_artifacts()
assert client.list_artifacts(run) == []
step("deleted")
