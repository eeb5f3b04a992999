import { randomBytes } from "node:crypto";
import { MCP_PATH } from "@backplane/contract/viewer";
import { type AnswerFirst, type App, createMetricsCheck } from "@backplane/kit/http";
import type { Log } from "@backplane/kit/log";
import type { Metrics } from "@backplane/kit/metrics";
import { localUrl, type Settings } from "@backplane/kit/settings";
import { guardViewer, openViewerToken } from "./guard/guard.ts";
import { createPageTokens } from "./guard/page-tokens.ts";
import { createPlainCallerCheck } from "./guard/plain-caller.ts";
import { serveHandOver, takeOver } from "./hand-over.ts";
import { createImages } from "./images/images.ts";
import { answerQuickly, serveMcp } from "./mcp/http.ts";
import { createNaming } from "./naming/naming.ts";
import { openRecogniser } from "./naming/recognition/recogniser.ts";
import { openPastes } from "./pastes/pastes.ts";
import { readPageKey } from "./pastes/storage/page-key.ts";
import { removeServerFile, writeServerFile } from "./pastes/storage/server-file.ts";
import { createAccess } from "./routes/in-process-access.ts";
import { serveViewer } from "./routes/viewer-routes.ts";
import type { ViewerAccess } from "./services.ts";
import { apiKeyReader, createWidgetOpener } from "./widget-opener.ts";

const SECRET_BYTES = 32;

export type ViewerOptions = {
  settings: Settings;
  /** Its public address. */
  url: string;
  /** A key or session that may open panels; without it the owner's is used, if this machine has it. */
  apiKey: string | undefined;
  log: Log;
  fetch: typeof globalThis.fetch;
  metrics?: Pick<Metrics, "observeRequest">;
};

export type Viewer = {
  access: ViewerAccess;
  /** Answers frequent calls before Fastify sees them. */
  answerFirst: AnswerFirst;
  /** `onAskedToYield`: stops this viewer when another process wants the project. Without it, the viewer keeps the project. */
  addRoutes(app: App, onAskedToYield?: () => Promise<void>): Promise<void>;
  /** Call when it listens: from then on commands on this machine find it. */
  announce(port: number): Promise<void>;
  close(): Promise<void>;
};

/** Opens the screenshots of a project. If another process has them open, asks it to give way. */
export async function openViewer({ settings, url, apiKey, log, fetch, metrics }: ViewerOptions): Promise<Viewer> {
  const project = settings.viewerProject;
  const images = createImages();
  const pastes = await takeOver(project, fetch, () =>
    openPastes({ project, images, now: Date.now, random: randomBytes, log }),
  );
  const recogniser = openRecogniser({
    log: (fault) => log.warn({ err: fault }, "the text of a screenshot could not be read"),
  });
  const naming = createNaming({ pastes, recogniser, namer: settings.namer, fetch, now: Date.now, log });
  for (const paste of pastes.unnamed()) naming.add(paste);
  const openWidget = createWidgetOpener({
    viewerUrl: url,
    baseUrl: settings.baseUrl,
    workspace: settings.viewerWorkspace,
    readApiKey: apiKeyReader(settings.home, apiKey),
    fetch,
    command: settings.command,
  });
  const access = createAccess({ pastes, naming, openWidget, project });
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  let answerFirst: AnswerFirst = () => false;
  return {
    access,
    answerFirst: (request, response) => answerFirst(request, response),
    async addRoutes(app, onAskedToYield) {
      const { home, baseUrl, viewerPort: port } = settings;
      const tokens = createPageTokens({ project, key: await readPageKey(project), now: Date.now });
      // A viewer inside a command serves only this machine, so its token is not written to a file.
      const viewerToken = onAskedToYield ? randomBytes(SECRET_BYTES).toString("base64url") : openViewerToken(home);
      guardViewer(app, {
        ...{ tokens, secret, viewerToken, url, port, homeUrl: baseUrl, allowedHosts: settings.allowedHosts },
        mayReadMetrics: createMetricsCheck(settings),
      });
      serveViewer(app, { pastes, naming, tokens, access, url, baseUrl, project });
      serveHandOver(app, onAskedToYield);
      answerFirst = answerQuickly({
        isPlainCaller: createPlainCallerCheck(url, viewerToken),
        answer: serveMcp(app, access),
        observe: (status, seconds) => metrics?.observeRequest({ method: "POST", route: MCP_PATH, status }, seconds),
      });
    },
    announce: (port) => writeServerFile(project, { url: localUrl(settings.host, port), secret, pid: process.pid }),
    async close() {
      await removeServerFile(project);
      await naming.close();
      await recogniser.close();
      await pastes.close();
      await images.close();
    },
  };
}
