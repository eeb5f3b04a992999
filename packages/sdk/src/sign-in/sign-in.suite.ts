import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  AUTHENTICATED,
  approved,
  DENIED,
  INTENT,
  pending,
  QUICK,
  SESSION,
  sendJson,
  sha256,
  startScriptedPlatform,
  stream,
  TIMEOUT,
} from "./scripted-platform.suite.ts";
import { type SignInLink, signIn, signInWithin } from "./sign-in.ts";
import { failsWith } from "./sign-in-setup.suite.ts";
import type { SignInEvent } from "./wait.ts";

const onUrl = () => {};

export function describeSignIn(where: string): void {
  suite(`signing in, in ${where}`, () => {
    test("creates an intent with a challenge, shows the link, and gets the session from the stream", async () => {
      await using platform = await startScriptedPlatform((call) => {
        if (call.what === "stream") stream(call, AUTHENTICATED);
        else pending(call);
      });
      const links: SignInLink[] = [];
      const { sessionToken, maxAge } = await signIn({
        baseUrl: `${platform.url}/`,
        maxAge: 3_600,
        appName: "bench",
        onUrl: (link) => links.push(link),
      });
      assert.deepEqual([sessionToken, maxAge], [SESSION, 7_776_000]);
      assert.deepEqual(links, [
        {
          url: `${platform.url}/auth/intent?token=${INTENT}`,
          confirmationCode: "BCDF-GHJK",
          expiresAt: Date.parse("2026-01-01T00:15:00Z"),
        },
      ]);
      const [create, status] = platform.calls;
      const { code_challenge, ...others } = JSON.parse(String(create?.body));
      assert.deepEqual(others, { max_age: 3_600, app_name: "bench", code_challenge_method: "S256" });
      assert.equal(sha256(status?.request.headers["x-code-verifier"]), code_challenge);
      assert.equal(platform.count("poll"), 0);
    });

    test("Default client poll interval for intent status: 2000 ms, if the answer is not an event stream", async () => {
      const times: number[] = [];
      await using platform = await startScriptedPlatform((call) => {
        if (call.what === "poll") times.push(performance.now());
        if (times.length > 1) approved(call);
        else pending(call);
      });
      const { sessionToken } = await signIn({ baseUrl: platform.url, onUrl });
      assert.equal(sessionToken, SESSION);
      assert.equal(platform.count("stream"), 1);
      assert.ok(Number(times[1]) - Number(times[0]) > 1_900);
    });

    test("a proxy that holds the stream back costs no more than a poll", async () => {
      await using platform = await startScriptedPlatform((call) => {
        // Not even the headers of the answer arrive.
        if (call.what === "stream") return;
        if (call.nth === 1) pending(call);
        else approved(call);
      });
      const states: SignInEvent[] = [];
      const onState = (event: SignInEvent) => states.push(event);
      const { sessionToken } = await signInWithin(QUICK, { baseUrl: platform.url, onUrl, onState });
      assert.equal(sessionToken, SESSION);
      assert.deepEqual(states, [{ type: "waiting", by: "polling" }]);
    });

    test("it gives up on streams that deliver nothing, and goes on polling", async () => {
      await using platform = await startScriptedPlatform((call) => {
        if (call.what === "stream")
          call.response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
        else if (platform.count("stream") < QUICK.maxEmptyStreams || call.nth < 60) pending(call);
        else approved(call);
      });
      await signInWithin({ ...QUICK, silenceMs: 50 }, { baseUrl: platform.url, onUrl });
      assert.equal(platform.count("stream"), QUICK.maxEmptyStreams);
    });

    test("a stream that falls silent is followed by a poll at once, and opened again", async () => {
      await using platform = await startScriptedPlatform((call) => {
        if (call.what === "poll") pending(call);
        else stream(call, call.nth === 1 ? "" : AUTHENTICATED);
      });
      // Only a silent stream leads to a poll here.
      const limits = { ...QUICK, pollMs: 3_600_000, silenceMs: 1_000 };
      await signInWithin(limits, { baseUrl: platform.url, onUrl });
      assert.deepEqual([platform.count("stream"), platform.count("poll")], [2, 1]);
    });

    test("the session survives a server that dies during the stream and comes back", async () => {
      const first = await startScriptedPlatform((call) => {
        if (call.what === "stream") stream(call, "event: authenti");
        else pending(call);
      });
      const lost = Promise.withResolvers<void>();
      const live = Promise.withResolvers<void>();
      const onState = (event: SignInEvent) => {
        if (event.type === "lost") lost.resolve();
        else if (event.by === "stream") live.resolve();
      };
      const signingIn = signInWithin(QUICK, { baseUrl: first.url, onUrl, onState });
      await live.promise;
      await first[Symbol.asyncDispose]();
      await lost.promise;
      await using second = await startScriptedPlatform(
        (call) => {
          if (call.what === "stream") stream(call, AUTHENTICATED);
          else pending(call);
        },
        Number(new URL(first.url).port),
      );
      assert.equal((await signingIn).sessionToken, SESSION);
      assert.ok(second.calls.length > 0);
    });

    test("bytes that arrive one at a time give the same event", async () => {
      await using platform = await startScriptedPlatform(async (call) => {
        if (call.what === "poll") return pending(call);
        stream(call);
        for (const byte of Buffer.from(`: grüße\n\n${AUTHENTICATED}`)) {
          call.response.write(Buffer.of(byte));
          await new Promise(setImmediate);
        }
      });
      assert.equal((await signIn({ baseUrl: platform.url, onUrl })).sessionToken, SESSION);
    });

    test("after an endless line, or an event that is not JSON, it drops the stream and polls", async () => {
      for (const text of [
        `data: ${"x".repeat(20_000)}`,
        "event: authenticated\ndata: {\n\n",
        "event: authenticated\ndata: 1\n\n",
      ]) {
        await using platform = await startScriptedPlatform((call) => {
          if (call.what === "poll") approved(call);
          else stream(call, text);
        });
        assert.equal((await signIn({ baseUrl: platform.url, onUrl })).sessionToken, SESSION);
        assert.equal(platform.count("stream"), 1);
      }
    });

    test("timeout | no data; the intent expired, or was denied: a poll tells which", async () => {
      for (const [problem, code] of [
        [{ code: "intent-expired" }, "expired"],
        [DENIED, "denied"],
      ] as const) {
        await using platform = await startScriptedPlatform((call) => {
          if (call.what === "poll") sendJson(call.response, 410, problem);
          else stream(call, TIMEOUT);
        });
        const signingIn = signIn({ baseUrl: platform.url, onUrl });
        await assert.rejects(signingIn, failsWith(code, { status: 410, problemCode: problem.code }));
      }
    });

    test("a redirect is not followed, so the verifier goes nowhere else", async () => {
      await using elsewhere = await startScriptedPlatform(approved);
      await using platform = await startScriptedPlatform(({ response, request }) => {
        response.writeHead(307, { location: `${elsewhere.url}${request.url}` }).end();
      });
      await assert.rejects(signIn({ baseUrl: platform.url, onUrl }), failsWith("unexpected-answer"));
      assert.equal(elsewhere.calls.length, 0);
    });
  });
}
