"""Hooks into the text of a settings file, and out of it: every other character stays as it is.

Taking out leaves no empty list behind: an event, and then `hooks`, that becomes empty goes, too, for to
Claude Code both mean the same. Additions begin lines of their own, unless the whole document is one line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from json import JSONDecodeError
from typing import Any

from sui_memory.setup.document import Container, Element, container, parse, root
from sui_memory.setup.failure import SetupError
from sui_memory.setup.layout import added, layout_of, on_one_line

Group = dict[str, Any]
"""An entry below an event in `hooks`: its handlers, and what they are limited to."""

IsOurs = Callable[[Any], bool]
"""Tells whether a handler is one that runs our scripts."""

_BOM = "\ufeff"
_EMPTY = "{}\n"
_BY_HAND = "then run this again, or change the hooks by hand as settings.example.json shows them"


def read_settings(text: str) -> dict[str, Any]:
    """Return the settings in a text; `SetupError` says in one sentence why they cannot be changed."""
    _, text = _parted(text)
    try:
        value = parse(text)
    except JSONDecodeError as error:
        raise SetupError(_fault(text, error)) from error
    except RecursionError as error:
        raise SetupError("it is nested too deeply to be read") from error
    if not isinstance(value, dict):
        raise SetupError(f"it holds no JSON object: make it one, {_BY_HAND}")
    _check_hooks(text, value)
    return value


def handlers_in(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield every handler of the settings with its event; what has another shape is passed over."""
    yield from ((event, handler) for event, _, handler in matched_handlers_in(settings))


