"""A session ends: have its last lines archived."""

import sys

sys.path.insert(0, __file__.rpartition("/")[0])  # `python -I` leaves the script's own folder out

import _client

_client.tell(b"SessionEnd")
