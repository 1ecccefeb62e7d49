"""A prompt was typed: print the memories that belong to it."""

import sys

sys.path.insert(0, __file__.rpartition("/")[0])  # `python -I` leaves the script's own folder out

import _client

_client.ask(b"UserPromptSubmit", wait=True)
