/** What of a provider's own description is used (OpenID Connect Discovery 1.0, RFC 8414, RFC 9207). */
export type Metadata = {
  kind: "found";
  authUrl: string;
  tokenUrl: string;
  /** It promises to name itself in every answer. */
  namesItself: boolean;
  /** The secret must go into the header. */
  wantsBasic: boolean;
  scopes: readonly string[];
};

export type Discovery = Metadata | { kind: "fault"; message: string };

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1024;
const MAX_SHOWN = 200;

/** Asks the issuer where its endpoints are, and believes it only when the answer is its own. */
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
      // Whoever describes an issuer must be found where the issuer is.
      redirect: "manual",
      signal: AbortSignal.any([signal, timeout]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      return fault(`${url} answered ${response.status}.`);
    }
    text = await readBounded(response);
  } catch {
    signal.throwIfAborted();
    const why = timeout.aborted ? ` within ${TIMEOUT_MS / 1_000} s` : "";
    return fault(`${url} does not answer${why}.`);
  }
  if (text === undefined) return fault(`${url} is larger than ${MAX_BYTES / 1024} KiB.`);
  const document = parseObject(text);
  if (document === undefined) return fault(`${url} is no JSON object.`);
  return readMetadata(url, issuer, document);
}

function readMetadata(url: string, issuer: string, document: Record<string, unknown>): Discovery {
  // OpenID Connect Discovery 1.0 section 4.3: exactly the same, or one provider could speak for another.
  if (document.issuer !== issuer) {
    const named = typeof document.issuer === "string" ? shown(document.issuer) : "no issuer";
    return fault(`${url} names ${named}, not ${issuer}.`);
  }
  const { authorization_endpoint: authUrl, token_endpoint: tokenUrl } = document;
  for (const [field, value] of Object.entries({ authorization_endpoint: authUrl, token_endpoint: tokenUrl })) {
    if (!isWebAddress(value)) return fault(`${url} has no usable ${field}.`);
    if (issuer.startsWith("https:") && !String(value).startsWith("https:")) {
      return fault(`${url} names a ${field} without https.`);
    }
  }
  // Section 3 of the same: without the list only Basic is known to work.
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

async function readBounded(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
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
