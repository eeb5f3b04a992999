import { mainThreadMs } from "../devices/main-thread.ts";
import { BenchFault } from "../harness/fault.ts";
import type { Session } from "../harness/session.ts";
import { manyItems } from "../kicad/many-items.ts";
import { PAN_BOUND_MS, PAN_FRAMES, PAN_ITEMS, PAN_WINDOWS } from "./limits.ts";
import { percentile } from "./measure.ts";
import { CURRENT, openStage } from "./stage.ts";

/** Turns the wheel once per frame, as a string because this program has no document. */
const panCode = (frames: number, deltaY: number): string => `new Promise((resolve) => {
  const stage = document.querySelector(".schematic-stage");
  const turn = { deltaY: ${deltaY}, shiftKey: true, bubbles: true, cancelable: true };
  let left = ${frames};
  const next = () => {
    if (left-- === 0) return resolve();
    stage.dispatchEvent(new WheelEvent("wheel", turn));
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})`;

/** Moving over a large schematic: what each frame costs the page's main thread. */
export async function pan(session: Session): Promise<void> {
  session.progress("Schematic: starting");
  await using stage = await openStage("panels");
  const { page } = stage;
  const written = await page.evaluate(
    async ([address, content]) => {
      const headers = { "content-type": "application/octet-stream", "if-none-match": "*" };
      return (await fetch(address, { method: "PUT", headers, body: content })).status;
    },
    [`${CURRENT}/files/large.kicad_sch`, manyItems(PAN_ITEMS)] as const,
  );
  if (written >= 300) throw new BenchFault(`The schematic was not saved: ${written}.`);
  await stage.call("POST", `${CURRENT}/tabs`, {
    ...{ panelType: "schematic-editor", initialState: { path: "large.kicad_sch" } },
  });
  await page.getByText(`${PAN_ITEMS} items on this sheet`).waitFor();
  const canvas = page.locator(".schematic-stage");
  for (const key of ["0", "+", "+", "+", "+", "+"]) await canvas.press(key);
  const frames = session.quick ? PAN_FRAMES / 4 : PAN_FRAMES;
  const perFrameMs: number[] = [];
  for (let window = 0; window < (session.quick ? 5 : PAN_WINDOWS); window += 1) {
    // There and back, a little further each time, so that some of what comes into view is new.
    const stepPx = window % 2 === 0 ? 24 + window : -24;
    const tookMs = await mainThreadMs(page, () => page.evaluate(panCode(frames, stepPx)));
    perFrameMs.push(tookMs / frames);
    session.signal.throwIfAborted();
  }
  perFrameMs.sort((a, b) => a - b);
  const median = percentile(perFrameMs, 0.5);
  const holds = median <= PAN_BOUND_MS;
  session.say(
    [
      `Panning a schematic of ${PAN_ITEMS} items: CPU time of the page's main thread per frame`,
      `  median ${median.toFixed(1)} ms, worst of ${perFrameMs.length} runs of ${frames} frames ${percentile(perFrameMs, 1).toFixed(1)} ms`,
    ],
    [
      {
        ...{ holds, isStretch: false },
        sentence: `target ${holds ? "holds" : "missed"}: at most ${PAN_BOUND_MS} ms; it is ${median.toFixed(1)} ms`,
      },
    ],
  );
}
