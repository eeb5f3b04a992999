import "./drawing.css";
import "../plot/plot.css";
import { type ComponentProps, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useSize } from "../../browser-hooks.ts";
import { onTheme, type Palette, readPalette } from "../plot/palette.ts";

/** Draws in CSS pixels, on an empty ground. */
export type Pen = { context: CanvasRenderingContext2D; palette: Palette; width: number; height: number };

/** What moves is drawn at most this often. */
const FRAME_MS = 33;
const IDLE_MS = 500;

type Props = Omit<ComponentProps<"div">, "children" | "ref"> & {
  /** What it shows, in words: a screen reader reads nothing else of it. */
  label: string;
  draw: (pen: Pen) => void;
  /** Something that is another one when there is news to draw. Without it, only another `draw` is drawn. */
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
  const latest = useRef({ draw, news });
  latest.current = { draw, news };
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context || !palette || !size || size.width === 0 || size.height === 0) return;
    const ratio = devicePixelRatio;
    element.width = size.width * ratio;
    element.height = size.height * ratio;
    context.scale(ratio, ratio);
    context.font = palette.font;
    draw({ context, palette, ...size });
  }, [size, draw, palette]);

  const isLive = news !== undefined;
  useEffect(() => {
    if (!isLive) return;
    let timer: ReturnType<typeof setTimeout>;
    let seen: unknown;
    const look = () => {
      const context = canvas.current?.getContext("2d");
      const isSeen = !document.hidden && (box.current?.checkVisibility({ visibilityProperty: true }) ?? false);
      timer = setTimeout(look, isSeen ? FRAME_MS : IDLE_MS);
      const now = latest.current.news?.();
      if (!isSeen || !context || !size || !palette || now === seen) return;
      seen = now;
      context.clearRect(0, 0, size.width, size.height);
      latest.current.draw({ context, palette, ...size });
    };
    timer = setTimeout(look, FRAME_MS);
    return () => clearTimeout(timer);
  }, [isLive, size, palette]);

  return (
    <div {...more} className={`drawing ${className}`} ref={box} role="img" aria-label={label}>
      <canvas ref={canvas} />
    </div>
  );
}
