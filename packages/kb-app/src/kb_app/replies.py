"""The cache of model replies, bound to the file that they are about."""

from __future__ import annotations

from kb_core.ports.language_model import ReplyStore, StoredReply


class AssetReplies:
    """`ReplyCache` whose replies are kept as long as the file is a document.

    Args:
        store: where they are.
        asset_id: of the file.
    """

    def __init__(self, store: ReplyStore, asset_id: str) -> None:
        self._store = store
        self._asset_id = asset_id

    def get_reply(self, request_digest: str, model_id: str) -> StoredReply | None:
        """Return the reply to exactly that request, whichever file it was for; None without one."""
        return self._store.get_reply(request_digest, model_id)

    def put_reply(self, request_digest: str, model_id: str, reply: StoredReply) -> None:
        """Keep a reply."""
        self._store.put_reply(self._asset_id, request_digest, model_id, reply)


class NoReplies:
    """`ReplyCache` that keeps nothing, for questions whose answer must be a new one."""

    def get_reply(self, request_digest: str, model_id: str) -> StoredReply | None:
        """Return None."""
        del request_digest, model_id
        return None

    def put_reply(self, request_digest: str, model_id: str, reply: StoredReply) -> None:
        """Let the reply go."""
        del request_digest, model_id, reply
