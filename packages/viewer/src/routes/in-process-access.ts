import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type PasteWithText, VIEWER_LIMITS, type ViewerEvent } from "@backplane/contract/viewer";
import type { Clock } from "@backplane/kit/clock";
import { tooManyRequests } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { bodyChecker } from "@backplane/kit/schemas";
import { Type } from "typebox";
import { diskProblem } from "../pastes/storage/disk.ts";
import type { Naming, Pastes, ViewerAccess } from "../services.ts";
import { followNewest } from "./event-route.ts";
import { openPasteFile } from "./open-paste-file.ts";
import { fieldFault, tooLarge } from "./receive-form.ts";
import { checkedId, isId, Title, unknownPaste } from "./schemas.ts";

type Dependencies = {
  pastes: Pastes;
  naming: Pick<Naming, "add">;
  openWidget: ViewerAccess["openWidget"];
  project: string;
  now?: Clock;
};

const { maxListed, maxReadBytes, maxUploadBytes, maxUploadsUnderWay } = VIEWER_LIMITS;
const COME_BACK_MS = 1_000;

/** `ViewerAccess` in the process that holds the project. */
export function createAccess({ pastes, naming, openWidget, project, now = Date.now }: Dependencies): ViewerAccess {
  const newest = followNewest(pastes);
  let underWay = 0;

  async function read(id: string): Promise<PasteWithText> {
    const paste = await pastes.read(checkedId(id));
    if (!paste) throw unknownPaste();
    return paste;
  }

  return {
    project,
    async openWidget(title) {
      checkInput({ title });
      return openWidget(title);
    },
    async newest() {
      const paste = pastes.newest();
      return paste && pastes.read(paste.id);
    },
    get: async (id) => (isId(id) ? pastes.read(id) : undefined),
    list: async (limit) => pastes.list({ limit: Math.min(limit, maxListed) }),
    async search(query, limit) {
      checkInput({ q: query });
      return pastes.search(query, Math.min(limit, maxListed));
    },
    rename: async (id, name, by) => pastes.rename(checkedId(id), name, by),
    async next(signal, { after, onWaiting } = {}) {
      const before = after ?? newest.id() ?? "";
      // Not without `after`: a screenshot is in the list a moment before its event makes it the newest.
      const missed = after !== undefined && pastes.list({ limit: maxListed }).pastes.findLast(({ id }) => id > before);
      if (missed) return missed;
      const next = firstChange(pastes, signal, (event) =>
        event.type === "paste" && event.paste.id > before ? event.paste : undefined,
      );
      onWaiting?.();
      return next;
    },
    async named(id, signal) {
      const done = new AbortController();
      const change = firstChange(pastes, AbortSignal.any([signal, done.signal]), (event) =>
        event.type === "removed"
          ? event.id === id || undefined
          : (event.paste.id === id && event.paste.status === "named") || undefined,
      ).catch(() => undefined);
      try {
        const paste = await read(id);
        if (paste.status === "named") return paste;
        await change;
        return await read(id);
      } finally {
        done.abort();
      }
    },
    async readFile(id, file) {
      const { handle, bytes } = await openPasteFile(pastes, checkedId(id), file);
      await using opened = handle;
      if (bytes > maxReadBytes) throw tooLarge(maxReadBytes);
      return await opened.readFile();
    },
    async paste(image, title) {
      checkInput({ title });
      if (image.length === 0) throw fieldFault("is missing");
      if (image.length > maxUploadBytes) throw tooLarge(maxUploadBytes);
      if (underWay >= maxUploadsUnderWay) throw tooManyRequests(COME_BACK_MS);
      underWay += 1;
      const path = join(pastes.incomingFolder, `${randomUUID()}.upload`);
      try {
        await writeFile(path, image, { flag: "wx", mode: 0o600 });
        const upload = { path, bytes: image.length, title: title || null, instance: null, receivedAtMs: now() };
        const paste = await pastes.add(upload);
        naming.add(paste);
        return paste;
      } catch (error) {
        await rm(path, { force: true });
        throw diskProblem(error);
      } finally {
        underWay -= 1;
      }
    },
  };
}

const Inputs = Type.Object({
  q: Type.Optional(Type.String({ minLength: 1, maxLength: VIEWER_LIMITS.maxQueryCharacters })),
  title: Type.Optional(Title),
});

const faultsOf = bodyChecker(Inputs);

/** Applies the same limits as the HTTP routes, with the same messages. */
function checkInput(input: { q?: string; title?: string | undefined }): void {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const errors = faultsOf(given);
  const [first] = errors;
  if (first) throw new Problem("invalid-parameter", { detail: `${first.pointer} ${first.message}.`, errors });
}

/** Waits for the first change in which `look` finds something. Rejects when the signal aborts. */
function firstChange<Found>(
  pastes: Pick<Pastes, "onChange">,
  signal: AbortSignal,
  look: (event: ViewerEvent) => Found | undefined,
): Promise<Found> {
  const { promise, resolve, reject } = Promise.withResolvers<Found>();
  const onAbort = () => reject(signal.reason);
  const stop = pastes.onChange((event) => {
    const found = look(event);
    if (found !== undefined) resolve(found);
  });
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return promise.finally(() => {
    stop();
    signal.removeEventListener("abort", onAbort);
  });
}
