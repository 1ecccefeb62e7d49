"""Ruri through torch and through its export, on a tiny model with random weights."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sui_memory.embedding.choose import open_embedder, resolve
from sui_memory.embedding.export import MIN_INT8_COSINE, agreement, export, export_model
from sui_memory.embedding.onnx import OnnxEmbedder
from sui_memory.embedding.ruri import DOCUMENT_PREFIX, MAX_TOKENS, QUERY_PREFIX, RuriEmbedder
from sui_memory.embedding.throughput import throughput
from sui_memory.errors import ModelError
from sui_memory.types import Embedder, Vector

from .hub import Hub, serving

pytestmark = pytest.mark.ruri
pytest.importorskip("sentence_transformers", exc_type=ImportError)

TEXTS = [
    "鍵は金庫の中",
    "認証のトークンが切れたら取り直します。" * 30,
    "",
    "def f(x): return x",
    "鍵",
    "\ud800\0",
]
HUB = "someone/tiny-ruri"


def cosine(left: Vector, right: Vector) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


def run(code: str, *arguments: object, **environment: str) -> str:
    """Run Python in a process of its own and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="session")
def ruri(tiny_ruri: Path) -> RuriEmbedder:
    return RuriEmbedder(tiny_ruri, "tiny-ruri")


@pytest.fixture(scope="session")
def exported(ruri: RuriEmbedder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exports") / "tiny-ruri-int8"
    assert export(ruri, folder) >= MIN_INT8_COSINE
    return folder


@pytest.fixture(params=["torch", "onnx"])
def embedder(request: pytest.FixtureRequest, ruri: RuriEmbedder, exported: Path) -> Embedder:
    return ruri if request.param == "torch" else OnnxEmbedder(exported)


def test_both_routes_give_unit_vectors_of_their_width(embedder: Embedder):
    assert embedder.dim == 32
    for vector in [*embedder.embed_documents(TEXTS), *map(embedder.embed_query, TEXTS)]:
        assert memoryview(vector).nbytes == 4 * embedder.dim
        assert cosine(vector, vector) == pytest.approx(1.0, abs=1e-5)


def test_alone_a_text_has_the_vector_it_has_in_a_batch(embedder: Embedder):
    for text, vector in zip(TEXTS, embedder.embed_documents(TEXTS), strict=True):
        assert cosine(vector, embedder.embed_documents([text])[0]) > 0.99999


def test_no_documents_give_no_vectors(embedder: Embedder):
    assert embedder.embed_documents([]) == []


def test_a_megabyte_is_cut_to_the_token_limit(embedder: Embedder):
    assert len(embedder.embed_query("あ" * 1_000_000)) == 32


def test_queries_and_documents_carry_their_prefixes(ruri: RuriEmbedder):
    plain = ruri.transformer.encode([QUERY_PREFIX + "鍵", DOCUMENT_PREFIX + "鍵"], normalize_embeddings=True)
    assert list(ruri.embed_query("鍵")) == pytest.approx(list(plain[0]), abs=1e-5)
    assert list(ruri.embed_documents(["鍵"])[0]) == pytest.approx(list(plain[1]), abs=1e-5)
    assert cosine(ruri.embed_query("鍵"), ruri.embed_documents(["鍵"])[0]) < 0.999


def test_a_saved_default_prompt_is_not_added_to_ours(tiny_ruri: Path, ruri: RuriEmbedder, tmp_path: Path):
    folder = shutil.copytree(tiny_ruri, tmp_path / "prompted")
    saved = {"prompts": {"query": "認証の会議: "}, "default_prompt_name": "query"}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(saved))
    prompted = RuriEmbedder(folder, "prompted")
    assert prompted.transformer.default_prompt_name == "query"
    assert cosine(prompted.embed_query("鍵"), ruri.embed_query("鍵")) > 0.99999


def test_the_tokenizer_file_is_used_as_it_is(tiny_ruri: Path, ruri: RuriEmbedder):
    from tokenizers import Tokenizer

    for text in ["検索クエリ: 鍵", " 前に空白", "未知の字 龘"]:
        expected = Tokenizer.from_file(str(tiny_ruri / "tokenizer.json")).encode(text).ids
        assert ruri.transformer.tokenizer(text)["input_ids"] == expected


def test_the_length_is_capped(ruri: RuriEmbedder):
    assert ruri.transformer.max_seq_length == MAX_TOKENS


def test_a_folder_is_opened_by_its_path_and_then_by_its_export(tiny_ruri: Path, models_dir: Path):
    original = open_embedder(str(tiny_ruri), models_dir=models_dir)
    target, cosine = export_model(str(tiny_ruri), models_dir=models_dir)
    assert cosine >= MIN_INT8_COSINE
    preferred = open_embedder(str(tiny_ruri), models_dir=models_dir)
    by_id = open_embedder(preferred.model_id, models_dir=models_dir)
    by_folder = open_embedder(str(target), models_dir=models_dir)
    assert preferred.model_id == by_id.model_id == by_folder.model_id == f"{original.model_id}-int8"


def test_an_export_agrees_with_its_original_and_replaces_an_older_one(ruri: RuriEmbedder, tmp_path: Path):
    target = tmp_path / "models" / "tiny-int8"
    export(ruri, target)
    (target / "left-over").touch()
    (target.parent / ".tiny-int8.killed").mkdir()
    assert export(ruri, target) == pytest.approx(agreement(ruri, OnnxEmbedder(target)), abs=1e-6)
    assert sorted(path.name for path in target.iterdir()) == ["export.json", "model.onnx", "tokenizer.json"]
    assert [path.name for path in target.parent.iterdir()] == ["tiny-int8"]


