# python3 -m examples.connect AUTH_URL TOKEN_URL ACCOUNT_URL CLIENT_ID [GATEWAY_URL]: connects your account at a
# provider. A client secret, if there is one, is in CLIENT_SECRET.
import json
import os
import sys

from backplane import BackplaneError, OAuthFlow, exchange_code
from backplane.calls import ask

auth_url, token_url, account_url, client_id, gateway_url = [*sys.argv[1:], "http://localhost:8795"][:5]
try:
    with OAuthFlow("example", auth_url, client_id, scopes="openid profile", gateway_url=gateway_url) as flow:
        print(f"Open {flow.auth_redirect_url}", flush=True)
        code = flow.wait_for_code()
    tokens = exchange_code(token_url, client_id, code, os.environ.get("CLIENT_SECRET"))
    answer = ask(account_url, headers={"Authorization": f"Bearer {tokens.access_token}"})
    print(f"Connected: {json.loads(answer.body)['name']}")
except BackplaneError as error:
    print(f"{error} ({error.code})")
    sys.exit(1)
