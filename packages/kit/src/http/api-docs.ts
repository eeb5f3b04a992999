import { createHash } from "node:crypto";
import swagger from "@fastify/swagger";
import { fastify } from "fastify";
import type { App } from "./app-type.ts";
import { acceptedBy, pack } from "./compression.ts";
import { piecesOf } from "./pieces.ts";

export type ApiDocs = { title: string; description: string; version: string; url: string };

/** OpenAPI 3.1 of every route registered after this call at /openapi.json, and a page to read and try it at /docs. */
export async function useApiDocs(app: App, { title, description, version, url }: ApiDocs): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title, description, version, license: { name: "MIT", identifier: "MIT" } },
      servers: [{ url }],
    },
  });
  app.get("/openapi.json", { schema: { hide: true } }, async () => app.swagger());

  const hidden = { schema: { hide: true } };
  let loading: Promise<Reference> | undefined;
  const load = () => {
    loading ??= loadReference(title);
    return loading;
  };
  app.get("/docs", hidden, async (_request, reply) => reply.redirect("/docs/", 301));
  app.get("/docs/", hidden, async (_request, reply) => {
    const { page } = await load();
    return reply.type("text/html; charset=utf-8").header("content-security-policy", policyFor(page)).send(page);
  });
  app.get("/docs/js/scalar.js", hidden, async (request, reply) => {
    const { script, packed } = await load();
    const takesPacked = acceptedBy(request.headers["accept-encoding"]) === "br";
    const bytes = takesPacked ? packed : script;
    reply.type("application/javascript; charset=utf-8");
    reply.headers({ vary: "accept-encoding", "content-length": bytes.length });
    if (takesPacked) reply.header("content-encoding", "br");
    // Fastify would copy, and compress, the script for each request.
    return reply.send(piecesOf(bytes));
  });
}

type Reference = { page: string; script: Buffer; packed: Buffer };

/** The page with the reference and its script, which has megabytes: few processes are ever asked for it. */
async function loadReference(title: string): Promise<Reference> {
  const { default: reference } = await import("@scalar/fastify-api-reference");
  const server = fastify();
  await server.register(reference, {
    routePrefix: "/docs",
    configuration: {
      pageTitle: `${title} · API reference`,
      url: "/openapi.json",
      favicon: "/favicon.svg",
      theme: "none",
      customCss: DOCS_COLOURS,
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: "never",
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  const page = await server.inject("/docs/");
  const { rawPayload: script } = await server.inject("/docs/js/scalar.js");
  await server.close();
  return { page: page.payload, script, packed: await pack.br(script) };
}

/** The page starts with an inline script: allow exactly that one, by its hash. Its components use inline styles. */
function policyFor(page: string): string {
  const hashes = [...page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, script = ""]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  );
  return (
    `default-src 'none'; script-src 'self' ${hashes.join(" ")}; style-src 'self' 'unsafe-inline'; ` +
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
  );
}

/** The reference in our colours; the values are those of tokens.css. */
const DOCS_COLOURS = `
:root { --scalar-font: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --scalar-font-code: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; --scalar-radius: 3px; }
.light-mode { --scalar-background-1: #ffffff; --scalar-background-2: #f4f5f6; --scalar-background-3: #eceef0;
  --scalar-color-1: #161a1f; --scalar-color-2: #515a64; --scalar-color-3: #515a64; --scalar-color-accent: #93470f;
  --scalar-background-accent: #f8ebe1; --scalar-border-color: #d9dde1; }
.dark-mode { --scalar-background-1: #181c21; --scalar-background-2: #12161a; --scalar-background-3: #242a31;
  --scalar-color-1: #e8ebee; --scalar-color-2: #a3adb8; --scalar-color-3: #a3adb8; --scalar-color-accent: #e59a62;
  --scalar-background-accent: #33241a; --scalar-border-color: #2c333b; }`;
