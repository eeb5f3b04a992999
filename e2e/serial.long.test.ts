// A device at a serial port that a page holds. Headless Chromium has no chooser for ports and opens no pseudo-terminal, so
// `navigator.serial` is replaced: its port carries the bytes to the ODrive simulator's real socket, and back. Everything
// else is real: the page, its connection to the hub, the protocol, the simulator.
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, suite, test } from "node:test";
import type { Devices } from "@backplane/contract/devices";
import { findSocketKind, startSocketSimulator } from "@backplane/simulators";
import type { Browser, Locator, Page } from "playwright-core";
import { benchOf } from "./instruments/bench.ts";
import type { Shown } from "./instruments/instrument.ts";
import { slotOf } from "./panels/bench.ts";
import { openBrowser, type Visit, visit } from "./support/browser.ts";
import { assertLooksRightInEveryLook } from "./support/looks.ts";
import { signedInWindow } from "./support/person.ts";
import { until } from "./support/processes.ts";
import { driverOf, showWorkspace, startWorkspaces, type Workspaces } from "./support/workspaces.ts";

const REPO = "serial";
/** What the page writes by itself, with the checksum of the protocol. */
const STOP = /^w axis0\.requested_state 1\s?\*\d+\s*$/m;

let browser: Browser;
let workspaces: Workspaces;
let seen: Visit;
let page: Page;
let simulator: Awaited<ReturnType<typeof startSocketSimulator>>;
let slot: Locator;

/** What was written to the port of the page, with the time. */
const written: { atMs: number; text: string }[] = [];
const writtenSince = (atMs: number) =>
  written
    .filter((each) => each.atMs >= atMs)
    .map(({ text }) => text)
    .join("");

/** `navigator.serial` whose port is a socket of the simulator. */
async function bridge(to: Page): Promise<void> {
  let socket: Socket | undefined;
  await to.exposeFunction("portOpen", async () => {
    const opened = connect(simulator.port, "127.0.0.1");
    socket = opened;
    opened.on("data", (bytes) => {
      const text = bytes.toString("base64");
      to.evaluate((data) => (window as unknown as { portSays(data: string): void }).portSays(data), text).catch(
        () => {},
      );
    });
    opened.on("error", () => {});
    await new Promise<void>((resolve) => opened.once("connect", resolve));
  });
  await to.exposeFunction("portWrite", (data: string) => {
    const bytes = Buffer.from(data, "base64");
    written.push({ atMs: Date.now(), text: bytes.toString() });
    socket?.write(bytes);
  });
  await to.exposeFunction("portClose", () => void socket?.end());
  await to.addInitScript(() => {
    type Bridged = {
      portOpen(): Promise<void>;
      portWrite(data: string): Promise<void>;
      portClose(): Promise<void>;
      portSays(data: string): void;
    };
    const bridged = window as unknown as Bridged;
    const newPort = () => ({
      readable: null as ReadableStream<Uint8Array> | null,
      writable: null as WritableStream<Uint8Array> | null,
      async open() {
        this.readable = new ReadableStream({
          start(controller) {
            bridged.portSays = (data) => controller.enqueue(Uint8Array.from(atob(data), (each) => each.charCodeAt(0)));
          },
        });
        this.writable = new WritableStream({
          write: (bytes) => bridged.portWrite(btoa(String.fromCharCode(...bytes))),
        });
        await bridged.portOpen();
      },
      async close() {
        bridged.portSays = () => {};
        await bridged.portClose();
      },
    });
    Object.defineProperty(navigator, "serial", { value: { requestPort: async () => newPort() }, configurable: true });
  });
}

before(async () => {
  browser = await openBrowser();
  workspaces = await startWorkspaces("one instance, embedded");
  const odrive = findSocketKind("odrive");
  assert.ok(odrive);
  simulator = await startSocketSimulator({ kind: odrive, port: 0 });
  seen = await visit(browser, { ...signedInWindow(workspaces.owner), viewport: { width: 1000, height: 800 } });
  page = seen.page;
  await bridge(page);
  await showWorkspace(seen, workspaces, REPO);
});
after(async () => {
  await simulator?.[Symbol.asyncDispose]();
  await seen?.[Symbol.asyncDispose]();
  await browser?.close();
  await workspaces?.[Symbol.asyncDispose]();
});

const driver = () => driverOf(workspaces, workspaces.pages, REPO);
const devices = async () =>
  ((await driver().call("GET", `${driver().current}/devices`)).body as unknown as Devices).devices;
const offer = () => slot.getByRole("button", { name: "Connect ODrive by serial port" });
const bench = () => benchOf({ page, slot } as Shown, undefined as never);
/** Of the simulated motor itself. */
const speed = () => Math.abs(Number(simulator.read("motor").velocity_rad_s));

async function turn(): Promise<void> {
  await slot.getByRole("slider", { name: "Target" }).fill("20");
  const hold = slot.getByRole("button", { name: /Hold to run/ });
  await bench().holdUntil(hold, async () => speed() > 15, "it turns");
}

/** Another tab is in front, as the browser tells the page. */
const setHidden = (to: Page, isHidden: boolean) =>
  to.evaluate((hidden) => {
    Object.defineProperty(document, "visibilityState", { value: hidden ? "hidden" : "visible", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);

suite("Web Serial", { concurrency: 1 }, () => {
  test("a panel offers the serial port, and shows and drives the device at it", async () => {
    const { tabId } = await driver().open("motor");
    slot = slotOf(page, tabId);
    await offer().waitFor();
    await assertLooksRightInEveryLook(page, "the offer", ".choose-device");
    await offer().press("Enter");
    await slot.locator(".readouts dd").filter({ hasText: /\d/ }).first().waitFor();
    const [device] = await devices();
    assert.deepEqual([device?.id, device?.source, device?.state], ["odrive-serial", "odrive:odrive-serial", "ready"]);
    await turn();
    const [told = ""] = writtenSince(0).match(/^v .*$/m) ?? [];
    assert.match(told, /^v 0 3\.\d+/, "20 rad/s are about 3.2 turns per second");
    await bench().release();
    await until(() => speed() < 1, "it stands after it was released");
  });

  test("while it turns, a hidden tab stops it by itself and gives the port back", async () => {
    await turn();
    const atMs = Date.now();
    await setHidden(page, true);
    await until(() => STOP.test(writtenSince(atMs)), "the page has written the bytes that stop it");
    const [, afterStop = ""] = writtenSince(atMs).split(STOP);
    assert.doesNotMatch(afterStop, /^v 0/m, "nothing moves it after that");
    await until(() => speed() < 1, "it stands");
    await until(async () => (await devices()).length === 0, "the device has left the workspace");
    await bench().release();
    await setHidden(page, false);
    await slot.getByText("It was stopped and disconnected: the tab was hidden.").waitFor();
  });

  test("a connection to the server that is lost stops it, too; it is connected again by a press", async () => {
    await offer().press("Enter");
    await slot.locator(".readouts dd").filter({ hasText: /\d/ }).first().waitFor();
    await turn();
    const atMs = Date.now();
    await workspaces.instances[0]?.kill("SIGKILL");
    await until(() => STOP.test(writtenSince(atMs)), "the page has written the bytes that stop it");
    await until(() => speed() < 1, "it stands");
    await bench().release();
  });
});
