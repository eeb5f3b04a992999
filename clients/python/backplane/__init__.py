"""A client for Backplane. It needs nothing but Python."""

from .calls import VERSION, BackplaneError
from .client import Backplane, SignInLink
from .oauth import OAuthCode, OAuthFlow, OAuthTokens, exchange_code, refresh_tokens
from .workspace import Workspace

__version__ = VERSION
__all__ = [
    "Backplane",
    "BackplaneError",
    "OAuthCode",
    "OAuthFlow",
    "OAuthTokens",
    "SignInLink",
    "Workspace",
    "exchange_code",
    "refresh_tokens",
]
