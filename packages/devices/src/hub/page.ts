import type { DevicesHubMessage, DevicesPageMessage } from "@backplane/contract/devices";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Allowance } from "@backplane/kit/allowance";
import type { Access } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Connection } from "@backplane/kit/websocket";
import type { Replays } from "../recordings/replays.ts";
import type { Actor } from "../services.ts";
import { type OpenHub, openFeed } from "./hub.ts";
import { createOutbox } from "./outbox.ts";
import { createReplaying } from "./replaying.ts";
import { createSerialPorts } from "./serial-ports.ts";

const { maxSubscriptions, thinAboveBytes } = DEVICES_LIMITS;

/** What a ticket lets its holder do. */
export type Grant = {
  workspaceId: string;
  access: Access;
  mayControl: boolean;
  user: string;
  /** The program that uses the socket; null: a person's page. */
  program: string | null;
};

/** One connected page. */
export type Page = {
  readonly tab: string;
  stage: "silent" | "entering" | "here" | "gone";
  grant: Grant | undefined;
  stopFollowing: () => void;
  /** When the next ticket is due. */
  leaseEndsAtMs: number;
  session: PageSession | undefined;
  readonly allowance: Allowance;
};

export type PageConnection = Connection<Page>;

export const say = (connection: PageConnection, message: DevicesHubMessage): boolean =>
  connection.send(JSON.stringify(message));

/** What a page that was welcomed can do. */
export type PageSession = {
  readonly hub: OpenHub;
  follow(message: Exclude<DevicesPageMessage, { type: "hello" | "renew" }>): void;
  close(): Promise<void>;
};

/** The same word for a page and for a program, of which each has a key of its own. */
const actorOf = ({ user, program, mayControl }: Grant, tab: string): Actor => ({
  ...{ user, key: tab, isProgram: program !== null },
  ...(mayControl ? {} : { mayOnlyStop: true }),
  ...(program === null ? { tab } : { program }),
});

export async function openSession(
  connection: PageConnection,
  grant: Grant,
  { hub, replays, now, onFault }: { hub: OpenHub; replays: Replays; now: Clock; onFault: (error: unknown) => void },
): Promise<PageSession> {
  const { tab } = connection.data;
  const actor = actorOf(grant, tab);
  const tell = (message: DevicesHubMessage) => void say(connection, message);
  const outbox = createOutbox(
    {
      get unsentBytes() {
        return connection.unsentBytes;
      },
      send: tell,
    },
    now,
  );
  const lines = createLineTeller(connection);

  /** What the page sees of a hub, live or replayed. */
  const look = async (at: OpenHub): Promise<(() => void)[]> => [
    at.onSample(outbox.wake),
    await at.onDevices((changed, removed) => {
      tell({ type: "devices", changed, removed });
      outbox.wake();
    }),
    await at.onLines(lines.tell),
  ];
  const stops = [
    hub.control.onStopped((stopped) => tell({ type: "stopped", stopped })),
    hub.recorder.onChange((news) =>
      tell("removed" in news ? { type: "recording-removed", id: news.removed } : { type: "recording", ...news }),
    ),
  ];
  let shown: OpenHub = hub;
  let looking = await look(hub);

  /** All subscriptions begin again, where the hub is now. New ones come first, so that what both need stays loaded. */
  function refeed(): void {
    const before = [...outbox.feeds];
    for (const [id, { want }] of before) {
      const { sinceMs: _, ...again } = want;
      outbox.feeds.set(id, openFeed(shown, again));
    }
    for (const [, feed] of before) feed.close();
    outbox.reset();
    lines.reset(shown);
  }

  const replaying = createReplaying({
    open: (recording, atMs) => replays.open(grant.workspaceId, recording, hub, { userId: grant.access.userId, atMs }),
    leave: () => hub.control.leave(actor),
    refeed,
    tell,
    async show(replay) {
      for (const stop of looking) stop();
      shown = replay ?? hub;
      looking = await look(shown);
      return [...shown.view.devices()];
    },
  });

  const { devices, stopped } = await hub.list();
  tell({
    ...{ type: "welcome", tab, devices, stopped, mayControl: grant.mayControl, nowMs: now() },
    recording: hub.recorder.current(),
  });

  const ports = createSerialPorts({
    ...{ tell, mayControl: grant.mayControl && grant.program === null },
    attach: () => (shown === hub ? (hub.sources.attach ?? "elsewhere") : "replaying"),
    unsentBytes: () => connection.unsentBytes,
  });
  const act = createActions({ connection, control: () => shown.control, actor, mayControl: grant.mayControl, onFault });
  return {
    hub,
    follow(message) {
      if (message.type === "subscribe") subscribe(message);
      else if (message.type === "unsubscribe") {
        outbox.feeds.get(message.id)?.close();
        outbox.feeds.delete(message.id);
      } else if (message.type === "visible") outbox.setHidden(!message.visible);
      else if (message.type === "lines") lines.set(message.on, shown);
      else if (message.type === "serial-open") ports.open(message.id, message.kind);
      else if (message.type === "serial") ports.take(message.port, message.data);
      else if (message.type === "serial-close") ports.end(message.port, "The page let go of it.");
      else if (message.type === "replay" || message.type === "live") void replaying.follow(message).catch(onFault);
      else act(message);
    },
    async close() {
      for (const stop of [...stops, ...looking]) stop();
      outbox.close();
      ports.close();
      await hub.control.leave(actor);
      await replaying.close();
    },
  };

  function subscribe({ type: _, id, ...want }: Extract<DevicesPageMessage, { type: "subscribe" }>): void {
    outbox.feeds.get(id)?.close();
    outbox.feeds.delete(id);
    if (outbox.feeds.size >= maxSubscriptions) {
      const detail = `A page has at most ${maxSubscriptions} subscriptions. End one first.`;
      tell({ type: "refused", id, code: "too-many-of-these", detail });
      return;
    }
    outbox.feeds.set(id, openFeed(shown, want));
    outbox.wake();
  }
}

