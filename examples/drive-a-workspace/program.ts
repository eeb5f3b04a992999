// npm run example drive-a-workspace/program [BASE_URL]: sets up a workspace of the Backplane that you run. It needs
// BACKPLANE_TOKEN: a session token, or an API key with the scope panels.
import { openWorkspace } from "@backplane/sdk";

const [baseUrl = "http://localhost:8790"] = process.argv.slice(2);
const { BACKPLANE_TOKEN: sessionToken = "", WORKSPACE_OWNER: owner = "owner" } = process.env;
const workspace = openWorkspace({ baseUrl, sessionToken, owner, repo: "drive-a-workspace" });

const { panelId } = await workspace.openTab({
  panelType: "webview",
  displayName: "datasheet",
  initialState: { url: "https://example.org/" },
  reuse: true,
});
const sandbox = await workspace.split({ panelId, direction: "horizontal", panelType: "sandbox", displayName: "bench" });
const answer = await workspace.eval(sandbox.newPanelId, "6 * 7");
await workspace.log({ source: "program", message: "the bench is set up" });
console.log(`Open ${workspace.page}`);
console.log(answer.status === "queued" ? `Waits for a browser: ${answer.id}` : `Answer: ${JSON.stringify(answer)}`);
