import { readFile } from "node:fs/promises";
import { OAuthError } from "../errors.ts";
import { systemCode } from "./file-faults.ts";

/** An app as it is registered with a provider, and as much of the provider as its author likes to write down. */
export type Credentials = {
  clientId: string;
  /** Absent for a public client. */
  clientSecret?: string;
  /** How the secret is sent; in the form unless it says `basic`. */
  clientAuth?: "post" | "basic";
  authUrl?: string;
  tokenUrl?: string;
  issuer?: string;
  scopes?: string;
  /** More parameters for `authUrl`. */
  extraParams?: Record<string, string>;
};

type Fault = { field: keyof Credentials; fault: string };

const TEXTS = ["clientId", "clientSecret", "authUrl", "tokenUrl", "issuer", "scopes"] as const;
const KNOWN: readonly string[] = [...TEXTS, "clientAuth", "extraParams"];

/**
 * Reads an app's credentials from a JSON file; all its faults are told at once, by file and field. A clientSecret that
 * is shipped with a program is no secret: whoever has the program has it. PKCE is what protects the code.
 */
export async function readCredentials(path: string): Promise<Credentials> {
  const file = await readJson(path);
  const faults = faultsOf(file);
  if (faults.length > 0) {
    throw unreadable(path, faults.map(({ field, fault }) => `${field} ${fault}`).join(", "), faults[0]?.field);
  }
  return Object.fromEntries(Object.entries(file).filter(([field]) => KNOWN.includes(field))) as Credentials;
}

function faultsOf(file: Record<string, unknown>): Fault[] {
  const { clientId, clientSecret, clientAuth, extraParams } = file;
  const faults: Fault[] = [];
  if (clientId === undefined) faults.push({ field: "clientId", fault: "is missing" });
  for (const field of TEXTS) {
    if (file[field] !== undefined && !isText(file[field])) faults.push({ field, fault: "is no text" });
  }
  if (clientAuth !== undefined && clientAuth !== "post" && clientAuth !== "basic") {
    faults.push({ field: "clientAuth", fault: "is neither post nor basic" });
  }
  if (clientAuth === "basic" && clientSecret === undefined) {
    faults.push({ field: "clientSecret", fault: "is missing, and clientAuth basic needs it" });
  }
  if (extraParams !== undefined && !isObjectOfTexts(extraParams)) {
    faults.push({ field: "extraParams", fault: "is no object of texts" });
  }
  return faults;
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isObjectOfTexts = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((field) => typeof field === "string");

async function readJson(path: string): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw unreadable(path, `the file cannot be read (${systemCode(error) ?? "no access"})`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // The message of a JSON fault quotes the file, and with it the secret.
  }
  throw unreadable(path, "the file is no JSON object");
}

function unreadable(path: string, fault: string, field?: keyof Credentials): OAuthError {
  const wanted = 'It looks like {"clientId": "…", "clientSecret": "…"}.';
  return new OAuthError("credentials-unreadable", `The credentials in ${path} cannot be used: ${fault}. ${wanted}`, {
    path,
    field,
  });
}
