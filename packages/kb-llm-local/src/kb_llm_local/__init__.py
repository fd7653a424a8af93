"""Language models behind any server that speaks the OpenAI protocol."""

from kb_llm_local.client import OpenAILanguageModel, create_openai

__all__ = ["OpenAILanguageModel", "create_openai"]
