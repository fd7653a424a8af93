"""Settings of kb and the places where it keeps its files."""

from kb_config.chunking import AudioChunking, ChunkingSettings, FamilyChunking
from kb_config.describe import SettingInfo, describe_settings
from kb_config.load import load_settings
from kb_config.settings import (
    AsrSettings,
    LanguageModelSettings,
    SearchSettings,
    Settings,
    WorkspaceSettings,
    language_codes,
)
from kb_config.write import write_initial_config, write_setting

__all__ = [
    "AsrSettings",
    "AudioChunking",
    "ChunkingSettings",
    "FamilyChunking",
    "LanguageModelSettings",
    "SearchSettings",
    "SettingInfo",
    "Settings",
    "WorkspaceSettings",
    "describe_settings",
    "language_codes",
    "load_settings",
    "write_initial_config",
    "write_setting",
]
