import { listLibraries, readLibrary } from "../../../../packages/library/library-packages.ts";
import { openArchive, whyUnread } from "../../../../packages/library/open-archive.ts";
import type { WorkspaceName } from "../../../calls.ts";
import { listFiles, readFile } from "../../project-files/file-calls.ts";
import { nameOf, sizeWords } from "../../project-files/paths.ts";
import { ModelFault } from "../../viewer-3d/gltf-resources.ts";
import { isModelFile } from "./find-model.ts";

/** Of one file of a model. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Library packages that are looked into for models. */
const MAX_PACKAGES = 20;

/** A file with a model: of the project, or of a library package. */
export type ModelFile = {
  path: string;
  /** Its name, for people. */
  words: string;
  /** Undefined in a package: such a file has no others beside it. */
  projectPath: string | undefined;
  /** Throws a ModelFault. */
  read(): Promise<Uint8Array<ArrayBuffer>>;
};

const tooLarge = (bytes: number): ModelFault =>
  new ModelFault(`It is ${sizeWords(bytes)}. The limit is ${sizeWords(MAX_BYTES)}. Use a simpler model.`);

export async function listProjectModels(project: WorkspaceName, signal: AbortSignal): Promise<ModelFile[]> {
  const listed = await listFiles(project, signal);
  const paths = listed.ok ? listed.value.files.map(({ path }) => path).filter(isModelFile) : [];
  return paths.map((path) => ({
    ...{ path, words: nameOf(path), projectPath: path },
    read: async () => {
      const file = await readFile(project, path, { maxBytes: MAX_BYTES, signal });
      if (file.kind === "too-large") throw tooLarge(file.size);
      if (file.kind !== "read") throw new ModelFault("It cannot be loaded now.");
      return file.bytes;
    },
  }));
}

/** Models of the library packages of this Backplane, which need not be installed. A package that cannot be read has none. */
export async function listPackagedModels(signal: AbortSignal): Promise<ModelFile[]> {
  const files: ModelFile[] = [];
  for (const { identifier } of await listLibraries(MAX_PACKAGES, signal)) {
    const library = await readLibrary(identifier, signal);
    if (!library.ok || !library.value.version) continue;
    const { name, version } = library.value;
    try {
      const { entries, read } = await openArchive(version, signal);
      for (const entry of entries) {
        if (!isModelFile(entry.path)) continue;
        files.push({
          ...{ path: entry.path, projectPath: undefined },
          words: `${nameOf(entry.path)}, of ${name} ${version.version}`,
          read: async () => {
            if (entry.size > MAX_BYTES) throw tooLarge(entry.size);
            return await read(entry).catch((error: unknown) => {
              throw new ModelFault(whyUnread(error));
            });
          },
        });
      }
    } catch (error) {
      whyUnread(error);
    }
  }
  return files;
}
