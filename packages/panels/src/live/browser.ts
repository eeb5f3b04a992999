import type { Layout, ServerMessage, Sharing } from "@backplane/contract/panels";
import type { Connection } from "@backplane/kit/websocket";
import type { PresentBrowser } from "../services.ts";
import type { PendingOrders } from "./pending-orders.ts";
import type { Reports } from "./reports.ts";
import type { Allowance } from "./socket-handlers.ts";
import type { Grant } from "./tickets.ts";

/** One connected page. A page that connects again is another browser. */
export type Browser = {
  readonly browserId: string;
  /** silent: has shown no ticket yet; here: is one of those that can be asked. */
  stage: "silent" | "entering" | "here" | "gone";
  grant: Grant | undefined;
  room: Room | undefined;
  reports: Reports | undefined;
  since: number;
  sharing: Sharing;
  isPrimary: boolean;
  /** When a ticket must have been shown, for the first time or anew. */
  leaseEndsAtMs: number;
  readonly orders: PendingOrders;
  readonly allowance: Allowance;
};

export type BrowserConnection = Connection<Browser>;

/** What instances tell each other about a workspace. */
export type RoomMessage =
  | { kind: "tell"; message: ServerMessage }
  | { kind: "presence"; from: string }
  | { kind: "withdraw"; browserId: string; id: string };

/** A workspace that browsers of this instance have open. */
export type Room = {
  readonly workspaceId: string;
  /** Those that were welcomed. */
  readonly browsers: Map<string, BrowserConnection>;
  /** How many orders wait for an answer here. */
  pendingOrders: number;
  /** Everybody in the workspace, as this instance last heard; undefined before it has. */
  present(): readonly PresentBrowser[] | undefined;
  layout(): Layout | undefined;
  /** Resolves when it hears of every change. */
  readonly ready: Promise<void>;
  /** Reads the layout; a newer one goes to every browser here. */
  readLayout(): Promise<Layout | undefined>;
  /** Gives a browser a place among those who are there. False: there is none left. */
  admit(newcomer: BrowserConnection): Promise<boolean>;
  /** Says that all browsers of this instance are still there. */
  beat(): Promise<void>;
  /** After an outage: what was told meanwhile was not heard, and who was silent was forgotten. */
  comeBack(): Promise<void>;
  /** Somebody is not there any more, whichever instance it was connected to. */
  forget(browserId: string): Promise<void>;
  publish(message: RoomMessage): Promise<void>;
  close(): Promise<void>;
};

export const presenceOf = ({ browserId, since, sharing }: Browser): PresentBrowser => ({ browserId, since, sharing });

export const say = (connection: BrowserConnection, message: ServerMessage): boolean =>
  connection.send(JSON.stringify(message));
