import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import {
  DEVICES_LIMITS,
  type Devices,
  type FoxgloveLink,
  type LastValue,
  type Recording,
  type Recordings,
  type Sources,
  type Waited,
} from "@backplane/contract/devices";
import { findSocketKind, startSocketSimulator } from "@backplane/simulators";
import { connectAsync } from "mqtt";
import { isLongRun } from "../../../../scripts/testing/long.ts";
import { until } from "../../../../scripts/testing/until.ts";
import type { HubPage } from "../testing/area.ts";
import { FoxgloveTool } from "../testing/foxglove-tool.ts";
import { openTwoInstances, openTwoWithMotor, PREFIX, type TwoOptions } from "../testing/two-instances.ts";

const WANT = { device: "motor-1", capability: "motor" };

/** Devices that one of two instances holds, with Redis and Mosquitto, on every database. */
export function acrossLaws(name: string, database: Pick<TwoOptions, "openDatabase"> = {}): void {
  const openStage = (t: TestContext) => openTwoInstances(t, database);
  const openTwo = (t: TestContext, options: TwoOptions = {}) => openTwoWithMotor(t, { ...database, ...options });

  describe(`two instances, ${name}`, () => {
    test("every instance serves every page: the same devices, samples without a gap or a double, lines and values", async (t) => {
      const { first, last, open, json, motor } = await openTwo(t);
      for (let value = 0; value < 10; value += 1) await motor.sample({ value });
      await until("they have arrived", async () => (await json<LastValue>("/motor-1/motor")).fields.value === 9);
      const pages = [await open(first), await open(last), await open(last)];
      for (const page of pages) page.send({ type: "subscribe", id: 1, ...WANT, historyMs: DEVICES_LIMITS.keptMs });
      for (let value = 10; value < 60; value += 1) await motor.sample({ value });
      for (const page of pages) {
        await until("the last is there", () => page.rows(1, "value").at(-1)?.value === 59);
        assert.deepEqual(
          page.rows(1, "value").map(({ value }) => value),
          Array.from({ length: 60 }, (_, value) => value),
        );
      }
      const [here, there] = pages.map((page) => page.rows(1, "value").map(({ tMs }) => tMs));
      assert.deepEqual(here, there, "the same times, so that a page may go on at another instance");
      assert.equal((await json<LastValue>("/motor-1/motor", last)).fields.value, 59);
      const page = pages[1];
      page?.send({ type: "lines", on: true });
      await motor.log("error", "too hot");
      await page?.hears("lines", ({ lines }) => lines.some(({ text }) => text === "too hot"));
    });

    test("lines arrive once each at every instance, however many, and whenever somebody begins to look", async (t) => {
      const { first, last, start, open, motor } = await openTwo(t);
      const numbersAt = (page: HubPage) =>
        page.heard.flatMap((message) =>
          message.type === "lines" ? message.lines.map(({ text }) => Number(text)) : [],
        );
      const look = async (at: typeof first) => {
        const page = await open(at);
        page.send({ type: "lines", on: true });
        return page;
      };
      const near = await look(first);
      let said = 0;
      let isOver = false;
      const saying = (async () => {
        while (!isOver) {
          // More than one message between instances has for those that begin to look.
          const more = Array.from({ length: 250 }, (_, at) => motor.log("info", String(said + at)));
          said += more.length;
          await Promise.all(more);
          await until("the holder has them", () => numbersAt(near).at(-1) === said - 1);
        }
      })();
      const pages = [near, await look(last)];
      // Instances that begin to follow while lines are said.
      for (let turn = 0; turn < (isLongRun ? 4 : 2); turn += 1) pages.push(await look(await start()), await look(last));
      isOver = true;
      await saying;
      for (const page of pages) {
        await until("the last is there", () => numbersAt(page).at(-1) === said - 1);
        const numbers = numbersAt(page);
        const from = numbers[0] ?? -1;
        assert.deepEqual(
          numbers,
          Array.from({ length: said - from }, (_, at) => from + at),
        );
      }
    });

    test("very many devices with long descriptions are seen and stopped at every instance", async (t) => {
      const { first, last, json, call, mosquitto } = await openStage(t);
      const client = await connectAsync(mosquitto.url, { protocolVersion: 4, reconnectPeriod: 0 });
      t.after(() => client.endAsync(true));
      const field = { type: "number", title: "t".repeat(DEVICES_LIMITS.maxNameLength) };
      const properties = Object.fromEntries(
        Array.from({ length: 120 }, (_, n) => [`a_field_with_a_very_long_name_of_this_device_${n}`, field]),
      );
      const sample = { datatype: "json", retained: false, format: JSON.stringify({ type: "object", properties }) };
      const description = {
        homie: "5.0",
        version: 1,
        name: "Large",
        nodes: { n: { type: "x", properties: { sample } } },
      };
      const ids = Array.from({ length: 130 }, (_, n) => `d${n}`);
      for (const id of ids) {
        const say = (topic: string, text: string) =>
          client.publishAsync(`${PREFIX}homie/5/${id}/${topic}`, text, { qos: 1, retain: true });
        await say("$state", "init");
        await say("$description", JSON.stringify(description));
        await say("$state", "ready");
      }
      const seenAt = async (at: typeof first) =>
        (await json<Devices>("", at)).devices.filter(({ state }) => state === "ready");
      await until("the holder has them", async () => (await seenAt(first)).length === ids.length);
      assert.ok(JSON.stringify(await seenAt(first)).length > 1_048_576, "more than a message between instances takes");
      assert.deepEqual((await seenAt(last)).map(({ id }) => id).sort(), ids.sort());
      assert.equal((await call("POST", "/stop", { at: last })).status, 200);
      // All of them change at once.
      await mosquitto.stop();
      for (const at of [first, last]) await until("all are away", async () => (await seenAt(at)).length === 0);
    });

    test("programs wait at any instance, and a link for tools works at any, whichever made it", async (t) => {
      const { first, last, call, json, motor } = await openTwo(t);
      const waiting = json<Waited>("/motor-1/motor/wait?field=value&above=100&timeoutMs=30000", last);
      let isOver = false;
      void waiting.finally(() => {
        isOver = true;
      });
      while (!isOver) for (const value of [1, 500, 2]) await motor.sample({ value });
      assert.deepEqual([(await waiting).reached, (await waiting).fields.value], [true, 500]);

      const made = (await (await call("POST", "/foxglove", { at: first })).json()) as FoxgloveLink;
      const url = made.url.replace("ws://localhost:8790", last.url.replace("http", "ws"));
      const tool = new FoxgloveTool(url);
      t.after(() => tool.socket.terminate());
      const values = tool.client.subscribe((await tool.channel("/motor-1/motor")).id);
      await until("the tool has it", async () => {
        // Of what came fast just now only the lowest and the highest are kept: one sample may not be among them.
        await motor.sample({ value: 7 });
        return tool.of(values).at(-1)?.value.value === 7;
      });
    });

    test("a device is controlled and stopped from any instance, by one holder at a time", async (t) => {
      const { first, last, open, motor } = await openTwo(t);
      const [near, far] = [await open(first), await open(last)];
      far.send({ type: "take", id: 1, device: "motor-1" });
      assert.equal((await far.hears("ack", ({ id }) => id === 1)).ack.ok, true);
      near.send({ type: "take", id: 1, device: "motor-1" });
      assert.equal((await near.hears("ack", ({ id }) => id === 1)).ack.code, "held");
      far.send({ type: "arm", id: 2, device: "motor-1" });
      assert.equal((await far.hears("ack", ({ id }) => id === 2)).ack.ok, true);
      const pressing = setInterval(() => far.send({ type: "press", device: "motor-1" }), DEVICES_LIMITS.pressMs);
      t.after(() => clearInterval(pressing));
      far.send({ type: "press", device: "motor-1" });
      far.send({ type: "command", id: 3, ...WANT, name: "velocity", params: { velocity_rad_s: 1 } });
      assert.equal((await far.hears("ack", ({ id, stage }) => id === 3 && stage === "reached")).ack.ok, true);
      far.send({ type: "stop", id: 4 });
      assert.equal((await far.hears("ack", ({ id }) => id === 4)).devices?.["motor-1"]?.ok, true);
      assert.equal(motor.received.at(-1)?.name, "idle");
      assert.equal((await near.hears("stopped")).stopped?.by, "ada");
      clearInterval(pressing);
    });

    test("a recording is made, followed, replayed and downloaded at any instance, and ends with its holder", async (t) => {
      const { first, last, open, call, json, motor } = await openTwo(t);
      const [near, far] = [await open(first), await open(last)];
      const started = await call("POST", "/recordings", { at: last, body: { name: "Hall run" } });
      assert.equal(started.status, 201, await started.clone().text());
      const { id } = (await started.json()) as Recording;
      for (const page of [near, far]) await page.hears("recording", ({ recording }) => recording.id === id);
      assert.equal((await (await open(last)).hears("welcome")).recording?.id, id);
      const again = await call("POST", "/recordings", { at: last, body: {} });
      assert.deepEqual([again.status, ((await again.json()) as { code: string }).code], [409, "already-recording"]);
      for (let value = 0; value < 5; value += 1) await motor.sample({ value });
      await until("they have arrived", async () => (await json<LastValue>("/motor-1/motor")).fields.value === 4);
      const stopped = await call("PATCH", `/recordings/${id}`, { at: last, body: { state: "stopped" } });
      assert.equal(((await stopped.json()) as Recording).state, "whole");
      for (const page of [near, far]) {
        page.send({ type: "subscribe", id: 1, ...WANT });
        page.send({ type: "replay", id: 2, recording: id, speed: 16 });
        await until("it was played", () => page.rows(1, "value").at(-1)?.value === 4);
      }
      const bytesAt = async (at: typeof first) => (await call("GET", `/recordings/${id}.mcap`, { at })).arrayBuffer();
      assert.deepEqual(await bytesAt(first), await bytesAt(last));

      const second = await call("POST", "/recordings", { at: last, body: {} });
      const { id: open2 } = (await second.json()) as Recording;
      await first.stop();
      await until("it has ended with its holder", async () => {
        const { recordings } = await json<Recordings>("/recordings", last);
        return recordings.find((one) => one.id === open2)?.state === "whole";
      });
    });

    test("when the holder stops, another instance takes over; pages connect again", async (t) => {
      const { first, last, open, json, motor } = await openTwo(t);
      const page = await open(last);
      await first.stop();
      assert.equal(await page.closed(), 1013, "it is told to connect again");
      const again = await open(last);
      again.send({ type: "subscribe", id: 1, ...WANT });
      await until("the device is there", async () => (await json<Devices>("", last)).devices[0]?.state === "ready");
      await motor.sample({ value: 5 });
      await until("its samples are there", () => again.rows(1, "value").at(-1)?.value === 5);
    });

    test("a holder that loses its claim stops what moves", async (t) => {
      const { first, open, motor, relay, notes } = await openTwo(t, { isRelayed: true });
      const page = await open(first);
      page.send({ type: "take", id: 1, device: "motor-1" });
      page.send({ type: "arm", id: 2, device: "motor-1" });
      await page.hears("ack", ({ id, ack }) => id === 2 && ack.ok);
      const pressing = setInterval(() => page.send({ type: "press", device: "motor-1" }), DEVICES_LIMITS.pressMs);
      t.after(() => clearInterval(pressing));
      page.send({ type: "press", device: "motor-1" });
      page.send({ type: "command", id: 3, ...WANT, name: "velocity", params: { velocity_rad_s: 1 } });
      await page.hears("ack", ({ id, stage, ack }) => id === 3 && stage === "reached" && ack.ok);
      relay?.stall();
      await until("the motor was told to stop", () => motor.received.at(-1)?.name === "idle");
      clearInterval(pressing);
      await until("the log says why", () => notes.some((note) => note.includes("another instance")));
      assert.notEqual(await page.closed(), undefined);
      relay?.resume();
    });

    test("one instance connects to a source, all of them say how it is, and another one connects when it ends", async (t) => {
      const { first, last, call, json } = await openTwo(t);
      const kind = findSocketKind("odrive");
      assert.ok(kind);
      const drive = await startSocketSimulator({ kind, port: 0 });
      t.after(() => drive[Symbol.asyncDispose]());
      const body = { name: "arm", kind: "odrive", settings: { host: drive.host, port: drive.port } };
      // Added where the devices are not held.
      assert.equal((await call("POST", "/sources", { at: last, body })).status, 201);
      const stateAt = async (at: typeof first) => (await json<Sources>("/sources", at)).sources[0];
      for (const at of [first, last]) {
        await until("it is connected", async () => (await stateAt(at))?.state === "connected");
        await until("its device is known", async () => (await stateAt(at))?.devices[0] === "arm");
      }
      assert.equal(drive.connections(), 1);
      await first.stop();
      await until(
        "the other one has connected, and nobody has called",
        // A busy machine may have had to connect more often.
        () => drive.connections() === 1 && drive.accepted() >= 2,
      );
      await until("and says so", async () => (await stateAt(last))?.state === "connected");
    });
  });
}
