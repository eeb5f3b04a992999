import assert from "node:assert/strict";
import { test } from "node:test";
import { matches, mayPublish, maySubscribe, type TopicRights } from "./topics.ts";

const imu: TopicRights = { device: "imu-1", isGateway: false };
const free: TopicRights = { device: null, isGateway: false };
const gateway: TopicRights = { device: null, isGateway: true };

test("a device publishes only below its own topics, and a gateway anywhere", () => {
  const rows: [topic: string, imu: string, free: string, gateway: string][] = [
    ["homie/5/imu-1/$state", "yes", "yes", "yes"],
    ["homie/5/imu-1/imu/sample", "yes", "yes", "yes"],
    ["homie/5/imu-2/$state", "no", "yes", "yes"],
    ["homie/5/imu-1", "no", "no", "yes"],
    ["homie/5/../imu-1/x", "no", "no", "yes"],
    ["homie/5//x", "no", "no", "yes"],
    ["homie/4/imu-1/x", "no", "no", "yes"],
    ["tele/plug/STATE", "no", "no", "yes"],
    ["$SYS/x", "no", "no", "no"],
    [`homie/5/imu-1/${"x".repeat(600)}`, "no", "no", "no"],
  ];
  for (const [topic, ...expected] of rows) {
    const said = [imu, free, gateway].map((key) => mayPublish(key, topic, false));
    assert.deepEqual(said, expected, topic);
  }
});

test("commands of Homie devices come from the hub only, and no retained command passes", () => {
  for (const key of [imu, gateway]) {
    for (const topic of ["homie/5/imu-1/motor/command/set", "homie/5/imu-1/led/on/set"]) {
      assert.equal(mayPublish(key, topic, false), "drop");
      assert.equal(mayPublish(key, topic, true), "drop");
    }
  }
  for (const topic of ["zigbee2mqtt/lamp/set", "cmnd/plug/POWER", "plug/cmnd/POWER", "wled/a1", "wled/a1/api"]) {
    assert.equal(mayPublish(gateway, topic, true), "drop", topic);
    assert.equal(mayPublish(gateway, topic, false), "yes", topic);
  }
  assert.equal(mayPublish(gateway, "wled/a1/status", true), "yes");
});

test("a device subscribes to its own topics and broadcasts, never to those of others", () => {
  const rows: [filter: string, imu: boolean, free: boolean, gateway: boolean][] = [
    ["homie/5/imu-1/#", true, true, true],
    ["homie/5/imu-1/+/command/set", true, true, true],
    ["homie/5/imu-2/#", false, true, true],
    ["homie/5/+/$state", false, false, true],
    ["homie/5/#", false, false, true],
    ["homie/5/$broadcast/#", true, true, true],
    ["#", false, false, true],
    ["+/5/imu-1/x", false, false, true],
    ["$SYS/#", false, false, false],
    ["$share/g/homie/5/imu-1/#", false, false, false],
  ];
  for (const [filter, ...expected] of rows) {
    assert.deepEqual(
      [imu, free, gateway].map((key) => maySubscribe(key, filter)),
      expected,
      filter,
    );
  }
});

test("filters match as in MQTT 3.1.1, section 4.7", () => {
  const rows: [filter: string, topic: string, expected: boolean][] = [
    ["sport/tennis/player1/#", "sport/tennis/player1", true],
    ["sport/tennis/player1/#", "sport/tennis/player1/score/wimbledon", true],
    ["#", "sport", true],
    ["sport/tennis/+", "sport/tennis/player1", true],
    ["sport/tennis/+", "sport/tennis/player1/ranking", false],
    ["sport/+", "sport", false],
    ["sport/+", "sport/", true],
    ["+/+", "/finance", true],
    ["/+", "/finance", true],
    ["+", "/finance", false],
    ["#", "$SYS/x", false],
    ["+/monitor/Clients", "$SYS/monitor/Clients", false],
    ["$SYS/#", "$SYS/monitor", true],
    ["a/b", "a/b/c", false],
  ];
  for (const [filter, topic, expected] of rows) assert.equal(matches(filter, topic), expected, `${filter} ${topic}`);
});
