import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Line } from "../recognition/recognised-lines.ts";
import { cleanText } from "./secret-labels.ts";
import { looksSecret } from "./secrets.ts";
import { suggestNames } from "./suggest-names.ts";

const line = (text: string, y: number): Line => ({ text, height: 14, x: 10, y, width: 400, confidence: 92 });
const page = (...texts: string[]) => ({ lines: texts.map((text, at) => line(text, at * 24)), text: texts.join("\n") });

const WORDS_THAT_ARE_SECRETS = [
  "sk-proj-4fG7hJ9kL2mN5pQ8rS1tV3wX6yZ0",
  "sk-ant-api03-Zk4mQ9xT2vB7",
  "sk_live_51HxYzKq8LmN2pRs",
  "pk_test_TYooMQauvdEDq54NiTphI7jx",
  "ghp_9fK2mQx7LpZt4Rw8Yc3Vb6Nh1Jd5Gs0AeUi",
  "gho_16C7e42F292c6912E7710c838347Ae178B4a",
  "github_pat_11ABCDEFG0abcdefghijkl",
  "glpat-xY7kQ2mN9pR4tV6w",
  "xoxb-2948571038-abcdefghij",
  "xoxp-998877665544",
  "AKIAIOSFODNN7EXAMPLE",
  "ASIAY34FZKBOKMUTVV7A",
  "AIzaSyD4kQ9mX2vB7nL5pR8tW1yZ3cF6gH0jK",
  "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2ln",
  "tok_1N3T00LkdIwHu7ix",
  "bpk_7f3Kq9Zt2LmX8vBn",
  "npm_A1b2C3d4E5f6G7h8I9j0",
  "ya29.a0AfH6SMBx3k9",
  "SG.ngeVfQFYQlKU0ufo8x5d1A",
  "d41d8cd98f00b204e9800998ecf8427e",
  "0x9f86d081884c7d659a2feaa0c55ad015",
  "550e8400-e29b-41d4-a716-446655440000",
  "4111111111111111",
  "4111-1111-1111-1111",
  "DE89370400440532013000",
  "GB29NWBK60161331926819",
  "ana.petrova@example.com",
  "postgres://app:hunter2@db.internal/prod",
  "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  "JBSWY3DPEHPK3PXP",
  "Tr0ub4dor",
  "aGVsbG8gd29ybGQgdGhpcyBpcyBsb25nZXI=",
  "Xk9$mP2!vQ7z",
];

test("Keys, tokens, hashes, passwords, card and account numbers and email addresses look secret", () => {
  for (const word of WORDS_THAT_ARE_SECRETS) assert.ok(looksSecret(word), word);
});

test("Words, file names, part numbers and units do not look secret", () => {
  const plain =
    "error Timeout overcurrent stm32f4 STM32F405RGT6 AMS1117 md340 3v3 usb2 esp32 ESP32-S3 login-form ModuleNotFoundError README.md JavaScript TypeScript package.json src/checkout/payment.ts applyDiscount HTTPServer GitHub SN65HVD230 GRM155R71C104K mara@bench:~/balance-bot$ 0x000d4c31 frequency=50 tests/test_inverse_kinematics.py::test_elbow_up_near_singularity i2c rs485 feature/login 2026 8080 127.0.0.1 v1.2.3 internationalization";
  for (const word of plain.split(" ")) assert.ok(!looksSecret(word), word);
});

