"""Which prompts ask for nothing, and why."""

import pytest

from sui_memory.language import JapaneseAnalyzer
from sui_memory.recall import Silence
from sui_memory.recall.gate import is_order, pointing, routine, said, speechless

ANALYZER = JapaneseAnalyzer()


def refusal(prompt: str) -> Silence | None:
    words = said(prompt)
    return routine(words, ANALYZER.query_terms(words)) if words else speechless(prompt)


@pytest.mark.parametrize(
    "prompt",
    """
    はい
    はい、お願いします。
    ありがとうございます！助かりました
    了解です
    続けて
    続けてください
    それでお願いします
    いいですね、進めて
    おはようございます
    お疲れさまでした
    もう大丈夫です
    違います
    1番で
    ちょっと待って
    なるほど、分かりました
    OK
    OKです、次お願いします
    go on
    go ahead
    yes, please
    thanks!
    looks good to me
    sounds good, continue
    no, thanks
    ＯＫ
    👍 はい
    """.strip().splitlines(),
)
def test_small_talk_asks_for_nothing(prompt: str):
    assert refusal(prompt.strip()) is Silence.SMALL_TALK


@pytest.mark.parametrize(
    "prompt",
    """
    READMEのtypoを直して
    コミットして
    コミットしてプッシュしてください
    もう一回テストを実行して
    テスト落ちてるから直して
    エラーが出るので修正お願いします
    lint を通して
    英語に翻訳して
    変更を元に戻して
    CHANGELOG を更新して
    run the tests again
    commit and push
    fix the typo in the README
    make it shorter
    format the code
    delete the unused imports
    """.strip().splitlines(),
)
def test_a_plain_order_asks_for_nothing(prompt: str):
    assert refusal(prompt.strip()) is Silence.ORDER


@pytest.mark.parametrize(
    "prompt", ["/compact", "/clear ", "/my:skill", "!ls", "! git status", "!rm -rf build"]
)
def test_a_command_asks_for_nothing(prompt: str):
    assert refusal(prompt) is Silence.COMMAND


@pytest.mark.parametrize(
    "prompt",
    [
        "<task-notification>\n<task-id>b1</task-id>\n<summary>会議の鍵</summary>\n</task-notification>",
        "<system-reminder>会議の鍵</system-reminder>",
        "<local-command-stdout>会議の鍵</local-command-stdout>",
        "<recalled-memories>\n会議の鍵\n</recalled-memories>",
        "This session is being continued from a previous conversation that ran out of context.",
        "Another Claude session sent a message:\n会議の鍵",
        "[SYSTEM NOTIFICATION - NOT USER INPUT]\n会議の鍵",
        "[Request interrupted by user]",
    ],
)
def test_a_machine_asks_for_nothing(prompt: str):
    assert refusal(prompt) is Silence.MACHINE


@pytest.mark.parametrize("prompt", ["", " \n\t", "？", "...", "🗝", "\ud800", "a", "1"])
def test_without_words_nothing_is_asked(prompt: str):
    assert refusal(prompt) is Silence.WORDLESS


@pytest.mark.parametrize(
    "prompt",
    """
    鍵
    会議
    useAuth
    E1101
    鍵はどこに置く？
    はい、鍵の場所も教えて
    テストはなぜ遅い？
    why do the tests run slowly
    where is the log file
    READMEの鍵の節を直して
    /code/app/useAuth.ts を直したのはいつ
    """.strip().splitlines(),
)
def test_a_word_that_tells_something_asks(prompt: str):
    assert refusal(prompt.strip()) is None


def test_the_arguments_of_a_slash_command_are_what_was_said():
    assert said("/review useAuth の無限ループ") == "useAuth の無限ループ"
    name = "<command-message>x</command-message>\n<command-name>/x</command-name>"
    assert said(f"{name}\n<command-args>鍵</command-args>") == "鍵"


def test_what_a_tool_put_into_a_prompt_was_not_said():
    prompt = "<ide_selection>The user selected lines 1 to 2</ide_selection>\n鍵はどこ？"
    assert said(prompt) == "鍵はどこ？"


@pytest.mark.parametrize(
    "words",
    [
        "ボタンの色を青にして",
        "ログイン画面の余白を広げてください。",
        "ダークモードに対応してもらえますか？",
        "検索欄を付けてほしい",
        "フッターの表示をお願いします",
        "Add a loading spinner",
        "please rename the endpoint",
        "Can you sort the table by date?",
        "fix what the linter finds",
        "skip the slow ones",
        "and now in Rust",
        "ok, squash the last three commits",
    ],
)
def test_an_order_is_told_from_its_form(words: str):
    assert is_order(words)


@pytest.mark.parametrize(
    "words",
    [
        "鍵の場所を教えて",
        "前に決めた色にして",
        "なぜ青にして緑をやめた？",
        "リフレッシュトークンの期限",
        "database is locked を直した方法",
        "set up の手順はどこ",
        "Why did we add the retry?",
        "explain why we dropped Redis",
        "締め処理は23時半で合ってますか？",
        "画像は何枚まで",
        "GPU で学習してる？",
        "Remind me to add what we decided",
    ],
)
def test_a_question_or_a_reminder_is_no_order(words: str):
    assert not is_order(words)


def pointed(prompt: str) -> Silence | None:
    words = said(prompt)
    return pointing(words, ANALYZER.query_terms(words))


@pytest.mark.parametrize(
    "prompt",
    ["次のファイルも", "続きの手順", "残りの画面も同じように", "same for the other file", "one more test"],
)
def test_a_word_or_two_about_what_is_on_the_screen_ask_for_nothing(prompt: str):
    assert pointed(prompt) is Silence.POINTING


@pytest.mark.parametrize(
    "prompt",
    [
        "次の定例はいつ？",
        "鍵の場所",
        "that redis bug",
        "同じ在庫を二重に引き当てる不具合の原因",
        "same cache key?",
    ],
)
def test_a_question_or_a_subject_of_its_own_points_at_nothing(prompt: str):
    assert pointed(prompt) is None


@pytest.mark.parametrize(
    "prompt", ["眠い、コーヒー飲む", "phew, tired today", "haha you are the best", "お昼ごはん食べてきます"]
)
def test_chatter_is_small_talk(prompt: str):
    assert refusal(prompt) is Silence.SMALL_TALK


@pytest.mark.parametrize("prompt", ["コーヒー", "昼の配送は何時？"])
def test_a_word_of_chatter_may_be_the_subject(prompt: str):
    assert refusal(prompt) is None
