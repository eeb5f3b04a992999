import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { DeviceKeys, Devices, MadeDeviceKey, Sources } from "@backplane/contract/devices";
import { findSocketKind, type RunningSimulator, startSimulator, startSocketSimulator } from "@backplane/simulators";
import type { Browser, Page } from "playwright-core";
import { freePort } from "../scripts/services/index.ts";
import { slotOf } from "./panels/bench.ts";
import { CLI, Program, plainEnvironment, ROOT } from "./support/backplane.ts";
import { openBrowser, pressIfThere, type Visit } from "./support/browser.ts";
import { assertLooksRightInEveryLook } from "./support/looks.ts";
import { OWNER } from "./support/platform.ts";
import { until } from "./support/processes.ts";
import { driverOf, openPage, showWorkspace, startWorkspaces, type Workspaces } from "./support/workspaces.ts";

let browser: Browser;
let workspaces: Workspaces;
let seen: Visit;

before(async () => {
  browser = await openBrowser();
  workspaces = await startWorkspaces("one instance, embedded", { MQTT_PORT: String(await freePort()) });
  seen = await openPage(browser, workspaces, "start");
});
after(async () => {
  await seen?.[Symbol.asyncDispose]();
  await browser?.close();
  await workspaces?.[Symbol.asyncDispose]();
});

const devicesOf = (repo: string) => {
  const path = `/api/workspaces/editor/${OWNER.name}/${repo}/current/devices`;
  return async <Answer>(rest: string, method = "GET", body?: unknown): Promise<Answer> => {
    const answer = await workspaces.owner.call(workspaces.pages, `${path}${rest}`, {
      method,
      ...(body === undefined ? {} : { body }),
    });
    assert.ok(answer.ok, await answer.clone().text());
    return (await answer.json().catch(() => undefined)) as Answer;
  };
};

/** A device with a key of its own, over a real connection. */
async function simulate(repo: string, kind: string, id: string): Promise<RunningSimulator> {
  const call = devicesOf(repo);
  const { key } = await call<MadeDeviceKey>("/keys", "POST", { name: id, device: id });
  const { address } = await call<DeviceKeys>("/keys");
  assert.ok(address);
  const simulator = startSimulator({ kind, url: address, key, id, name: id });
  await simulator.ready;
  return simulator;
}

const numberIn = async (page: Page, field: string): Promise<number> => {
  const text = await page.locator(`[data-field=${field}]`).innerText();
  return Number.parseFloat(text.replace("−", "-"));
};
const commandsOf = (motor: RunningSimulator) => motor.witnessed().filter(({ what }) => what === "command");

suite("devices in a workspace", { concurrency: 1 }, () => {
  test("a panel without a device offers a simulator, and shows what it measures", async () => {
    const { page } = seen;
    const driver = driverOf(workspaces, workspaces.pages, "start");
    const { tabId } = await driver.open("motor");
    const slot = slotOf(page, tabId);
    await slot.getByRole("heading", { name: "Choose a motor" }).waitFor();
    await assertLooksRightInEveryLook(page, "a panel without a device");
    await slot.getByRole("button", { name: "Start a simulator" }).press("Enter");
    await slot.getByRole("button", { name: /^Motor, ready/ }).waitFor();
    await until(async () => (await numberIn(page, "bus_voltage_v")) > 20, "a value is shown");
    const { devices } = await devicesOf("start")<Devices>("");
    assert.deepEqual(
      devices.map(({ id }) => id),
      ["sim-motor"],
    );
    await slot.getByText(/^\d+ Hz$/).waitFor();
    await assertLooksRightInEveryLook(page, "a panel with a device");
    assert.deepEqual(seen.complaints, []);
  });

  test("the robot log shows what is said, by level, source and words", async () => {
    const { page } = seen;
    await showWorkspace(seen, workspaces, "log");
    const driver = driverOf(workspaces, workspaces.pages, "log");
    const { tabId } = await driver.open("robot-log");
    const slot = slotOf(page, tabId);
    await slot.getByRole("button", { name: "Start a simulator" }).click();
    await slot.locator(".log-row").nth(4).waitFor();
    await assertLooksRightInEveryLook(page, "the robot log");
    await slot.getByRole("button", { name: "Warn" }).click();
    await slot.getByText("Joint 2 is 4°").first().waitFor();
    await until(
      async () => (await slot.locator(".log-row").allInnerTexts()).every((row) => /warn|error/.test(row)),
      "only warnings and errors are shown",
    );
    await slot.getByRole("button", { name: "Debug" }).click();
    await slot.getByLabel("Search the log").fill("gripper closed");
    await until(async () => {
      const rows = await slot.locator(".log-row").allInnerTexts();
      return rows.length > 0 && rows.every((row) => row.includes("Closed at"));
    }, "only what fits is shown");
    await slot.locator(".log-row").first().click();
    await slot.getByRole("button", { name: "Follow again" }).click();
    assert.deepEqual(seen.complaints, []);
  });
});

