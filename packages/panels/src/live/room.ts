import type { Layout, ServerMessage } from "@backplane/contract/panels";
import type { Bus, JsonValue, Unsubscribe } from "@backplane/kit/bus";
import type { PresentBrowser, Workspaces } from "../services.ts";
import { type BrowserConnection, presenceOf, type Room, type RoomMessage, say } from "./browser.ts";
import type { Presence } from "./presence.ts";

export type RoomDependencies = {
  /** Of this instance. */
  instance: string;
  bus: Pick<Bus, "subscribe" | "publish">;
  presence: Presence;
  workspaces: Pick<Workspaces, "watch" | "read">;
  onFault: (error: unknown) => void;
};

const CLOSE_POLICY = 1008;
const CLOSE_TRY_AGAIN = 1013;
const toPresence = ({ data }: BrowserConnection) => presenceOf(data);
const idOf = ({ browserId }: PresentBrowser) => browserId;

export const roomChannel = (workspaceId: string): string => `panels:workspace:${workspaceId}`;

function openRoom(workspaceId: string, dependencies: RoomDependencies): Room {
  const { instance, bus, presence, workspaces, onFault } = dependencies;
  const browsers = new Map<string, BrowserConnection>();
  let present: readonly PresentBrowser[] | undefined;
  let layout: Layout | undefined;
  let asked = 0;
  let followed = 0;
  let isClosed = false;

  function sayToAll(message: ServerMessage): void {
    const text = JSON.stringify(message);
    for (const connection of browsers.values()) connection.send(text);
  }

  function takeLayout(next: Layout): void {
    if (isClosed || (layout && next.revision <= layout.revision)) return;
    layout = next;
    sayToAll({ type: "layout", layout });
  }

  function takePresent(next: readonly PresentBrowser[]): void {
    present = next;
    const primary = next[0]?.browserId;
    for (const connection of browsers.values()) {
      const { data: browser } = connection;
      const isPrimary = browser.browserId === primary;
      if (isPrimary !== browser.isPrimary) say(connection, { type: "primary", isPrimary });
      browser.isPrimary = isPrimary;
    }
  }

  /** Of two readings that overtake each other the later one counts. */
  async function follow(reading: Promise<PresentBrowser[]>): Promise<readonly PresentBrowser[]> {
    asked += 1;
    const turn = asked;
    const read = await reading;
    if (turn > followed && !isClosed) {
      followed = turn;
      takePresent(read);
    }
    return read;
  }

  /** The workspace was removed. */
  function end(): void {
    sayToAll({ type: "error", code: "not-found", detail: "This workspace was removed." });
    for (const connection of browsers.values()) connection.close(CLOSE_POLICY, "removed");
  }

  const publish = (message: RoomMessage) =>
    bus.publish(roomChannel(workspaceId), message as unknown as JsonValue).catch(onFault);

  function hear(heard: JsonValue): void {
    const message = heard as unknown as RoomMessage;
    if (message.kind === "tell") sayToAll(message.message);
    else if (message.kind === "withdraw") browsers.get(message.browserId)?.data.orders.withdraw(message.id);
    else if (message.from !== instance) lookAround().catch(onFault);
  }

  /** Another instance may have dropped a browser of this one, while it did not reach it. */
  async function lookAround(): Promise<void> {
    const there = new Set((await follow(presence.list(workspaceId))).map(idOf));
    if ([...browsers.keys()].some((browserId) => !there.has(browserId))) await beat();
  }

  async function beat(): Promise<void> {
    const own = [...browsers.values()];
    if (own.length === 0) return;
    const there = new Set((await follow(presence.beat(workspaceId, own.map(toPresence)))).map(idOf));
    for (const connection of own) {
      // After an outage others may have taken the places.
      if (!there.has(connection.data.browserId)) connection.close(CLOSE_TRY_AGAIN, "no place left: connect again");
    }
  }

  async function readLayout(): Promise<Layout | undefined> {
    const read = await workspaces.read(workspaceId);
    if (read) takeLayout(read);
    return layout ?? read;
  }

  async function start(): Promise<[Unsubscribe, () => Promise<void>]> {
    const ends = [
      bus.subscribe(roomChannel(workspaceId), hear),
      workspaces.watch(workspaceId, takeLayout, end),
    ] as const;
    return Promise.all(ends);
  }
  const started = start();
  const ready = started.then(() => {});
  // Whoever enters hears of it; nobody may have to.
  ready.catch(() => {});

  return {
    workspaceId,
    browsers,
    pendingOrders: 0,
    present: () => present,
    layout: () => layout,
    ready,
    readLayout,
    async admit(newcomer) {
      const list = await follow(presence.beat(workspaceId, [presenceOf(newcomer.data)]));
      void publish({ kind: "presence", from: instance });
      return list.some(({ browserId }) => browserId === newcomer.data.browserId);
    },
    beat,
    async comeBack() {
      await beat();
      await publish({ kind: "presence", from: instance });
      await readLayout();
    },
    async forget(browserId) {
      followed = asked;
      if (present) takePresent(present.filter((browser) => browser.browserId !== browserId));
      await presence.leave(workspaceId, browserId);
      await publish({ kind: "presence", from: instance });
      if (!isClosed) await follow(presence.list(workspaceId));
    },
    publish,
    async close() {
      isClosed = true;
      const [unsubscribe, unwatch] = await started;
      await Promise.all([unsubscribe(), unwatch()]);
    },
  };
}

/** The workspaces that browsers of this instance have open, each for as long as one of them does. */
export type Rooms = {
  find(workspaceId: string): Room | undefined;
  all(): Iterable<Room>;
  /** Opens it, or keeps it open; each `take` is given back once. */
  take(workspaceId: string): Room;
  giveBack(room: Room): Promise<void>;
};

export function createRooms(dependencies: RoomDependencies): Rooms {
  const rooms = new Map<string, Room>();
  const users = new Map<Room, number>();

  return {
    find: (workspaceId) => rooms.get(workspaceId),
    all: () => rooms.values(),
    take(workspaceId) {
      const room = rooms.get(workspaceId) ?? openRoom(workspaceId, dependencies);
      rooms.set(workspaceId, room);
      users.set(room, (users.get(room) ?? 0) + 1);
      return room;
    },
    async giveBack(room) {
      const left = (users.get(room) ?? 0) - 1;
      if (left > 0) {
        users.set(room, left);
        return;
      }
      users.delete(room);
      // A room that could not be opened must not be found by whoever comes next.
      rooms.delete(room.workspaceId);
      await room.close();
    },
  };
}
