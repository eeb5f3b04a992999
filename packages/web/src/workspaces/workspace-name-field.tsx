import { MAX_REPO_LENGTH } from "@backplane/contract/panels";
import type { ComponentProps } from "react";
import { Field } from "../parts/field.tsx";

type Props = Pick<ComponentProps<typeof Field>, "ref" | "value" | "onChange" | "onLeave" | "hint" | "fault">;

export const WorkspaceNameField = (props: Props) => (
  <Field label="Name" name="workspace" maxLength={MAX_REPO_LENGTH} autoFocus {...props} />
);