suite("control in a workspace", { concurrency: 1 }, () => {
  let motor: RunningSimulator;
  let other: Visit;
  before(async () => {
    await showWorkspace(seen, workspaces, "cell");
    motor = await simulate("cell", "motor", "drive");
    const driver = driverOf(workspaces, workspaces.pages, "cell");
    await driver.open("motor", { initialState: { device: "drive" } });
    other = await openPage(browser, workspaces, "cell");
  });
  after(async () => {
    await other?.[Symbol.asyncDispose]();
    await motor?.close();
  });
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

  /** Control lasts as long as it is used. */
  function keepUsing(page: Page): Disposable {
    let x = 300;
    const timer = setInterval(() => {
      x = 600 - x + 1;
      void page.mouse.move(x, 300).catch(() => {});
    }, 500);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  test("one is in control, others see who, and take over by two presses at two places", async () => {
    using _seen = keepUsing(seen.page);
    using _other = keepUsing(other.page);
    await button(seen.page, "Take control").click();
    await seen.page.getByText("You control").waitFor();
    await other.page.locator(".lease-name", { hasText: "owner" }).waitFor();
    await button(other.page, "Take over…").click();
    const [first, second] = await Promise.all([
      button(other.page, "Cancel").boundingBox(),
      button(other.page, "Stop and take over").boundingBox(),
    ]);
    assert.ok(first && second && second.x + second.width <= first.x);
    await button(other.page, "Stop and take over").click();
    await other.page.getByText("You control").waitFor();
    await button(seen.page, "Take over…").waitFor();
  });

  /** On a busy machine control, which lasts 5 s, may end before it is used: then it is taken again. */
  async function holdUntilItTurns(page: Page, press: () => Promise<void>, release: () => Promise<void>): Promise<void> {
    const turns = () => Number(motor.read("motor").velocity_rad_s) > 10;
    await until(async () => {
      if (turns()) return true;
      if ((await page.locator(".hold-button.held").count()) > 0) return false;
      await release();
      for (const name of ["Take control", "Arm"]) await pressIfThere(button(page, name));
      if ((await button(page, "Disarm").count()) > 0) await press();
      return false;
    }, "it turns");
  }

  test("what is held by the keyboard moves, and stops when it is released", async () => {
    const { page } = other;
    const release = () => page.keyboard.up(" ");
    const press = async () => {
      await page.locator(".hold-button").focus();
      await page.keyboard.down(" ");
    };
    await holdUntilItTurns(page, press, release);
    await page.getByText("reached").waitFor();
    await release();
    await until(() => commandsOf(motor).at(-1)?.name === "idle", "it was told to stop");
    assert.deepEqual(commandsOf(motor).find(({ name }) => name === "velocity")?.params, { velocity_rad_s: 20 });
    await assertLooksRightInEveryLook(page, "a motor that was moved");
  });

  test("leaving the page stops what moves", async () => {
    const { page } = other;
    await until(() => Math.abs(Number(motor.read("motor").velocity_rad_s)) < 5, "it stands still");
    const press = async () => {
      const box = await page.locator(".hold-button").boundingBox();
      assert.ok(box);
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.down();
    };
    await holdUntilItTurns(page, press, () => page.mouse.up());
    await page.goto("about:blank");
    await until(() => commandsOf(motor).at(-1)?.name === "idle", "it was told to stop");
    await button(seen.page, "Take control").waitFor();
  });

  test("Escape twice stops for everybody, and clearing arms nothing", async () => {
    await other.page.goto(`${workspaces.pages}/w/${OWNER.name}/cell`);
    await button(other.page, "Take control").waitFor();
    await seen.page.keyboard.press("Escape");
    await seen.page.keyboard.press("Escape");
    for (const { page } of [seen, other])
      await page
        .getByRole("alert")
        .getByText(/^Stopped by owner/)
        .waitFor();
    await seen.page.getByText(/The device confirmed in \d+ ms/).waitFor();
    await assertLooksRightInEveryLook(seen.page, "a stopped workspace");
    await button(other.page, "Clear the stop").click();
    for (const { page } of [seen, other])
      await page
        .getByRole("alert")
        .getByText(/^Stopped by/)
        .waitFor({ state: "detached" });
    const { devices } = await devicesOf("cell")<Devices>("");
    assert.equal(devices[0]?.isArmed, false);
    assert.deepEqual([...seen.complaints, ...other.complaints], []);
  });
});

test("backplane simulate shows a device until Ctrl-C, and leaves neither a key nor a source", async () => {
  const call = devicesOf("start");
  const body = { name: "bench", scopes: ["devices:read", "devices:control"] };
  const made = await workspaces.owner.call(workspaces.pages, "/auth/api-keys", { method: "POST", body });
  const { key } = (await made.json()) as { key: string };
  const env = { ...plainEnvironment(), BASE_URL: workspaces.pages, BACKPLANE_TOKEN: key };
  const simulateAt = (kind: string) => {
    const args = [CLI, "simulate", kind, "--workspace", `${OWNER.name}/start`];
    return new Program(process.execPath, args, { cwd: ROOT, env });
  };
  await using program = simulateAt("temperature");
  await using drive = simulateAt("odrive");
  await Promise.all([program, drive].map((one) => one.prints(/Ctrl-C ends it/)));
  assert.equal((await call<DeviceKeys>("/keys")).keys.length, 1);
  assert.equal((await call<Sources>("/sources")).sources[0]?.state, "connected");
  for (const one of [program, drive]) one.child.kill("SIGINT");
  await Promise.all([program.ended(), drive.ended()]);
  assert.deepEqual((await call<DeviceKeys>("/keys")).keys, [], program.output);
  assert.deepEqual((await call<Sources>("/sources")).sources, [], drive.output);
});

suite("the devices page", { concurrency: 1 }, () => {
  test("it lists devices, makes a key that is shown once, revokes it, and opens a panel for a device", async () => {
    const { page } = seen;
    const oven = await simulate("bench", "temperature", "oven");
    try {
      await workspaces.owner.call(workspaces.pages, `/api/workspaces/editor/${OWNER.name}/bench/current`);
      await page.goto(`${workspaces.pages}/w/${OWNER.name}/bench/devices`);
      await page.getByRole("row", { name: /oven.*Ready/ }).waitFor();
      await page.getByRole("cell", { name: /°C/ }).waitFor();
      await page.getByRole("cell", { name: /^[\d.]+ Hz$/ }).waitFor();
      await page
        .getByText("Kept every second for 24 hours, every minute for 30 days, every hour for 2 years.")
        .waitFor();
      await page.getByLabel("Device name").fill("Bench scale");
      await page.getByRole("button", { name: "Make a key" }).click();
      await page.getByText("Copy it now").waitFor();
      await page.getByText('#define MQTT_USER "bench-scale"').waitFor();
      assert.ok(!(await page.content()).includes("bpd_"), "the key is copied, not shown");
      await assertLooksRightInEveryLook(page, "the devices page");
      await page.getByRole("button", { name: "Revoke Bench scale" }).click();
      await page.getByRole("button", { name: "Disconnect it" }).click();
      await page.getByRole("button", { name: "Revoke Bench scale" }).waitFor({ state: "detached" });
      await page.reload();
      await page.getByRole("row", { name: /oven/ }).waitFor();
      assert.equal(await page.getByText("Copy it now").count(), 0);
      await page.getByRole("button", { name: "Open oven in a panel" }).press("Enter");
      await page.getByRole("menuitem", { name: "Open Temperature graph" }).press("Enter");
      await page.getByRole("button", { name: /^oven, ready/ }).waitFor();
      assert.deepEqual(seen.complaints, []);
    } finally {
      await oven.close();
    }
  });

  test("it connects to a device that does not speak MQTT, says why another one cannot be reached, and removes it", async () => {
    const { page } = seen;
    const kind = findSocketKind("odrive");
    assert.ok(kind);
    await using drive = await startSocketSimulator({ kind, port: 0 });
    await page.goto(`${workspaces.pages}/w/${OWNER.name}/bench/devices`);
    const card = page.getByRole("region", { name: "Connect to a device" });
    const add = async (name: string, host: string) => {
      await card.getByRole("button", { name: "Add a device" }).click();
      await card.getByLabel("Name", { exact: true }).fill(name);
      await card.getByLabel("Host").fill(host);
      await card.getByLabel("Port").fill(String(drive.port));
      await card.getByRole("button", { name: "Connect" }).press("Enter");
    };
    await add("arm", "127.0.0.1");
    await page.getByRole("row", { name: /arm.*Ready/ }).waitFor();
    await card.getByText(`odrive at 127.0.0.1:${drive.port}, connected`).waitFor();
    await add("far", "10.9.8.7");
    await card.getByText("adds it to DEVICES_ALLOW").waitFor();
    await add("arm", "127.0.0.1");
    await card.getByText("has a source arm already").waitFor();
    await assertLooksRightInEveryLook(page, "the devices page with sources");
    for (const name of ["arm", "far"]) {
      const source = card.getByRole("listitem").filter({ hasText: name });
      await source.getByRole("button", { name: `Remove ${name}` }).click();
      await source.getByRole("button", { name: "Disconnect it" }).click();
      await source.waitFor({ state: "detached" });
    }
    await page.getByRole("row", { name: /arm/ }).waitFor({ state: "detached" });
    assert.deepEqual(
      seen.complaints.filter((text) => !text.includes("409")),
      [],
    );
  });
});

suite("recordings of a workspace", { concurrency: 1 }, () => {
  test("what was recorded is replayed with the same numbers, and commands are off meanwhile", async () => {
    const { page } = seen;
    const motor = await simulate("tape", "motor", "drive");
    let isTurning = true;
    try {
      await driverOf(workspaces, workspaces.pages, "tape").open("motor", { initialState: { device: "drive" } });
      await showWorkspace(seen, workspaces, "tape");
      await until(async () => (await numberIn(page, "bus_voltage_v")) > 20, "a value is shown");
      await page.getByRole("button", { name: "Record", exact: true }).click();
      await page.getByRole("timer", { name: "Recording" }).waitFor();
      const drive = devicesOf("tape");
      const turn = async () => {
        await drive("/drive/lease", "PUT");
        await drive("/drive/arm", "PUT");
        await drive("/drive/motor/commands", "POST", { name: "velocity", params: { velocity_rad_s: 20 } });
      };
      // Nobody in control means that it stops by itself: it turns until the recording has ended, and so does the replay.
      // Not in step with the page, which may take longer to draw than a lease lasts.
      const turning = (async () => {
        while (isTurning) {
          await turn();
          await pause(200);
        }
      })();
      await until(async () => Math.abs((await numberIn(page, "velocity_rad_s")) - 20) < 1, "it turns at 20 rad/s");
      await page.getByRole("button", { name: "Stop recording" }).click();
      const stopped = page.getByRole("button", { name: "Record", exact: true });
      await stopped.waitFor();
      isTurning = false;
      await turning;
      await until(async () => Math.abs(await numberIn(page, "velocity_rad_s")) < 5, "it stands still");

      await page.goto(`${workspaces.pages}/w/${OWNER.name}/tape/recordings`);
      await page.getByRole("row", { name: /Whole/ }).waitFor();
      await assertLooksRightInEveryLook(page, "the recordings page");
      await page.getByRole("link", { name: "Replay" }).click();
      await page.getByText("Commands are off during a replay.").waitFor();
      await until(
        async () => Math.abs((await numberIn(page, "velocity_rad_s")) - 20) < 1,
        "the recorded speed is shown",
      );
      assert.equal(await page.getByRole("button", { name: "Take control", exact: true }).count(), 0);
      await assertLooksRightInEveryLook(page, "a replay");
      await page.getByRole("button", { name: "Back to live" }).click();
      await page.getByRole("button", { name: "Take control", exact: true }).waitFor();
      assert.deepEqual(seen.complaints, []);
    } finally {
      isTurning = false;
      await motor.close();
    }
  });
});
