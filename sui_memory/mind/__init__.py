"""What a person or an agent does with memories: keeps, ties, calls to mind, and looks at them together."""

from sui_memory.mind.mind import Mind
from sui_memory.mind.ports import Ports

__all__ = ["Mind", "Ports"]
