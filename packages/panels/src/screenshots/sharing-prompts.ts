import { randomUUID } from "node:crypto";
import { PANELS_LIMITS, type SharingRequest } from "@backplane/contract/panels";
import type { JsonValue } from "@backplane/kit/bus";
import { createListeners } from "@backplane/kit/concurrency";
import { surfaceFor, surfacesOf } from "../live/sharing.ts";
import type { Dependencies, Live, SharingEvent } from "../services.ts";

export type SharingEvents = {
  /** Calls back whenever a browser on any instance shares, stops sharing or declines. In effect when it resolves. */
  watch(listener: (event: SharingEvent) => void): Promise<() => void>;
  close(): void;
};

/** Every message is a click of a person, so one channel for all workspaces is quiet enough. */
const CHANNEL = "panels:sharing";

/** Passes sharing events on to all instances: the waiting call may be on another one than the browser. */
export function openSharingEvents({
  bus,
  live,
  onFault,
}: Pick<Dependencies, "bus" | "onFault"> & { live: Pick<Live, "onSharing"> }): SharingEvents {
  const listeners = createListeners<SharingEvent>(onFault);
  const subscribed = bus.subscribe(CHANNEL, (message) => listeners.emit(message as unknown as SharingEvent));
  subscribed.catch(onFault);
  const stop = live.onSharing((event) => {
    bus.publish(CHANNEL, event as unknown as JsonValue).catch(onFault);
  });
  return {
    async watch(listener) {
      const remove = listeners.add(listener);
      await subscribed;
      return remove;
    },
    close() {
      stop();
      subscribed.then((end) => end()).catch(() => {});
    },
  };
}

/** An unanswered prompt stays after its call has timed out: the user may share before the call is repeated. */
const LINGER_MS = PANELS_LIMITS.sharingLingersMs;
/** Per workspace and instance; calls beyond that wait without a prompt. */
const MAX_PROMPTS = 20;

/** What the user is asked: one prompt, however often a program repeats its call. */
export type Question = {
  workspaceId: string;
  /** Calls with the same credential ask the same question. */
  credentialId: string;
} & Pick<SharingRequest, "by" | "reason" | "scope" | "tabId" | "waitMs">;

/** "answered": by a person, or there is nobody to answer; "timeout": the prompt stays for a while; "gone": nobody asks any more. */
export type Leaving = "answered" | "timeout" | "gone";

/** One call that waits for a prompt. */
export type Asking = {
  /** Undefined: there are too many prompts to show this one. */
  id: string | undefined;
  leave(how: Leaving): void;
};

type Prompt = { request: SharingRequest; workspaceId: string; waiting: number; timer: NodeJS.Timeout | undefined };

/** Prompts to share that are shown in the browsers of workspaces. Showing one never fails a call. */
export function createPrompts({
  live,
  now,
  onFault,
}: Pick<Dependencies, "now" | "onFault"> & { live: Pick<Live, "sharingRequests"> }) {
  const prompts = new Map<string, Prompt>();

  const show = ({ workspaceId, request }: Prompt) => {
    live.sharingRequests.add(workspaceId, request, LINGER_MS).catch(onFault);
  };

  function end(key: string, why?: "stopped-waiting"): void {
    const prompt = prompts.get(key);
    if (!prompt) return;
    prompts.delete(key);
    clearTimeout(prompt.timer);
    const { workspaceId, request } = prompt;
    live.sharingRequests.remove(workspaceId, request.id, why).catch(onFault);
  }

  return {
    ask({ workspaceId, credentialId, waitMs, ...words }: Question): Asking {
      const key = JSON.stringify([workspaceId, credentialId, words.scope, words.tabId]);
      const untilMs = now() + waitMs;
      let prompt = prompts.get(key);
      if (prompt) {
        clearTimeout(prompt.timer);
        const isLonger = untilMs > prompt.request.untilMs;
        prompt.request = { ...prompt.request, ...words, ...(isLonger ? { untilMs, waitMs } : {}) };
      } else {
        const shown = [...prompts.values()].filter((each) => each.workspaceId === workspaceId).length;
        if (shown >= MAX_PROMPTS) return { id: undefined, leave: () => {} };
        prompt = {
          workspaceId,
          request: { id: randomUUID(), ...words, untilMs, waitMs },
          waiting: 0,
          timer: undefined,
        };
        prompts.set(key, prompt);
      }
      prompt.waiting += 1;
      show(prompt);
      const { id } = prompt.request;
      let isIn = true;
      return {
        id,
        leave(how) {
          const mine = prompts.get(key);
          if (!isIn || mine?.request.id !== id) return;
          isIn = false;
          mine.waiting -= 1;
          if (mine.waiting > 0) return;
          if (how === "answered") return end(key);
          if (how === "gone") return end(key, "stopped-waiting");
          mine.timer = setTimeout(end, LINGER_MS, key, "stopped-waiting").unref();
        },
      };
    },
    /** Ends prompts that were answered. Prompts that calls still wait for end with those calls. */
    heard(event: SharingEvent): void {
      for (const [key, { workspaceId, request, waiting }] of [...prompts]) {
        if (workspaceId !== event.workspaceId) continue;
        const isOver =
          "declined" in event
            ? request.id === event.declined
            : waiting === 0 && surfacesOf(event.sharing).includes(surfaceFor(request.scope));
        if (isOver) end(key);
      }
    },
    close(): void {
      for (const key of [...prompts.keys()]) end(key);
    },
  };
}

export type Prompts = ReturnType<typeof createPrompts>;
