import type { CatalogPanel, JsonData, JsonObject, LogEntry, Order, OrderFault } from "@backplane/contract/panels";
import type { WorkspaceName } from "./calls.ts";
import type { Devices, PanelClock } from "./devices/devices.ts";

/**
 * What a panel of devices gets, in the page and in a frame of its own alike. Its state lives on the server: a change reaches
 * every browser, this one included.
 */
export type DeviceContext = {
  readonly tabId: string;
  /** The panel in the catalog; undefined when the catalog does not have it any more. */
  readonly catalogPanel: Pick<CatalogPanel, "name" | "shows"> | undefined;
  /** Undefined in a frame of its own, which cannot call the server or lead to another page. */
  readonly workspace: WorkspaceName | undefined;
  /** Whether its tab is the one that is seen of those at its place. */
  isShown(): boolean;
  state(): JsonObject;
  /** Called after every change of the state, and when another program drives the panel. */
  onState(listener: (state: JsonObject) => void): () => void;
  /** Merged key by key; null removes a key. */
  setState(patch: JsonObject): Promise<void>;
  /** The tab's title, unless somebody has given it a name. */
  setTitle(title: string | undefined): void;
  /** Opens a tab of this kind beside this one, such as a file in the editor. Undefined in a frame of its own. */
  readonly open: ((kind: string, initialState: JsonObject, displayName?: string) => Promise<void>) | undefined;
  /** Saves a file on the person's computer. */
  save(name: string, text: string): Promise<void>;
  /** The devices of the workspace. Only panels that the catalog lists as showing devices have them. */
  readonly devices: Devices;
  /** The time of the devices: now, or a moment of a recording. */
  readonly clock: PanelClock;
};

/** What a panel gets. */
export type PanelContext = DeviceContext & {
  readonly catalogPanel: CatalogPanel | undefined;
  readonly workspace: WorkspaceName;
  /** Where frames are served, with `*` in place of the host name that a frame chooses. */
  readonly framesUrl: string;
  /** The icon of the tab as a data URL, unless somebody has chosen one. */
  setIcon(icon: string | undefined): void;
  /** Whether this is the browser that answers programs, of all that have the workspace open. */
  isPrimary(): boolean;
  /** Called when this browser becomes the one that answers programs. */
  onPrimary(listener: () => void): () => void;
  /** Tells the server that the panel is there, again: orders that it refused until now come again. */
  announce(): void;
  /** Orders of programs for this tab. A handler refuses one by throwing OrderRefused. */
  onOrder(handler: OrderHandler): () => void;
  /** Reports what a web view shows now. */
  report(shown: { url?: string; title?: string; visit?: number }): void;
  /** The icon that was chosen when the tab was opened, if any. */
  displayIcon(): string | undefined;
  /** New lines of the workspace's log. */
  onLog(listener: (entries: LogEntry[]) => void): () => void;
  /** Called when the connection is back: messages sent meanwhile were missed. */
  onReconnect(listener: () => void): () => void;
  /** Called when panels from packages were added to the workspace, changed or removed. */
  onPackages(listener: () => void): () => void;
  /** The program that drives this panel, if one does. */
  drivenBy(): string | undefined;
  open(kind: string, initialState: JsonObject, displayName?: string): Promise<void>;
};

/** Nothing is begun after `untilMs`, by the clock of this browser. */
export type OrderHandler = (order: Order, untilMs: number) => Promise<JsonData>;

export type Panel = {
  /** Moves the keyboard focus into the panel. */
  focus?(): void;
  /** Draws the panel without screen sharing, for the screenshot method html2canvas. */
  rasterise?(): Promise<Blob>;
  dispose(): void;
};

/** Every panel is this function. It is loaded when a tab of its kind is first shown. `element` is empty and in its final place. */
export type MountPanel = (element: HTMLElement, context: PanelContext) => Panel | Promise<Panel>;

/** A panel of devices needs less, and can also be a package. */
export type MountDevicePanel = (element: HTMLElement, context: DeviceContext) => Panel | Promise<Panel>;

export class OrderRefused extends Error {
  override name = "OrderRefused";
  readonly code: OrderFault;

  constructor(code: OrderFault, detail: string) {
    super(detail);
    this.code = code;
  }
}
