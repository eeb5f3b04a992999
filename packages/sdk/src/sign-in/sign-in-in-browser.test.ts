import assert from "node:assert/strict";
import { test } from "node:test";
import { AUTHENTICATED, pending, startScriptedPlatform, stream } from "./scripted-platform.suite.ts";
import { describeSignIn } from "./sign-in.suite.ts";
import { signIn } from "./sign-in.ts";

// Makes the sdk believe that it runs in a browser. Node has the same standard fetch and streams.
Reflect.set(globalThis, "document", {});

describeSignIn("a browser");

test("a browser's own name is left as it is", async () => {
  await using platform = await startScriptedPlatform((call) => {
    if (call.what === "stream") stream(call, AUTHENTICATED);
    else pending(call);
  });
  await signIn({ baseUrl: platform.url, onUrl: () => {} });
  for (const { request } of platform.calls) assert.doesNotMatch(String(request.headers["user-agent"]), /backplane/);
});
