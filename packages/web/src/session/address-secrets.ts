/** Secrets from links, by the page they lead to. */
export type AddressSecrets = { intent?: string; invitation?: string };

type Kept = Pick<Storage, "getItem" | "setItem">;

const INTENT_PAGE = "/auth/intent";
const JOIN_PAGE = "/auth/join";

/** Longer than any secret that we make. */
const MAX_SECRET_LENGTH = 256;

const keyOf = { intent: "backplane-intent", invitation: "backplane-invitation" } as const;

/**
 * Takes the secret of a link out of the address, so that it does not leak through history, bookmarks, referrers or a
 * look over the shoulder. The tab keeps it for reloads.
 */
export function takeFromAddress(href: string, kept: Kept): { address: string; secrets: AddressSecrets } {
  const url = new URL(href);
  const page = url.pathname.replace(/\/+$/, "");
  const secrets: AddressSecrets = {};
  if (page === INTENT_PAGE) {
    const intent = keep(kept, keyOf.intent, url.searchParams.get("token"));
    if (intent !== undefined) secrets.intent = intent;
    url.searchParams.delete("token");
  }
  if (page === JOIN_PAGE) {
    const invitation = keep(kept, keyOf.invitation, url.hash.slice(1));
    if (invitation !== undefined) secrets.invitation = invitation;
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
