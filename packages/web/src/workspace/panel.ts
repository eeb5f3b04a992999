import type { JsonData, JsonObject, LogEntry, Order, OrderFault } from "@backplane/contract/panels";
import type { WorkspaceName } from "./calls.ts";

/** What a panel is given. Its state lives on the server: what it sets comes back to every browser, this one included. */
export type PanelContext = {
  readonly tabId: string;
  /** The catalog's short name, e.g. `webview`. */
  readonly kind: string;
  readonly workspace: WorkspaceName;
  /** Where frames are served, with a `*` in the place of the name that the frame takes. */
  readonly framesUrl: string;
  state(): JsonObject;
  /** Called after every change of the state, with the state as it is now. */
  onState(listener: (state: JsonObject) => void): () => void;
  /** Merged key by key; null removes a key. */
  setState(patch: JsonObject): Promise<void>;
  /** What the tab says while nobody has chosen a name for it. */
  setTitle(title: string | undefined): void;
  /** Whether this browser, of all that have the workspace open, is the one that answers programs. */
  isPrimary(): boolean;
  /** What programs ask of this tab. A handler that throws OrderRefused tells why it cannot. */
  onOrder(handler: (order: Order) => Promise<JsonData>): () => void;
  /** What a web view shows now. */
  report(shown: { url?: string; title?: string; visit?: number }): void;
  /** The leaf that holds the tab now: what calls of panel control name. Undefined: the tab is gone. */
  panelId(): string | undefined;
  /** The icon that whoever opened the tab chose, if they did. */
  displayIcon(): string | undefined;
  /** New lines of the workspace's log, as they come. */
  onLog(listener: (entries: LogEntry[]) => void): () => void;
  /** Called when the connection with the server is there again: what was told meanwhile was missed. */
  onReconnect(listener: () => void): () => void;
  /** The program that drives this panel, if one does. */
  drivenBy(): string | undefined;
  /** Shows a tab of this kind with this state, beside this one: e.g. a file in the editor. */
  open(kind: string, initialState: JsonObject, displayName?: string): Promise<void>;
};

export type Panel = {
  /** Puts the keyboard into the panel. */
  focus?(): void;
  /** Draws what the panel shows without sharing the screen: the screenshot method html2canvas. */
  rasterise?(): Promise<Blob>;
  dispose(): void;
};

/** Every panel is this function, loaded when its first tab is shown. `element` is empty and has its final place. */
export type MountPanel = (element: HTMLElement, context: PanelContext) => Panel | Promise<Panel>;

export class OrderRefused extends Error {
  override name = "OrderRefused";
  readonly code: OrderFault;

  constructor(code: OrderFault, detail: string) {
    super(detail);
    this.code = code;
  }
}
