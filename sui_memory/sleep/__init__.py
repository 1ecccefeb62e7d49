"""Sleep: merges kept memories that say the same, lets the weak ones fade, and lets go of the faded ones."""

from sui_memory.sleep.night import apply, is_bedtime, look
from sui_memory.sleep.planning import Fade, LetGo, Merge, Plan, plan
from sui_memory.sleep.rules import Thresholds

__all__ = ["Fade", "LetGo", "Merge", "Plan", "Thresholds", "apply", "is_bedtime", "look", "plan"]
