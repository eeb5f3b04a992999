import type { Layout, ServerMessage } from "@backplane/contract/panels";
import type { Bus, JsonValue } from "@backplane/kit/bus";
import type { PresentBrowser, Workspaces } from "../services.ts";
import {
  type BrowserConnection,
  CLOSE_POLICY,
  CLOSE_TRY_AGAIN,
  presenceOf,
  type Room,
  type RoomMessage,
  say,
} from "./browser.ts";
import type { Presence } from "./presence.ts";

export type RoomDependencies = {
  /** Of this instance. */
  instance: string;
  bus: Pick<Bus, "subscribe" | "publish">;
  presence: Presence;
  workspaces: Pick<Workspaces, "watch" | "read">;
  onFault: (error: unknown) => void;
};

const toPresence = ({ data }: BrowserConnection) => presenceOf(data);

export const roomChannel = (workspaceId: string): string => `panels:workspace:${workspaceId}`;

function openRoom(workspaceId: string, dependencies: RoomDependencies): Room {
  const { instance, bus, presence, workspaces, onFault } = dependencies;
  const browsers = new Map<string, BrowserConnection>();
  const present = createPresentList((list) => tellPrimary(browsers.values(), list));
  let layout: Layout | undefined;
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

  /** Another instance may have dropped a browser of this one while it could not be reached. */
  async function lookAround(): Promise<void> {
    const there = idsOf(await present.follow(presence.list(workspaceId)));
    if ([...browsers.keys()].some((browserId) => !there.has(browserId))) await beat();
  }

  async function beat(): Promise<void> {
    const own = [...browsers.values()];
    if (own.length === 0) return;
    const there = idsOf(await present.follow(presence.beat(workspaceId, own.map(toPresence))));
    for (const connection of own) {
      // After an outage others may have taken the places.
      if (!there.has(connection.data.browserId)) connection.close(CLOSE_TRY_AGAIN, "workspace full: connect again");
    }
  }

  async function readLayout(): Promise<Layout | undefined> {
    const read = await workspaces.read(workspaceId);
    if (read) takeLayout(read);
    return layout ?? read;
  }

  const started = Promise.all([
    bus.subscribe(roomChannel(workspaceId), hear),
    workspaces.watch(workspaceId, takeLayout, end),
  ]);
  const ready = started.then(() => {});
  // Browsers that enter see the failure; without one nobody has to.
  ready.catch(() => {});

  return {
    ...{ workspaceId, browsers, pendingOrders: 0, ready, readLayout, beat, publish },
    present: present.current,
    layout: () => layout,
    async admit(newcomer) {
      const list = await present.follow(presence.beat(workspaceId, [presenceOf(newcomer.data)]));
      void publish({ kind: "presence", from: instance });
      return idsOf(list).has(newcomer.data.browserId);
    },
    async comeBack() {
      await beat();
      await publish({ kind: "presence", from: instance });
      await readLayout();
    },
    async forget(browserId) {
      present.drop(browserId);
      await presence.leave(workspaceId, browserId);
      await publish({ kind: "presence", from: instance });
      if (!isClosed) await present.follow(presence.list(workspaceId));
    },
    async close() {
      isClosed = true;
      present.close();
      const [unsubscribe, unwatch] = await started;
      await Promise.all([unsubscribe(), unwatch()]);
    },
  };
}

const idsOf = (list: readonly PresentBrowser[]): ReadonlySet<string> => new Set(list.map(({ browserId }) => browserId));

/** Everybody in a workspace, as this instance last heard. When two reads overtake each other, the later one counts. */
function createPresentList(onChange: (list: readonly PresentBrowser[]) => void) {
  let list: readonly PresentBrowser[] | undefined;
  let [asked, followed] = [0, 0];
  let isClosed = false;

  function set(next: readonly PresentBrowser[]): void {
    list = next;
    onChange(next);
  }

  return {
    current: () => list,
    async follow(reading: Promise<PresentBrowser[]>): Promise<readonly PresentBrowser[]> {
      asked += 1;
      const turn = asked;
      const read = await reading;
      if (turn > followed && !isClosed) {
        followed = turn;
        set(read);
      }
      return read;
    },
    drop(browserId: string): void {
      followed = asked;
      if (list) set(list.filter((browser) => browser.browserId !== browserId));
    },
    close(): void {
      isClosed = true;
    },
  };
}

/** Tells browsers that have become, or are no longer, the one that has been there longest. */
function tellPrimary(connections: Iterable<BrowserConnection>, [first]: readonly PresentBrowser[]): void {
  for (const connection of connections) {
    const { data: browser } = connection;
    const isPrimary = browser.browserId === first?.browserId;
    if (isPrimary !== browser.isPrimary) say(connection, { type: "primary", isPrimary });
    browser.isPrimary = isPrimary;
  }
}

/** The workspaces that browsers of this instance have open, each for as long as one of them does. */
export type Rooms = {
  find(workspaceId: string): Room | undefined;
  all(): Iterable<Room>;
  /** Opens the room or keeps it open; every `take` needs one `giveBack`. */
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
      // A room that could not be opened must not be found by the next browser.
      rooms.delete(room.workspaceId);
      await room.close();
    },
  };
}
