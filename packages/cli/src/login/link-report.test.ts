import assert from "node:assert/strict";
import { test } from "node:test";
import { showLink } from "./link-report.ts";

const LINK = {
  url: "http://bench.local:8790/auth/intent?token=int_x",
  confirmationCode: "BCDF-GHJK",
  expiresAt: 15 * 60_000,
};

/** What is written to a stream of this kind. */
function shownTo(stream: { isTTY?: boolean; columns?: number }, link = LINK): string {
  let text = "";
  const stdout = Object.assign(Object.create(process.stdout), { ...stream, write: (part: string) => (text += part) });
  showLink({ stdout }, link, 0);
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

test("an address of this machine gets a warning instead of a QR code, because a phone would open it on itself", () => {
  const here = shownTo({ isTTY: true, columns: 80 }, { ...LINK, url: LINK.url.replace("bench.local", "localhost") });
  assert.doesNotMatch(here, /█/);
  assert.match(here, /It opens only on this machine\. For a phone, set BASE_URL/);
  assert.doesNotMatch(shownTo({ isTTY: true, columns: 80 }), /only on this machine/);
});

test("a file or a pipe gets address and code as plain lines", () => {
  const text = shownTo({ isTTY: false });
  assert.doesNotMatch(text, /[█│]/);
  assert.ok(!text.includes("\x1b"));
  assert.match(text, /^ {2}BCDF-GHJK$/m);
});
