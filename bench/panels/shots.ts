import type { Page } from "playwright-core";
import sharp from "sharp";
import { BenchFault } from "../harness/fault.ts";
import { runRounds } from "../harness/rounds.ts";
import type { Session } from "../harness/session.ts";
import { QUICK_SHOTS, SHOTS, SHOTS_PER_ROUND } from "./limits.ts";
import { measureEach } from "./measure.ts";
import { CURRENT, openSandbox, openStage, SANDBOX, type Stage } from "./stage.ts";

const OURS = "PATCH screenshot of a panel";
const PEER = "Playwright page.screenshot of its place";
const COLOURS = ["#aa0000", "#0000aa"] as const;

/** Two panels in turn, each recognised by its colour; compared with Playwright's screenshot of the same area. */
export async function shots(session: Session): Promise<void> {
  const title = "Picture of one panel";
  session.progress(`${title}: starting`);
  await using stage = await openStage("panels");
  const panels = await openTwo(stage);
  await stage.page.getByRole("button", { name: /share/i }).first().click();
  await stage.page.getByRole("button", { name: /sharing this tab/i }).waitFor();

  const total = session.quick ? QUICK_SHOTS : SHOTS;
  let wrong = 0;
  for (let i = 0; i < total; i++) {
    if (i % 50 === 0) session.progress(`${title}: ${i} of ${total}, checked`);
    const at = i % 2;
    if (!(await showsColour(await ourShot(stage, panels[at] ?? "", true), COLOURS[at] ?? ""))) wrong += 1;
  }
  // In its own browser: Playwright's screenshots block the frames of a shared page for a second and more.
  const other = await stage.openWindow();
  const clips = await Promise.all(panels.map((id) => placeOf(stage, other, id)));
  const ways: Record<string, (i: number) => Promise<unknown>> = {
    [OURS]: (i) => ourShot(stage, panels[i % 2] ?? "", false),
    [PEER]: (i) => other.screenshot({ clip: clips[i % 2] ?? { x: 0, y: 0, width: 1, height: 1 } }),
  };
  const count = session.quick ? QUICK_SHOTS : SHOTS_PER_ROUND;
  const rounds = await runRounds(session, {
    title,
    labels: [OURS, PEER],
    measure: (label) => measureEach(ways[label] ?? (() => Promise.resolve()), count),
  });
  session.report({
    title,
    description: `${count} of two panels in turn, ${clips[0]?.width} × ${clips[0]?.height} px; ours is saved, resized and answered`,
    unit: "pictures",
    ours: OURS,
    peers: [PEER],
    rounds,
    targets: [{ measure: "p50 ms", peer: PEER, atMost: 1.5 }],
  });
  const holds = wrong === 0;
  session.say(
    [`${total} alternating pictures`],
    [
      {
        sentence: `target ${holds ? "holds" : "missed"}: none of the wrong panel; ${wrong} were`,
        holds,
        isStretch: false,
      },
    ],
  );
}

async function openTwo(stage: Stage): Promise<string[]> {
  const first = await openSandbox(stage);
  const panels = [first, await openSandbox(stage, first)];
  for (const [at, panelId] of panels.entries()) {
    const code = `document.documentElement.style.background = ${JSON.stringify(COLOURS[at])}; 1`;
    await stage.call("PATCH", SANDBOX, { panelId, action: "eval", code });
    await stage.call("PATCH", SANDBOX, { panelId, action: "setHeaderHidden", hidden: true });
  }
  return panels;
}

async function ourShot(stage: Stage, panelId: string, inline: boolean): Promise<string> {
  const { status, body } = await stage.call("PATCH", `${CURRENT}/screenshot`, { panelId, name: "bench", inline });
  if (status !== 200)
    throw new BenchFault(`The screenshot was answered ${status} ${JSON.stringify(body).slice(0, 200)}.`);
  return body.dataUrl ?? "";
}

/** Near the top, where the sandbox draws. */
async function showsColour(dataUrl: string, colour: string): Promise<boolean> {
  const picture = sharp(Buffer.from(dataUrl.slice(dataUrl.indexOf(",") + 1), "base64")).removeAlpha();
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(info.height * 0.2) * info.width + Math.floor(info.width / 2)) * info.channels;
  const wanted = [1, 3, 5].map((from) => Number.parseInt(colour.slice(from, from + 2), 16));
  return wanted.every((value, channel) => Math.abs((data[at + channel] ?? 999) - value) <= 8);
}

async function placeOf({ call }: Stage, page: Page, panelId: string) {
  const { body } = await call("GET", `${CURRENT}/tabs`);
  const tabs: { panelId: string; tabId: string; active: boolean }[] = body.tabs ?? [];
  const tabId = tabs.find((tab) => tab.panelId === panelId && tab.active)?.tabId;
  const box = await page.locator(`.slot[data-tab="${tabId}"]`).boundingBox();
  if (!box) throw new BenchFault("The panel has no place.");
  return box;
}
