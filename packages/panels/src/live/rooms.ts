import type { Room } from "./browser.ts";
import { openRoom, type RoomGround } from "./room.ts";

/** The workspaces that browsers of this instance have open, each for as long as one of them does. */
export type Rooms = {
  find(workspaceId: string): Room | undefined;
  all(): Iterable<Room>;
  /** Opens it, or keeps it open; each `take` is given back once. */
  take(workspaceId: string): Room;
  giveBack(room: Room): Promise<void>;
};

export function createRooms(ground: RoomGround): Rooms {
  const rooms = new Map<string, Room>();
  const users = new Map<Room, number>();

  return {
    find: (workspaceId) => rooms.get(workspaceId),
    all: () => rooms.values(),
    take(workspaceId) {
      const room = rooms.get(workspaceId) ?? openRoom(workspaceId, ground);
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
