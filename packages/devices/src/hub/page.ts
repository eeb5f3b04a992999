import type { DevicesHubMessage, DevicesPageMessage } from "@backplane/contract/devices";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Allowance } from "@backplane/kit/allowance";
import type { Access } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Connection } from "@backplane/kit/websocket";
import type { Actor } from "../services.ts";
import { type OpenHub, openFeed } from "./hub.ts";
import { createOutbox } from "./outbox.ts";

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
  { hub, now, onFault }: { hub: OpenHub; now: Clock; onFault: (error: unknown) => void },
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
  const stops = [
    hub.onSample(outbox.wake),
    hub.control.onStopped((stopped) => tell({ type: "stopped", stopped })),
    await hub.onDevices((changed, removed) => {
      tell({ type: "devices", changed, removed });
      outbox.wake();
    }),
    await hub.onLines(lines.tell),
  ];
  const { devices, stopped } = await hub.list();
  tell({ type: "welcome", tab, devices, stopped, mayControl: grant.mayControl, recording: null, nowMs: now() });

  const act = createActions({ connection, hub, actor, mayControl: grant.mayControl, onFault });
  return {
    hub,
    follow(message) {
      if (message.type === "subscribe") subscribe(message);
      else if (message.type === "unsubscribe") {
        outbox.feeds.get(message.id)?.close();
        outbox.feeds.delete(message.id);
      } else if (message.type === "visible") outbox.setHidden(!message.visible);
      else if (message.type === "lines") lines.set(message.on, hub);
      else act(message);
    },
    async close() {
      for (const stop of stops) stop();
      outbox.close();
      await hub.control.leave(actor);
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
    outbox.feeds.set(id, openFeed(hub, want, now));
    outbox.wake();
  }
}

type LineTeller = {
  tell(lines: Parameters<Parameters<OpenHub["onLines"]>[0]>[0]): void;
  set(on: boolean, hub: OpenHub): void;
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
      if (on && !isOn) say(connection, { type: "lines", lines: [...hub.view.lines()], dropped: 0 });
      isOn = on;
    },
  };
}

type Action = Exclude<
  DevicesPageMessage,
  { type: "hello" | "renew" | "subscribe" | "unsubscribe" | "visible" | "lines" }
>;

/** Whoever sees the devices may stop them, also by a command that stops; and nobody needs a right to let go. */
const FREE: ReadonlySet<Action["type"]> = new Set(["stop", "leave", "release", "disarm", "command"]);

/** What a page asks to be done. Answers are sent at once, ahead of values that wait. */
function createActions({
  connection,
  hub: { control },
  actor,
  mayControl,
  onFault,
}: {
  connection: PageConnection;
  hub: OpenHub;
  actor: Actor;
  mayControl: boolean;
  onFault: (error: unknown) => void;
}): (message: Action) => void {
  type Answer = Omit<Extract<DevicesHubMessage, { type: "ack" }>, "type" | "id" | "stage">;
  const reached = async (id: number, answer: Promise<Answer> | Answer) =>
    void say(connection, { type: "ack", id, stage: "reached", ...(await answer) });

  async function run(message: Action): Promise<void> {
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
