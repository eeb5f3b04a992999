import { chooseMatrix, SWATCH } from "./choose-matrix.ts";
import { readYuv } from "./read-frame.ts";
import type { SharedSurface } from "./shared-surface.ts";
import type { Matrix } from "./yuv.ts";

const FIELD_PX = 16;

/**
 * Frames may be encoded otherwise than they say, by up to 26 levels of colour: what comes back of known colours tells
 * how. Fails when what is shared is not this very tab.
 */
export async function measureColours(surface: SharedSurface): Promise<Matrix | undefined> {
  const swatch = drawSwatch();
  // Behind the page: it is captured there, and nobody sees it.
  document.body.prepend(swatch);
  try {
    return await surface.grab(swatch, async (frame) => {
      const yuv = await readYuv(frame);
      return yuv && chooseMatrix(yuv);
    });
  } finally {
    swatch.remove();
  }
}

function drawSwatch(): HTMLElement {
  const swatch = document.createElement("div");
  swatch.setAttribute("aria-hidden", "true");
  Object.assign(swatch.style, {
    ...{ position: "fixed", left: "0", top: "0", zIndex: "-1", isolation: "isolate", pointerEvents: "none" },
    ...{ display: "flex", width: `${SWATCH.length * FIELD_PX}px`, height: `${FIELD_PX}px` },
  });
  for (const [red, green, blue] of SWATCH) {
    const field = document.createElement("i");
    Object.assign(field.style, { flex: "1", background: `rgb(${red} ${green} ${blue})` });
    swatch.append(field);
  }
  return swatch;
}
