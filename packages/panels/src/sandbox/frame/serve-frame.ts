import type { IncomingMessage, ServerResponse } from "node:http";
import { endWithPieces } from "@backplane/kit/http";
import { frameAncestors, frameOrigin } from "../../frames.ts";
import type { Services } from "../../services.ts";
import { outerDocument, runDocument, snapdomModule } from "./documents.ts";
import { moduleHeaders, outerHeaders, runHeaders } from "./policies.ts";

export type AnswerFrame = (request: IncomingMessage, response: ServerResponse, label: string) => void;

const IMMUTABLE = "public, max-age=31536000, immutable";
/** After an update of the server, frames must not get the old documents. */
const FRESH = "no-cache";

/** Serves the documents of sandboxes. They are the same on every host name and contain no secret. */
export async function createFrameServer(settings: Services["settings"]): Promise<AnswerFrame> {
  const { baseUrl, framesUrl } = settings;
  const [run, outer] = [runDocument(), outerDocument()];
  const outerHeadersFor = outerHeaders(outer, frameAncestors(baseUrl));
  const snapdom = await snapdomModule();
  const html = ["content-type", "text/html; charset=utf-8", "cache-control", FRESH];
  const files: Record<string, { body: Buffer; headers: (label: string) => string[] }> = {
    "/": {
      body: Buffer.from(outer),
      headers: (label) => [...html, ...outerHeadersFor(`${frameOrigin(framesUrl, label)}/run`)],
    },
    "/run": { body: Buffer.from(run), headers: () => [...html, ...runHeaders()] },
    "/snapdom.mjs": {
      body: snapdom,
      headers: () => ["content-type", "text/javascript", "cache-control", IMMUTABLE, ...moduleHeaders()],
    },
  };

  return (request, response, label) => {
    const { method, url = "/" } = request;
    const isRead = method === "GET" || method === "HEAD";
    const path = url.split("?", 1)[0] ?? "/";
    const file = Object.hasOwn(files, path) ? files[path] : undefined;
    if (!isRead || !file) {
      const headers = ["content-length", "0", ...(isRead ? [] : ["allow", "GET, HEAD", "connection", "close"])];
      response.writeHead(isRead ? 404 : 405, headers);
      response.end();
      return;
    }
    response.writeHead(200, [...file.headers(label), "content-length", String(file.body.length)]);
    if (method === "HEAD") response.end();
    else endWithPieces(response, file.body);
  };
}