def matched_handlers_in(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield every handler with its event and with the matcher of its group, None where it has none."""
    events = settings.get("hooks")
    for event, groups in events.items() if isinstance(events, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            handlers = group.get("hooks") if isinstance(group, dict) else None
            matcher = group.get("matcher") if isinstance(group, dict) else None
            yield from ((event, matcher, each) for each in (handlers if isinstance(handlers, list) else ()))


def with_hooks(text: str, groups: Mapping[str, Group], is_ours: IsOurs) -> str:
    """Return the text with one group of ours below each event, after what is there, and no other of ours."""
    if has_just(text, groups, is_ours):
        return text
    mark, body = _parted(without_hooks(text, is_ours))
    for event, group in groups.items():
        body = _with_group(body, event, group)
    return mark + body


def has_just(text: str, groups: Mapping[str, Group], is_ours: IsOurs) -> bool:
    """Say whether the groups are in the text already, and nothing else of ours is."""
    settings = read_settings(text)
    ours = [(event, handler) for event, handler in handlers_in(settings) if is_ours(handler)]
    wanted = parse(json.dumps(groups))
    events = settings.get("hooks", {})
    return len(ours) == sum(len(group["hooks"]) for group in wanted.values()) and all(
        group in events.get(event, ()) for event, group in wanted.items()
    )


def without_hooks(text: str, is_ours: IsOurs) -> str:
    """Return the text without any handler of ours, and without the groups and lists this empties."""
    read_settings(text)
    mark, body = _parted(text)
    cuts = sorted(_cuts(body, is_ours), reverse=True)
    for start, stop in cuts:
        body = body[:start] + body[stop:]
    return mark + body if cuts else text


def own_groups(text: str, is_ours: IsOurs) -> dict[str, Group]:
    """Return event → the group that holds a handler of ours, as it stands in the text."""
    read_settings(text)
    _, body = _parted(text)
    hooks = root(body).find("hooks")
    return {
        event.key: json.loads(body[group.value_start : group.stop])
        for event in (container(body, hooks.value_start).elements if hooks else ())
        for group in container(body, event.value_start).elements
        if _own(body, _handlers(body, group), is_ours)
    }


def _parted(text: str) -> tuple[str, str]:
    """Return the byte order mark, if any, and the document: of an empty file an empty object."""
    mark = _BOM if text.startswith(_BOM) else ""
    body = text[len(mark) :]
    return mark, body if body.strip() else _EMPTY


def _fault(text: str, error: JSONDecodeError) -> str:
    """Say why a text is no JSON, and what to do."""
    line = error.doc.count("\n", 0, error.pos) + 1
    rest = text[error.pos :].lstrip() if error.doc == text else ""
    before = text[: error.pos].rstrip() if error.doc == text else ""
    if rest.startswith(("//", "/*")):
        return f"it has a comment on line {line}, and only plain JSON is changed: take it out, {_BY_HAND}"
    if rest.startswith(",") or (rest.startswith(("}", "]")) and before.endswith(",")):
        return f"it has a comma too many on line {line}: take it out, {_BY_HAND}"
    return f"it is no JSON ({error.msg}, line {line}): mend it, {_BY_HAND}"


def _check_hooks(text: str, settings: Mapping[str, Any]) -> None:
    """Refuse hooks that are there twice, or of a shape that Claude Code does not know."""
    whole = root(text)
    if whole.count("hooks") > 1:
        raise SetupError(f"it has several members `hooks`: make them one, {_BY_HAND}")
    events = settings.get("hooks", {})
    if not isinstance(events, dict):
        raise SetupError(f"its `hooks` are no object: mend them, {_BY_HAND}")
    for event, groups in events.items():
        if not isinstance(groups, list):
            raise SetupError(f"its hooks of {event} are no array: mend them, {_BY_HAND}")
    found = whole.find("hooks")
    inner = container(text, found.value_start) if found else None
    twice = next((event for event in events if inner and inner.count(event) > 1), None)
    if twice:
        raise SetupError(f"its `hooks` have several members {twice}: make them one, {_BY_HAND}")


def _with_group(text: str, event: str, group: Group) -> str:
    """Return the text with a group at the end of an event's list, making the list where there is none."""
    whole, layout = root(text), layout_of(text)
    # One line is for a document that is one: on a line of its own an entry of ours would be hard to read.
    is_flat = on_one_line(text, whole)
    hooks = whole.find("hooks")
    if hooks is None:
        return added(text, whole, {"hooks": {event: [group]}}, layout, is_flat=is_flat)
    events = container(text, hooks.value_start)
    found = events.find(event)
    if found is None:
        return added(text, events, {event: [group]}, layout, is_flat=is_flat)
    groups = container(text, found.value_start)
    return added(text, groups, group, layout, is_flat=is_flat, is_item=True)


def _cuts(text: str, is_ours: IsOurs) -> Iterable[tuple[int, int]]:
    """Return the spans to take out, apart from each other."""
    whole = root(text)
    hooks = whole.find("hooks")
    if hooks is None:
        return []
    events = container(text, hooks.value_start)
    inner = {event: list(_group_cuts(text, event, is_ours)) for event in events.elements}
    emptied = [event for event, cuts in inner.items() if cuts == [(event.value_start, event.stop)]]
    if emptied and len(emptied) == len(events.elements):
        return _removal(whole, [hooks])
    kept = [cut for event, cuts in inner.items() if event not in emptied for cut in cuts]
    return [*kept, *_removal(events, emptied)]


def _group_cuts(text: str, event: Element, is_ours: IsOurs) -> Iterator[tuple[int, int]]:
    """Yield the spans to take out of an event's list: its whole value, if nothing would be left in it."""
    groups = container(text, event.value_start)
    emptied: list[Element] = []
    inner: list[tuple[int, int]] = []
    for group in groups.elements:
        handlers = _handlers(text, group)
        ours = _own(text, handlers, is_ours)
        if handlers and ours and len(ours) == len(handlers.elements):
            emptied.append(group)
        elif handlers:
            inner += _removal(handlers, ours)
    if emptied and len(emptied) == len(groups.elements):
        yield event.value_start, event.stop
    else:
        yield from [*inner, *_removal(groups, emptied)]


def _handlers(text: str, group: Element) -> Container | None:
    """Return the list of handlers of a group, if it has the shape of one."""
    found = container(text, group.value_start).find("hooks") if text[group.value_start] == "{" else None
    is_list = found is not None and text[found.value_start] == "["
    return container(text, found.value_start) if found and is_list else None


def _own(text: str, handlers: Container | None, is_ours: IsOurs) -> list[Element]:
    """Return those of a group's handlers that are ours."""
    return [
        each
        for each in (handlers.elements if handlers else ())
        if is_ours(parse(text[each.value_start : each.stop]))
    ]


def _removal(place: Container, gone: Sequence[Element]) -> list[tuple[int, int]]:
    """Return the spans that take elements out of a container, each with the comma that it needs no more."""
    if gone and len(gone) == len(place.elements):
        return [(place.start + 1, place.stop - 1)]
    starts = {element.start for element in gone}
    spans: list[tuple[int, int]] = []
    is_head = True
    for before, element, after in zip(
        (None, *place.elements), place.elements, (*place.elements[1:], None), strict=False
    ):
        is_head = is_head and element.start in starts
        if element.start not in starts:
            continue
        if is_head and after:
            spans.append((element.start, after.start))
        elif before:
            spans.append((before.stop, element.stop))
    return spans
