// A lesson beside a simulator in a process of its own: a step is done when the device really did it, and by nothing else.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Lesson } from "@backplane/contract/panels";
import type { Browser, Locator, Page } from "playwright-core";
import { benchOf } from "./instruments/bench.ts";
import type { Shown } from "./instruments/instrument.ts";
import { slotOf } from "./panels/bench.ts";
import type { Program } from "./support/backplane.ts";
import { type Visit, visit } from "./support/browser.ts";
import { assertLooksRightInEveryLook } from "./support/looks.ts";
import { makePerson, signedInWindow } from "./support/person.ts";
import { keepPicture } from "./support/pictures.ts";
import { OWNER } from "./support/platform.ts";
import { until } from "./support/processes.ts";
import { openProject, type ProjectPage, startMotor } from "./support/project-page.ts";
import { connected, type Workspaces } from "./support/workspaces.ts";

const REPO = "school";
const MOTOR_LESSON = "lessons/first-steps/02-run-a-motor.md";

let project: ProjectPage;
let browser: Browser;
let workspaces: Workspaces;
let seen: Visit;
let page: Page;
let simulator: Program;
let slot: Locator;

before(async () => {
  project = await openProject(REPO);
  ({ browser, workspaces, seen, page } = project);
});
after(async () => {
  await simulator?.[Symbol.asyncDispose]();
  await project?.[Symbol.asyncDispose]();
});

const driver = () => project.driver();
const lessonsPath = `/api/workspaces/editor/${OWNER.name}/${REPO}/current/lessons`;
const steps = (where: Locator) => where.locator(".lesson-step");
const doneSteps = (where: Locator) => where.locator(".lesson-step.done");

