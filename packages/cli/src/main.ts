import { VERSION } from "@backplane/kit/version";

const words = process.argv.slice(2).join(" ");
// Scripts ask for it often, and it needs none of the commands, which take longer to load than Node itself.
if (["version", "--version", "-v"].includes(words)) process.stdout.write(`${VERSION}\n`);
else await (await import("./program.ts")).runProgram(process);
