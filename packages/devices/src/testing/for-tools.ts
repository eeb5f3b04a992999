import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { FoxgloveLink } from "@backplane/contract/devices";
import { FoxgloveTool } from "./foxglove-tool.ts";
import { openWithMotor } from "./with-motor.ts";

/** The whole area, with a motor and links for tools of the field. */
export async function openForTools(t: TestContext) {
  const under = await openWithMotor(t);
  const link = async (as = "ada"): Promise<string> => {
    const response = await under.call("POST", "/foxglove", { as });
    assert.equal(response.status, 201, await response.clone().text());
    const { url } = (await response.json()) as FoxgloveLink;
    assert.match(url, /^ws:\/\/localhost:8790\/.+\?ticket=[\w-]{43}$/);
    return url.replace("ws://localhost:8790", under.first.url.replace("http", "ws"));
  };
  const attach = (url: string, protocols?: string[]): FoxgloveTool => {
    const tool = new FoxgloveTool(url, protocols);
    t.after(() => tool.socket.terminate());
    return tool;
  };
  return { ...under, link, attach };
}
