from __future__ import annotations

from typing import Any, Mapping


class ProblemError(Exception):
    """A call that the service refused (RFC 9457): ``code`` says why, and ``problem`` what to do."""

    def __init__(self, problem: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        super().__init__(f"{problem['code']}: {problem['detail']}")
        self.code: str = problem["code"]
        self.problem = problem
        self.headers = headers

    @property
    def retryable(self) -> bool:
        return bool(self.problem.get("retryable"))

    @property
    def retry_after(self) -> float | None:
        """Seconds until the service wants the call again."""
        wait = self.problem.get("retry_after_ms")
        return None if wait is None else wait / 1000
