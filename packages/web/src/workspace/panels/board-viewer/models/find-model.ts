import { extensionOf, nameOf } from "../../project-files/paths.ts";

export const isModelFile = (path: string): boolean => ["glb", "step", "stp"].includes(extensionOf(path));

const slashed = (path: string): string => path.replaceAll("\\", "/").toLowerCase();
const stemOf = (path: string): string => nameOf(slashed(path)).replace(/\.[^.]*$/, "");
const folderOf = (path: string): string | undefined => slashed(path).split("/").at(-2);

/**
 * The file that stands for a model which a board names: one of the same name. Boards name files of another machine, so only the
 * last part of their path counts; of several files, one in a folder of the same name comes first, and .glb, which needs no
 * conversion, before STEP.
 */
export function findModel<File extends { path: string }>(files: readonly File[], model: string): File | undefined {
  const [stem, folder] = [stemOf(model), folderOf(model)];
  if (stem === "") return undefined;
  const rank = ({ path }: File) => (folderOf(path) === folder ? 0 : 2) + (extensionOf(path) === "glb" ? 0 : 1);
  return files
    .filter(({ path }) => isModelFile(path) && stemOf(path) === stem)
    .reduce<File | undefined>((best, file) => (best && rank(best) <= rank(file) ? best : file), undefined);
}
