import { randomBytes } from "node:crypto";
import { MCP_PATH } from "@backplane/contract/viewer";
import type { AnswerFirst, App } from "@backplane/kit/http";
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
  /** Where people reach it. */
  url: string;
  /** A key or session that may open panels; else the owner's, where it is known. */
  apiKey: string | undefined;
  log: Log;
  fetch: typeof globalThis.fetch;
  metrics?: Pick<Metrics, "observeRequest">;
};

export type Viewer = {
  access: ViewerAccess;
  /** What is cheap to answer before the routes see it. */
  answerFirst: AnswerFirst;
  /** `onAskedToYield`: for one that gives way to another process; without it the project is kept. */
  addRoutes(app: App, onAskedToYield?: () => Promise<void>): Promise<void>;
  /** It listens: commands of this machine find it from now on. */
  announce(port: number): Promise<void>;
  close(): Promise<void>;
};

/** The screenshots of one project, opened: images, names, files. Whoever holds them elsewhere is asked to give way. */
export async function openViewer({ settings, url, apiKey, log, fetch, metrics }: ViewerOptions): Promise<Viewer> {
  const project = settings.viewerProject;
  const images = createImages();
  const pastes = await takeOver(project, fetch, () =>
    openPastes({ project, images, now: Date.now, random: randomBytes, log }),
  );
  const recogniser = openRecogniser({
    log: (fault) => log.warn({ err: fault }, "the text of a screenshot was not read"),
  });
  const naming = createNaming({ pastes, recogniser, namer: settings.namer, fetch, now: Date.now, log });
  for (const paste of pastes.unnamed()) naming.add(paste);
  const openWidget = createWidgetOpener({
    viewerUrl: url,
    baseUrl: settings.baseUrl,
    workspace: settings.viewerWorkspace,
    readApiKey: apiKeyReader(settings.home, apiKey),
    fetch,
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
      // One inside a command is for this machine, and leaves no files of its own where it is called.
      const viewerToken = onAskedToYield ? randomBytes(SECRET_BYTES).toString("base64url") : openViewerToken(home);
      guardViewer(app, { tokens, secret, viewerToken, url, port, homeUrl: baseUrl });
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
