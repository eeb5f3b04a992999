import type { Operation, Parameter } from "./openapi.ts";

type Call = {
  method: string;
  /** With `{parameters}`. */
  url: string;
  operation: Pick<Operation, "parameters" | "requestBody" | "security">;
};

/** How a terminal makes the call: a line that works once the token in it is one's own. */
export function curlOf({ method, url, operation: { parameters = [], requestBody, security = [] } }: Call): string {
  const query = parameters.filter(({ in: place, required }) => place === "query" && required);
  const asked = query.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`).join("&");
  const address = quoted(fillPath(url, parameters) + (asked === "" ? "" : `?${asked}`));
  const verb = method === "get" ? "" : `-X ${method.toUpperCase()} `;
  return [`curl ${verb}${address}`, ...credentialOf(security), ...bodyOf(requestBody)].join(" \\\n  ");
}

const fillPath = (url: string, parameters: readonly Parameter[]): string =>
  parameters
    .filter(({ in: place }) => place === "path")
    .reduce((filled, { name, example }) => filled.replace(`{${name}}`, encodeURI(String(example))), url);

/** The credential that a program would use; a cookie where only a browser may call. */
function credentialOf(security: NonNullable<Operation["security"]>): string[] {
  const schemes = security.flatMap((requirement) => Object.keys(requirement));
  if (schemes.includes("session")) return ['-H "Authorization: Bearer $BACKPLANE_TOKEN"'];
  if (schemes.includes("streamKey")) return ['-H "Authorization: Bearer $STREAM_KEY"'];
  return schemes.includes("browser") ? ['-b "session_token=$BACKPLANE_TOKEN"'] : [];
}

function bodyOf(requestBody: Operation["requestBody"]): string[] {
  const [first] = Object.entries(requestBody?.content ?? {});
  if (!first) return [];
  const [type, { example, examples = {} }] = first;
  const [named] = Object.values(examples);
  const body = example ?? named?.value;
  const source = body === undefined ? "--data-binary @FILE" : `-d ${quoted(JSON.stringify(body))}`;
  return [`-H ${quoted(`Content-Type: ${type}`)}`, source];
}

/** For a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
