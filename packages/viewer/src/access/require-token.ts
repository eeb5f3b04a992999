import { PAGE_TOKEN_HEADER } from "@backplane/contract/viewer";
import { bearerToken, isSameSecret } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";
import type { PageTokens, PageTokenVerdict } from "./page-tokens.ts";

export type KnownTokens = {
  tokens: PageTokens;
  /** Of programs: that of server.json, and the one that is needed off this machine. */
  secrets: readonly string[];
};

const RELOAD = "Reload the page.";

/** What a page shows is its token, what a program shows is the secret. Says what is wrong with either. */
export function createTokenCheck({ tokens, secrets }: KnownTokens): (request: FastifyRequest) => Problem | undefined {
  return ({ headers }) => {
    const pageToken = headers[PAGE_TOKEN_HEADER];
    if (typeof pageToken === "string") return refusalOf(tokens.check(pageToken));
    const secret = bearerToken(headers.authorization);
    if (secret === undefined) {
      return new Problem("page-token-needed", {
        detail:
          `Use the viewer's page, or send its token as ${PAGE_TOKEN_HEADER}. Programs of this machine send ` +
          "Authorization: Bearer with the secret of screenshots/sp/.pastes/server.json.",
        headers: { "www-authenticate": 'Bearer realm="viewer"' },
      });
    }
    // Each is compared, whichever it is.
    const isKnown = secrets.map((known) => isSameSecret(secret, known)).includes(true);
    return isKnown
      ? undefined
      : new Problem("page-token-wrong", {
          detail: "The viewer may have been started anew: read its secret again.",
          headers: { "www-authenticate": 'Bearer realm="viewer", error="invalid_token"' },
        });
  };
}

function refusalOf(verdict: PageTokenVerdict): Problem | undefined {
  switch (verdict) {
    case "ok":
      return undefined;
    case "wrong":
      return new Problem("page-token-wrong", { detail: RELOAD });
    case "expired":
      return new Problem("page-token-wrong", { detail: `The page has been open for too long. ${RELOAD}` });
    case "other-project":
      return new Problem("other-project", {
        detail: `The viewer at this address keeps the screenshots of another project now. ${RELOAD}`,
      });
  }
}
