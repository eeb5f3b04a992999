import assert from "node:assert/strict";
import { test } from "node:test";
import type { EvalReport, EvalResult } from "@backplane/contract/panels";
import { someOf } from "../../scripts/testing/long.ts";
import { until } from "../support/processes.ts";
import { connected, type Driver } from "../support/workspaces.ts";
import { type Bench, slotOf } from "./bench.ts";

const LOOP_MS = 500;

/** One test per row of the table of sandbox actions. */
export function testSandbox(bench: () => Bench): void {
  const withoutDuration = (result: EvalResult) => ({ ...result, durationMs: undefined });
  const executed = (more: object = {}) => ({ status: "executed", durationMs: undefined, ...more });

  test("eval: {status: executed, result?}: await works, declarations persist, logs are included", async () => {
    const { drivers, sandbox } = bench();
    for (const driver of drivers) {
      const run = async (code: string) => withoutDuration(await driver.eval(sandbox, code));
      assert.deepEqual(await run("1 + 1"), executed({ result: 2 }));
      assert.deepEqual(await run("void 0"), executed());
      assert.deepEqual(await run("let part = await Promise.resolve({ id: 'MD340', pins: [1, 2] })"), executed());
      assert.deepEqual(await run("part"), executed({ result: { id: "MD340", pins: [1, 2] } }));
      const logged = await run("console.warn('hot', 81); part.id");
      assert.deepEqual(logged, executed({ result: "MD340", logs: [{ level: "warn", text: "hot 81" }] }));
      await driver.sandbox({ panelId: sandbox, action: "reset" });
    }
  });

  test("eval: {status: error, error} in a 200 body when the code fails", async () => {
    const { drivers, sandbox } = bench();
    for (const driver of drivers) {
      for (const [code, error] of [
        ["null.pin", /null/],
        ["throw new RangeError('out of range')", /RangeError: out of range/],
        ["await Promise.reject(new Error('no answer'))", /no answer/],
        ["let = 5 5", /SyntaxError|Unexpected/],
      ] as const) {
        const result = await driver.eval(sandbox, code);
        assert.equal(result.status, "error", code);
        assert.match("error" in result ? result.error : "", error);
      }
    }
  });

  test("the sandbox runs JavaScript in an isolated frame that allows scripts only", async () => {
    const { drivers, sandbox, page, site, seen } = bench();
    const [driver] = drivers as [Bench["drivers"][number]];
    for (const code of [
      "parent.document.title",
      "top.location = 'about:blank'",
      "localStorage.length",
      `await fetch("${site.url}/plain")`,
    ]) {
      assert.equal((await driver.eval(sandbox, code)).status, "error", code);
    }
    assert.deepEqual(withoutDuration(await driver.eval(sandbox, "origin")), executed({ result: "null" }));
    const frames = await page.locator(".sandbox-frame").all();
    for (const frame of frames) assert.equal(await frame.getAttribute("sandbox"), "allow-scripts");
    assert.match(page.url(), /\/w\/owner\//);
    await until(
      () => seen.complaints.some((each) => each.includes("Fetch API cannot load")),
      "the browser has logged the errors",
    );
    seen.complaints.length = 0;
  });

  test("an endless loop is an error after its time limit, affects nobody else, and reset (204) always recovers", async () => {
    const { drivers, sandbox, page } = bench();
    for (const driver of someOf(drivers, 2)) {
      const beside = await driver.split(sandbox, "sandbox", { direction: "vertical" });
      await driver.eval(beside.newPanelId, "let neighbour = 7");
      const looping = driver.eval(sandbox, "for (;;) {}", { timeoutMs: LOOP_MS });
      assert.deepEqual(withoutDuration(await driver.eval(beside.newPanelId, "neighbour")), executed({ result: 7 }));
      assert.equal(await page.evaluate(() => 1), 1);
      assert.equal((await looping).status, "error");
      await page.getByText("The code does not finish. Reset the sandbox to continue.").waitFor();
      const { generation } = await driver.sandboxReport(sandbox);
      const reset = await driver.sandbox({ panelId: sandbox, action: "reset" });
      assert.deepEqual([reset.status, reset.bytes.length], [204, 0]);
      assert.deepEqual(withoutDuration(await driver.eval(sandbox, "typeof part")), executed({ result: "undefined" }));
      const { generation: after, standing, live } = await driver.sandboxReport(sandbox);
      assert.deepEqual([after, standing, live], [generation + 1, "ready", true]);
      await driver.call("DELETE", `${driver.current}/tabs`, { tabId: beside.tabId });
    }
  });

  test("code behind other code that runs too long is reported as not run, and does not run later", async () => {
    const { drivers, sandbox, page } = bench();
    const [driver] = drivers as [Driver];
    const code = "console.log('now busy'); const end = Date.now() + 1000; while (Date.now() < end);";
    const busy = driver.eval(sandbox, code, { timeoutMs: 20_000 });
    await page.getByText("now busy", { exact: true }).waitFor();
    const behind = await driver.eval(sandbox, "globalThis.isLate = true", { timeoutMs: 100 });
    // On a very busy machine it comes when the other has ended.
    if (behind.status === "error") assert.match(behind.error, /^The code did not run\. The sandbox does not answer/);
    else assert.equal(behind.status, "executed");
    assert.equal((await busy).status, "executed");
    const after = await driver.eval(sandbox, "globalThis.isLate === true");
    assert.deepEqual(withoutDuration(after), executed({ result: behind.status === "executed" }));
    await driver.sandbox({ panelId: sandbox, action: "reset" });
  });

  /** On a very busy machine it may wait for its turn. It is not sent again then: both would run, one of them after a reset. */
  async function valueIn(driver: Driver, sandbox: string, code: string): Promise<unknown> {
    let result: EvalResult | EvalReport = await driver.eval(sandbox, code);
    if (result.status === "queued") {
      const { id } = result;
      await until(async () => {
        result = await driver.evalReport(id);
        return result.status !== "queued";
      }, `a value of ${code}`);
    }
    assert.equal(result.status, "executed");
    return result.status === "executed" ? result.result : undefined;
  }

  test("after a reload the sandbox shows what programs put there, and what they declared; nobody is told that it ran again", async () => {
    const { drivers, sandbox, sandboxTab, page } = bench();
    const [driver] = drivers as [Driver];
    const slot = slotOf(page, sandboxTab);
    await driver.sandbox({ panelId: sandbox, action: "reset" });
    await slot.getByText("Nothing is drawn here yet").waitFor();
    await driver.eval(
      sandbox,
      "document.body.innerHTML = '<b>24 V rail</b>'; let volts = 24; console.log('only once')",
    );
    assert.equal((await driver.eval(sandbox, "volts += 1; throw new Error('no load')")).status, "error");
    await slot.getByText("only once", { exact: true }).waitFor();
    const kept = await driver.journal(sandbox);
    assert.deepEqual(
      kept.evals.map(({ ended }) => ended),
      ["executed", "threw"],
    );

    await page.reload();
    await connected(page);
    await slot.getByText("2 evals that ran here before were run again, to show what they drew.").waitFor();
    assert.deepEqual(await driver.journal(sandbox), kept);
    assert.equal(await slot.getByText("only once").count(), 0);
    assert.deepEqual(await valueIn(driver, sandbox, "[document.body.textContent, volts]"), ["24 V rail", 25]);
    await driver.sandbox({ panelId: sandbox, action: "reset" });
  });

  test("an endless loop is not run again after a reload: the sandbox shows what came before, says so, and starts empty when asked", async () => {
    const { drivers, sandbox, sandboxTab, page } = bench();
    const [driver] = drivers as [Driver];
    const slot = slotOf(page, sandboxTab);
    await driver.sandbox({ panelId: sandbox, action: "reset" });
    await driver.eval(sandbox, "document.body.textContent = 'before the loop'");
    assert.equal((await driver.eval(sandbox, "for (;;) {}", { timeoutMs: LOOP_MS })).status, "error");
    await page.reload();
    await connected(page);
    await slot.getByText("What was drawn is shown up to code that did not finish.").waitFor();
    assert.equal(await valueIn(driver, sandbox, "document.body.textContent"), "before the loop");
    // Not a click: output lines that appear below move the button, and the frame behind it would get the click.
    await slot.getByRole("button", { name: "Start empty" }).press("Enter");
    await slot.getByText("Nothing is drawn here yet").waitFor();
    assert.equal(await slot.getByRole("button", { name: "Start empty" }).count(), 0);
    assert.equal(await valueIn(driver, sandbox, "document.body.textContent"), "");
    await driver.sandbox({ panelId: sandbox, action: "reset" });
  });

  test("plot draws lines with a legend and a text for screen readers; the same title draws again in its place", async () => {
    const { drivers, sandbox, sandboxTab, page } = bench();
    const [driver] = drivers as [Driver];
    await driver.sandbox({ panelId: sandbox, action: "reset" });
    await slotOf(page, sandboxTab).getByRole("button", { name: "Run it" }).press("Enter");
    const figures =
      "[...document.querySelectorAll('figure')].map((each) => each.querySelector('[role=img]').ariaLabel)";
    await until(
      async () => ((await valueIn(driver, sandbox, figures)) as string[]).length === 1,
      "the example has run",
    );
    assert.match(
      String(await valueIn(driver, sandbox, figures)),
      /^Two waves\. sin: 200 values, the last is .*\. cos: 200/,
    );
    assert.equal(await valueIn(driver, sandbox, "document.querySelector('figcaption + div').textContent"), "sincos");
    await driver.eval(sandbox, "plot([3, 1, null, 4], { title: 'Two waves', kind: 'bars' }); plot([1])");
    assert.deepEqual(await valueIn(driver, sandbox, figures), [
      "Two waves. 3 values, the last is 4",
      "1 value, the last is 1",
    ]);
    const wrong = await driver.eval(sandbox, "plot('no numbers')");
    assert.match(wrong.status === "error" ? wrong.error : "", /TypeError: plot: give an array of numbers/);
    assert.equal(await valueIn(driver, sandbox, "const plot = 5; plot"), 5);
    await driver.sandbox({ panelId: sandbox, action: "reset" });
  });

  test("setHeaderHidden: 204, and the header is hidden or shown", async () => {
    const { drivers, sandbox, sandboxTab, page } = bench();
    const header = slotOf(page, sandboxTab).getByRole("button", { name: "Reset" });
    for (const driver of drivers) {
      for (const hidden of [true, false]) {
        const { status, bytes } = await driver.sandbox({ panelId: sandbox, action: "setHeaderHidden", hidden });
        assert.deepEqual([status, bytes.length], [204, 0]);
        await header.waitFor({ state: hidden ? "detached" : "visible" });
        assert.equal((await driver.sandboxReport(sandbox)).headerHidden, hidden);
      }
    }
  });
}
