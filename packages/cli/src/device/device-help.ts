/** Below the help of every command about devices. */
export const DEVICE_HELP = `
These commands need backplane login, or an API key with the scopes devices:read and devices:control in BACKPLANE_TOKEN.
The workspace is --workspace, or BACKPLANE_WORKSPACE, or your own "main".`;
