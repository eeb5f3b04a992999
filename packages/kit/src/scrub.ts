/** What stands where a secret was. */
const SCRUBBED = "[scrubbed]";

// Names whose values are secret wherever they stand: query strings, forms, JSON, headers, cookies.
const SECRET_NAMES =
  "code|state|token|access_token|refresh_token|id_token|session_token|client_secret|code_verifier|secret|password|passwd|" +
  "api_key|apikey|x-api-key|authorization|cookie|set-cookie|proxy-authorization|x-code-verifier|x-watchdog-token";

const PATTERNS: ReadonlyArray<readonly [RegExp, string]> = [
  // Our own tokens and keys, by their prefix.
  [/\b(tok|bpk)_[A-Za-z0-9_-]+/g, `$1_${SCRUBBED}`],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi, `$1 ${SCRUBBED}`],
  // scheme://user:password@host
  [/([a-z][a-z0-9+.-]*:\/\/[^\s/:@"']*):[^\s@"']*@/gi, `$1:${SCRUBBED}@`],
  // The token is a path segment of an intent's addresses.
  [/(\/auth\/intents?\/)[^\s/?#"'\\]+/g, `$1${SCRUBBED}`],
  // name=value, in queries, forms and cookies
  [new RegExp(`\\b(${SECRET_NAMES})=[^\\s&;"'\\\\]+`, "gi"), `$1=${SCRUBBED}`],
  // "name":"value" in JSON, and the same one level deeper, inside a JSON string. Numbers stay: they are statuses and ports.
  [new RegExp(`("(?:${SECRET_NAMES})"\\s*:\\s*")(?:[^"\\\\]|\\\\.)*`, "gis"), `$1${SCRUBBED}`],
  [
    new RegExp(`(\\\\"(?:${SECRET_NAMES})\\\\"\\s*:\\s*\\\\")(?:[^"\\\\]|\\\\\\\\(?:\\\\.)?|\\\\[^"\\\\])*`, "gis"),
    `$1${SCRUBBED}`,
  ],
];

/**
 * The last net under everything that is printed: serializers already choose what is logged, this removes what slipped
 * into a message, a stack or a library's own line. `"code":"not-found"` style error codes of ours are kept by logging
 * them as `problem`.
 */
export function scrub(text: string): string {
  let clean = text;
  for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
  return clean;
}
