import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "@backplane/kit/problems";
import { type Held, holdDevices, type Parts } from "../held.ts";
import { createHub, type OpenHub } from "../hub/hub.ts";
import type { Dependencies } from "../services.ts";
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
): DeviceWorkspaces {
  const { bus, now, onFault, workspaceNamed } = dependencies;
  const opened = new Map<string, Promise<Opened | undefined>>();
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

  async function openHeld(workspaceId: string): Promise<Opened | undefined> {
    const workspace = await workspaceNamed(workspaceId);
    if (!workspace) {
      await holding.release(workspaceId);
      return undefined;
    }
    const held = await holdDevices(workspace, parts(), dependencies);
    const stopServing =
      bus.engine === "redis" ? await serveOthers(workspaceId, { bus, hub: held.hub, onFault }) : async () => {};
    heldNow.set(workspaceId, held);
    return {
      hub: held.hub,
      held,
      async close() {
        heldNow.delete(workspaceId);
        await held.close();
        await stopServing();
        await holding.release(workspaceId);
      },
    };
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
    const opening = openNow(workspaceId);
    opened.set(workspaceId, opening);
    const forget = () => {
      if (opened.get(workspaceId) === opening) opened.delete(workspaceId);
    };
    opening.then((one) => one ?? forget(), forget);
    return opening;
  }

  async function end(workspaceId: string): Promise<void> {
    const known = opened.get(workspaceId);
    if (!known) return;
    opened.delete(workspaceId);
    const one = await known.catch(() => undefined);
    await one?.close();
    onEnded(workspaceId);
  }

  return {
    open: async (workspaceId) => (await openOnce(workspaceId))?.hub,
    hold: async (workspaceId) => (await openOnce(workspaceId))?.held !== undefined,
    held: () => [...heldNow.values()],
    idle(workspaceId) {
      const held = heldNow.get(workspaceId);
      if (!held || held.hasSources() || held.model.devices().length > 0 || held.hub.isUsed()) return;
      void end(workspaceId).catch(onFault);
    },
    end,
    async close() {
      isClosed = true;
      await Promise.allSettled(Array.from(opened.keys(), end));
      await holding.close();
    },
  };
}
