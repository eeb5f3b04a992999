/** One WebSocket, reduced to what the flow needs, so that a browser's own and ours for Node look alike. */
export type Socket = {
  /** Only after `onOpen`. */
  send(text: string): void;
  /** Says goodbye and ends, whatever state it is in. What was sent before still goes out. */
  close(): void;
};

export type SocketHandlers = {
  onOpen(): void;
  onText(text: string): void;
  /** Once, however it ended, also when it never opened. */
  onClose(): void;
};

export type OpenSocket = (url: string, handlers: SocketHandlers) => Socket;
