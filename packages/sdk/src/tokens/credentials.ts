import { readFile } from "node:fs/promises";
import { OAuthError } from "../errors.ts";
import { isObject, parseJson } from "../text.ts";
import { systemCode } from "./files.ts";

/** An app as registered with a provider, optionally with the provider's addresses. */
export type Credentials = {
  clientId: string;
  /** Absent for a public client. */
  clientSecret?: string;
  /** How the secret is sent: in the form, or with `basic` in a header. */
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
 * Reads an app's credentials from a JSON file. One error names all faults, by file and field. A clientSecret that is
 * shipped with a program is not a secret, since every user has it: PKCE protects the code.
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
    if (file[field] !== undefined && !isText(file[field])) faults.push({ field, fault: "is not a string" });
  }
  if (clientAuth !== undefined && clientAuth !== "post" && clientAuth !== "basic") {
    faults.push({ field: "clientAuth", fault: "is neither post nor basic" });
  }
  if (clientAuth === "basic" && clientSecret === undefined) {
    faults.push({ field: "clientSecret", fault: "is missing, and clientAuth basic needs it" });
  }
  if (extraParams !== undefined && !isObjectOfTexts(extraParams)) {
    faults.push({ field: "extraParams", fault: "is not an object of strings" });
  }
  return faults;
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

const isObjectOfTexts = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((field) => typeof field === "string");

async function readJson(path: string): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw unreadable(path, `the file cannot be read (${systemCode(error) ?? "no access"})`);
  }
  const value = parseJson(text);
  if (isObject(value)) return value;
  throw unreadable(path, "the file is not a JSON object");
}

function unreadable(path: string, fault: string, field?: keyof Credentials): OAuthError {
  const wanted = 'It looks like {"clientId": "…", "clientSecret": "…"}.';
  return new OAuthError("credentials-unreadable", `The credentials in ${path} cannot be used: ${fault}. ${wanted}`, {
    path,
    field,
  });
}
