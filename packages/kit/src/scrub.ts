/** Replaces a secret. */
const SCRUBBED = "[scrubbed]";

// Names whose values are secret everywhere: in query strings, forms, JSON and cookies; snake_case and camelCase.
const SECRET_NAMES =
  "code|state|token|(?:access|refresh|id|session)_?token|client_?secret|code_?verifier|secret|password|passwd|api_?key";
const SECRET_HEADERS = "authorization|proxy-authorization|cookie|set-cookie|x-api-key|x-code-verifier|x-viewer-token";
const NAMES = `${SECRET_NAMES}|${SECRET_HEADERS}`;

// Every repetition that could start at many places has a limit: the cost of a long line must not grow with the square of its length.
const PATTERNS: ReadonlyArray<readonly [RegExp, string]> = [
  // Our own tokens and keys, by their prefix.
  [/\b(tok|bpk|bpd|bpc|bpr|int|inv|rst)_[A-Za-z0-9_-]+/g, `$1_${SCRUBBED}`],
  // Tokens of the viewer's page: owner and expiry are not secret, the signature is.
  [/\b(v1\.[0-9a-f]{16}\.[0-9]{1,15})\.[A-Za-z0-9_-]+/g, `$1.${SCRUBBED}`],
  [/\b(Bearer|Basic)\s{1,9}[A-Za-z0-9._~+/=-]+/gi, `$1 ${SCRUBBED}`],
  // scheme://user:password@host, up to the last @ of the authority
  [/(\b[a-z][a-z0-9+.-]{0,31}:\/\/[^\s/:@"']{0,256}):[^\s/"']{0,512}@/gi, `$1:${SCRUBBED}@`],
  // The token is a path segment of an intent's addresses.
  [/(\/auth\/intents?\/)[^\s/?#"'\\]+/g, `$1${SCRUBBED}`],
  // Header: value, to the end of the line
  [new RegExp(`\\b(${SECRET_HEADERS})\\s{0,9}:\\s{0,9}[^\\s"][^\\n"\\\\]*`, "gi"), `$1: ${SCRUBBED}`],
  // name=value and name="value", in queries, forms and cookies
  [new RegExp(`\\b(${NAMES})=(?:"[^"\\n]*"|[^\\s&;"'\\\\]+)`, "gi"), `$1=${SCRUBBED}`],
  // "name":"value" in JSON, and the same one level deeper, inside a JSON string. Numbers stay: they are statuses and ports.
  [new RegExp(`("(?:${NAMES})"\\s{0,9}:\\s{0,9}")(?:[^"\\\\]|\\\\.)*`, "gis"), `$1${SCRUBBED}`],
  [
    new RegExp(`(\\\\"(?:${NAMES})\\\\"\\s{0,9}:\\s{0,9}\\\\")(?:[^"\\\\]|\\\\\\\\(?:\\\\.)?|\\\\[^"\\\\])*`, "gis"),
    `$1${SCRUBBED}`,
  ],
];

/**
 * The last safeguard for everything that is printed: serializers choose what is logged, this removes secrets from messages,
 * stacks and lines of libraries. Our own error codes are logged as `problem`, because `code` is scrubbed.
 */
export function scrub(text: string): string {
  let clean = text;
  for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
  return clean;
}
