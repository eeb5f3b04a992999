// Runs in the page of the bench, with the panel's own worker and with that of the peer.
import { firstLayers } from "../../packages/web/src/workspace/panels/board-viewer/layers.ts";

/** A worker from its bundled code, which answers orders. */
async function start(code) {
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const worker = new Worker(address);
  let last = 0;
  const ask = (order) =>
    new Promise((resolve, reject) => {
      last += 1;
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message));
      worker.postMessage({ id: last, order });
    });
  // Its script has been read when it answers, be it with a refusal.
  await ask({ kind: "find" });
  URL.revokeObjectURL(address);
  return { ask, end: () => worker.terminate() };
}

async function ask(worker, order) {
  const { answer, fault } = await worker.ask(order);
  if (fault !== undefined) throw new Error(fault);
  return answer;
}

/** As the panel shows a board: times from its bytes to the picture of the front, and to all sharp pictures. */
async function show(code, text, { coarsePx, sharpPx }) {
  const worker = await start(code);
  const bytes = new TextEncoder().encode(text);
  const startMs = performance.now();
  const board = await ask(worker, { kind: "load", bytes, what: "board" });
  const loadedMs = performance.now() - startMs;
  const { left, top, right, bottom } = board.outline.box;
  const layers = firstLayers(board.layers);
  const paint = async (side, longest) => {
    const scale = longest / Math.max(right - left, bottom - top);
    const [width, height] = [Math.ceil((right - left) * scale), Math.ceil((bottom - top) * scale)];
    const place = { width, height, left, top, scale, isMirrored: false };
    return inkOf(await ask(worker, { kind: "paint", side, layers, net: -1, ...place }));
  };
  const inks = [await paint("front", coarsePx)];
  const drawnMs = performance.now() - startMs;
  for (const [side, px] of [
    ["back", coarsePx],
    ["front", sharpPx],
    ["back", sharpPx],
  ])
    inks.push(await paint(side, px));
  worker.end();
  return { loadedMs, drawnMs, sharpMs: performance.now() - startMs, isPainted: inks.every((ink) => ink > 0) };
}

/** Looking at a picture makes sure that it has been painted. How many of its pixels have a colour. */
function inkOf(bitmap) {
  const brush = new OffscreenCanvas(16, 16).getContext("2d", { willReadFrequently: true });
  brush.drawImage(bitmap, 0, 0, 16, 16);
  bitmap.close();
  return brush.getImageData(0, 0, 16, 16).data.filter((value, place) => place % 4 === 3 && value > 0).length;
}

/** The peer: from the same bytes to its objects. */
async function parse(code, text) {
  const worker = await start(code);
  const bytes = new TextEncoder().encode(text);
  const startMs = performance.now();
  const footprints = await ask(worker, { kind: "load", bytes });
  worker.end();
  return { parsedMs: performance.now() - startMs, footprints };
}

globalThis.bench = { show, parse };
