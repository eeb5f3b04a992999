import { drawSheet, toSvg } from "@backplane/kicad/drawing";
import type { Design, SheetInstance } from "@backplane/kicad/schematic";

export function svgOf(design: Design, sheet: SheetInstance): string {
  const { items, box } = drawSheet(sheet, design.sheets.length);
  const title = sheet.schematic.titleBlock.title || sheet.name;
  return toSvg(
    items.flatMap(({ primitives }) => primitives),
    box,
    title,
  );
}

/** A page per sheet, each as large as its paper. */
const pageRules = (sheets: readonly SheetInstance[]): string =>
  sheets
    .map(({ schematic: { paper } }, place) => {
      const size = `size: ${paper.widthMm}mm ${paper.heightMm}mm; margin: 0`;
      return `@page sheet${place} { ${size} } img:nth-of-type(${place + 1}) { page: sheet${place} }`;
    })
    .join("\n");

/** Prints from a frame of its own: the page around the panel is not part of the sheets. */
export function printSheets(design: Design, sheets: readonly SheetInstance[]): void {
  const frame = document.createElement("iframe");
  frame.className = "sr schematic-print";
  document.body.append(frame);
  const inside = frame.contentWindow;
  if (!inside) return;
  const { document: page } = inside;
  page.title = design.project;
  const rules = new (inside as typeof globalThis & Window).CSSStyleSheet();
  rules.replaceSync(
    `body { margin: 0 } img { display: block; width: 100%; break-after: page } img:last-of-type { break-after: auto }\n${pageRules(sheets)}`,
  );
  page.adoptedStyleSheets = [rules];
  const pictures = sheets.map((sheet) => {
    const picture = page.createElement("img");
    picture.alt = sheet.name;
    picture.src = `data:image/svg+xml,${encodeURIComponent(svgOf(design, sheet))}`;
    page.body.append(picture);
    return picture;
  });
  void Promise.all(pictures.map((picture) => picture.decode().catch(() => {}))).then(() => {
    // The frame goes when the dialog is closed.
    inside.addEventListener("afterprint", () => frame.remove(), { once: true });
    inside.print();
  });
}
