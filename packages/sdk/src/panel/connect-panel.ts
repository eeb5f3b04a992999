import type { Ack, History } from "@backplane/contract/devices";
import type {
  JsonData,
  JsonObject,
  PackageBatch,
  PackageCalls,
  PackageControl,
  PackageDevice,
  PackageHistoryQuery,
  PackageHold,
  PackageStatus,
  PackageTheme,
  PackageToPage,
  PackageWant,
  PageToPackage,
} from "@backplane/contract/panels";

type Stop = () => void;
type Target = { device: string; capability: string };

/** What a panel gets: the same things as the panels that Backplane has built in, as far as it was allowed. */
export type Panel = {
  readonly tabId: string;
  /** Kept by the server: every browser that shows the panel has the same. */
  state(): JsonObject;
  onState(listener: (state: JsonObject) => void): Stop;
  /** Merged key by key; null removes a key. */
  setState(patch: JsonObject): Promise<void>;
  setTitle(title: string): Promise<void>;
  theme(): PackageTheme;
  onTheme(listener: (theme: PackageTheme) => void): Stop;
  readonly devices: {
    /** Those with a capability that the panel may read or control. */
    list(): readonly PackageDevice[];
    onList(listener: (devices: readonly PackageDevice[]) => void): Stop;
    /** How the page is connected to them. The same object until something changes. */
    status(): PackageStatus;
    onStatus(listener: (status: PackageStatus) => void): Stop;
    /** At most one batch per drawn frame, in columns. `isHistory`: it replaces what you have from its first time on. */
    subscribe(want: PackageWant, onBatch: (batch: PackageBatch) => void): Stop;
    /** What was measured before the last minutes: lowest, highest, mean and last value of every so many seconds. */
    history(target: Target, query: PackageHistoryQuery): Promise<History | null>;
    /** Never rejects because a device refuses: the answer says why. What moves needs `hold`. */
    command(target: Target, name: string, params?: JsonObject): Promise<Ack>;
    /** Backplane draws who controls this device, Take control and Arm, below the panel. */
    choose(device: string | null): Promise<void>;
    control(): PackageControl | null;
    onControl(listener: (control: PackageControl | null) => void): Stop;
    /** Backplane draws a button: while somebody holds it, the command is sent. Null removes it. */
    hold(hold: PackageHold | null): Promise<void>;
    onHeld(listener: (isHeld: boolean) => void): Stop;
  };
  readonly clock: { mode(): "live" | "replay"; nowMs(): number; onChange(listener: () => void): Stop };
  /** Files of the project, as far as panel.json wants them. */
  readonly files: {
    list(): Promise<string[]>;
    read(path: string): Promise<string>;
    write(path: string, text: string): Promise<void>;
  };
  /** Saves a .csv, .json or .txt file on the person's computer, right after they pressed something in the panel. */
  save(name: string, text: string): Promise<void>;
  /** Answers an agent that calls a tool of panel.json. */
  tool(name: string, run: (input: JsonObject) => JsonData | Promise<JsonData>): void;
  /** Draws the panel as it is now, for screenshots that need no sharing: the data URL of a PNG, as `canvas.toDataURL()` makes it. */
  onScreenshot(draw: () => string | Promise<string>): void;
  /** Writes a line to the log of the workspace. */
  log(message: string): Promise<void>;
};

type Port = {
  postMessage(text: string): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
};
type Answers = { [Name in keyof PackageCalls]: ReturnType<PackageCalls[Name]> };

/**
 * Connects a panel to the page around it. Call it once. This is all of the library: it imports nothing, so that its text is a
 * module by itself.
 */
