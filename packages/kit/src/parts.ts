import type { SettingName } from "./settings.ts";

/** The processes that Backplane consists of. Each runs alone with the command of its name. */
export const PARTS = ["platform", "gateway", "watchdog", "viewer"] as const;
export type Part = (typeof PARTS)[number];

const EVERY = PARTS;
const PLATFORM = ["platform"] as const;
const VIEWER = ["viewer"] as const;
/** The watchdog passes its settings on to the gateway that it starts. */
const GATEWAY = ["gateway", "watchdog"] as const;

/** Which parts read a setting. The help of each part lists its own. */
const READERS: Readonly<Record<SettingName, readonly Part[]>> = {
  HOST: EVERY,
  PLATFORM_PORT: PLATFORM,
  GATEWAY_PORT: ["platform", ...GATEWAY],
  WATCHDOG_PORT: ["platform", "watchdog"],
  VIEWER_PORT: ["platform", "viewer"],
  BASE_URL: EVERY,
  AUTH_URL: PLATFORM,
  GATEWAY_URL: ["platform", ...GATEWAY],
  GATEWAY_WS_URL: GATEWAY,
  GATEWAY_ORIGINS: GATEWAY,
  BACKPLANE_HOME: ["platform", "watchdog", "viewer"],
  LOGS_FOLDER: ["watchdog"],
  BACKPLANE_COMMAND: ["platform", "viewer"],
  DATABASE_URL: PLATFORM,
  DATABASE_CONNECTIONS: PLATFORM,
  BACKUP_TO: PLATFORM,
  BACKUP_EVERY: PLATFORM,
  BACKUP_KEEP: PLATFORM,
  BACKUP_PASSPHRASE_FILE: PLATFORM,
  REDIS_URL: ["platform", ...GATEWAY],
  LOG_LEVEL: EVERY,
  TRUST_PROXY: EVERY,
  ALLOWED_HOSTS: EVERY,
  METRICS_TOKEN: EVERY,
  DRAIN_DELAY_S: EVERY,
  BACKPLANE_OWNER: PLATFORM,
  BACKPLANE_OWNER_PASSWORD: PLATFORM,
  OPEN_REGISTRATION: PLATFORM,
  OPENID_ISSUER: PLATFORM,
  OPENID_CLIENT_ID: PLATFORM,
  OPENID_CLIENT_SECRET: PLATFORM,
  OPENID_NAME: PLATFORM,
  REGISTRY_NAME: PLATFORM,
  REGISTRY_MAINTAINER_NAME: PLATFORM,
  REGISTRY_MAINTAINER_CONTACT: PLATFORM,
  REGISTRY_BRANDS: PLATFORM,
  ARCHIVES_URL: PLATFORM,
  S3_ENDPOINT: PLATFORM,
  S3_REGION: PLATFORM,
  S3_ACCESS_KEY_ID: PLATFORM,
  S3_SECRET_ACCESS_KEY: PLATFORM,
  PROJECTS_FOLDER: PLATFORM,
  QUOTA_FILES: PLATFORM,
  QUOTA_ARCHIVES: PLATFORM,
  QUOTA_PACKAGES: PLATFORM,
  FRAMES_URL: PLATFORM,
  PROXY_ALLOW: PLATFORM,
  PANEL_ALIASES: PLATFORM,
  PANEL_ORIGINS: PLATFORM,
  MQTT_PORT: PLATFORM,
  MQTT_URL: PLATFORM,
  SIMULATORS: PLATFORM,
  DEVICES_ALLOW: PLATFORM,
  STREAM_ALLOW: PLATFORM,
  STREAM_HOSTS: PLATFORM,
  STREAM_PORTS: PLATFORM,
  STREAM_TURN: PLATFORM,
  STREAM_TURN_SECRET: PLATFORM,
  RECORDINGS_MAX_BYTES: PLATFORM,
  HISTORY_KEEP: PLATFORM,
  VIEWER_URL: ["platform", "viewer"],
  VIEWER_PROJECT: VIEWER,
  VIEWER_WORKSPACE: VIEWER,
  NAMER_URL: VIEWER,
  NAMER_MODEL: VIEWER,
  NAMER_KEY: VIEWER,
};

export const doesRead = (part: Part, name: SettingName): boolean => READERS[name].includes(part);
