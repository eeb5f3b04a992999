export type { Connection, SocketHandlers } from "./connection.ts";
export type { Refusal } from "./frames.ts";
export type { SocketLimits } from "./limits.ts";
export { createSocketServer, type SocketServer, type SocketServerOptions } from "./server.ts";
