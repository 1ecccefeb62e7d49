"""A cross-encoder from this disk, tiny and with random weights."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest

from sui_memory.app import open_app
from sui_memory.config import Settings
from sui_memory.embedding.reranker import find_reranker, open_reranker
from sui_memory.errors import ModelError
from sui_memory.types import Exchange, Indexed, Memory, Reranker

pytestmark = pytest.mark.ruri
pytest.importorskip("sentence_transformers", exc_type=ImportError)

PASSAGES = [
    "鍵は金庫の中です。",
    "昨日の会議の議事録",
    "def f(x): return x",
    "",
    "\ud800\0",
    "長い話。" * 500,
]
HUB = "someone/tiny-reranker"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tiny_ruri: Path) -> Path:
    from .tiny_reranker import build

    return build(tmp_path_factory.mktemp("weights") / "tiny-reranker", tiny_ruri)


@pytest.fixture(scope="module")
def reranker(folder: Path) -> Reranker:
    opened = open_reranker(str(folder), models_dir=folder.parent)
    assert opened is not None
    return opened


def test_every_passage_gets_a_number_of_its_own(reranker: Reranker):
    scores = reranker.scores("鍵はどこ？", PASSAGES)
    assert len(scores) == len(PASSAGES)
    assert all(math.isfinite(score) for score in scores)
    assert len(set(scores)) > 1


def test_scores_do_not_depend_on_the_company(reranker: Reranker):
    together = reranker.scores("鍵はどこ？", PASSAGES)
    alone = [reranker.scores("鍵はどこ？", [passage])[0] for passage in PASSAGES]
    assert together == pytest.approx(alone, abs=1e-4)
    assert reranker.scores("鍵はどこ？", []) == []


def test_the_query_matters(reranker: Reranker):
    assert reranker.scores("鍵はどこ？", PASSAGES[:2]) != reranker.scores("会議はいつ？", PASSAGES[:2])


def test_a_folder_of_the_models_is_known_by_its_name(folder: Path):
    assert find_reranker("tiny-reranker", models_dir=folder.parent) == folder


def test_weights_in_the_hubs_cache_are_found_by_the_hubs_name(folder: Path, models_dir: Path, tmp_path: Path):
    snapshot = tmp_path / "hub-cache" / "models--someone--tiny-reranker" / "snapshots" / ("0" * 40)
    shutil.copytree(folder, snapshot)
    assert find_reranker(HUB, models_dir=models_dir) == snapshot


def test_a_model_that_was_never_downloaded_is_refused_with_what_to_do(models_dir: Path):
    with pytest.raises(
        ModelError, match=r"not on this disk: download it with `uvx .* hf download someone/tiny"
    ):
        open_reranker(HUB, models_dir=models_dir)


def test_a_folder_that_lacks_a_file_is_refused_by_the_files_name(folder: Path, models_dir: Path):
    broken = models_dir / "broken"
    shutil.copytree(folder, broken)
    (broken / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"has no model\.safetensors"):
        find_reranker("broken", models_dir=models_dir)


def test_broken_weights_are_refused_in_one_sentence(folder: Path, models_dir: Path):
    broken = models_dir / "broken"
    shutil.copytree(folder, broken)
    (broken / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(ModelError, match="cannot be loaded"):
        open_reranker("broken", models_dir=models_dir)


def test_a_classifier_of_several_outputs_is_no_reranker(tiny_ruri: Path, tmp_path: Path):
    from .tiny_reranker import build

    classifier = build(tmp_path / "classifier", tiny_ruri, outputs=3)
    with pytest.raises(ModelError, match="gives 3 scores for a passage"):
        open_reranker(str(classifier), models_dir=tmp_path)


def test_a_search_reads_its_best_hits_with_the_reranker_of_the_settings(folder: Path, tmp_path: Path):
    settings = Settings(tmp_path, model="none", reranker=str(folder))
    exchanges = [Exchange(f"k{i}", f"f{i}", "s", "/p", f"鍵の置き場所 {i}", PASSAGES[i]) for i in range(3)]
    with open_app(settings) as app:
        for exchange in exchanges:
            indexed = Indexed(exchange, app.tools.cut(exchange, app.analyzer))
            app.store.restore([(Memory(exchange), indexed)])
        hits = app.search("鍵の置き場所").hits
    assert sorted(hit.memory.exchange.key for hit in hits) == ["k0", "k1", "k2"]
    assert all(0 <= dict(hit.trace)["reranker"] <= 1 for hit in hits)
