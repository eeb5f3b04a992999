import { drainTimeMs } from "@backplane/kit/supervise";
import { PLACES, programPaths, SETTINGS_FILE, UNITS, USER } from "./places.ts";

/** The longest `DRAIN_DELAY_S`, and the few seconds that a process then still has. */
const LONGEST_DELAY_MS = 60_000;
const STOP_WITHIN_S = drainTimeMs({ drainDelayMs: LONGEST_DELAY_MS }) / 1_000 + 10;

/** As systemd reads it: in quotes, without specifiers and variables. */
const quoted = (text: string): string =>
  `"${text.replace(/["\\]/g, "\\$&").replaceAll("%", "%%").replaceAll("$", "$$$$")}"`;

/**
 * Both units. Node compiles while it runs, so memory may become executable (no MemoryDenyWriteExecute). Addresses of this
 * machine are read over AF_NETLINK. Ports below 1024 are the proxy's.
 */
export function unitFiles(ownName: string): Record<(typeof UNITS)[number], string> {
  const [whole, parts] = UNITS;
  return {
    [whole]: unit({ ownName, what: "all processes", words: "up --exit-on-failure", edit: "backplane" }),
    [parts]: unit({ ownName, what: "%i", words: "%i", edit: "backplane@platform" }),
  } as Record<(typeof UNITS)[number], string>;
}

type Unit = { ownName: string; what: string; words: string; edit: string };

function unit({ ownName, what, words, edit }: Unit): string {
  const { node, command } = programPaths();
  return `# Written by "backplane service install", which replaces it after an update.
# Settings are in ${SETTINGS_FILE}. To change the unit itself: systemctl edit ${edit}
[Unit]
Description=Backplane, ${what}
Wants=network-online.target
After=network-online.target postgresql.service redis-server.service
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${quoted(node)} ${quoted(command)} ${words}
User=${USER}
Group=${USER}
WorkingDirectory=${PLACES.settings}
Environment=${quoted(`BACKPLANE_COMMAND=${ownName}`)} NODE_COMPILE_CACHE=${PLACES.cache}
StateDirectory=backplane
StateDirectoryMode=0700
LogsDirectory=backplane
LogsDirectoryMode=0700
CacheDirectory=backplane
CacheDirectoryMode=0700
UMask=0077
LimitNOFILE=65536

# Code 2: the settings are wrong, and starting again would not help.
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=2
# The main process ends its children in order. With DRAIN_DELAY_S, uploads in flight may finish.
KillMode=mixed
TimeoutStopSec=${STOP_WITHIN_S}

NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
PrivateDevices=yes
PrivateTmp=yes
PrivateUsers=yes
ProtectSystem=strict
# Where machines that work together share the files of workspaces (PROJECTS_FOLDER).
ReadWritePaths=-/srv/backplane
ProtectHome=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RemoveIPC=yes
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`;
}

/** For systemd-sysusers, also at the first start of an image. */
export const userFile = (): string => `u ${USER} - "Backplane" ${PLACES.state} /usr/sbin/nologin\n`;

/** For systemd-tmpfiles: settings hold passwords, which only root and the service may read. */
export const ownersFile = (): string =>
  `z ${PLACES.settings} 0750 root ${USER}\nz ${SETTINGS_FILE} 0640 root ${USER}\n`;

/** The first settings. They are never written again. */
export const settingsFile = (): string => `# The settings of the Backplane service. All of them: backplane help settings
# After a change: systemctl restart backplane
# Commands use these settings in this folder: cd ${PLACES.settings} && sudo -u ${USER} backplane doctor
BACKPLANE_HOME=${PLACES.state}
LOGS_FOLDER=${PLACES.logs}
VIEWER_PROJECT=${PLACES.state}

# Behind a proxy on this machine:
#BASE_URL=https://backplane.example.org
#GATEWAY_URL=https://gateway.example.org
#VIEWER_URL=https://viewer.example.org
#TRUST_PROXY=127.0.0.1

# Several machines: the same for all of them.
#DATABASE_URL=postgres://backplane:password@db.example.org/backplane
#REDIS_URL=redis://redis.example.org
#ARCHIVES_URL=s3://archives
#DRAIN_DELAY_S=10
`;
