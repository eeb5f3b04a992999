export { type Camera, type CameraOptions, startCamera } from "./camera/serve.ts";
export { startTestCamera } from "./camera/test-camera.ts";
export { FAULTS, type Fault } from "./faults.ts";
export { findKind, SIMULATED_KINDS } from "./kinds.ts";
export type { SimulatedKind } from "./simulator.ts";
export { findSocketKind, SOCKET_KINDS } from "./sockets/kinds.ts";
export { type RunningSocketSimulator, startSocketSimulator } from "./sockets/serve.ts";
export { type RunningSimulator, startSimulator } from "./start.ts";
export { connectToldDevice, type ToldDevice } from "./told-device.ts";
