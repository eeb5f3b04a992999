import { PassThrough } from "node:stream";
import { text as readText } from "node:stream/consumers";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { RewritingStream } from "parse5-html-rewriting-stream";
import { invalidField } from "../problems.ts";

const { maxIconNameLength, maxIconSide } = PANELS_LIMITS;

const PICTURE = /^data:(image\/png|image\/svg\+xml)(?:;charset=[\w-]{1,20}|;utf8)?(;base64)?,(.*)$/is;

/**
 * The icon of a tab as it is stored and shown to everybody: a name as it was sent, or a picture made safe. 422. Any
 * name will do: pages draw the panel's own icon for one that they do not know.
 */
export async function readIcon(text: string): Promise<string> {
  if (!/^data:/i.test(text)) {
    if (text.length > maxIconNameLength) throw refusal(`has a name of more than ${maxIconNameLength} characters`);
    return text;
  }
  const [, type, base64, data = ""] = PICTURE.exec(text) ?? [];
  if (type === undefined) throw refusal("is neither a name nor a data URL of a PNG or SVG picture");
  const bytes = base64 === undefined ? percentDecoded(data) : Buffer.from(data, "base64");
  return type.toLowerCase() === "image/png" ? checkedPng(bytes) : cleanSvg(bytes.toString("utf8"));
}

const refusal = (message: string) => invalidField("/displayIcon", message);
const dataUrl = (type: string, bytes: Buffer): string => `data:${type};base64,${bytes.toString("base64")}`;

function percentDecoded(data: string): Buffer {
  try {
    return Buffer.from(decodeURIComponent(data));
  } catch {
    throw refusal("contains a % that is not an escape: write a percent sign as %25");
  }
}

const PNG_SIGNATURE = "89504e470d0a1a0a";
const PNG_HEADER_BYTES = 24;

/** A few kilobytes can unpack to gigabytes, in every browser that shows the tab. */
function checkedPng(bytes: Buffer): string {
  if (bytes.length < PNG_HEADER_BYTES || bytes.toString("hex", 0, 8) !== PNG_SIGNATURE) throw refusal("is not a PNG");
  const side = Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
  if (side > maxIconSide) throw refusal(`has more than ${maxIconSide} pixels per side`);
  return dataUrl("image/png", bytes);
}

/** What icons are drawn with. Nothing that draws a part again: a few nested ones would keep a browser busy for good. */
const ELEMENTS: ReadonlySet<string> = new Set([
  ...["svg", "g", "defs", "path", "circle", "ellipse", "rect", "line", "polyline", "polygon"],
  ...["linearGradient", "radialGradient", "stop"],
]);
const ATTRIBUTES: ReadonlySet<string> = new Set([
  ...["id", "viewBox", "preserveAspectRatio", "width", "height", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r"],
  ...["rx", "ry", "fx", "fy", "d", "points", "transform", "style", "color", "opacity", "fill", "fill-rule"],
  ...["fill-opacity", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit"],
  ...["stroke-dasharray", "stroke-dashoffset", "stroke-opacity", "offset", "stop-color", "stop-opacity"],
  ...["gradientUnits", "gradientTransform", "spreadMethod"],
]);
/** Numbers, colours, names, and lists of them: nothing that has to be escaped. */
const VALUE = /^[\w #.,:;%()+\t\n\r-]*$/;
const OUTSIDE = /url\((?!#)/i;

/** Of a style only what an attribute could say as well: a `filter`, for example, would keep a browser drawing for good. */
const cleanStyle = (style: string): string =>
  style
    .split(";")
    .filter((declaration) => ATTRIBUTES.has(declaration.split(":", 1)[0]?.trim() ?? ""))
    .join(";");

/** Only known elements and attributes are kept. */
async function cleanSvg(svg: string): Promise<string> {
  const cleaner = new RewritingStream();
  cleaner.on("startTag", ({ tagName, attrs, selfClosing }) => {
    if (!ELEMENTS.has(tagName)) return;
    const kept = attrs.filter(({ name, value }) => ATTRIBUTES.has(name) && VALUE.test(value) && !OUTSIDE.test(value));
    const namespace = tagName === "svg" ? ' xmlns="http://www.w3.org/2000/svg"' : "";
    const clean = kept.map(({ name, value }) => ({ name, value: name === "style" ? cleanStyle(value) : value }));
    const written = clean.map(({ name, value }) => ` ${name}="${value}"`).join("");
    cleaner.emitRaw(`<${tagName}${namespace}${written}${selfClosing ? "/" : ""}>`);
  });
  cleaner.on("endTag", ({ tagName }) => {
    if (ELEMENTS.has(tagName)) cleaner.emitRaw(`</${tagName}>`);
  });
  for (const event of ["text", "comment", "doctype"] as const) cleaner.on(event, () => {});
  // Not from itself: the library reads its stream, too, so that it never waits.
  const written = readText(cleaner.pipe(new PassThrough()));
  cleaner.end(svg);
  const clean = await written;
  if (!clean.startsWith("<svg")) throw refusal("is not an SVG");
  return dataUrl("image/svg+xml", Buffer.from(clean));
}
