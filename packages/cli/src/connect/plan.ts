import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { isLoopback } from "@backplane/kit/settings";
import type { OAuthFlowOptions } from "@backplane/sdk";
import { readCredentials, type TokenSourceOptions } from "@backplane/sdk/tokens";
import { explainForCli } from "../explain-error.ts";
import { ownPath } from "../own-path.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import { discover, type Metadata } from "./discovery.ts";

type Host = Pick<NodeJS.Process, "env">;

/** The options of the command line, as commander names them. */
export type ConnectOptions = {
  credentials?: string;
  issuer?: string;
  authUrl?: string;
  tokenUrl?: string;
  scopes?: string;
  param?: Record<string, string>;
  clientAuth?: "post" | "basic";
  user?: string;
  gateway?: string;
  /** Seconds. */
  timeout?: number;
  open?: boolean;
  json?: boolean;
};

/** The default of --credentials; undefined if the provider's name is not a plain file name. */
const credentialsFile = (host: Host, provider: string): string | undefined =>
  /^[a-z0-9][a-z0-9_-]*$/i.test(provider) ? ownPath(host, "credentials", `${provider}.json`) : undefined;

export const tokenFolder = (host: Host): string => ownPath(host, "tokens");

/** In some containers the account has no name. */
export function accountName(): string {
  try {
    return userInfo().username || "me";
  } catch {
    return "me";
  }
}

/** Everything needed to connect. The command line wins over the credentials file, and the file over the issuer. */
export type Plan = {
  /** What to ask the user for, and where. */
  request: Pick<OAuthFlowOptions, "authUrl" | "clientId" | "scopes" | "extraParams" | "issuer" | "requireIss">;
  /** Where the code is exchanged for tokens. */
  endpoint: Pick<TokenSourceOptions, "tokenUrl" | "clientId" | "clientSecret" | "clientAuth">;
  warnings: string[];
};

export type PlanContext = {
  host: Host;
  redirectUri: string;
  fetch: typeof fetch;
  signal: AbortSignal;
  says(text: string): void;
};

export async function planConnection(
  provider: string,
  options: ConnectOptions,
  { host, redirectUri, fetch, signal, says }: PlanContext,
): Promise<Plan | Refusal> {
  const usual = credentialsFile(host, provider);
  const path = options.credentials ?? usual;
  if (path === undefined || !existsSync(path)) {
    return missingCredentials(provider, path, { isUsual: path !== undefined && path === usual, redirectUri });
  }
  const credentials = await readCredentials(path).catch((error) => explainForCli(error));
  if (isRefusal(credentials)) return credentials;

  const issuer = options.issuer ?? credentials.issuer;
  const given = {
    authUrl: options.authUrl ?? credentials.authUrl,
    tokenUrl: options.tokenUrl ?? credentials.tokenUrl,
  };
  let found: Metadata | undefined;
  if (given.authUrl === undefined || given.tokenUrl === undefined) {
    if (issuer === undefined) return missingEndpoints(provider, path);
    says(`Asking ${issuer} for its addresses`);
    const discovery = await discover(issuer, fetch, signal);
    if (discovery.kind === "fault") return undiscovered(discovery.message);
    found = discovery;
  }
  const authUrl = given.authUrl ?? found?.authUrl ?? "";
  const tokenUrl = given.tokenUrl ?? found?.tokenUrl ?? "";
  const scopes = options.scopes ?? credentials.scopes ?? defaultScopes(found);
  const extraParams = { ...consentFor(scopes, authUrl), ...credentials.extraParams, ...options.param };
  const { clientId, clientSecret } = credentials;
  const wantsBasic = found?.wantsBasic === true && clientSecret !== undefined;
  const clientAuth = options.clientAuth ?? credentials.clientAuth ?? (wantsBasic ? "basic" : "post");
  return {
    request: { authUrl, clientId, scopes, extraParams, issuer, requireIss: found?.namesItself ?? false },
    endpoint: { tokenUrl, clientId, clientSecret, clientAuth },
    warnings: isUnencrypted(authUrl) ? [`${authUrl} is not encrypted: others on the network can read it.`] : [],
  };
}

/** The user's identity and a refresh token, if the provider offers them. */
const defaultScopes = (found: Metadata | undefined): string =>
  ["openid", "offline_access"].filter((scope) => found?.scopes.includes(scope)).join(" ");

/** OpenID Connect Core 1.0 section 11: without this prompt offline_access is ignored. */
function consentFor(scopes: string, authUrl: string): Record<string, string> {
  const isNeeded = scopes.split(" ").includes("offline_access");
  const hasPrompt = URL.canParse(authUrl) && new URL(authUrl).searchParams.has("prompt");
  return isNeeded && !hasPrompt ? { prompt: "consent" } : {};
}

function isUnencrypted(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !isLoopback(hostname.replace(/^\[|\]$/g, ""));
}

const EXAMPLE = {
  clientId: "the client ID from the provider",
  clientSecret: "the client secret from the provider",
  issuer: "https://provider.example",
};

function missingCredentials(
  provider: string,
  path: string | undefined,
  { isUsual, redirectUri }: { isUsual: boolean; redirectUri: string },
): Refusal {
  const place = path === undefined ? "a file of your choice" : path;
  const command = `backplane connect ${JSON.stringify(provider)}`.replace(/"([\w-]+)"$/, "$1");
  const lines = [
    path === undefined ? `No credentials for ${provider}.` : `No credentials for ${provider}: ${path} does not exist.`,
    `1. Register an app with the provider. Its redirect URI is ${redirectUri}`,
    `2. Write what you get to ${place}:`,
    "",
    ...JSON.stringify(EXAMPLE, undefined, 2).split("\n"),
    "",
    `3. Run: ${command}${isUsual ? "" : ` --credentials ${path ?? "<file>"}`}`,
    'A provider without OpenID discovery needs "authUrl" and "tokenUrl" instead of "issuer".',
  ];
  return refuse("credentials-missing", ...lines);
}

function missingEndpoints(provider: string, path: string): Refusal {
  const lines = [
    `The addresses of ${provider} are not known.`,
    `Add "issuer" to ${path}, or "authUrl" and "tokenUrl".`,
    "Or give --issuer, or --auth-url and --token-url.",
  ];
  return refuse("endpoints-missing", ...lines);
}

const undiscovered = (fault: string): Refusal =>
  refuse("discovery-failed", fault, "Check the issuer, or give --auth-url and --token-url.");
