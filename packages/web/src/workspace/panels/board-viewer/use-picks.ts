import type { Side } from "@backplane/kicad/board";
import { useEffect, useMemo, useRef } from "react";
import type { PanelContext } from "../../panel.ts";
import { onProbe, sendProbe } from "../probe.ts";
import { usePanelState } from "../react-panel.tsx";
import { firstLayers } from "./layers.ts";
import type { Pin } from "./pins.ts";
import type { BoardSummary } from "./worker/messages.ts";

/** What people chose to see of a board. It is in the state of the panel: other browsers and programs see and set it, too. */
export type Picks = {
  view: "3d" | "flat";
  side: Side;
  layers: readonly string[];
  /** Places in the lists of the board; -1: none. */
  net: number;
  part: number;
  pins: readonly Pin[];
};

export type Choose = {
  view(view: Picks["view"]): void;
  side(side: Side): void;
  toggleLayer(name: string): void;
  net(net: number): void;
  part(part: number): void;
  pins(pins: readonly Pin[]): void;
};

/** `onProbed`: another panel has picked this part. */
export function usePicks(
  context: PanelContext,
  board: BoardSummary,
  onProbed: (part: number) => void,
): { picks: Picks; choose: Choose } {
  const state = usePanelState(context);
  const picks = useMemo<Picks>(
    () => ({
      view: state.view === "flat" ? "flat" : "3d",
      side: state.side === "back" ? "back" : "front",
      layers: Array.isArray(state.layers) ? state.layers.map(String) : firstLayers(board.layers),
      net: board.nets.findIndex(({ name }) => name === state.net),
      part: board.parts.findIndex(({ name }) => name === state.part),
      pins: Array.isArray(state.pins) ? (state.pins as Pin[]) : [],
    }),
    [state, board],
  );
  const latest = useRef({ picks, onProbed });
  latest.current = { picks, onProbed };

  const choose = useMemo<Choose>(() => {
    // If the server does not store it, it is shown here until the next change.
    const set = (patch: Parameters<PanelContext["setState"]>[0]) => void context.setState(patch).catch(() => {});
    return {
      view: (view) => set({ view }),
      side: (side) => set({ side }),
      toggleLayer(name) {
        const { layers } = latest.current.picks;
        set({ layers: layers.includes(name) ? layers.filter((each) => each !== name) : [...layers, name] });
      },
      net(net) {
        const name = board.nets[net]?.name;
        set({ net: name ?? null });
        sendProbe(context.tabId, { net: name ?? "" });
      },
      part(place) {
        const part = board.parts[place];
        set({ part: part?.name ?? null });
        if (part) sendProbe(context.tabId, { part: part.reference });
      },
      pins: (pins) => set({ pins: pins.map((pin) => ({ ...pin })) }),
    };
  }, [context, board]);

  useEffect(
    () =>
      onProbe(context.tabId, ({ part, net }) => {
        const place = part === undefined ? -1 : board.parts.findIndex(({ reference }) => reference === part);
        const isNet = net !== undefined && (net === "" || board.nets.some(({ name }) => name === net));
        const patch = {
          ...(place < 0 ? {} : { part: board.parts[place]?.name ?? null }),
          ...(isNet ? { net: net || null } : {}),
        };
        if (Object.keys(patch).length > 0) void context.setState(patch).catch(() => {});
        if (place >= 0) latest.current.onProbed(place);
      }),
    [context, board],
  );
  return { picks, choose };
}
