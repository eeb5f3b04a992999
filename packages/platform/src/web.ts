import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { OPENING_ID, type Opening } from "@backplane/contract/panels";
import {
  type App,
  LIBRARY_WORKER_POLICY,
  PAGE_POLICY,
  SOCKET_WORKER_POLICY,
  WORKSPACE_POLICY,
} from "@backplane/kit/http";
import { html } from "@backplane/kit/page";
import { StartFault } from "@backplane/kit/process";
import fastifyStatic from "@fastify/static";
import type { FastifyReply, FastifyRequest } from "fastify";

const DIST = fileURLToPath(new URL("../../web/dist/", import.meta.url));

/** Addresses of the browser app's pages. */
const PAGES = [
  ...["/", "/workspaces", "/packages", "/packages/publish", "/packages/:identifier", "/account", "/system"],
  ...["/w/:owner/:repo/devices", "/w/:owner/:repo/recordings"],
];

/** With panels, which show other sites in frames. */
const WORKSPACE_PAGE = "/w/:owner/:repo";
/** The page's own document, and that of workspaces: both are at other addresses than their file. */
const DOCUMENTS = { app: "index.html", workspace: "workspace.html" } as const;

/** Pages whose links contain a secret: they are not cached, and their address is not sent as Referer. */
const SECRET_PAGES = ["/auth/intent", "/auth/join", "/auth/reset", "/auth/sign-in"];

/** A worker has the policy of its own file, not that of its page. By the name of its source, before the dash. */
const WORKER_POLICIES: Readonly<Record<string, string>> = {
  // packages/web/src/workspace/panels/board-viewer/models
  "step-worker": LIBRARY_WORKER_POLICY,
  // packages/web/src/workspace/devices
  "socket-worker": SOCKET_WORKER_POLICY,
};

/** Where the build puts files that are named by their content. */
const ASSETS = "assets";

const ONE_YEAR = "public, max-age=31536000, immutable";

export type Web = {
  /** `openingFor`: what the page of a workspace asks first; undefined: it asks for itself, and shows why that is refused. */
  addRoutes(app: App, openingFor: (request: FastifyRequest) => Promise<Opening | undefined>): Promise<void>;
  /** The app's own page for addresses that do not exist. */
  notFoundPage(reply: FastifyReply): FastifyReply;
};

/** As the build names them. */
const WORKER_SCRIPT = /\/assets\/(\w{1,40}-worker)-[\w-]{1,40}\.js(?:\.br|\.gz)?$/;

export type WebOptions = {
  /** How people on this machine call `backplane`. It may be a path, which concerns nobody elsewhere. */
  command: string;
  isHere(request: FastifyRequest): boolean;
  dist?: string;
};

/** What anybody may ask for by its name. Compressed forms are sent instead of their file, and the page at its own addresses. */
function publicFiles(dist: string): ReadonlySet<string> {
  const names = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^\.|\.(?:br|gz)$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(dist, sep).length).replaceAll(sep, "/"));
  return new Set(names.filter((name) => !Object.values<string>(DOCUMENTS).includes(name)));
}

/** As data, which no browser runs. Without "<" it cannot end its element. */
function withOpening(document: string, opening: Opening): string {
  const json = JSON.stringify(opening).replaceAll("<", "\\u003c");
  return document.replace(
    "</body>",
    (end) => `<script type="application/json" id="${OPENING_ID}">${json}</script>${end}`,
  );
}

/** The built browser app. Its assets are named by their content and cached for a year; its page is revalidated each time. */
export function openWeb({ command, isHere, dist = DIST }: WebOptions): Web {
  if (!existsSync(join(dist, DOCUMENTS.app)))
    throw new StartFault("The web pages are not built. Start with ./backplane up, which builds them.");
  const readDocument = (name: string) => {
    const page = readFileSync(join(dist, name), "utf8");
    const told = html`<meta name="backplane-command" content="${command}">`;
    return { page, pageHere: page.replace("<head>", (head) => `${head}${told}`) };
  };
  const [app, workspace] = [readDocument(DOCUMENTS.app), readDocument(DOCUMENTS.workspace)];
  const documentFor = (request: FastifyRequest, { page, pageHere } = app) => (isHere(request) ? pageHere : page);
  const send = (reply: FastifyReply, text: string, { cacheControl = "no-cache", policy = PAGE_POLICY } = {}) =>
    reply
      .headers({ "content-security-policy": policy, "cache-control": cacheControl })
      .type("text/html; charset=utf-8")
      .send(text);
  const sendPage = (reply: FastifyReply, cacheControl?: string) =>
    send(reply, documentFor(reply.request), { cacheControl });
  return {
    async addRoutes(app, openingFor) {
      for (const url of PAGES) {
        app.get(url, { exposeHeadRoute: true, schema: { hide: true } }, async (_request, reply) => sendPage(reply));
      }
      for (const url of SECRET_PAGES) {
        app.get(url, { exposeHeadRoute: true, schema: { hide: true } }, async (_request, reply) =>
          sendPage(reply.header("referrer-policy", "no-referrer"), "no-store"),
        );
      }
      app.get(WORKSPACE_PAGE, { exposeHeadRoute: true, schema: { hide: true } }, async (request, reply) => {
        const opening = await openingFor(request);
        const document = documentFor(request, workspace);
        // Nobody else may get what one person may see, nor this person what was there some time ago.
        const cacheControl = opening ? "no-store" : "no-cache";
        return send(reply, opening ? withOpening(document, opening) : document, {
          cacheControl,
          policy: WORKSPACE_POLICY,
        });
      });
      await app.register(fastifyStatic, {
        root: dist,
        serve: false,
        index: false,
        cacheControl: false,
        preCompressed: true,
        setHeaders(reply, path) {
          reply.header("cache-control", path.startsWith(join(dist, ASSETS)) ? ONE_YEAR : "no-cache");
          const [, worker = ""] = WORKER_SCRIPT.exec(path) ?? [];
          const policy = WORKER_POLICIES[worker];
          if (policy !== undefined) reply.header("content-security-policy", policy);
        },
      });
      const files = publicFiles(dist);
      const serveFile = (url: string, nameOf: (request: FastifyRequest) => string) =>
        app.get(url, { exposeHeadRoute: true, schema: { hide: true } }, (request, reply) => {
          const name = nameOf(request);
          return files.has(name) ? reply.sendFile(name) : reply.callNotFound();
        });
      // One route for all of them: a route for each takes a fifth of a second at the start.
      serveFile(`/${ASSETS}/*`, ({ params }) => `${ASSETS}/${(params as { "*": string })["*"]}`);
      for (const name of files) if (!name.startsWith(`${ASSETS}/`)) serveFile(`/${name}`, () => name);
    },
    notFoundPage: (reply) => sendPage(reply.code(404)),
  };
}
