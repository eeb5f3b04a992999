import { readFile } from "node:fs/promises";
import { OAuthError } from "../errors.ts";

/** An app as it is registered with a provider. */
export type Credentials = {
  clientId: string;
  clientSecret: string;
  authUrl?: string;
  tokenUrl?: string;
  issuer?: string;
  scopes?: string;
};

const REQUIRED = ["clientId", "clientSecret"] as const;
const OPTIONAL = ["authUrl", "tokenUrl", "issuer", "scopes"] as const;

/**
 * Reads an app's credentials from a JSON file; all its faults are told at once, by file and field. A clientSecret that
 * is shipped with a program is no secret: whoever has the program has it. PKCE is what protects the code.
 */
export async function readCredentials(path: string): Promise<Credentials> {
  const file = await readJson(path);
  const faults = [
    ...REQUIRED.filter((field) => file[field] === undefined).map((field) => `${field} is missing`),
    ...[...REQUIRED, ...OPTIONAL]
      .filter((field) => file[field] !== undefined && (typeof file[field] !== "string" || file[field] === ""))
      .map((field) => `${field} is no text`),
  ];
  const [first] = faults;
  if (first !== undefined) throw unreadable(path, faults.join(", "), first.split(" ")[0]);
  const known = [...REQUIRED, ...OPTIONAL].filter((field) => file[field] !== undefined);
  return Object.fromEntries(known.map((field) => [field, file[field]])) as Credentials;
}

async function readJson(path: string): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "no access";
    throw unreadable(path, `the file cannot be read (${code})`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // The message of a JSON fault quotes the file, and with it the secret.
  }
  throw unreadable(path, "the file is no JSON object");
}

function unreadable(path: string, fault: string, field?: string): OAuthError {
  const wanted = 'It looks like {"clientId": "…", "clientSecret": "…"}.';
  return new OAuthError("credentials-unreadable", `The credentials in ${path} cannot be used: ${fault}. ${wanted}`, {
    path,
    field,
  });
}