def test_an_export_that_does_not_agree_is_refused_and_the_older_one_stays(
    ruri: RuriEmbedder, exported: Path, tmp_path: Path
):
    older = shutil.copytree(exported, tmp_path / "models" / "tiny-int8")
    with pytest.raises(ModelError, match=r"thrown away, because its vectors agree .* \(needed: 1\.01\)"):
        export(ruri, older, least_cosine=1.01)
    assert [path.name for path in older.parent.iterdir()] == ["tiny-int8"]
    assert OnnxEmbedder(older).dim == 32


def test_an_export_runs_without_torch(exported: Path):
    code = (
        "import sys; from pathlib import Path; from sui_memory.embedding import open_embedder\n"
        "embedder = open_embedder(sys.argv[1], models_dir=Path('/no/models'))\n"
        "embedder.embed_query('鍵'); embedder.embed_documents(['鍵は金庫の中'])\n"
        "print(sorted({'torch', 'transformers', 'sentence_transformers', 'onnx'} & set(sys.modules)))"
    )
    assert run(code, exported) == "[]"


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "tokenizer.json", "modules.json"])
@pytest.mark.parametrize("damage", ["cut", "garbage"])
def test_broken_weights_are_one_sentence(file: str, damage: str, tiny_ruri: Path, tmp_path: Path):
    folder = shutil.copytree(tiny_ruri, tmp_path / "broken")
    data = (folder / file).read_bytes()
    (folder / file).write_bytes(data[: len(data) // 2] if damage == "cut" else b"\xff" * 100)
    with pytest.raises(ModelError, match="delete that folder and download it again") as caught:
        RuriEmbedder(folder, "tiny-ruri")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("file", ["model.onnx", "export.json", "tokenizer.json"])
def test_a_broken_export_is_one_sentence(file: str, exported: Path, tmp_path: Path):
    folder = shutil.copytree(exported, tmp_path / "broken-int8")
    (folder / file).write_bytes((folder / file).read_bytes()[:100])
    with pytest.raises(ModelError, match="run `sui-memory model export` again") as caught:
        OnnxEmbedder(folder)
    assert "\n" not in str(caught.value)


def test_weights_of_another_width_than_the_size_has_are_refused(tiny_ruri: Path, models_dir: Path):
    shutil.copytree(tiny_ruri, models_dir / "ruri-v3-30m")
    with pytest.raises(ModelError, match="gives vectors of 32 numbers where 256 were expected"):
        open_embedder("ruri-30m", models_dir=models_dir)


def test_a_model_that_was_never_downloaded_is_refused_without_loading_torch(models_dir: Path):
    code = (
        "import sys; from pathlib import Path; from sui_memory.embedding import open_embedder\n"
        "try: open_embedder(sys.argv[1], models_dir=Path(sys.argv[2]))\n"
        "except Exception as error: print(type(error).__name__, error)\n"
        "print('torch' in sys.modules)"
    )
    printed = run(code, "ruri-30m", models_dir)
    sentence, torch_loaded = printed.splitlines()
    assert sentence.endswith("is not downloaded here: run `sui-memory model download ruri-30m`.")
    assert torch_loaded == "False"


def test_throughput_of_a_real_model_is_a_rate(ruri: RuriEmbedder):
    assert throughput(ruri) > 0


DOWNLOAD = (
    "import sys; from pathlib import Path; from sui_memory.embedding.download import download\n"
    "steps = []\n"
    "progress = lambda *step: steps.append(step)\n"
    "try: print(download(sys.argv[1], models_dir=Path(sys.argv[2]), progress=progress))\n"
    "except Exception as error: print(type(error).__name__, error)\n"
    "print(steps[-1] if steps else None)"
)


def downloaded(hub: Hub, models_dir: Path, name: str = HUB) -> str:
    return run(DOWNLOAD, name, models_dir, HF_ENDPOINT=hub.endpoint, HF_HUB_DOWNLOAD_TIMEOUT="2")


def test_a_download_is_whole_or_resumed_and_then_needs_no_network(tiny_ruri: Path, models_dir: Path):
    with serving(tiny_ruri, HUB, cut_after=1000) as hub:
        printed = downloaded(hub, models_dir)
    assert printed.startswith(f"ModelError The model {HUB} cannot be downloaded (")
    assert "check the network and run" in printed
    assert not resolve(HUB, models_dir=models_dir).at_hand

    with serving(tiny_ruri, HUB) as hub:
        folder, progress = downloaded(hub, models_dir).splitlines()
        assert not any(path.endswith("tokenizer.json") for path in hub.asked)
        hub.asked.clear()
        code = (
            "import sys; from pathlib import Path; from sui_memory.embedding import open_embedder\n"
            "print(open_embedder(sys.argv[1], models_dir=Path(sys.argv[2])).model_id)"
        )
        assert run(code, HUB, models_dir, HF_ENDPOINT=hub.endpoint) == "someone--tiny-ruri"
        assert hub.asked == []
    size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    assert progress == str((size, size))
    assert [path.name for path in models_dir.iterdir()] == ["someone--tiny-ruri"]


def test_a_download_of_an_unknown_name_says_so(tiny_ruri: Path, models_dir: Path):
    with serving(tiny_ruri, HUB) as hub:
        printed = downloaded(hub, models_dir, "someone/else")
    assert printed == "ModelError The hub has no model someone/else: check the name.\nNone"
    assert not models_dir.exists()


def test_a_download_without_a_network_is_one_sentence(models_dir: Path):
    # Port 9 (discard) of this machine refuses connections.
    printed = run(DOWNLOAD, HUB, models_dir, HF_ENDPOINT="http://127.0.0.1:9")
    assert printed.startswith(f"ModelError The model {HUB} cannot be downloaded (")
    assert "check the network and run `sui-memory model download" in printed
    assert not models_dir.exists()
