/** Secrets from links, by the page they lead to. */
export type AddressSecrets = { intent?: string; invitation?: string; reset?: string };

type Kept = Pick<Storage, "getItem" | "setItem">;

const INTENT_PAGE = "/auth/intent";

/** Pages whose secret is after the #. */
const FRAGMENT_PAGES: Readonly<Record<string, "invitation" | "reset">> = {
  "/auth/join": "invitation",
  "/auth/reset": "reset",
};

/** Longer than any secret that we make. */
const MAX_SECRET_LENGTH = 256;

const keyOf = { intent: "backplane-intent", invitation: "backplane-invitation", reset: "backplane-reset" } as const;

/**
 * Takes the secret of a link out of the address, so that it does not leak through history, bookmarks, referrers or a
 * look over the shoulder. The tab keeps it for reloads.
 */
export function takeFromAddress(href: string, kept: Kept): { address: string; secrets: AddressSecrets } {
  const url = new URL(href);
  const page = url.pathname.replace(/(?<!\/)\/+$/, "");
  const secrets: AddressSecrets = {};
  if (page === INTENT_PAGE) {
    const intent = keep(kept, keyOf.intent, url.searchParams.get("token"));
    if (intent !== undefined) secrets.intent = intent;
    url.searchParams.delete("token");
  }
  const inFragment = FRAGMENT_PAGES[page];
  if (inFragment !== undefined) {
    const secret = keep(kept, keyOf[inFragment], url.hash.slice(1));
    if (secret !== undefined) secrets[inFragment] = secret;
    url.hash = "";
  }
  return { address: url.pathname + url.search + url.hash, secrets };
}

/** The secret from the link, else the one that this tab has kept. */
function keep(kept: Kept, key: string, given: string | null): string | undefined {
  const secret = given?.trim();
  try {
    if (!secret || secret.length > MAX_SECRET_LENGTH) return kept.getItem(key) ?? undefined;
    kept.setItem(key, secret);
  } catch {
    // Storage is blocked: the link works once, without a reload.
  }
  return secret || undefined;
}
