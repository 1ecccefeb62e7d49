"""What looks like a secret to a careless eye and must stay."""

import pytest

from sui_memory.redaction import redact

BASE64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


@pytest.mark.parametrize(
    "text",
    [
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "image: nginx@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "session 550e8400-e29b-41d4-a716-446655440000",
        f"data:image/png;base64,{BASE64}",
        BASE64,
        f'{{"type": "image", "data": "{BASE64}"}}',
        '"integrity": "sha512-z3mTbYxN8sKQpV1fHcGd7uJ0aWqLe5rTnBvXo2iUyM9hSgEkDlPjRwCf4Zt6KAxI8OQbHs+V/1=="',
        "/usr/lib/python3.11/site-packages/token_secret_password/__init__.py:12",
        "ISBN 978-3-16-148410-0, call 03-1234-5678",
        "https://example.com/cb?token_type=bearer&expires_in=3600",
        "https://example.com/reset-password?step=2",
        "http://localhost:3000/@vite/client",
        "def login(user: str, password: str | None = None, token: Token = Depends(auth)) -> None:",
        "self.password = password; this.token = token; user.password = hashedPassword",
        "SELECT password FROM users WHERE token = $1 AND password = ?",
        "| password | string | required |",
        "username/password, user:password, token, secret",
        "パスワードを忘れた場合は、パスワード再設定の画面でトークンを入力します。",
        "トークンは HttpOnly の Cookie に保存し、秘密鍵は KMS に置く。",
        "APIキーの管理方法: 環境変数で渡す。パスワード認証：有効",
        "パスワード強度：弱、トークン数：1200、認証コードは5分で失効",
        "バイパス：有効、ファイルパス：/etc/hosts、クラスパス: lib1.jar",
    ],
)
def test_ordinary_text_stays(text):
    assert redact(text) == (text, 0)
