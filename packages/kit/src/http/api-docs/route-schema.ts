import type { Scope } from "@backplane/contract/accounts";
import type { FastifySchema } from "fastify";
import type { ProblemCode } from "../../problems.ts";

/** Who may call a route. A scope: everybody who signed in, and API keys that have it. */
export type RouteAccess =
  | "anyone"
  | "session"
  | "browser"
  | "instance-owner"
  | "stream-key"
  | "read-workspace"
  | "workspace-tools"
  | Scope;

declare module "fastify" {
  interface FastifySchema {
    /** For the API reference: who may call it; "anyone" by default. */
    access?: RouteAccess;
    /** For the API reference: its own problems. Those that follow from its access, parameters and body are added. */
    problems?: readonly ProblemCode[];
  }
}

type Scheme = "browser" | "session" | "apiKey" | "streamKey";
type AccessRule = {
  words: string;
  schemes: readonly Scheme[];
  /** An API key needs one of them. */
  scopes?: readonly Scope[];
  problems: readonly ProblemCode[];
};

const scoped = (...scopes: readonly Scope[]): AccessRule => ({
  words: `Needs a session, or an API key with the scope ${scopes.map((scope) => `\`${scope}\``).join(" or ")}.`,
  schemes: ["browser", "session", "apiKey"],
  scopes,
  problems: ["not-signed-in", "scope-missing", "foreign-page"],
});

const BROWSER_ONLY = ["not-signed-in", "scope-missing", "browser-session-needed", "foreign-page"] as const;

/** What each kind of access means for callers. */
export const ACCESS: Readonly<Record<RouteAccess, AccessRule>> = {
  anyone: { words: "Anybody may call it.", schemes: [], problems: [] },
  read: scoped("read"),
  publish: scoped("publish"),
  panels: scoped("panels"),
  "read-workspace": scoped("read", "panels"),
  "workspace-tools": scoped("panels", "devices:read", "devices:control"),
  "devices:read": scoped("devices:read", "devices:control", "read", "panels"),
  "devices:control": scoped("devices:control"),
  session: {
    words: "Needs the session of a browser or a program. An API key is not enough.",
    schemes: ["browser", "session"],
    problems: ["not-signed-in", "session-needed", "foreign-page"],
  },
  browser: {
    words: "Only for a signed-in browser: neither a program nor an API key may do this.",
    schemes: ["browser"],
    problems: BROWSER_ONLY,
  },
  "stream-key": {
    words: "Needs the key of the stream as a bearer token. Neither a session nor an API key may do this.",
    schemes: ["streamKey"],
    problems: ["stream-key-needed"],
  },
  "instance-owner": {
    words: "Only for the owner of the instance, in a signed-in browser.",
    schemes: ["browser"],
    problems: [...BROWSER_ONLY, "owner-only"],
  },
};

/** What any request can be answered with, whichever route it is for. */
export const COMMON_PROBLEMS: readonly ProblemCode[] = [
  "malformed-request",
  "request-timeout",
  "address-too-long",
  "unsupported-media-type",
  "host-unknown",
  "headers-too-large",
  "internal-error",
  "not-ready",
  "database-unavailable",
  "bus-unavailable",
  "out-of-descriptors",
  "disk-full",
  "disk-unavailable",
];

/** Every problem of a route, except those of any request. */
export function problemsOf({ access = "anyone", problems = [], params, querystring, body }: FastifySchema) {
  const isJson = body !== undefined && !("content" in (body as object));
  const all: readonly ProblemCode[] = [
    ...ACCESS[access].problems,
    ...(params || querystring ? (["invalid-parameter"] as const) : []),
    ...(body ? (["malformed-request", "payload-too-large", "unsupported-media-type"] as const) : []),
    ...(isJson ? (["invalid-input"] as const) : []),
    ...problems,
  ];
  return [...new Set(all)];
}

/** Whether the reference says that a route can be answered with this problem. */
export const isDeclared = (schema: FastifySchema | undefined, code: ProblemCode): boolean =>
  COMMON_PROBLEMS.includes(code) || problemsOf(schema ?? {}).includes(code);
