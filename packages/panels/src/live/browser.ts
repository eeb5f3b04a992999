import type { Layout, ServerMessage, Sharing } from "@backplane/contract/panels";
import type { Allowance } from "@backplane/kit/allowance";
import type { Connection } from "@backplane/kit/websocket";
import type { PresentBrowser } from "../services.ts";
import type { PendingOrders } from "./pending-orders.ts";
import type { Reports } from "./reports.ts";
import type { Grant } from "./tickets.ts";

/** One connected page. A page that connects again is another browser. */
export type Browser = {
  readonly browserId: string;
  /** silent: has not shown a ticket yet; here: can be given orders. */
  stage: "silent" | "entering" | "here" | "gone";
  grant: Grant | undefined;
  /** The access of the grant is not followed any more. */
  stopFollowing: () => void;
  room: Room | undefined;
  reports: Reports | undefined;
  since: number;
  sharing: Sharing;
  isPrimary: boolean;
  /** It is about to be sent to another instance, and gets no more orders here. */
  isLeaving: boolean;
  /** When the next ticket is due. */
  leaseEndsAtMs: number;
  readonly orders: PendingOrders;
  readonly allowance: Allowance;
};

export const CLOSE_POLICY = 1008;
export const CLOSE_TRY_AGAIN = 1013;

export type BrowserConnection = Connection<Browser>;

/** Messages between instances about a workspace. */
export type RoomMessage =
  | { kind: "tell"; message: ServerMessage }
  | { kind: "presence"; from: string }
  | { kind: "withdraw"; browserId: string; id: string };

/** A workspace that browsers of this instance have open. */
export type Room = {
  readonly workspaceId: string;
  /** Browsers that were welcomed. */
  readonly browsers: Map<string, BrowserConnection>;
  /** Orders that were given here and are not answered yet. */
  pendingOrders: number;
  /** All browsers of the workspace, as this instance last heard; undefined before it has. */
  present(): readonly PresentBrowser[] | undefined;
  layout(): Layout | undefined;
  /** Resolves when it is subscribed to changes. */
  readonly ready: Promise<void>;
  /** Reads the layout, and sends it to every browser here if it is newer. */
  readLayout(): Promise<Layout | undefined>;
  /** Admits a browser to the workspace. False: the workspace is full. */
  admit(newcomer: BrowserConnection): Promise<boolean>;
  /** Announces that all browsers of this instance are still there. */
  beat(): Promise<void>;
  /** After an outage of the bus: messages were missed, and browsers of this instance may have been forgotten. */
  comeBack(): Promise<void>;
  /** A browser is gone, whichever instance it was connected to. */
  forget(browserId: string): Promise<void>;
  publish(message: RoomMessage): Promise<void>;
  close(): Promise<void>;
};

export const presenceOf = ({ browserId, since, sharing }: Browser): PresentBrowser => ({ browserId, since, sharing });

export const say = (connection: BrowserConnection, message: ServerMessage): boolean =>
  connection.send(JSON.stringify(message));
