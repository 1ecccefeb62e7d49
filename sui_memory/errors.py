"""The error tree: only things a user can act on. A message says what, where, and what to do."""


class SuiMemoryError(Exception):
    """Base of every error that is shown to a user as one sentence."""


class SettingsError(SuiMemoryError):
    """A setting that cannot be understood; names the file and the key."""


class TranscriptError(SuiMemoryError):
    """A file or folder of transcripts that cannot be read."""


class StoreError(SuiMemoryError):
    """The database cannot be opened, read or written."""


class StoreBusyError(StoreError):
    """Another process held the write lock for longer than the busy timeout."""


class ModelError(SuiMemoryError):
    """An embedding model that is not installed, not downloaded, or broken."""


class NotFoundError(SuiMemoryError):
    """No memory, session or project of that name."""


class DaemonError(SuiMemoryError):
    """The daemon cannot be started, does not answer, or cannot have its place."""


class UsageError(SuiMemoryError):
    """A value that is not allowed where it was given; names what is."""
