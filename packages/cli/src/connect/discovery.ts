import { readText } from "@backplane/kit/bounded-body";

/** The parts of a provider's metadata that are used (OpenID Connect Discovery 1.0, RFC 8414, RFC 9207). */
export type Metadata = {
  kind: "found";
  authUrl: string;
  tokenUrl: string;
  /** All its answers name it. */
  namesItself: boolean;
  /** The secret must go into the header. */
  wantsBasic: boolean;
  scopes: readonly string[];
};

export type Discovery = Metadata | { kind: "fault"; message: string };

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1024;
const MAX_SHOWN = 200;

/** Asks the issuer for its endpoints. Metadata that names another issuer is refused. */
export async function discover(
  issuer: string,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<Discovery> {
  if (!isWebAddress(issuer)) return fault("The issuer is not an address that begins with https:// or http://.");
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  let text: string | undefined;
  try {
    const response = await fetch(url, {
      headers: { accept: "application/json" },
      // The metadata must come from the issuer's own address.
      redirect: "manual",
      signal: AbortSignal.any([signal, timeout]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      return fault(`${url} answered ${response.status}.`);
    }
    text = await readText(response.body, MAX_BYTES);
  } catch {
    signal.throwIfAborted();
    const why = timeout.aborted ? ` within ${TIMEOUT_MS / 1_000} s` : "";
    return fault(`${url} does not answer${why}.`);
  }
  if (text === undefined) return fault(`${url} is larger than ${MAX_BYTES / 1024} KiB.`);
  const document = parseObject(text);
  if (document === undefined) return fault(`${url} is not a JSON object.`);
  return readMetadata(url, issuer, document);
}

function readMetadata(url: string, issuer: string, document: Record<string, unknown>): Discovery {
  // OpenID Connect Discovery 1.0 section 4.3: exactly the same, or one provider could speak for another.
  if (document.issuer !== issuer) {
    const { issuer: named } = document;
    return fault(`${url} ${typeof named === "string" ? `names ${shown(named)}, not` : "does not name"} ${issuer}.`);
  }
  const { authorization_endpoint: authUrl, token_endpoint: tokenUrl } = document;
  for (const [field, value] of Object.entries({ authorization_endpoint: authUrl, token_endpoint: tokenUrl })) {
    if (!isWebAddress(value)) return fault(`${url} has no usable ${field}.`);
    if (issuer.startsWith("https:") && !String(value).startsWith("https:")) {
      return fault(`${url} names a ${field} without https.`);
    }
  }
  // Section 3 of the same standard: without the list, Basic is the default.
  const methods = texts(document.token_endpoint_auth_methods_supported) ?? ["client_secret_basic"];
  return {
    kind: "found",
    authUrl: String(authUrl),
    tokenUrl: String(tokenUrl),
    namesItself: document.authorization_response_iss_parameter_supported === true,
    wantsBasic: methods.includes("client_secret_basic") && !methods.includes("client_secret_post"),
    scopes: texts(document.scopes_supported) ?? ["openid"],
  };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const isWebAddress = (value: unknown): boolean =>
  typeof value === "string" && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

const texts = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : undefined;

const shown = (text: string): string => text.replace(/\p{C}/gu, "").slice(0, MAX_SHOWN);

const fault = (message: string): Discovery => ({ kind: "fault", message });
