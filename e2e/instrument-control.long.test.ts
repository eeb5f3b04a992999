// Who may move an instrument: two people and a program want the same device, whoever leaves stops what moves, and a panel never
// says that something is done before the device does. Looked up in the log of the simulator, not only in the page.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { findKind, type RunningSimulator, startSimulator } from "@backplane/simulators";
import type { BrowserContext } from "playwright-core";
import { benchOf } from "./instruments/bench.ts";
import type { InstrumentBench, SimulatedInstrument } from "./instruments/instrument.ts";
import { INSTRUMENTS } from "./instruments/table.ts";
import { slotOf } from "./panels/bench.ts";
import { newContext, pressIfThere, type Visit, visitIn } from "./support/browser.ts";
import { type InstrumentPage, startInstrumentPage } from "./support/instrument-page.ts";
import { makePerson, signedInWindow } from "./support/person.ts";
import { OWNER } from "./support/platform.ts";
import { until } from "./support/processes.ts";
import { keyWith } from "./support/simulate-all.ts";
import { connected } from "./support/workspaces.ts";

const REPO = "control";
const PLACE = `/api/workspaces/editor/${OWNER.name}/${REPO}`;

/** Whether somebody has to take control before anything of it is moved or powered. */
const isControlled = ({ simulator }: SimulatedInstrument): boolean =>
  Object.values(findKind(simulator)?.nodes ?? {}).some(({ commands = {} }) =>
    Object.values(commands).some(({ effect }) => effect === "moves" || effect === "powers"),
  );
const CONTROLLED = INSTRUMENTS.filter(
  (row): row is SimulatedInstrument => row.samples === undefined && isControlled(row as SimulatedInstrument),
);

let bench: InstrumentPage;
/** Of the other person; a page that is closed is followed by a new one. */
let context: BrowserContext;
let theirs: Visit;
const complaints: string[][] = [];
let program: (path: string, method: string, body?: object) => Promise<Response>;

before(async () => {
  bench = await startInstrumentPage(REPO);
  const { workspaces, browser } = bench;
  const { pages, owner } = workspaces;
  const ada = await (await makePerson(owner, pages, "ada")).signIn();
  await owner.call(pages, `${PLACE}/people/ada`, { method: "PUT" });
  assert.equal((await ada.call(pages, `${PLACE}/accept`, { method: "POST" })).status, 204);
  context = await newContext(browser, signedInWindow(ada));
  await openTheirs();
  const headers = { "content-type": "application/json", "x-api-key": await keyWith(workspaces, "devices:control") };
  program = (path, method, body) =>
    fetch(`${pages}${PLACE}/current/devices${path}`, {
      ...{ method, headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
});
async function openTheirs(): Promise<void> {
  theirs = await visitIn(context);
  complaints.push(theirs.complaints);
  await theirs.page.goto(`${bench.workspaces.pages}/w/${OWNER.name}/${REPO}`);
  await connected(theirs.page);
}
after(async () => {
  await context?.close();
  await bench?.[Symbol.asyncDispose]();
});

for (const instrument of CONTROLLED) {
  const { panel, state, moves } = instrument;
  suite(`control of ${panel}`, { concurrency: 1 }, () => {
    let simulator: RunningSimulator;
    let mine: InstrumentBench;
    let other: InstrumentBench;
    let tabId: string;
    before(async () => {
      simulator = startSimulator({ ...(await bench.keyFor(panel)), kind: instrument.simulator, name: panel });
      await simulator.ready;
      const shown = await bench.open(panel, { device: panel, ...state });
      tabId = shown.tabId;
      mine = benchOf(shown, simulator);
      const { page } = theirs;
      await page.locator(`[data-tab="${tabId}"] [role=tab]`).click();
      other = benchOf({ page, slot: slotOf(page, tabId) }, simulator);
      for (const { slot } of [mine, other])
        await slot.getByRole("button", { name: "Take control", exact: true }).waitFor();
    });
    after(async () => {
      await bench.driver.call("DELETE", `${bench.driver.current}/tabs`, { tabId });
      await simulator?.close({ forget: true });
    });
    const button = ({ slot }: InstrumentBench, name: string) => slot.getByRole("button", { name, exact: true });

    test("of two people and a program one is in control; the others are told who, and a program never takes over", async () => {
      // Control lasts 5 s and is renewed by use.
      using _used = keepUsing(mine);
      await until(async () => {
        if ((await mine.slot.getByText("You control").count()) > 0) return true;
        await pressIfThere(button(mine, "Take control"));
        return false;
      }, "I control");
      await other.slot.getByText(OWNER.name, { exact: true }).first().waitFor();
      for (const body of [{}, { takeOver: true }]) {
        const refused = await program(`/${panel}/lease`, "PUT", body);
        assert.equal(refused.status, 409);
        assert.match(await refused.text(), new RegExp(OWNER.name));
      }
      await button(other, "Take over…").press("Enter");
      await button(other, "Stop and take over").press("Enter");
      await other.slot.getByText("You control").waitFor();
      await mine.slot.getByText("ada", { exact: true }).first().waitFor();
      assert.equal(await mine.slot.getByText("You control").count(), 0);
      await button(other, "Leave").press("Enter");
      await button(mine, "Take control").waitFor();
    });

    test("a person takes over from a program", async () => {
      const renewing = setInterval(() => void program(`/${panel}/lease`, "PUT", {}).catch(() => {}), 1_000);
      try {
        assert.ok((await program(`/${panel}/lease`, "PUT", {})).ok);
        await button(mine, "Take over…").press("Enter");
        await button(mine, "Stop and take over").press("Enter");
        await mine.slot.getByText("You control").waitFor();
        assert.equal((await program(`/${panel}/lease`, "PUT", {})).status, 409);
        await button(mine, "Leave").press("Enter");
      } finally {
        clearInterval(renewing);
        await program(`/${panel}/lease`, "DELETE");
      }
      await button(mine, "Take control").waitFor();
    });

    if (!moves) return;
    test("closing the tab stops what moves: told by the platform, before the device notices by itself", async () => {
      await moves.start(other);
      await until(() => moves.isMoving(simulator), "it moves");
      const from = simulator.witnessed().length;
      const leftMs = Date.now();
      await theirs.page.close();
      const stop = () =>
        simulator
          .witnessed()
          .slice(from)
          .find(({ name }) => name === moves.stop);
      await until(stop, "it was told to stop");
      const witnessed = simulator.witnessed().slice(from);
      assert.deepEqual(
        witnessed.filter(({ what }) => what === "watchdog"),
        [],
        "the watchdog of the device was not needed",
      );
      const tookMs = (stop()?.atMs ?? Number.POSITIVE_INFINITY) - leftMs;
      assert.ok(tookMs <= DEVICES_LIMITS.deadManMs + DEVICES_LIMITS.deviceWatchdogMs, `after ${tookMs} ms`);
      await openTheirs();
    });
  });
}

test("no page complains", () => {
  assert.deepEqual([...bench.seen.complaints, ...complaints.flat()], []);
});

/** Keys that do nothing else, in the panel. */
function keepUsing({ slot }: InstrumentBench): Disposable {
  const timer = setInterval(
    () =>
      void slot
        .locator(".device-pick")
        .dispatchEvent("pointermove", { bubbles: true })
        .catch(() => {}),
    500,
  );
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
