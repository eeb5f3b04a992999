import assert from "node:assert/strict";
import { test } from "node:test";
import { showLink } from "./link-report.ts";

const LINK = {
  url: "http://localhost:8790/auth/intent?token=int_x",
  confirmationCode: "BCDF-GHJK",
  expiresAt: 15 * 60_000,
};

/** What is written to a stream of this kind. */
function shownTo(stream: { isTTY?: boolean; columns?: number }): string {
  let text = "";
  const stdout = Object.assign(Object.create(process.stdout), { ...stream, write: (part: string) => (text += part) });
  showLink({ stdout }, LINK, 0);
  return text;
}

test("a terminal that is wide enough gets a QR code and a code in a box", () => {
  const text = shownTo({ isTTY: true, columns: 80 });
  assert.match(text, /It works for 15 min:/);
  assert.ok(text.includes(LINK.url));
  assert.match(text, /█ ▄▄▄▄▄ █/);
  assert.match(text, /│ {3}B C D F - G H J K {3}│/);
});

test("a narrow terminal gets no QR code, because broken lines could not be scanned", () => {
  assert.doesNotMatch(shownTo({ isTTY: true, columns: 20 }), /█/);
});

test("a file or a pipe gets address and code as plain lines", () => {
  const text = shownTo({ isTTY: false });
  assert.doesNotMatch(text, /[█│]/);
  assert.ok(!text.includes("\x1b"));
  assert.match(text, /^ {2}BCDF-GHJK$/m);
});
