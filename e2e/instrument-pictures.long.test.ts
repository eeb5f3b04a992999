// Every instrument with its simulator at work, as the guides show it (with PICTURES, see CONTRIBUTING.md).
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startSimulator } from "@backplane/simulators";
import { benchOf } from "./instruments/bench.ts";
import { INSTRUMENTS } from "./instruments/table.ts";
import { type InstrumentPage, startInstrumentPage } from "./support/instrument-page.ts";
import { keepPicture } from "./support/pictures.ts";

const FILLED_S = 15;

let bench: InstrumentPage;
before(async () => {
  bench = await startInstrumentPage("pictures");
});
after(() => bench?.[Symbol.asyncDispose]());

for (const instrument of INSTRUMENTS) {
  test(`the panel ${instrument.panel} shows a device at work: its values are new`, async () => {
    const { panel, picture } = instrument;
    await using stack = new AsyncDisposableStack();
    const simulator = startSimulator({ ...(await bench.keyFor(panel)), kind: instrument.simulator, name: panel });
    stack.defer(() => simulator.close({ forget: true }));
    await simulator.ready;
    const { tabId, ...shown } = await bench.open(panel, { device: panel });
    stack.defer(() => bench.driver.call("DELETE", `${bench.driver.current}/tabs`, { tabId }).then(() => {}));
    const controlled = benchOf(shown, simulator);
    stack.defer(controlled.release);
    await picture?.begin?.(controlled);
    await shown.page.waitForTimeout(1_000 * (picture?.filledS ?? FILLED_S));
    const act = picture || instrument.samples ? picture?.act : instrument.commands;
    await act?.(controlled);
    await keepPicture(shown.page, `.slot[data-tab="${tabId}"]`, panel);
    assert.equal(await shown.slot.getByText(/^values .* old$/).count(), 0);
    assert.deepEqual(bench.seen.complaints, []);
  });
}
