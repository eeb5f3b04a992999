import { join } from "node:path";
import { SCREENSHOTS_FOLDER } from "@backplane/contract/viewer";
import type { Settings } from "@backplane/kit/settings";
import type { FileRoot } from "./taking/files.ts";

/** Where a restore puts what is not complete yet, in each folder that it fills. */
export const STAGE = ".restore";

const inStage = (path: string): boolean => path === STAGE || path.startsWith(`${STAGE}/`);

/** Names that writers use before a file has its own. */
const UNFINISHED = /(?:^|\/)(?:\.backplane-[0-9a-f-]{36}\.part|\.shot-[0-9a-f-]+\.(?:upload|part)|[^/]*\.tmp)$/;

/** The files of projects. The folder of an owner or of a project may be a link. */
export const projectsRoot = ({ projectsFolder }: Pick<Settings, "projectsFolder">): FileRoot => ({
  ...{ prefix: "projects/", folder: projectsFolder, linkLevels: 2 },
  skip: (path) => inStage(path) || UNFINISHED.test(path),
});

/** The viewer's screenshots, with its records of them. */
export const screenshotsRoot = ({ viewerProject }: Pick<Settings, "viewerProject">): FileRoot => ({
  ...{ prefix: "screenshots/", folder: join(viewerProject, ...SCREENSHOTS_FOLDER.split("/")), linkLevels: 0 },
  skip: (path) =>
    inStage(path) ||
    UNFINISHED.test(path) ||
    /^\.pastes\/(?:incoming(?:\/|$)|holder$|server\.json$|\.gitignore$)/.test(path),
});

/** Keys and credentials that are files of the home folder. */
export const HOME_FILES = ["owner.json", "watchdog-token", "viewer-token"] as const;
export const HOME_PREFIX = "home/";
export const ARCHIVES_PREFIX = "archives/";
