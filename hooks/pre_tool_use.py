"""A tool is about to run: print the lessons that name it. Only there while a lesson names a tool."""

import sys

sys.path.insert(0, __file__.rpartition("/")[0])  # `python -I` leaves the script's own folder out

import _client

_client.ask(b"PreToolUse")
