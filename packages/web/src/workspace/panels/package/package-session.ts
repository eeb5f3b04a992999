import {
  type ChosenDevices,
  type JsonData,
  moreWants,
  type OfferedPanel,
  type PackageHold,
  type PackagePanelState,
  type PanelFrame,
  type PanelManifest,
  type PanelPackages,
  runsCode,
  wantsNothing,
} from "@backplane/contract/panels";
import { type Answer, call } from "../../../calls/call.ts";
import { faultWords } from "../../../calls/fault-words.ts";
import { workspaceRoute } from "../../calls.ts";
import { OrderRefused, type PanelContext } from "../../panel.ts";
import { onThemeChange } from "../../parts/theme.ts";
import { createStore } from "../../store.ts";
import { openOuterFrame } from "../outer-frame.ts";
import { newWindowName } from "../sandbox/open-frame.ts";
import { createBridge } from "./bridge.ts";
import type { Question } from "./consent.tsx";
import { createPackagePort } from "./package-port.ts";
import { packageFiles, packageTheme, saveForPerson, writeLog } from "./page-services.ts";
import { createProgramCode, noCode } from "./program-code.ts";

export type PackageLine = { key: number; at: string; text: string; isFault: boolean };

export type PackageView = {
  readonly status: "loading" | "ask" | "shown" | "fault";
  /** Why it is not shown, in words. */
  readonly fault: string | undefined;
  readonly question: Question | undefined;
  readonly isAnswering: boolean;
  readonly panel: PanelManifest | undefined;
  readonly version: string;
  readonly owner: string | undefined;
  readonly allowed: string | undefined;
  /** The devices that it sees; null: every one that fits. */
  readonly devices: ChosenDevices | null;
  readonly isDraft: boolean;
  readonly update: OfferedPanel | undefined;
  /** It does not answer. */
  readonly isSilent: boolean;
  /** Why it was stopped, in words. */
  readonly stopped: string | undefined;
  readonly device: string | undefined;
  readonly hold: PackageHold | undefined;
  /** For whoever writes it. */
  readonly lines: readonly PackageLine[];
};

const MAX_LINES = 100;
const GONE = "It left its page. Reset it to continue.";
const FLOODED = "It was stopped: it sent more messages than this page can take.";
const TOOK_KEYBOARD = "It was stopped: it kept taking the keyboard from another panel.";