/** Lines as they are read, and what must be neither in a name nor in the stored text. */
const PAGES: [string[], string[]][] = [
  [["Password: correct horse battery"], ["horse", "battery"]],
  [["$ redis-cli -h cache.example -p marble-otter-42 ping"], ["marble", "otter"]],
  [["> sqlcmd -S bench -U logger -P 'velvet lantern' -Q status"], ["velvet", "lantern"]],
  [["mysql -u root -pS3cr3tPw9 boards"], ["s3cr3t", "cr3tpw9"]],
  [["mysqldump —pcopperKettle boards > boards.sql"], ["copper", "kettle"]],
  [["sshpass -p'velvet lantern' ssh bench"], ["velvet", "lantern"]],
  [["mysql -u root --password=S3cr3tPw9 boards"], ["s3cr3t", "cr3tpw9"]],
  [["mysql —password=quartz-heron broker"], ["quartz", "heron"]],
  [
    ["Set up the authenticator app", "Secret  QWEX RTYV PLMK BNHJ"],
    ["qwex", "rtyv", "plmk"],
  ],
  [["Licence H4KD-PQ7W-XN2M-VT9B activated"], ["h4kd", "pq7w"]],
  [["Your secret QWEX RTYV"], ["qwex", "rtyv"]],
  [
    ["Password", "maple-orchid"],
    ["maple", "orchid"],
  ],
  [["password = swordfish"], ["swordfish"]],
  [["DB_PASSWORD=winterfalcon"], ["winterfalcon"]],
  [["Secret: magpie"], ["magpie"]],
  [["client_secret: magpie lantern"], ["magpie", "lantern"]],
  [["Authorization: Bearer abcdef ghijkl"], ["abcdef", "ghijkl"]],
  [["curl -H 'Bearer quartz violin'"], ["quartz", "violin"]],
  [["API key: velvet thunder"], ["velvet", "thunder"]],
  [["Your API key is", "velvet"], ["velvet"]],
  [
    ["Access token", "ghp_9fK2mQx7 LpZt4Rw8"],
    ["9fk2mqx7", "lpzt4rw8"],
  ],
  [["Your verification code is 482913"], ["482913"]],
  [["Enter the code: 731 904"], ["731", "904"]],
  [["PIN 4821"], ["4821"]],
  [
    ["Recovery codes", "a1b2-c3d4", "e5f6-g7h8"],
    ["a1b2", "c3d4", "e5f6", "g7h8"],
  ],
  [["Card number 4111 1111 1111 1111"], ["4111", "1111"]],
  [["Pay with 5500 0000 0000 0004 today"], ["5500", "0004"]],
  [["IBAN DE89 3704 0044 0532 0130 00"], ["de89", "3704"]],
  [["Signed in as ana.petrova@example.com"], ["petrova", "ana"]],
  [["Contact ana.petrova @ example.com"], ["petrova"]],
  [
    ["-----BEGIN OPENSSH PRIVATE KEY-----", "bronze kettle lamp", "copper spoon", "-----END OPENSSH PRIVATE KEY-----"],
    ["bronze", "kettle", "copper", "spoon"],
  ],
  [["postgres://app:falcon@db/prod"], ["falcon"]],
  [["Seed phrase: ribbon canyon"], ["ribbon", "canyon"]],
  [["OTP 55 18 20"], ["55", "18"]],
  [
    ["Passphrase", "ribbon canyon lantern orchard"],
    ["ribbon", "orchard"],
  ],
  [
    ["Your recovery phrase", "ribbon canyon lantern orchard violet saddle anchor meadow"],
    ["ribbon", "saddle"],
  ],
];

test("What follows a label of a secret is neither in a name nor in the stored text, even on the next line", () => {
  for (const [lines, secrets] of PAGES) {
    const recognised = page("Deploy pipeline overview", ...lines);
    const kept = cleanText(recognised.text).toLowerCase();
    const names = suggestNames(recognised);
    assert.ok(names.length > 0, lines.join("/"));
    for (const secret of secrets) {
      assert.ok(!kept.includes(secret), `${secret} is in the text: ${kept}`);
      for (const name of names) assert.ok(!name.includes(secret), `${secret} is in ${name}`);
    }
  }
});

test("A planted token of any kind is in no name and not in the text", () => {
  const prefix = fc.constantFrom("sk-", "ghp_", "glpat-", "AKIA", "xoxb-", "AIza", "eyJ", "tok_", "bpk_", "sk_live_");
  const body = fc.stringMatching(/^[A-Za-z0-9]{20,36}$/);
  fc.assert(
    fc.property(prefix, body, fc.nat(2), (start, rest, at) => {
      const lines = ["Motor controller settings", "Firmware update failed", "Sensor calibration"];
      lines.splice(at, 0, `Key ${start}${rest}`);
      const recognised = page(...lines);
      const telling = rest.toLowerCase().slice(0, 8);
      for (const name of suggestNames(recognised)) assert.ok(!name.replaceAll("-", "").includes(telling), name);
      assert.ok(!cleanText(recognised.text).includes(rest));
    }),
  );
});

test("The stored text has at most 20,000 characters and no control characters", () => {
  assert.equal(cleanText("word \u0000\u001b[31m\u202e next\r\nline"), "word   [31m  next\nline");
  assert.ok(cleanText("status report ".repeat(10_000)).length <= 20_000);
  assert.equal(cleanText("Password: hunter"), "Password: [hidden]");
});

test("Flags with ports, folders and words are not hidden", () => {
  for (const text of [
    "docker run -p8080:80 web",
    "nc -p8080 bench",
    "mkdir -p src",
    "mkdir -p src/sensors2/drivers",
    "gcc -pedantic -pthread main.c",
    "find . -print0",
    "ls --pattern",
  ]) {
    assert.equal(cleanText(text), text);
  }
  assert.equal(cleanText("mysql -u root -pS3cr3tPw9 boards"), "mysql -u root -p[hidden] boards");
});

test("Pins of boards and tokens that are only mentioned hide nothing", () => {
  for (const text of [
    "Pin 5 drives the servo motor",
    "The robot token expired, sign in again",
    "Access tokens\nare kept for you in the store of this machine",
  ]) {
    assert.equal(cleanText(text), text);
  }
});
