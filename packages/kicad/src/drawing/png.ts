/** "\x89PNG" and what follows until the size, in base64. */
const HEAD_CHARACTERS = 32;

/** Width and height of a PNG file in pixels; undefined for other files. */
export function pngSize(base64: string): { width: number; height: number } | undefined {
  if (!base64.startsWith("iVBORw0KGgo")) return undefined;
  let head: string;
  try {
    head = atob(base64.slice(0, HEAD_CHARACTERS));
  } catch {
    return undefined;
  }
  const number = (at: number) => [0, 1, 2, 3].reduce((sum, byte) => sum * 256 + head.charCodeAt(at + byte), 0);
  const [width, height] = [number(16), number(20)];
  return width > 0 && height > 0 ? { width, height } : undefined;
}
