"""Bringing the hooks into Claude Code's settings, and taking them out again, byte for byte."""

from sui_memory.setup.before_tools import hook_tools, hooks_tools, other_home
from sui_memory.setup.demonstration import Demonstration, demonstrate
from sui_memory.setup.edit import Edit, install, installation, removal, remove
from sui_memory.setup.failure import SetupError
from sui_memory.setup.handlers import Launcher, check_platform, find_launcher
from sui_memory.setup.home import belongings, delete, make_home, traces
from sui_memory.setup.notices import notices, projects_folder
from sui_memory.setup.plugin import enabled_plugin
from sui_memory.setup.registration import Registration, registrations
from sui_memory.setup.settings_file import SettingsFile, config_folder, project_settings, user_settings

__all__ = [
    "Demonstration",
    "Edit",
    "Launcher",
    "Registration",
    "SettingsFile",
    "SetupError",
    "belongings",
    "check_platform",
    "config_folder",
    "delete",
    "demonstrate",
    "enabled_plugin",
    "find_launcher",
    "hook_tools",
    "hooks_tools",
    "install",
    "installation",
    "make_home",
    "notices",
    "other_home",
    "project_settings",
    "projects_folder",
    "registrations",
    "removal",
    "remove",
    "traces",
    "user_settings",
]
