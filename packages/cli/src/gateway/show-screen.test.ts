import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { showScreen } from "./screen.ts";
import { RUNNING, STOPPED } from "./snapshot.suite.ts";

function open(rows: number) {
  const stream = Object.assign(new PassThrough(), { columns: 60, rows });
  const view = showScreen(stream as unknown as NodeJS.WriteStream, "http://localhost:8796");
  return { stream, view, written: () => (stream.read() as Buffer | null)?.toString() ?? "" };
}

test("the view uses the alternate screen, redraws in place, and restores the terminal", () => {
  const { view, written } = open(24);
  assert.equal(written(), "\x1b[?1049h\x1b[?25l");
  view.seen(RUNNING);
  const first = written();
  assert.ok(first.startsWith("\x1b[H● Gateway is running\x1b[K\r\n"));
  assert.ok(first.endsWith("\x1b[K\x1b[J"));
  view.seen(STOPPED);
  assert.ok(written().startsWith("\x1b[H○ Gateway is stopped\x1b[K\r\n"));
  view.gone(new Date(2026, 7, 8, 14, 41, 9));
  assert.ok(written().startsWith("\x1b[H■ The watchdog has not answered since 14:41:09."));
  view.close();
  assert.equal(written(), "\x1b[?25h\x1b[?1049l○ Gateway is stopped\n  It stays stopped until you start it.\n");
});

test("it adapts to the size of the terminal", () => {
  const { stream, view, written } = open(24);
  view.seen(RUNNING);
  written();
  stream.rows = 5;
  stream.emit("resize");
  assert.equal(written().split("\r\n").length, 5);
  view.close();
  written();
  stream.emit("resize");
  assert.equal(written(), "");
});
