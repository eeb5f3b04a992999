import { PANELS_LIMITS, type ScreenshotScope } from "@backplane/contract/panels";
import type { Caller } from "@backplane/kit/callers";
import { Problem } from "@backplane/kit/problems";
import { surfaceFor, surfacesOf } from "../live/sharing.ts";
import { browserProblem } from "../problems.ts";
import type { Answered, Services, Workspace } from "../services.ts";
import type { Target } from "./choose-target.ts";
import type { Finished } from "./finish-image.ts";
import type { Leaving, Prompts, SharingEvents } from "./sharing-prompts.ts";
import type { ShotFolder } from "./shot-folder.ts";
import type { Uploads } from "./uploads.ts";

/** Events of other instances can be missed while the bus is down: look again. */
const RELOOK_MS = 1_000;

export type Asked = {
  workspace: Workspace;
  caller: Caller;
  target: Target;
  folder: ShotFolder;
  reason: string | null;
  waitMs: number;
  /** The client is gone. */
  signal: AbortSignal;
  /** Finishes the image when its turn comes; until then most stay on disk. Undefined: there is no upload. */
  finish(read: () => Promise<Buffer | undefined>): Promise<Finished | undefined>;
};

export type TakeShot = (asked: Asked) => Promise<Finished>;

type Parts = Pick<Services, "live"> & { uploads: Uploads; prompts: Prompts; events: SharingEvents };

/** Gets the finished image from a browser. When no browser shares its screen, the user is asked, and the call waits. */
export function createTakeShot({ live, uploads, prompts, events }: Parts): TakeShot {
  const { claims, arrivals } = uploads;
  async function order({ workspace, target, folder, signal, finish }: Asked): Promise<Finished | Answered> {
    const { scope, method, tabId } = target;
    const shotId = await claims.expect(workspace.id);
    const upload = arrivals.expect(shotId);
    try {
      const asked = live.ask(
        workspace.id,
        { kind: "shot", shotId, scope, method, tabId },
        {
          ...{ timeoutMs: PANELS_LIMITS.shotTimeoutMs, signal },
          ...(method === "html2canvas" ? {} : { sharing: surfaceFor(scope) }),
        },
      );
      // Once the image is here, it does not matter what the browser answers.
      const answered = (await Promise.race([asked, upload.come])) ?? ARRIVED;
      if (!answered.ok) return answered;
      const finished = await finish(async () => upload.png() ?? (await folder.takeUpload(shotId)));
      if (finished) return finished;
      throw new Problem("shot-failed", { detail: "The browser reported success, but no image arrived." });
    } finally {
      upload.end();
      await claims.forget(shotId);
      await folder.dropUpload(shotId);
    }
  }

  return async (asked) => {
    const first = await order(asked);
    if (isFinished(first)) return first;
    if (asked.target.method === "html2canvas" || !lacksSharing(first)) throw refusal(first);
    if ((await live.browsers(asked.workspace.id)).length === 0) throw new Problem("no-browser-session");
    return afterSharing(asked, order);
  };

  async function afterSharing(asked: Asked, order: (asked: Asked) => Promise<Finished | Answered>): Promise<Finished> {
    const { workspace, caller, target, reason, waitMs, signal } = asked;
    const { scope, tabId } = target;
    const changes = createAlarm();
    const declined = new Set<string>();
    const stopListening = await events.watch((event) => {
      if (event.workspaceId !== workspace.id) return;
      if ("declined" in event) declined.add(event.declined);
      changes.ring();
    });
    const asking = prompts.ask({
      workspaceId: workspace.id,
      credentialId: caller.credentialId,
      ...{ by: caller.credentialName, reason, scope, tabId, waitMs },
    });
    signal.addEventListener("abort", changes.ring, { once: true });
    const untilMs = performance.now() + waitMs;
    let how: Leaving = "answered";
    try {
      while (!signal.aborted) {
        const leftMs = untilMs - performance.now();
        if (leftMs <= 0) {
          how = "timeout";
          throw sharingRequired(scope);
        }
        await changes.within(Math.min(leftMs, RELOOK_MS));
        if (asking.id !== undefined && declined.has(asking.id)) throw new Problem("sharing-declined");
        const browsers = await live.browsers(workspace.id);
        if (browsers.length === 0) throw new Problem("no-browser-session");
        if (!browsers.some(({ sharing }) => surfacesOf(sharing).includes(surfaceFor(scope)))) continue;
        const again = await order(asked);
        if (isFinished(again)) return again;
        if (!lacksSharing(again)) throw refusal(again);
      }
      how = "gone";
      throw new Problem("request-timeout", { detail: "The client disconnected." });
    } finally {
      signal.removeEventListener("abort", changes.ring);
      stopListening();
      asking.leave(how);
    }
  }
}

const ARRIVED: Answered = { ok: true, value: null };

const isFinished = (outcome: Finished | Answered): outcome is Finished => "fitted" in outcome;

const lacksSharing = (answered: Answered): boolean =>
  !answered.ok &&
  (answered.reason === "no-browser" ||
    (answered.reason === "refused" && (answered.code === "not-sharing" || answered.code === "wrong-surface")));

/** A ring while nobody waits is kept for the next wait. */
function createAlarm() {
  let rang = false;
  let wake = () => {};
  return {
    ring(): void {
      rang = true;
      wake();
    },
    async within(ms: number): Promise<void> {
      if (!rang) {
        await new Promise<void>((done) => {
          const timer = setTimeout(done, ms);
          wake = () => {
            clearTimeout(timer);
            done();
          };
        });
      }
      rang = false;
    },
  };
}

const RETRY_AFTER_S = 5;

function refusal(answered: Answered): Problem {
  if (answered.ok) return new Problem("shot-failed");
  // Whatever the browser did: only this call saves its picture, and will not.
  if (answered.reason === "unknown") return browserProblem({ ok: false, reason: "unreached" });
  return browserProblem(answered, RETRY_AFTER_S);
}

const WHAT = {
  panel: "this tab",
  workspace: "this tab",
  screen: "the entire screen",
} as const satisfies Record<ScreenshotScope, string>;

const sharingRequired = (scope: ScreenshotScope): Problem =>
  new Problem("sharing-required", {
    detail: `Ask the user to open the workspace in Chrome or Edge, press Share at the monitor icon of its bar and choose ${WHAT[scope]}. Then repeat this call.`,
    headers: { "retry-after": String(RETRY_AFTER_S) },
  });
