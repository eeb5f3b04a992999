import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "@backplane/kit/problems";
import { type Held, holdDevices, type Parts } from "../held.ts";
import { createHub, type OpenHub } from "../hub/hub.ts";
import type { Dependencies } from "../services.ts";
import type { OpenStreams } from "../streams/open.ts";
import { createHolding } from "./holding.ts";
import { openReplica } from "./replica.ts";
import { serveOthers } from "./serve-others.ts";

/** An instance that ended without a word still has its claims for some seconds. */
const TRIES = 40;
const TRY_EVERY_MS = 250;

type Opened = { hub: OpenHub; held: Held | undefined; close(): Promise<void> };

/** The devices of all workspaces, held here or by another instance. */
export type DeviceWorkspaces = {
  /** Undefined: there is no such workspace. */
  open(workspaceId: string): Promise<OpenHub | undefined>;
  /** Opens it, unless another instance holds it. False: it is held elsewhere, or does not exist. */
  hold(workspaceId: string): Promise<boolean>;
  /** Those that are held here. */
  held(): readonly Held[];
  /** Ends it if nobody uses it and it has no devices. */
  idle(workspaceId: string): void;
  /** Its devices are not reachable as before: whoever uses it opens it again. */
  end(workspaceId: string): Promise<void>;
  close(): Promise<void>;
};

export function openDeviceWorkspaces(
  dependencies: Pick<Dependencies, "bus" | "now" | "note" | "onFault" | "workspaceNamed">,
  parts: () => Parts,
  onEnded: (workspaceId: string) => void,
  streams: Pick<OpenStreams, "serve" | "isUsed">,
): DeviceWorkspaces {
  const { bus, now, onFault, workspaceNamed } = dependencies;
  const opened = new Map<string, Promise<Opened | undefined>>();
  const closing = new Map<string, Promise<void>>();
  const heldNow = new Map<string, Held>();
  const holding = createHolding(bus, randomUUID(), onFault);
  let isClosed = false;

  holding.onLost((workspaceId) => {
    dependencies.note(
      workspaceId,
      "warn",
      "devices",
      "The devices are taken over by another instance: what moves is stopped.",
    );
    void end(workspaceId).catch(onFault);
  });

  /** Of what fails on the way nothing stays open, and another instance may try. */
  async function openHeld(workspaceId: string): Promise<Opened | undefined> {
    await using opening = new AsyncDisposableStack();
    let stopServing: (() => Promise<void>) | undefined;
    opening.defer(() => holding.release(workspaceId));
    opening.defer(() => stopServing?.());
    const workspace = await workspaceNamed(workspaceId);
    if (!workspace) return undefined;
    const held = await holdDevices(workspace, parts(), dependencies);
    opening.defer(held.close);
    // Before others hear that it is held here: they ask for its streams then.
    opening.defer(await streams.serve(workspaceId));
    if (bus.engine === "redis") stopServing = await serveOthers(workspaceId, { bus, hub: held.hub, onFault });
    heldNow.set(workspaceId, held);
    opening.defer(() => void heldNow.delete(workspaceId));
    const ends = opening.move();
    return { hub: held.hub, held, close: () => ends.disposeAsync() };
  }

  async function openForwarded(workspaceId: string): Promise<Opened | undefined> {
    const ended = () => void end(workspaceId).catch(onFault);
    const replica = await openReplica(workspaceId, { bus, onFault, onEnded: ended });
    if (!replica) return undefined;
    const { view, control, recorder, sources } = replica;
    const hub = createHub({ view, control, recorder, sources, now, onFault });
    return {
      hub,
      held: undefined,
      async close() {
        hub.close();
        await replica.close();
      },
    };
  }

  async function openNow(workspaceId: string): Promise<Opened | undefined> {
    for (let tries = 0; tries < TRIES && !isClosed; tries += 1) {
      if (await holding.take(workspaceId)) return openHeld(workspaceId);
      const forwarded = await openForwarded(workspaceId);
      if (forwarded) return forwarded;
      await sleep(TRY_EVERY_MS);
    }
    throw new Problem("not-ready", {
      detail: "The devices of this workspace are being taken over. Try again shortly.",
    });
  }

  function openOnce(workspaceId: string): Promise<Opened | undefined> {
    const known = opened.get(workspaceId);
    if (known) return known;
    // Two at a time would both answer for the same devices.
    const before = closing.get(workspaceId);
    const opening = before ? before.catch(() => {}).then(() => openNow(workspaceId)) : openNow(workspaceId);
    opened.set(workspaceId, opening);
    const forget = () => {
      if (opened.get(workspaceId) === opening) opened.delete(workspaceId);
    };
    opening.then((one) => one ?? forget(), forget);
    return opening;
  }

  function end(workspaceId: string): Promise<void> {
    const known = opened.get(workspaceId);
    if (!known) return closing.get(workspaceId) ?? Promise.resolve();
    opened.delete(workspaceId);
    const ending = closeOnce(workspaceId, known).finally(() => {
      if (closing.get(workspaceId) === ending) closing.delete(workspaceId);
    });
    closing.set(workspaceId, ending);
    return ending;
  }

  async function closeOnce(workspaceId: string, known: Promise<Opened | undefined>): Promise<void> {
    const one = await known.catch(() => undefined);
    try {
      await one?.close();
    } finally {
      onEnded(workspaceId);
    }
  }

  return {
    open: async (workspaceId) => (await openOnce(workspaceId))?.hub,
    hold: async (workspaceId) => (await openOnce(workspaceId))?.held !== undefined,
    held: () => [...heldNow.values()],
    idle(workspaceId) {
      const held = heldNow.get(workspaceId);
      if (!held || held.hasSources() || held.model.devices().length > 0 || held.hub.isUsed()) return;
      if (streams.isUsed(workspaceId)) return;
      void end(workspaceId).catch(onFault);
    },
    end,
    async close() {
      isClosed = true;
      await Promise.allSettled([...closing.values(), ...Array.from(opened.keys(), end)]);
      await holding.close();
    },
  };
}
