import { randomUUID } from "node:crypto";
import type { Media, Receiving } from "../media.ts";
import type { StreamEvents } from "../source.ts";

const NOBODY = "Nobody sends pictures to this stream now. Start the program or the camera that pushes to it.";
const ENDED = "Whoever pushed pictures to this stream has stopped.";

export type Pushing = { pusher: string; answer: string };

/** Those who send pictures to streams here, one per stream. Pictures that nobody looks at are left out. */
export type PushDesk = {
  /**
   * Whoever pushed to this stream before is ended: it is most often the same one, after its connection was lost. Undefined: the
   * offer cannot be read. `release` is called at the end.
   */
  begin(key: string, offer: string, release: () => void): Promise<Pushing | undefined>;
  end(isMeant: (key: string, pusher: string) => boolean): void;
  /** Whether somebody pushes to a stream whose key begins so. */
  isUsed(start: string): boolean;
  /** The pictures of a stream, for its puller. */
  open(key: string, events: StreamEvents): { close(): void };
};

type Pusher = { id: string; receiving: Receiving; release(): void };
/** One whose offer is being answered. */
type Coming = { key: string; id: string; isOver: boolean };

/** `onCame`: whoever looks at this stream can be shown something. */
export function createPushDesk(media: Pick<Media, "receive">, onCame: (key: string) => void): PushDesk {
  const pushers = new Map<string, Pusher>();
  const takers = new Map<string, StreamEvents>();
  const coming = new Set<Coming>();

  function gone(key: string, id: string, reason: string): void {
    const pusher = pushers.get(key);
    if (pusher?.id !== id) return;
    pushers.delete(key);
    pusher.receiving.end();
    pusher.release();
    const taker = takers.get(key);
    takers.delete(key);
    taker?.ended(reason);
  }

  return {
    async begin(key, offer, release) {
      const id = randomUUID();
      const one: Coming = { key, id, isOver: false };
      coming.add(one);
      const receiving = media.receive(id, offer, {
        picture: (picture) => takers.get(key)?.picture(picture),
        ended: (reason) => gone(key, id, reason ?? ENDED),
      });
      const answer = await receiving.sdp.catch(() => undefined);
      coming.delete(one);
      if (answer === undefined || one.isOver) {
        receiving.end();
        release();
        return undefined;
      }
      // Only now: of those who came at the same moment, each has to give its place back.
      const before = pushers.get(key);
      if (before) gone(key, before.id, ENDED);
      pushers.set(key, { id, receiving, release });
      onCame(key);
      return { pusher: id, answer };
    },
    end(isMeant) {
      for (const one of coming) if (isMeant(one.key, one.id)) one.isOver = true;
      for (const [key, { id }] of [...pushers]) if (isMeant(key, id)) gone(key, id, ENDED);
    },
    isUsed: (start) => [...pushers.keys()].some((key) => key.startsWith(start)),
    open(key, events) {
      const pusher = pushers.get(key);
      if (!pusher) {
        events.ended(NOBODY);
        return { close() {} };
      }
      takers.set(key, events);
      events.codec({ name: "H.264" });
      pusher.receiving.want(true);
      return {
        close() {
          if (takers.get(key) !== events) return;
          takers.delete(key);
          pusher.receiving.want(false);
        },
      };
    },
  };
}