export async function connectPanel(): Promise<Panel> {
  const port = await (globalThis as unknown as { backplanePort: Promise<Port> }).backplanePort;
  // As PANEL_PACKAGE_LIMITS.maxMessageLength: the page does not read longer ones.
  const maxLength = 1_048_576;
  const post = (message: PackageToPage) => {
    const text = JSON.stringify(message);
    if (text.length > maxLength)
      throw new Error(`This is too long: ${text.length} of at most ${maxLength} characters.`);
    port.postMessage(text);
  };
  const calls = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  const batches = new Map<number, (batch: PackageBatch) => void>();
  const tools = new Map<string, (input: JsonObject) => JsonData | Promise<JsonData>>();
  let last = 0;
  const call = <Name extends keyof PackageCalls>(
    name: Name,
    ...args: Parameters<PackageCalls[Name]>
  ): Promise<Answers[Name]> =>
    new Promise((resolve, reject) => {
      last += 1;
      post({ type: "call", id: last, name, args: args as unknown as JsonData[] });
      calls.set(last, { resolve, reject });
    });
  /** A value of the page, and who hears of its changes. */
  const watch = <T>(first: T) => {
    const listeners = new Set<(value: T) => void>();
    let value = first;
    return {
      get: () => value,
      set(next: T) {
        value = next;
        for (const listener of listeners) listener(next);
      },
      on(listener: (value: T) => void): Stop {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
  };
  const done = async (work: Promise<unknown>): Promise<void> => void (await work);

  const hello = await new Promise<Extract<PageToPackage, { type: "hello" }>>((resolve) => {
    port.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as PageToPackage;
      if (message.type === "hello") resolve(message);
      else receive(message);
    });
    post({ type: "ready" });
  });
  const [state, theme, devices] = [watch(hello.state), watch(hello.theme), watch(hello.devices)];
  const status = watch(hello.status);
  const [control, held] = [watch<PackageControl | null>(null), watch(false)];
  const clock = watch({ ...hello.clock, atMs: performance.now() });

  let draw: (() => string | Promise<string>) | undefined;
  async function answer(id: number, run: () => JsonData | Promise<JsonData>): Promise<void> {
    try {
      post({ type: "result", id, value: (await run()) ?? null });
    } catch (error) {
      post({ type: "refusal", id, error: String((error as Error)?.message ?? error) });
    }
  }
  function receive(message: PageToPackage): void {
    if (message.type === "answer" || message.type === "refused") {
      const waiting = calls.get(message.id);
      calls.delete(message.id);
      if (message.type === "answer") waiting?.resolve(message.value as never);
      else waiting?.reject(new Error(message.error));
    } else if (message.type === "batch") batches.get(message.subscription)?.(message.batch);
    else if (message.type === "state") state.set(message.state);
    else if (message.type === "theme") theme.set(message.theme);
    else if (message.type === "devices") devices.set(message.devices);
    else if (message.type === "status") status.set(message.status);
    else if (message.type === "clock") clock.set({ ...message.clock, atMs: performance.now() });
    else if (message.type === "control") control.set(message.control);
    else if (message.type === "held") held.set(message.isHeld);
    else if (message.type === "tool") {
      const { name, input } = message;
      void answer(message.id, () => {
        const run = tools.get(name);
        if (!run) throw new Error(`The panel has no tool ${name}.`);
        return run(input);
      });
    } else if (message.type === "draw") {
      void answer(message.id, () => {
        if (!draw) throw new Error("The panel does not draw pictures of itself.");
        return draw();
      });
    }
  }

  return {
    tabId: hello.tabId,
    state: state.get,
    onState: state.on,
    setState: (patch) => done(call("setState", patch)),
    setTitle: (title) => done(call("setTitle", title)),
    theme: theme.get,
    onTheme: theme.on,
    devices: {
      list: devices.get,
      onList: devices.on,
      status: status.get,
      onStatus: status.on,
      subscribe(want, onBatch) {
        last += 1;
        const subscription = last;
        batches.set(subscription, onBatch);
        void call("subscribe", subscription, want);
        return () => {
          if (batches.delete(subscription)) void call("unsubscribe", subscription);
        };
      },
      history: (target, query) => call("history", target, query),
      command: (target, name, params = {}) => call("command", target, name, params),
      choose: (device) => done(call("choose", device)),
      control: control.get,
      onControl: control.on,
      hold: (hold) => done(call("hold", hold)),
      onHeld: held.on,
    },
    clock: {
      mode: () => clock.get().mode,
      nowMs() {
        const { nowMs, atMs, speed, endMs } = clock.get();
        return Math.min(endMs ?? Number.POSITIVE_INFINITY, nowMs + (performance.now() - atMs) * speed);
      },
      onChange: (listener) => clock.on(() => listener()),
    },
    files: {
      list: () => call("listFiles"),
      read: (path) => call("readFile", path),
      write: (path, text) => done(call("writeFile", path, text)),
    },
    save: (name, text) => done(call("save", name, text)),
    tool: (name, run) => void tools.set(name, run),
    onScreenshot(run) {
      draw = run;
    },
    log: (message) => done(call("log", message)),
  };
}
