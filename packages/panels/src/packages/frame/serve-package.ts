import type { IncomingMessage, ServerResponse } from "node:http";
import { extname } from "node:path";
import { type FrameBounds, GUARD_NAME, PANEL_PACKAGE_LIMITS } from "@backplane/contract/panels";
import { endWithPieces } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { frameAncestors, frameOrigin } from "../../frames.ts";
import {
  declarations,
  FRAME_BOUNDS,
  outerDocument,
  page,
  RUNNER_FUNCTIONS,
  script,
} from "../../sandbox/frame/documents.ts";
import { moduleHeaders, outerHeaders, packageHeaders } from "../../sandbox/frame/policies.ts";
import type { AnswerFrame } from "../../sandbox/frame/serve-frame.ts";
import type { Services } from "../../services.ts";
import type { InstalledPanels } from "../panel-packages.ts";
import type { FramePass, FramePasses } from "../passes.ts";
import { createProgramRunner } from "./run-programs.ts";
import { startPackage } from "./start-package.ts";

type Options = Pick<Services, "settings" | "onFault"> & {
  passes: FramePasses;
  files: InstalledPanels["files"];
};

/** A file of any other type cannot be used by a page. */
const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".webp": "image/webp",
  ".gif": "image/gif",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
  ".mp3": "audio/mpeg",
};

type Answer = { body: Buffer; headers: string[] };

/** Serves the documents and files of panels of packages: what is signed for a host name, and only there. */
export function createPackageServer({ settings, passes, files, onFault }: Options): AnswerFrame {
  const { baseUrl, framesUrl } = settings;
  const outer = outerDocument("Panel", "run");
  const outerHeadersFor = outerHeaders(outer, frameAncestors(baseUrl));
  const html = ["content-type", "text/html; charset=utf-8", "cache-control", "no-store"];

  async function find(pass: FramePass, at: string, path: string): Promise<Answer | undefined> {
    if (path === "") return { body: Buffer.from(outer), headers: [...html, ...outerHeadersFor(`${at}run`)] };
    if (path === "run") {
      const run = runDocument(pass);
      return { body: Buffer.from(run), headers: [...html, ...packageHeaders(run, new URL(at).origin, pass.runsCode)] };
    }
    const name = path.startsWith("files/") ? path.slice("files/".length) : "";
    const type = TYPES[extname(name)];
    const body = type === undefined ? undefined : (await files(pass, pass.sha256, pass.isDraft)).get(name);
    if (!body || type === undefined) return undefined;
    return { body, headers: ["content-type", type, "cache-control", "no-store", ...moduleHeaders()] };
  }

  async function answer({ method, url = "/" }: IncomingMessage, response: ServerResponse, label: string) {
    const [, signed = "", ...rest] = (url.split("?", 1)[0] ?? "/").split("/");
    const isRead = method === "GET" || method === "HEAD";
    const pass = isRead ? passes.read(signed, label) : undefined;
    const found = pass && (await find(pass, `${frameOrigin(framesUrl, label)}/${signed}/`, rest.join("/")));
    if (!found) {
      response.writeHead(isRead ? 404 : 405, ["content-length", "0", ...(isRead ? [] : ["allow", "GET, HEAD"])]).end();
      return;
    }
    response.writeHead(200, [...found.headers, "content-length", String(found.body.length)]);
    if (method === "HEAD") response.end();
    else endWithPieces(response, found.body);
  }

  return (request, response, label) => {
    answer(request, response, label).catch((error: unknown) => {
      if (!(error instanceof Problem)) onFault(error);
      if (!response.headersSent) response.writeHead(404, ["content-length", "0"]);
      response.end();
    });
  };
}

/** A message has a length, and quotes in a result take two characters there. */
const BOUNDS: FrameBounds = { ...FRAME_BOUNDS, maxResultBytes: PANEL_PACKAGE_LIMITS.maxMessageLength / 4 };
const START_WITH_CODE =
  `{${declarations([...RUNNER_FUNCTIONS, createProgramRunner, startPackage])}` +
  `startPackage(window,(send)=>createProgramRunner(window,${JSON.stringify(BOUNDS)},"${GUARD_NAME}",send))}`;

/** Ours, around the module of the package. Names of files have no character that HTML reads. */
const runDocument = ({ entry, style, runsCode }: FramePass): string =>
  page(
    `<title>Panel</title>${script(runsCode ? START_WITH_CODE : `(${startPackage})(window)`)}` +
      `${style === null ? "" : `<link rel="stylesheet" href="files/${style}">`}` +
      `<script type="module" src="files/${entry}"></script></head><body></body></html>`,
  );
