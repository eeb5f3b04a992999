import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { dockerCompose, findCommand, podman } from "../../scripts/services/find-or-install.ts";
import { Program, ROOT } from "../support/backplane.ts";
import { descendantsOf, until } from "../support/processes.ts";
import { openContainers } from "./containers.ts";
import { makeCertificates } from "./public-names.ts";

const PACKAGES = ["postgresql", "redis-server", "nginx-light", "mosquitto", "mosquitto-clients", "curl"];
const STACK_ADDRESS = "10.79.0.2";
/** Building images and starting everything, on a busy machine. */
const UP_WITHIN_MS = 600_000;

/** Instead of the images that this machine may not be able to get: the same services from Debian, and s3rver for MinIO. */
const standIns = `services:
  nginx: { image: localhost/services }
  redis: { image: localhost/services }
  broker: { image: localhost/services }
  postgres:
    image: localhost/services
    entrypoint: [/stand-ins/postgres]
    volumes: ["${ROOT}/e2e/hosting/stand-ins:/stand-ins:ro"]
  s3:
    image: backplane:local
    user: root
    entrypoint: [/stand-ins/minio]
    volumes:
      - ${ROOT}/e2e/hosting/stand-ins:/stand-ins:ro
      - ${ROOT}/e2e/hosting/stand-ins/mc:/usr/local/bin/mc:ro
      - ${ROOT}/node_modules:/opt/node_modules:ro
  s3-bucket:
    image: localhost/services
    volumes: ["${ROOT}/e2e/hosting/stand-ins/mc:/usr/local/bin/mc:ro"]
`;

const CONFIG = `[containers]
cgroups = "disabled"
[engine]
events_logger = "file"
[network]
`;

export type Stack = AsyncDisposable & {
  /** Where the published ports are. */
  address: string;
  authority: string;
  /** Runs a command in the container of a service, as root. */
  exec(service: string, ...args: string[]): void;
};

type StackOptions = {
  /** The secrets of compose.env. */
  secrets: Readonly<Record<string, string>>;
  /** As an operator edits the copied folder before the start. */
  prepare: (hosting: string) => void;
};

/** hosting/compose.yaml, all of it, by podman, in a network of its own. */
export async function startComposeStack({ secrets, prepare }: StackOptions): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), "stack-"));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const command = await findCommand(dockerCompose);
  const engineCommand = await findCommand(podman);
  const containers = await openContainers(folder, "overlay");
  containers.makeBase("services", ...PACKAGES);
  containers.buildImage("services", "backplane:local");

  const hosting = join(folder, "hosting");
  cpSync(join(ROOT, "hosting"), hosting, { recursive: true });
  mkdirSync(join(hosting, "tls"));
  const authorityFile = makeCertificates(join(hosting, "tls"));
  const example = readFileSync(join(hosting, "compose.env.example"), "utf8");
  const filledIn = example.replace(/^(\w+)=$/gm, (_line, name: string) => `${name}=${secrets[name] ?? ""}`);
  writeFileSync(join(hosting, "compose.env"), filledIn);
  writeFileSync(join(folder, "stand-ins.yaml"), standIns);
  writeFileSync(join(folder, "containers.conf"), `${CONFIG}network_config_dir = "${join(folder, "networks")}"\n`);
  prepare(hosting);

  const socket = join(folder, "podman.sock");
  const env = { ...process.env, CONTAINERS_CONF: join(folder, "containers.conf") };
  // What a container started ends with the first process of its namespace.
  const alone = ["--net", "--pid", "--fork", "--kill-child", "--mount-proc", "--mount"];
  const script = 'mount -t tmpfs tmpfs /run; ip link set lo up; exec unshare "$@"';
  const service = ["system", "service", "--time=0", `unix://${socket}`];
  const engine = stack.use(
    new Program("unshare", [...alone, "sh", "-ec", script, "sh", ...containers.podman, ...service], {
      cwd: folder,
      env,
    }),
  );
  await until(() => ask(socket, "/_ping").catch(() => false), `podman answers:\n${engine.output}`);
  connect(descendantsOf(engine.pid)[0]?.pid ?? 0);
  stack.use(runHealthChecks(socket));

  const files = ["--env-file", join(hosting, "compose.env"), "-f", join(hosting, "compose.yaml")];
  const args = [...files, "-f", join(folder, "stand-ins.yaml"), "up", "-d"];
  const composeEnv = { ...process.env, DOCKER_HOST: `unix://${socket}`, COMPOSE_HTTP_TIMEOUT: "600" };
  await using up = new Program(command, args, { cwd: hosting, env: composeEnv });
  let exitCode: number | null | undefined;
  void up.ended().then((code) => {
    exitCode = code;
  });
  await until(() => exitCode !== undefined, "docker-compose up has ended", UP_WITHIN_MS);
  if (exitCode !== 0) throw new Error(`docker-compose up ended with ${exitCode}:\n${up.output}`);
  const owned = stack.move();
  return {
    ...{ address: STACK_ADDRESS, authority: readFileSync(authorityFile, "utf8") },
    exec(name, ...more) {
      // docker-compose 1 cannot, at podman.
      execFileSync(engineCommand, ["--remote", "--url", `unix://${socket}`, "exec", `hosting_${name}_1`, ...more]);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A cable between this machine and the network of the containers. It is gone with that network. */
function connect(pid: number): void {
  const ip = (...args: string[]) => execFileSync("ip", args);
  const name = `bp${process.pid}`;
  ip("link", "add", name, "type", "veth", "peer", "name", "host0", "netns", String(pid));
  ip("address", "add", "10.79.0.1/24", "dev", name);
  ip("link", "set", name, "up");
  const there = ["--target", String(pid), "--net", "ip"];
  execFileSync("nsenter", [...there, "address", "add", `${STACK_ADDRESS}/24`, "dev", "host0"]);
  execFileSync("nsenter", [...there, "link", "set", "host0", "up"]);
}

/** Podman leaves this to timers of systemd, which need not run here. Docker does it itself. */
function runHealthChecks(socket: string): AsyncDisposable {
  let isOn = true;
  const running = (async () => {
    while (isOn) {
      const found = await ask(socket, "/v4.0.0/libpod/containers/json").catch(() => []);
      for (const { Id } of found as { Id: string }[]) {
        await ask(socket, `/v4.0.0/libpod/containers/${Id}/healthcheck`).catch(() => {});
      }
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      isOn = false;
      await running;
    },
  };
}

const ask = (socketPath: string, path: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    request({ socketPath, path }, (answer) => {
      if (path === "/_ping") resolve(answer.resume().statusCode === 200);
      else json(answer).then(resolve, reject);
    })
      .on("error", reject)
      .end();
  });