suite("curriculum", { concurrency: 1 }, () => {
  test("a project without lessons says what one is, and gets samples by a key press", async () => {
    const { tabId } = await driver().open("curriculum");
    slot = slotOf(page, tabId);
    await slot.getByText("This project has no lessons yet.").waitFor();
    await assertLooksRightInEveryLook(page, "no lessons", ".curriculum");
    await slot.getByRole("button", { name: "Add sample lessons" }).press("Enter");
    await slot.getByRole("heading", { name: "First steps" }).waitFor();
    await slot.getByRole("button", { name: /Read a sensor.*0 of 3 steps/ }).waitFor();
    await assertLooksRightInEveryLook(page, "the list", ".curriculum");
  });

  test("a lesson says what it needs: without a device a simulator is offered, and hints open by keys", async () => {
    await slot.getByRole("button", { name: /Run a motor/ }).press("Enter");
    await slot.getByRole("heading", { name: "Run a motor" }).waitFor();
    await slot.getByText("First steps · lesson 2 of 2").waitFor();
    await slot.getByText(/No device of this workspace has/).waitFor();
    await slot.getByRole("button", { name: "Start a simulator" }).waitFor();
    const hint = steps(slot).first().locator("details").first();
    assert.equal(await hint.getByText("start a simulator below").isVisible(), false);
    await hint.locator("summary").press("Enter");
    await hint.getByText("start a simulator below").waitFor();
    assert.equal(await steps(slot).first().getAttribute("aria-current"), "step");
    assert.equal(await doneSteps(slot).count(), 0);
  });

  test("a step is done only when the motor really kept its speed, and a link opens the panel for it", async () => {
    simulator = await startMotor(workspaces, REPO);
    await slot.getByText("not in range").waitFor();
    await keepPicture(page, ".curriculum", "curriculum");
    await slot.getByRole("button", { name: "Motor control" }).press("Enter");
    await page.locator(".device-panel").waitFor();
    const motorTab = (await driver().tabs()).at(-1)?.tabId ?? "";
    // Side by side, so that both are seen.
    const leaves = await driver().leaves();
    const moved = await driver().call("POST", `${driver().current}/moves`, {
      ...{ tabId: motorTab, targetPanelId: leaves[0]?.id, direction: "horizontal" },
    });
    assert.ok(moved.status < 300, JSON.stringify(moved.body));
    const motor = slotOf(page, motorTab);
    await motor.locator(".readouts dd").filter({ hasText: /\d/ }).first().waitFor();
    // The simulator is a process of its own: what it was told is not asked here.
    const bench = benchOf({ page, slot: motor } as Shown, undefined as never);
    const target = motor.getByRole("slider", { name: "Target" });
    await target.waitFor();
    await setTarget(target, 20);
    const hold = motor.getByRole("button", { name: /Hold to run/ });
    await bench.holdUntil(hold, async () => (await speedOf(slot)) > 10, "it turns, too fast for the lesson");
    await slot.getByText("not in range").waitFor();
    assert.equal(await doneSteps(slot).count(), 0, "another speed is not what was asked for");
    await bench.release();
    const early = await driver().call("POST", `${lessonsPath}/${MOTOR_LESSON}`, { step: "let-it-turn" });
    assert.deepEqual([early.status, early.body.isDone], [200, false], "nobody can claim it");
    await setTarget(target, 5);
    await bench.holdUntil(hold, async () => (await doneSteps(slot).count()) === 1, "the first step is done");
    await steps(slot)
      .first()
      .getByText(/sim-motor: velocity_rad_s was [45]\.\d+, for 2 s/)
      .waitFor();
    assert.equal(await steps(slot).nth(1).getAttribute("aria-current"), "step");
    assert.equal(await doneSteps(slot).count(), 1, "it still turns: the second step waits");
    await bench.release();
    await slot.getByText("You have done this lesson.").waitFor();
    assert.equal(await doneSteps(slot).count(), 2);
    await slot.getByRole("status").filter({ hasText: "2 of 2 steps" }).waitFor({ state: "attached" });
  });

  test("what is done is there after a reload, and is everybody's own", async () => {
    await page.reload();
    await connected(page);
    await slot.getByText("You have done this lesson.").waitFor();
    const { pages, owner } = workspaces;
    const shared = `/api/workspaces/editor/${OWNER.name}/${REPO}`;
    const ada = await (await makePerson(owner, pages, "ada")).signIn();
    await owner.call(pages, `${shared}/people/ada`, { method: "PUT" });
    assert.equal((await ada.call(pages, `${shared}/accept`, { method: "POST" })).status, 204);
    await using theirs = await visit(browser, signedInWindow(ada));
    await theirs.page.goto(`${pages}/w/${OWNER.name}/${REPO}`);
    await connected(theirs.page);
    await theirs.page.locator(".curriculum").getByText("0 of 2 steps", { exact: true }).waitFor();
    await page.locator(".curriculum").getByText("2 of 2 steps", { exact: true }).waitFor();
    assert.deepEqual(theirs.complaints, []);
  });

  test("a lesson is read and left by keys, in every look and at 340 pixels", async () => {
    await assertLooksRightInEveryLook(page, "a lesson", ".curriculum");
    const before = page.viewportSize();
    await page.setViewportSize({ width: 340, height: 800 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
    if (before) await page.setViewportSize(before);
    await slot.getByRole("button", { name: "Before: Read a sensor" }).press("Enter");
    await slot.getByRole("heading", { name: "Read a sensor" }).waitFor();
    const next = slot.getByRole("button", { name: "Next: Run a motor" });
    assert.equal(await next.getAttribute("aria-disabled"), "true");
    await slot.getByText("Next opens after step 3").waitFor();
    await next.press("Enter");
    await slot.getByRole("heading", { name: "Read a sensor" }).waitFor();
    await slot.getByRole("button", { name: "All lessons" }).press("Enter");
    await slot.getByRole("button", { name: /Run a motor.*2 of 2 steps/ }).waitFor();
  });

  test("hostile Markdown is text, a broken lesson says what is wrong, and a file is checked when it is saved", async () => {
    const html = '<img src=x onerror="document.title=1"><script>document.title=2</script> [x](javascript:alert)';
    await project.put(
      "lessons/hostile.md",
      `# ${html}\n\n${html}\n\n## Write\n${html}\n\nDone when: file a.txt contains "7"\n`,
    );
    await project.put("lessons/wrong.md", "# Wrong\n## A\nDone when: soon\n");
    await slot.getByText(/Step 1: "soon" is not device\/capability\/field/).waitFor();
    await slot.getByRole("button", { name: /onerror/ }).press("Enter");
    await slot.locator(".lesson-step").getByText("<script>").waitFor();
    assert.equal(await slot.locator("img, script, a[href]").count(), 0);
    await project.put("a.txt", "7");
    await slot.getByText("You have done this lesson.").waitFor();
    await slot.getByRole("button", { name: "Start again" }).press("Enter");
    await until(async () => {
      const { body } = await driver().call("GET", `${lessonsPath}/lessons/hostile.md`);
      return (body as unknown as Lesson).steps[0]?.done === null;
    }, "the program, which is the same person, sees that it was forgotten");
    assert.deepEqual(seen.complaints, []);
  });

  test("a step that asks for the result of a script is done when the script runner of this page got it", async () => {
    await project.put(
      "scripts/mean.js",
      "const all = [20, 21, 22];\nexport default (all[0] + all[1] + all[2]) / all.length;\n",
    );
    const text = "Run it in the [script runner](panel:script-runner).\n\nDone when: script scripts/mean.js = 21";
    await project.put("lessons/scripts.md", `# Mean\n\n## Compute\n\n${text}\n`);
    const { tabId } = await driver().open("curriculum", { initialState: { path: "lessons/scripts.md" } });
    const lesson = slotOf(page, tabId);
    await lesson.getByText("Not run yet since this step began").waitFor();
    await lesson.getByRole("button", { name: "script runner" }).press("Enter");
    const runner = page.getByRole("region", { name: "Script runner" });
    await runner.getByText("scripts/mean.js").waitFor();
    await runner.getByRole("button", { name: "Run", exact: true }).press("Enter");
    await lesson.getByText("scripts/mean.js resulted in 21").waitFor({ state: "attached" });
  });
});

async function setTarget(target: Locator, value: number): Promise<void> {
  await target.fill(String(value));
}

/** What the check shows now. */
async function speedOf(where: Locator): Promise<number> {
  return Number.parseFloat((await where.locator(".lesson-measured b").innerText()).replace("−", "-"));
}
