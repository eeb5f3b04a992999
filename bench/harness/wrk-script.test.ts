import assert from "node:assert/strict";
import { test } from "node:test";
import { wrkScript } from "./wrk-script.ts";

test("method, headers and body reach wrk; quotes, line ends and other scripts cannot end the Lua string", () => {
  const script = wrkScript({ path: "/", method: "POST", headers: { "content-type": "a/b" }, body: '{"a":"é\\n"}\n]]' });
  assert.equal(
    script,
    'wrk.method = "POST"\nwrk.headers["content-type"] = "a/b"\n' +
      'wrk.body = "{\\034a\\034:\\034\\195\\169\\092n\\034}\\010]]"\n',
  );
});
