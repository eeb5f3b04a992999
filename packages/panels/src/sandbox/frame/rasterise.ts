import type { FrameToPage } from "@backplane/contract/panels";
import type { FrameWindow } from "./natives.ts";

type Context = {
  fillStyle: string;
  fillRect(x: number, y: number, width: number, height: number): void;
  drawImage(image: unknown, x: number, y: number, width: number, height: number): void;
};
type DrawingWindow = FrameWindow & {
  document: { documentElement: object; body: object | null };
  getComputedStyle(element: object): { backgroundColor: string };
  innerWidth: number;
  innerHeight: number;
  devicePixelRatio: number;
  OffscreenCanvas: new (
    width: number,
    height: number,
  ) => { getContext(kind: "2d"): Context; convertToBlob(): Promise<{ arrayBuffer(): Promise<ArrayBuffer> }> };
};
type Snapdom = { snapdom: { toCanvas(element: unknown, options: object): Promise<unknown> } };

/** Draws the frame's current content as a PNG. The page cannot: it has no access to the frame's document. */
export function createRasterise(
  frame: FrameWindow,
  post: (message: FrameToPage, transfer?: readonly unknown[]) => void,
  addressOfSnapdom: string,
) {
  const { document, OffscreenCanvas, HTMLCanvasElement } = frame as DrawingWindow;
  const getComputedStyle = (element: object) => (frame as DrawingWindow).getComputedStyle(element);
  const { ceil } = frame.Math;
  const { apply } = frame.Reflect;

  // WebGL discards its drawing buffer after presenting it, unless the context preserves it.
  if (HTMLCanvasElement) {
    const { prototype } = HTMLCanvasElement;
    const { getContext } = prototype;
    prototype.getContext = function (this: unknown, ...given: unknown[]) {
      const [kind, options] = given;
      const isWebgl = kind === "webgl" || kind === "webgl2" || kind === "experimental-webgl";
      if (!isWebgl) return apply(getContext, this, given);
      return apply(getContext, this, [kind, { ...(options as object | undefined), preserveDrawingBuffer: true }]);
    };
  }

  async function draw(background: string): Promise<ArrayBuffer> {
    const { innerWidth, innerHeight, devicePixelRatio } = frame as DrawingWindow;
    const { snapdom } = (await import(addressOfSnapdom)) as Snapdom;
    // Given the root element, snapdom loses the margins that collapse into it.
    const { documentElement, body } = document;
    const drawn = await snapdom.toCanvas(body ?? documentElement, {
      clip: "viewport",
      dpr: devicePixelRatio,
      embedFonts: false,
      invalidate: true,
    });
    const [width, height] = [ceil(innerWidth * devicePixelRatio), ceil(innerHeight * devicePixelRatio)];
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d");
    const fill = (colour: string) => {
      context.fillStyle = colour;
      context.fillRect(0, 0, width, height);
    };
    // The background of a page is its root's, or else its body's, and covers all of it.
    fill(background);
    if (body) fill(getComputedStyle(body).backgroundColor);
    const root = getComputedStyle(documentElement).backgroundColor;
    if (root !== "rgba(0, 0, 0, 0)") fill(root);
    context.drawImage(drawn, 0, 0, width, height);
    return (await canvas.convertToBlob()).arrayBuffer();
  }

  return (id: number, background: string): void => {
    draw(background).then(
      (bytes) => post({ type: "picture", id, bytes }, [bytes]),
      (error) => post({ type: "no-picture", id, error: `${(error as Error | undefined)?.message ?? "unknown"}` }),
    );
  };
}
