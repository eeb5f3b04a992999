import type { Page } from "playwright-core";

/** Copies an image; the browser re-encodes it. The page must be in front and have permission. */
export const copyPicture = (page: Page, png: Buffer): Promise<void> =>
  page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    await navigator.clipboard.write([new ClipboardItem({ "image/png": new Blob([bytes], { type: "image/png" }) })]);
  }, png.toString("base64"));

export const copyText = (page: Page, text: string): Promise<void> =>
  page.evaluate((words) => navigator.clipboard.writeText(words), text);

/** Presses Ctrl V on the focused element. */
export async function pressPaste(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const key = { modifiers: 2, key: "v", code: "KeyV", windowsVirtualKeyCode: 86 };
  await session.send("Input.dispatchKeyEvent", { type: "keyDown", ...key, commands: ["paste"] });
  await session.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
  await session.detach();
}