type LineTeller = {
  tell(lines: Parameters<Parameters<OpenHub["onLines"]>[0]>[0]): void;
  set(on: boolean, hub: OpenHub): void;
  /** The page shows another time. */
  reset(hub: OpenHub): void;
};

/** Lines are left out, and counted, while the page is slow. */
function createLineTeller(connection: PageConnection): LineTeller {
  let isOn = false;
  let dropped = 0;
  return {
    tell(lines) {
      if (!isOn) return;
      if (connection.unsentBytes > thinAboveBytes) {
        dropped += lines.length;
        return;
      }
      say(connection, { type: "lines", lines, dropped });
      dropped = 0;
    },
    set(on, hub) {
      if (on && !isOn) say(connection, { type: "lines", lines: hub.lines(), dropped: 0, reset: true });
      isOn = on;
    },
    reset(hub) {
      dropped = 0;
      if (isOn) say(connection, { type: "lines", lines: hub.lines(), dropped, reset: true });
    },
  };
}

type Action = Exclude<
  DevicesPageMessage,
  | { type: "hello" | "renew" | "subscribe" | "unsubscribe" | "visible" | "lines" | "replay" | "live" }
  | { type: "serial-open" | "serial" | "serial-close" }
>;

/** Whoever sees the devices may stop them, also by a command that stops; and nobody needs a right to let go. */
const FREE: ReadonlySet<Action["type"]> = new Set(["stop", "leave", "release", "disarm", "command"]);

/** What a page asks to be done. Answers are sent at once, ahead of values that wait. */
function createActions({
  connection,
  control: controlNow,
  actor,
  mayControl,
  onFault,
}: {
  connection: PageConnection;
  /** While the page replays, it only stops and lets go. */
  control: () => OpenHub["control"];
  actor: Actor;
  mayControl: boolean;
  onFault: (error: unknown) => void;
}): (message: Action) => void {
  type Answer = Omit<Extract<DevicesHubMessage, { type: "ack" }>, "type" | "id" | "stage">;
  const reached = async (id: number, answer: Promise<Answer> | Answer) =>
    void say(connection, { type: "ack", id, stage: "reached", ...(await answer) });

  async function run(message: Action): Promise<void> {
    const control = controlNow();
    switch (message.type) {
      case "take": {
        const {
          holder: _holder,
          lease: _lease,
          ...ack
        } = await control.take(message.device, actor, {
          takeOver: message.takeOver === true,
        });
        return reached(message.id, { ack });
      }
      case "renew-lease":
        return void (await control.renew(message.device, actor));
      case "leave":
        return control.leave(actor, message.device);
      case "arm":
        return reached(message.id, { ack: await control.arm(message.device, actor) });
      case "disarm":
        return reached(message.id, { ack: await control.disarm(message.device, actor) });
      case "press":
        return control.press(message.device, actor);
      case "release":
        return control.release(message.device, actor);
      case "command": {
        const { id, device, capability, name, params } = message;
        const startedMs = performance.now();
        const onAccepted = () => {
          const ack = { ok: true, tookMs: performance.now() - startedMs };
          say(connection, { type: "ack", id, stage: "accepted", ack });
        };
        return reached(id, { ack: await control.command({ device, capability }, { name, params }, actor, onAccepted) });
      }
      case "stop": {
        const { devices } = await control.stop(actor);
        const all = Object.values(devices);
        const ack = { ok: all.every(({ ok }) => ok), tookMs: Math.max(0, ...all.map(({ tookMs }) => tookMs)) };
        return reached(message.id, { ack, devices });
      }
      case "clear":
        return reached(message.id, { ack: await control.clear(actor) });
    }
  }

  return (message) => {
    const id = "id" in message ? { id: message.id } : {};
    if (!mayControl && !FREE.has(message.type)) {
      const detail = "You may look at these devices and stop them, but not control them.";
      say(connection, { type: "refused", ...id, code: "scope-missing", detail });
      return;
    }
    run(message).catch((error) => {
      onFault(error);
      say(connection, { type: "refused", ...id, code: "internal-error", detail: "This failed. Try again." });
    });
  };
}
