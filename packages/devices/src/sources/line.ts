/** A connection of either protocol. */
export type Connection = {
  send(bytes: Uint8Array): void;
  close(): void;
};

export type ConnectionEvents = {
  bytes(bytes: Buffer): void;
  /** Once; nothing comes after it. */
  ended(reason: string): void;
};

/** A serial port that a page holds. */
export type Line = {
  connect(events: ConnectionEvents): Connection;
  /** The connection ended, and the devices have left the workspace. */
  onEnd(reason: string): void;
};
