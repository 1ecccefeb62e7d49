"""A session begins, or goes on after a compaction: let the daemon sweep, and print its greeting."""

import sys

sys.path.insert(0, __file__.rpartition("/")[0])  # `python -I` leaves the script's own folder out

import _client

_client.ask(b"SessionStart")
