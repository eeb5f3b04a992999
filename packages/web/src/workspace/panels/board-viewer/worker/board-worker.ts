// Reads and paints one board, so that the page stays free.
import { type Board, findAt, netFacts, readBoard, readFootprintFile, snapTo } from "@backplane/kicad/board";
import { FileFault } from "@backplane/kicad/sexpr";
import type { AnswerMessage, BoardSummary, NamedPart, Order, OrderMessage } from "./messages.ts";
import { Painter } from "./painter.ts";

let board: Board | undefined;
let painter: Painter | undefined;

self.addEventListener("message", ({ data }: MessageEvent<OrderMessage>) => {
  const { id, order } = data;
  try {
    const answer = obey(order);
    const transfer = answer instanceof ImageBitmap ? [answer] : [];
    self.postMessage({ id, answer } satisfies AnswerMessage, { transfer });
  } catch (error) {
    self.postMessage({ id, fault: faultWords(error) } satisfies AnswerMessage);
  }
});

function obey(order: Order): unknown {
  if (order.kind === "load") {
    const text = new TextDecoder().decode(order.bytes);
    board = order.what === "board" ? readBoard(text) : readFootprintFile(text);
    painter = new Painter(board);
    return summaryOf(board);
  }
  if (!board || !painter) throw new Error("No board is loaded.");
  switch (order.kind) {
    case "paint":
      return painter.paint(order);
    case "find": {
      const { at, withinMm, side, layers } = order;
      return findAt(board, { at, withinMm, side, isShown: (layer) => layers.includes(layer) });
    }
    case "snap":
      return snapTo(board, order.at, order.withinMm);
  }
}

function faultWords(error: unknown): string {
  if (error instanceof FileFault) return `${error.message}.`;
  if (error instanceof RangeError) return "It is too large to be shown.";
  return error instanceof Error ? error.message : "It cannot be read.";
}

function summaryOf(read: Board): BoardSummary {
  return {
    ...{ version: read.version, thicknessMm: read.thicknessMm, outline: read.outline, layers: read.layers },
    ...{ notes: read.notes, trackCount: read.tracks.length, viaCount: read.vias.length },
    parts: named(read),
    pads: read.pads.map(({ name, part, net, at }) => ({ name, part, net, at })),
    nets: netFacts(read),
    holes: read.pads.flatMap(({ hole }) => hole ?? []),
  };
}

function named({ parts }: Board): NamedPart[] {
  const seen = new Map<string, number>();
  return parts.map((part) => {
    const reference = part.reference || "No name";
    const times = (seen.get(reference) ?? 0) + 1;
    seen.set(reference, times);
    return { ...part, name: times === 1 ? reference : `${reference} (${times})` };
  });
}
