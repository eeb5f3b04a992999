import { type Box, drawSheet, grown } from "@backplane/kicad/drawing";
import type { SheetInstance } from "@backplane/kicad/schematic";
import { useEffect, useRef } from "react";
import { onTheme } from "../../../parts/plot/palette.ts";
import { whole } from "../canvas/camera.ts";
import { inOneColour, looksOf, paint } from "../canvas/paint.ts";
import { SheetCanvas } from "../canvas/sheet-canvas.ts";

const AROUND_MM = 20;

/** Where an item is in one version of a sheet, with something of what is around it. */
export function boxAround(sheet: SheetInstance, id: string | undefined): Box | undefined {
  const found = drawSheet(sheet, 1).items.find((item) => item.id === id);
  return found && grown(found.box, AROUND_MM);
}

type Props = { label: string; sheet: SheetInstance; id: string | undefined; box: Box | undefined };

/** One version of the sheet, to look at. The item in question is highlighted. */
export function SideView({ label, sheet, id, box }: Props) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const canvas = document.createElement("canvas");
    element.append(canvas);
    const drawn = drawSheet(sheet, 1);
    const view = new SheetCanvas(canvas, looksOf(element));
    const resize = () => {
      const { clientWidth: width, clientHeight: height } = element;
      view.setCamera(whole(box ?? drawn.box, { width, height }));
      view.setSize(width, height);
    };
    const observer = new ResizeObserver(resize);
    observer.observe(element);
    const stopTheme = onTheme(() => view.setLooks(looksOf(element)));
    view.setItems(drawn.items);
    view.setOverlay((brush) => {
      const now = { ...brush, inks: inOneColour(brush.inks, brush.inks.now), extraPx: 1.5 };
      for (const item of drawn.items) if (item.id === id) paint(item.primitives, now);
    });
    return () => {
      observer.disconnect();
      stopTheme();
      view.dispose();
      element.replaceChildren();
    };
  }, [sheet, id, box]);
  return <div ref={host} className="schematic-side-view" role="img" aria-label={label} />;
}
