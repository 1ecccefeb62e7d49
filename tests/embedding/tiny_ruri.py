"""Builds a Ruri-shaped SentenceTransformer of some 300 KB on disk: random weights, its own tokenizer."""

from __future__ import annotations

import json
from pathlib import Path

SENTENCES = [
    "認証のトークンが切れたら新しく取り直します。",
    "データベースの接続が多すぎて待たされています。",
    "昨日の会議で決めたことをまとめてください。",
    "テストが落ちる原因は時刻の扱いでした。",
    "検索クエリ: 鍵の置き場所はどこですか",
    "検索文書: 鍵は金庫の中に置くことにしました。",
    "関数の名前を短くして、説明を足しました。",
    "猫が好きな人は静かな部屋を選びます。",
    "The login page stays blank after the redirect.",
    "def read(path): return open(path).read()",
]
SPECIALS = ["<unk>", "<s>", "</s>", "<pad>", "<sep>", "<mask>", "<cls>"]


def build(folder: Path) -> Path:
    """Write the model into `folder`, laid out as the published Ruri v3 folders are."""
    tokenizer = _tokenizer()
    folder.mkdir(parents=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    _transformer(tokenizer.get_vocab_size()).save_pretrained(folder)
    _write(folder / "tokenizer_config.json", _tokenizer_settings())
    _write(folder / "modules.json", [_module(0, "", "Transformer"), _module(1, "1_Pooling", "Pooling")])
    _write(folder / "sentence_bert_config.json", {"max_seq_length": 8192, "do_lower_case": False})
    (folder / "1_Pooling").mkdir()
    _write(
        folder / "1_Pooling" / "config.json",
        {"word_embedding_dimension": 32, "pooling_mode_mean_tokens": True},
    )
    return folder


def _tokenizer():
    from tokenizers import Tokenizer, decoders, models, normalizers, processors, trainers

    # Like Ruri's: BPE over characters with ▁ for the space and bytes for what is unknown.
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    bytes_ = [f"<0x{i:02X}>" for i in range(256)]
    trainer = trainers.BpeTrainer(vocab_size=700, special_tokens=[*SPECIALS, *bytes_], show_progress=False)
    tokenizer.train_from_iterator(SENTENCES * 4, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    return tokenizer


def _tokenizer_settings():
    names = {"unk": 0, "bos": 1, "eos": 2, "pad": 3, "sep": 4, "mask": 5, "cls": 6}
    tokens = {f"{name}_token": SPECIALS[i] for name, i in names.items()}
    return {"tokenizer_class": "LlamaTokenizer", "model_max_length": 8192, "legacy": False, **tokens}


def _transformer(vocabulary: int):
    import torch
    from transformers import ModernBertConfig, ModernBertModel

    torch.manual_seed(0)
    config = ModernBertConfig(
        vocab_size=vocabulary,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=3,
        num_attention_heads=2,
        max_position_embeddings=8192,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=3,
        sep_token_id=4,
        cls_token_id=6,
    )
    return ModernBertModel(config)


def _module(index: int, path: str, kind: str):
    return {"idx": index, "name": str(index), "path": path, "type": f"sentence_transformers.models.{kind}"}


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
