import { webAddress } from "../addresses.ts";
import { aborted, invalidOption, OAuthError } from "../errors.ts";
import { readBounded } from "./bounded-body.ts";
import { type OAuthTokens, readTokens } from "./token-answer.ts";
import { refusalOf } from "./token-refusal.ts";

/** How the application shows who it is. */
export type Client = {
  clientId: string;
  /** Absent for a public client. */
  clientSecret?: string | undefined;
  /** Default `post`, in the form; `basic`: in the Authorization header, and then not in the form. */
  clientAuth?: "post" | "basic" | undefined;
};

export type TokenRequest = {
  tokenUrl: string;
  client: Client;
  /** The form without the client's own fields. */
  fields: Readonly<Record<string, string>>;
  /** Values that must not be seen in an error, should the provider repeat them. */
  secrets: readonly string[];
  fetch: typeof fetch;
  now: () => number;
  signal?: AbortSignal | undefined;
};

/** What the provider has for its answer. */
const TOKEN_REQUEST_TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** POSTs a form to the provider's token URL. Throws OAuthError. */
export async function requestTokens(request: TokenRequest): Promise<OAuthTokens> {
  const url = webAddress("tokenUrl", request.tokenUrl, ["https:", "http:"]);
  const { headers, form } = dress(request);
  const askedAtMs = request.now();
  const { response, text } = await post(request, url, headers, form);
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
    throw malformed(
      "the token URL redirects elsewhere, where secrets are not sent. Give its final address as tokenUrl",
    );
  }
  const body = parseObject(text);
  const refusal = refusalOf(response, body, request.secrets, request.now());
  if (refusal !== undefined) throw refusal;
  if (text === undefined) throw malformed(`the answer is larger than ${MAX_ANSWER_BYTES} bytes. Check tokenUrl`);
  if (body === undefined) throw malformed("the answer is not JSON. Check that tokenUrl is the provider's token URL");
  return readTokens(body, askedAtMs);
}

function dress({ client, fields }: TokenRequest): { headers: Record<string, string>; form: URLSearchParams } {
  const { clientId, clientSecret, clientAuth = "post" } = client;
  const headers: Record<string, string> = {
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
  };
  const form = new URLSearchParams(fields);
  if (clientAuth === "basic") {
    if (clientSecret === undefined) throw invalidOption("clientSecret", "is missing, and clientAuth basic needs it");
    headers.authorization = `Basic ${btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`)}`;
  } else {
    form.set("client_id", clientId);
    if (clientSecret !== undefined) form.set("client_secret", clientSecret);
  }
  return { headers, form };
}

/** RFC 6749 section 2.3.1 wants name and password encoded like a form before they are joined. */
const formEncoded = (text: string): string => new URLSearchParams({ v: text }).toString().slice("v=".length);

async function post(
  request: TokenRequest,
  url: URL,
  headers: Record<string, string>,
  form: URLSearchParams,
): Promise<{ response: Response; text: string | undefined }> {
  const { signal } = request;
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  const timer = setTimeout(onAbort, TOKEN_REQUEST_TIMEOUT_MS);
  signal?.addEventListener("abort", onAbort);
  try {
    signal?.throwIfAborted();
    const response = await request.fetch(url, {
      method: "POST",
      headers,
      body: form.toString(),
      // A redirect would take the code and the secret along.
      redirect: "manual",
      credentials: "omit",
      cache: "no-store",
      signal: stop.signal,
    });
    return { response, text: await readBounded(response, MAX_ANSWER_BYTES) };
  } catch (error) {
    // No cause is kept: a fetch of somebody else may hang the request on its errors.
    if (signal?.aborted === true) throw aborted(undefined);
    const reason = stop.signal.aborted ? `within ${TOKEN_REQUEST_TIMEOUT_MS / 1_000} s` : systemCode(error);
    throw new OAuthError("temporary", `The provider's token URL does not answer (${reason}). Try again in a moment.`);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

function systemCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  return typeof code === "string" && /^[A-Z0-9_]{1,40}$/.test(code) ? code : "no connection";
}

function parseObject(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const malformed = (fault: string): OAuthError => new OAuthError("malformed-answer", `No tokens: ${fault}.`);
