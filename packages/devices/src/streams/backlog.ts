/** Of pictures that the thread for video has not taken yet. */
export const MAX_WAITING_BYTES = 33_554_432;

export type Backlog = {
  /** Counts the bytes that wait, in both threads. */
  readonly waiting: Int32Array<SharedArrayBuffer>;
  /** False: the thread is behind, and the picture is left out. */
  add(stream: string, isKey: boolean, bytes: number): boolean;
  forget(stream: string): void;
};

/** What waits for the thread for video: a camera can send more than it can pass on to everybody who looks. */
export function createBacklog(): Backlog {
  const waiting = new Int32Array(new SharedArrayBuffer(4));
  /** Streams of which something was left out: that breaks everything up to the next key picture. */
  const broken = new Set<string>();
  return {
    waiting,
    add(stream, isKey, bytes) {
      if (broken.has(stream) && !isKey) return false;
      const fits = Atomics.load(waiting, 0) + bytes <= MAX_WAITING_BYTES;
      if (!fits) {
        broken.add(stream);
        return false;
      }
      broken.delete(stream);
      Atomics.add(waiting, 0, bytes);
      return true;
    },
    forget: (stream) => void broken.delete(stream),
  };
}
