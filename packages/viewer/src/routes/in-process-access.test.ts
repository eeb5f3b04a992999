import { describeAccess } from "../client/access.suite.ts";

describeAccess("in the process", ({ access }) => access);
