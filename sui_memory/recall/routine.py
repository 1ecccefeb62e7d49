"""Words of every day with an assistant, as index terms: they ask for nothing that was said before.

A prompt of nothing else is small talk or a plain order. The words are left out of no search and no index.
"""

from __future__ import annotations

_SMALL_TALK = """
はい ええ うん いいえ いえ 否 良い 宜しい 宜しく 願う 下さる 頂く 頼む 有り難い 有り難う ありがとう 感謝
助かる 了解 承知 承る 分かる 解る 成る程 御早う おはよう 今日は こんにちは 今晩は こんばんは 初めまして
御休み おやすみ 疲れる 御疲れ 様 さん 元気 素晴らしい 完璧 最高 凄い 嬉しい 面白い 大丈夫 問題 無い 違う
正しい 合う 其れ 此れ 其の 此の 続ける 続き 進む 進める 待つ 一寸 止める 辞める 終わる 終了 始める 開始
次 先 前 後 最初 最後 全部 全て 今 もう 一 二 三 四 五 回 度 番 番目 もっと 少し 未だ 遣る 遣り直す 案
方 感じ 通り 儘 同じ 調子 気 草 笑 御座る 終わり 今日 済む 御免 間違える 疲れ 休む 為さる そう 行く
任せる うーん よし 両方 りょ おつ あざす ざす
yes yeah yep yup no nope ok okay k sure fine good great nice perfect cool awesome excellent right
correct wrong thanks thank thx ty please pls hello hi hey morning evening afternoon night bye welcome
sorry lgtm looks look go ahead going continue proceed keep carry next stop wait done finish start begin
ready again more less all both one two three first second third last option let's lets let now then here
too also well that's it's sounds works work got get gotcha understood see i'm i'll i've like love way
same everything something nothing do it never mind what hmm
"""
_CHORES = """
コミット プッシュ プル プルリク プルリクエスト リクエスト マージ リベース ブランチ 切る テスト ビルド
デプロイ 実行 起動 再起動 走る 走らせる 回す 通す 落ちる 通る 動く 動かす 確認 検証 直す 修正 修理
訂正 変更 変える 更新 追加 加える 足す 削除 消す 除く 作る 作成 書く 書き直す 読む 見る 見せる 出す 出る
開く 閉じる 戻す 元 整える 整形 整理 纏める 要約 説明 翻訳 訳す 短い 簡潔 長い 詳しい 綺麗 奇麗 リ
ファクタリング リファクタリング リント フォーマット コメント 型 エラー 警告 バグ 内容 コード ファイル
文章 文 行 変数 関数 名 名前 名付ける 日本 英 英語 語 差分 ログ 結果 表示 一覧 さっき 先程 不要 必要
使う 調べる 考える 試す 教える 分かり易い 入れる 付ける 取る 外す 移す 移動 コピー 貼る 揃える 対応 調整
改善 見直す レビュー 実装 タイポ 誤字 脱字 要点 処理 メッセージ 分割 キャンセル 中断 フォーマッタ
status commit commits push pull merge rebase branch stash checkout git pr test tests testing build
builds deploy run runs rerun running execute start restart fix fixes fixed repair correct change changes
update add remove delete drop create make write rewrite read show print open close revert undo redo
format reformat lint linter typecheck refactor rename clean cleanup tidy simplify shorten shorter longer
summarize summarise summary explain translate review check verify try look find list code file files
line lines function variable name names comment comments type types error errors warning warnings bug
bugs typo typos readme readme.md readme.ja.md changelog changelog.md md docs doc documentation docstring
docstrings import imports unused message diff log output result results japanese english use
"""

_ASKING = """
場所 理由 訳 経緯 方法 仕方 手順 件 話 時 所 筈 何 何故 何処 何れ 何方 誰 幾ら どう どの
教える 覚える 思い出す 決める 決まる 結局 結論 原因 対策 対処 解決 問題 詳細 内容 名前 相手 意味 直す 治す
修正 調べる 確認 見る 変える 追加 消す 作る 書く 遣る 為る 置く
reason thing thought mean instead possible some verdict ask asked decide decided decision remember remind
tell know use used explain fix add change check make
"""

_CHATTER = """
昼御飯 晩御飯 朝御飯
びっくり コーヒ ランチ 仕事 休憩 体調 俺 僕 優秀 凄い 出勤 可愛い 君 夕食 夕飯 天才 天気 嬉しい 家 寂しい
寒い 寝る 寝惚ける 少々 御腹 御飯 忙しい 悲しい 戻る 散歩 明日 昨夜 昼 昼食 晴れる 暇 暑い 朝食 本当 来る
格好 楽しい 毎日 流石 涼しい 温かい 犬 猫 痛い 皆 眠い 私 空く 笑う 素敵 肩 腰 腹 良い 茶 行く 賢い 起きる
辛い 返る 迚も 退勤 連休 週末 集中 雨 雪 頑張る 頭 風邪 食べる 飲む 驚く
amazing best bit break breakfast brilliant cat cheers coffee cold cute day dinner dog fantastic friend
funny genius haha hehe holiday home hot hungry impressive job kids lol long lovely lunch minute moment
need oh omg oops phew quite rain raining real really rest sec sleepy smart sunny tea tired today tomorrow
tonight ugh vacation weather weekend world wow yay
"""

SMALL_TALK = frozenset(_SMALL_TALK.split())
"""Greetings, thanks, assent, go on, wait."""

ASKING = frozenset(_ASKING.split())
"""Words that say what is wanted, an answer or a deed, and that the memory itself need not hold."""

CHATTER = frozenset(_CHATTER.split())
"""What people also say all day: a prompt of nothing else is small talk, but one alone may be a subject."""

CHORES = frozenset(_CHORES.split())
"""Orders that every project hears daily, and what they are about."""