/** A panel from a package in this window: whether it may run, its frame, and what it says. */
export function createPackageSession(context: PanelContext, holder: HTMLElement) {
  const store = createStore<PackageView>({
    ...{ status: "loading", fault: undefined, question: undefined, isAnswering: false, panel: undefined, version: "" },
    ...{ owner: undefined, allowed: undefined, isDraft: false, update: undefined, isSilent: false, stopped: undefined },
    ...{ devices: null, device: undefined, hold: undefined, lines: [] },
  });
  const state = () => context.state() as PackagePanelState;
  const path = (rest = "") => workspaceRoute(context.workspace, `/packages${rest}`);
  const ownPath = (rest = "") => path(`/${encodeURIComponent(state().package ?? "")}${rest}`);
  let shown: ({ key: string } & ReturnType<typeof openShown>) | undefined;
  let isHeld = false;
  let isOver = false;
  let lineCount = 0;

  const say = (text: string, isFault = false): void => {
    lineCount += 1;
    const line = { key: lineCount, at: new Date().toLocaleTimeString("en-GB"), text: text.slice(0, 500), isFault };
    store.update({ lines: [...store.state().lines.slice(1 - MAX_LINES), line] });
  };
  const fail = (fault: string): void => {
    shown?.close();
    shown = undefined;
    store.update({ status: "fault", fault, question: undefined });
  };
  const get = <T>(from: string): Promise<Answer<T>> => call<T>({ method: "GET", path: from });

  async function load(): Promise<void> {
    const { package: identifier, draft: isDraft = false } = state();
    if (identifier === undefined)
      return fail("No package is chosen. Add a panel from the catalog, under From packages.");
    const answer = await get<PanelPackages>(path());
    if (isOver) return;
    if (!answer.ok) return fail(faultWords(answer.fault));
    return isDraft ? loadDraft(identifier, answer.value) : loadPinned(identifier, answer.value);
  }

  async function loadDraft(identifier: string, { drafts }: PanelPackages): Promise<void> {
    const draft = drafts.find((each) => each.identifier === identifier);
    if (!draft) return fail("This draft is not there any more. Start it again with: backplane panel dev");
    const { panel, version, sha256, sentBy: owner, allowedBy, devices } = draft;
    store.update({ isDraft: true, panel, version, owner, allowed: allowedBy ?? undefined, devices, update: undefined });
    const about = { panel, version, sha256, owner, devices: devices?.ids ?? null };
    if (allowedBy === null) return ask({ ...about, before: undefined, isDraft: true });
    await show(sha256);
  }

  async function loadPinned(identifier: string, { panels }: PanelPackages): Promise<void> {
    const pin = panels.find((each) => each.identifier === identifier);
    if (pin) {
      const { panel, version, owner, update, devices } = pin;
      const allowed = `${pin.allowedBy}, ${new Date(pin.allowedAt).toLocaleDateString("en-GB")}`;
      const about = { owner: owner ?? undefined, allowed, devices, update: update ?? undefined };
      store.update({ isDraft: false, panel, version, ...about });
      return show(pin.sha256);
    }
    const answer = await get<{ panels: OfferedPanel[] }>(path("/offered"));
    if (isOver) return;
    const offered = answer.ok ? answer.value.panels.find((each) => each.identifier === identifier) : undefined;
    if (!offered)
      return fail("This panel is not in the workspace any more, and the registry does not offer it to you.");
    const { panel, version, sha256, owner } = offered;
    store.update({ isDraft: false, panel, version, owner, allowed: undefined, devices: null, update: undefined });
    ask({ panel, version, sha256, owner, before: undefined, isDraft: false, devices: null });
  }

  function ask(question: Question): void {
    if (!question.before) {
      shown?.close();
      shown = undefined;
    }
    store.update({ status: question.before ? "shown" : "ask", question, fault: undefined });
  }

  const keyOf = (sha256: string): string => {
    const { generation = 0, draft = false } = state();
    return JSON.stringify([sha256, generation, draft, store.state().devices?.ids]);
  };

  async function show(sha256: string): Promise<void> {
    const key = keyOf(sha256);
    if (shown?.key === key) return;
    const beganAtMs = performance.now();
    const { generation = 0, draft = false } = state();
    const body = { tabId: context.tabId, generation, window: newWindowName(Math.random), draft };
    const answer = await call<PanelFrame>({ method: "POST", path: ownPath("/frame"), body });
    if (isOver || keyOf(sha256) !== key) return;
    if (!answer.ok) return fail(faultWords(answer.fault));
    shown?.close();
    shown = { key, ...openShown(answer.value) };
    store.update({ status: "shown", fault: undefined, question: undefined, isSilent: false, stopped: undefined });
    say(`Loaded ${answer.value.version} in ${Math.round(performance.now() - beganAtMs)} ms`);
  }

  function openShown({ address, panel, devices: chosenDevices }: PanelFrame) {
    const { port1, port2 } = new MessageChannel();
    const stop = (why: string) => () => {
      port.close();
      // What is still on its way is dropped.
      port1.close();
      bridge.close();
      programs?.end(why);
      outer.close();
      store.update({ stopped: why, isSilent: false });
      say(why, true);
    };
    const port = createPackagePort({
      port: port1,
      onMessage(message) {
        if (message.type === "failed") say(message.text, true);
        else if (message.type === "eval") programs?.receive(message.messages);
        else bridge.receive(message);
        if (message.type === "ready") programs?.begin();
      },
      onCaughtUp: () => bridge.caughtUp(),
      onSilent: (isSilent) => store.update({ isSilent }),
      onFlood: stop(FLOODED),
      onRefused: (words) => say(`Refused: ${words}`, true),
    });
    const bridge = createBridge({
      ...{ context, panel, chosenDevices, port },
      chrome: {
        choose: (device) => store.update({ device }),
        hold: (hold) => store.update({ hold }),
        isHeld: () => isHeld,
      },
      files: packageFiles(context.workspace),
      theme: () => packageTheme(holder),
      log: (message) => writeLog(context.workspace, panel.title, message),
      save: (name, text) => saveForPerson(holder, name, text),
    });
    const { generation = 0 } = state();
    const programs = runsCode(panel.wants) ? createProgramCode({ context, post: port.post, generation }) : undefined;
    port1.onmessage = ({ data }: MessageEvent<unknown>) => port.receive(data);
    const outer = openOuterFrame({
      ...{ holder, address, given: port2, title: panel.title, className: "sandbox-frame" },
      onGone: stop(GONE),
      onFlood: stop(FLOODED),
      onTookKeyboard: stop(TOOK_KEYBOARD),
    });
    const stopTheme = onThemeChange(bridge.themeChanged);
    return {
      bridge,
      programs,
      close() {
        stopTheme();
        bridge.close();
        programs?.close();
        port.close();
        outer.close();
        port1.close();
      },
    };
  }

  /** `devices` undefined: what was chosen before stays. */
  async function allow(devices?: string[] | null): Promise<void> {
    const { question } = store.state();
    if (!question) return;
    const { version, sha256, panel, isDraft } = question;
    store.update({ isAnswering: true, fault: undefined });
    const answer = await call({
      ...{ method: "PUT", path: ownPath(isDraft ? "/draft/allowed" : "") },
      body: { version, sha256, wants: panel.wants, ...(devices === undefined ? {} : { devices }) },
    });
    store.update({ isAnswering: false });
    if (!answer.ok) return store.update({ fault: faultWords(answer.fault) });
    store.update({ question: undefined });
    await load();
  }

  /** The change of the state may come after the order. */
  async function follow(generation: number): Promise<null> {
    const isThere = () => (state().generation ?? 0) >= generation;
    if (!isThere()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      stops.push(context.onState(() => void (isThere() && resolve())));
      await promise;
    }
    await load();
    return null;
  }

  const reload = () => void load().catch(reportError);
  const stops = [
    context.onPackages(reload),
    context.onReconnect(reload),
    context.onState(reload),
    context.onOrder(async (order, untilMs): Promise<JsonData> => {
      if (order.kind === "eval" || order.kind === "sandbox") {
        if (!shown) throw new OrderRefused("not-mounted", "The panel is not running: it waits for a person.");
        if (!shown.programs) throw noCode();
        return order.kind === "eval" ? shown.programs.run(order, untilMs) : shown.programs.condition();
      }
      if (order.kind === "reset") return follow(order.generation);
      if (order.kind !== "panel-call") throw new OrderRefused("unsupported", "A panel from a package cannot do this.");
      if (!shown) throw new OrderRefused("not-rendered", "The panel is not running: it waits for a person.");
      try {
        return await shown.bridge.callTool(order.name, order.input);
      } catch (error) {
        throw new OrderRefused("unsupported", (error as Error).message);
      }
    }),
  ];
  reload();

  return {
    view: store.state,
    subscribe: store.subscribe,
    allow,
    refuse(): void {
      if (store.state().question?.before) store.update({ question: undefined });
      else fail("It was not added. Close this tab, or reload it to be asked again.");
    },
    /** A version that wants no more is taken at once; one that wants more asks. */
    async takeUpdate(): Promise<void> {
      const { update, panel, version } = store.state();
      if (!update || !panel) return;
      const { sha256, owner } = update;
      const before = { version, wants: panel.wants };
      const devices = store.state().devices?.ids ?? null;
      ask({ panel: update.panel, version: update.version, sha256, owner, before, isDraft: false, devices });
      if (wantsNothing(moreWants(update.panel.wants, panel.wants))) await allow();
    },
    /** It is loaded again, and sees these. Returns what went wrong, if anything. */
    async chooseDevices(devices: string[] | null): Promise<string | undefined> {
      const draft = state().draft === true ? "?draft=true" : "";
      const answer = await call({ method: "PUT", path: ownPath(`/devices${draft}`), body: { devices } });
      if (!answer.ok) return faultWords(answer.fault);
      await load();
      return undefined;
    },
    /** Drawn by the panel itself. */
    async rasterise(): Promise<Blob> {
      if (!shown) throw new OrderRefused("not-rendered", "The panel is not running: it waits for a person.");
      try {
        return await shown.bridge.draw();
      } catch (error) {
        throw new OrderRefused("shot-failed", (error as Error).message);
      }
    },
    /** Another generation is another frame; what the panel keeps stays. */
    reset: (): Promise<void> => context.setState({ generation: (state().generation ?? 0) + 1 }),
    async stopDraft(): Promise<void> {
      await call({ method: "DELETE", path: ownPath("/draft") });
    },
    setHeld(next: boolean): void {
      isHeld = next;
      shown?.bridge.heldChanged(next);
    },
    clearLines: (): void => store.update({ lines: [] }),
    dispose(): void {
      isOver = true;
      for (const stop of stops) stop();
      shown?.close();
    },
  };
}

export type PackageSession = ReturnType<typeof createPackageSession>;
