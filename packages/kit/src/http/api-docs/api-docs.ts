import swagger from "@fastify/swagger";
import type { App } from "../app-type.ts";
import { acceptedBy, pack } from "../compression.ts";
import { piecesOf } from "../pieces.ts";
import { completeDocument, declareOperation } from "./document.ts";
import type { ApiDocument } from "./openapi.ts";
import { renderReferencePage } from "./reference-page.ts";

export type ApiDocs = { title: string; description: string; version: string; url: string };

/** OpenAPI 3.1 of every route registered after this call at /openapi.json, and a page to read it at /docs. */
export async function useApiDocs(app: App, { title, description, version, url }: ApiDocs): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title, description, version, license: { name: "MIT", identifier: "MIT" } },
      servers: [{ url }],
    },
    transform: ({ schema, url }) => ({ url, schema: declareOperation(schema) }),
  });

  // Few processes are ever asked for it.
  let made: Promise<Reference> | undefined;
  const reference = () => {
    made ??= makeReference(completeDocument(app.swagger() as unknown as ApiDocument));
    return made;
  };
  const hidden = { schema: { hide: true } };
  app.get("/docs", hidden, async (_request, reply) => reply.redirect("/docs/", 301));
  for (const [path, name] of [
    ["/openapi.json", "document"],
    ["/docs/", "page"],
  ] as const) {
    app.get(path, hidden, async (request, reply) => {
      const { bytes, packed, headers } = (await reference())[name];
      const takesPacked = acceptedBy(request.headers["accept-encoding"]) === "br";
      const sent = takesPacked ? packed : bytes;
      reply.headers({ ...headers, vary: "accept-encoding", "content-length": sent.length });
      if (takesPacked) reply.header("content-encoding", "br");
      // Fastify would copy, and compress, it for each request.
      return reply.send(piecesOf(sent));
    });
  }
}

type Packed = { bytes: Buffer; packed: Buffer; headers: Record<string, string> };
type Reference = { document: Packed; page: Packed };

async function makeReference(document: ApiDocument): Promise<Reference> {
  const { page, policy } = renderReferencePage(document);
  const html = { "content-type": "text/html; charset=utf-8", "content-security-policy": policy };
  return {
    document: await packed(JSON.stringify(document), { "content-type": "application/json; charset=utf-8" }),
    page: await packed(page, html),
  };
}

async function packed(text: string, headers: Record<string, string>): Promise<Packed> {
  const bytes = Buffer.from(text);
  return { bytes, packed: await pack.br(bytes), headers };
}
