type PortSetting = "PLATFORM_PORT" | "GATEWAY_PORT" | "WATCHDOG_PORT" | "VIEWER_PORT";

export declare const USUAL_PORTS: Readonly<Record<PortSetting, number>>;
export declare function takenByOwn(ports: Record<PortSetting, number>, accountHome?: string): string | undefined;
export declare function takenPorts(
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
  accountHome?: string,
): Promise<string[]>;
