import "./drawing.css";
import "../plot/plot.css";
import { type ComponentProps, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useSize } from "../../browser-hooks.ts";
import { pageBeat } from "../beat.ts";
import { onTheme, type Palette, readPalette } from "../plot/palette.ts";
import { watchSeen } from "./seen.ts";

/** Draws in CSS pixels, on an empty ground. */
export type Pen = { context: CanvasRenderingContext2D; palette: Palette; width: number; height: number };

/** What moves is drawn at most this often. */
const FRAME_MS = 33;

type Props = Omit<ComponentProps<"div">, "children" | "ref"> & {
  /** What it shows, in words: a screen reader reads nothing else of it. */
  label: string;
  draw: (pen: Pen) => void;
  /** Something that is another one when there is news to draw, besides another `draw`. */
  news?: () => unknown;
};

/** The colours of the page at an element, also after it changed between light and dark. */
export function usePalette(element: RefObject<HTMLElement | null>): Palette | undefined {
  const [palette, setPalette] = useState<Palette>();
  useLayoutEffect(() => {
    const read = () => element.current && setPalette(readPalette(element.current));
    read();
    return onTheme(read);
  }, [element]);
  return palette;
}

/** A picture on a canvas, with the colours of the page and all pixels of the screen. */
export function Drawing({ label, draw, news, className = "", ...more }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = usePalette(box);
  const size = useSize(box);
  const latest = useRef({ draw, news, isDrawn: false });
  latest.current = { draw, news, isDrawn: latest.current.isDrawn && latest.current.draw === draw };
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !box.current || !context || !palette || !size || size.width === 0 || size.height === 0) return;
    const ratio = devicePixelRatio;
    element.width = size.width * ratio;
    element.height = size.height * ratio;
    context.scale(ratio, ratio);
    context.font = palette.font;
    const { isSeen, stop } = watchSeen(box.current);
    let shown: unknown;
    const look = () => {
      const now = latest.current;
      const news = now.news?.();
      if (!isSeen() || (now.isDrawn && news === shown)) return;
      [shown, now.isDrawn] = [news, true];
      context.clearRect(0, 0, size.width, size.height);
      now.draw({ context, palette, ...size });
    };
    latest.current.isDrawn = false;
    look();
    const stopBeat = pageBeat.add({}, FRAME_MS, look);
    return () => {
      stop();
      stopBeat();
    };
  }, [size, palette]);

  return (
    <div {...more} className={`drawing ${className}`} ref={box} role="img" aria-label={label}>
      <canvas ref={canvas} />
    </div>
  );
}
