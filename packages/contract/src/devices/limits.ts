export const DEVICES_LIMITS = {
  // What a workspace may have
  maxDevices: 500,
  maxCapabilities: 64,
  maxFields: 256,
  maxCommands: 64,
  /** Capabilities of all devices of a workspace. */
  maxChannels: 2_000,
  /** Fields of all these channels. */
  maxChannelFields: 16_384,
  maxKeys: 500,
  maxAlerts: 32,

  // Text that devices send
  maxIdLength: 64,
  maxNameLength: 120,
  maxUnitLength: 24,
  maxTextLength: 4_096,
  /** The description that a device gives of itself. */
  maxDescriptionBytes: 262_144,

  // Samples
  /** Of one MQTT message. */
  maxMessageBytes: 65_536,
  /** Samples per second and channel; what is beyond is sent as an envelope. */
  maxSamplesPerSecond: 500,
  /** A device that floods for this long has its key paused. */
  floodMs: 10_000,
  floodPauseMs: 60_000,
  /** Refused samples per minute, after which the device gets an alert. */
  refusedBeforeAlert: 10,
  /** A device whose connection is silent for this long is lost. */
  lostAfterMs: 2_000,
  /** A device's clock that jumps by more than this is an alert. */
  clockJumpMs: 1_000,
  /** What the hub keeps in memory of every channel. */
  keptMs: 600_000,
  maxKeptSamples: 60_000,
  /** For the samples of a workspace, and of all workspaces together: each then gets an equal part. */
  maxKeptBytes: 67_108_864,
  maxKeptBytesOfAll: 268_435_456,

  // Connections of devices
  /** A connection begins with CONNECT, within this time and size. */
  connectMs: 5_000,
  maxConnectBytes: 16_384,
  maxConnections: 1_000,
  maxConnectionsPerKey: 16,
  /** Connections whose CONNECT has not come yet. */
  maxUnadmitted: 256,
  maxClientIdLength: 128,
  maxTopicLength: 512,
  maxTopicFilters: 256,
  /** Per key; what is beyond it is dropped, unless it is retained or its arrival was asked for (QoS 1). */
  maxMessagesPerSecond: 4_000,
  maxGatewayMessagesPerSecond: 16_000,
  /** A connection that leaves more than this unread is closed. */
  maxUnreadBytes: 262_144,
  /** Of all topics of a workspace that the embedded broker keeps the last message of. */
  maxRetained: 20_000,
  maxRetainedBytes: 67_108_864,
  maxRetainedBytesOfAll: 268_435_456,
  /** A workspace without a connection for this long needs no broker. */
  brokerIdleMs: 60_000,

  // Sources: devices that Backplane connects to
  maxSources: 32,
  sourceConnectMs: 5_000,
  /** What is there has to show by then that it speaks the protocol. */
  sourceConfirmMs: 5_000,
  /** For the answer to one question; without it the connection is opened again. */
  sourceAnswerMs: 1_000,
  /** Questions of one source that wait. */
  maxTransactions: 256,
  /** What a device has not read of what it was sent; above it, the connection is opened again. */
  maxSourceUnsentBytes: 65_536,
  /** Serial ports of one page, and bytes of one message of theirs. */
  maxSerialPorts: 2,
  maxSerialBytes: 16_384,
  /** At most one message per this time and port, from the page. */
  serialEveryMs: 10,
  /** A page that hears nothing for its port for this long stops the device by itself. */
  serialSilentMs: 1_000,
  sourceRetryMs: 500,
  maxSourceRetryMs: 10_000,

  // Streams: pictures of cameras
  maxStreams: 32,
  /** Who looks: at one stream, at all of a workspace, and at all of an instance. */
  maxViewersOfStream: 40,
  maxViewers: 60,
  maxViewersHere: 200,
  maxViewersPerPerson: 60,
  /** Streams that an instance gets at the same time: in all, and for one person who looks first. */
  maxPulled: 32,
  maxPulledPerPerson: 16,
  /** Who pushes pictures to streams: of a workspace, with keys that one person made, and in all to an instance. */
  maxPushers: 8,
  maxPushersPerPerson: 16,
  maxPushersHere: 32,
  maxOfferBytes: 65_536,
  /** A name and password for a TURN server: to connect. What is connected goes on. */
  relayAccessLifeS: 3_600,
  /** A stream has to show a picture by then. */
  streamStartMs: 8_000,
  /** Without a picture for this long, a stream is opened again. */
  streamSilentMs: 10_000,
  /** A stream is ended this long after its last viewer. */
  streamLingerMs: 10_000,
  /** What is kept of a stream for looking back: at most this long, and in memory per stream and per instance. */
  hlsKeptMs: 60_000,
  maxHlsBytes: 33_554_432,
  maxHlsBytesHere: 268_435_456,
  /** Of a workspace, at the same time. */
  maxRecordedStreams: 8,
  /** A part of an HLS stream begins with a key picture, and is about this long; without key pictures it is cut at the second. */
  hlsPartMs: 900,
  maxHlsPartMs: 10_000,
  /** A player that asks for nothing for this long and twice the length of a part is gone. */
  hlsSilentMs: 10_000,
  /** Of HLS addresses of others: a playlist, any other file, and what is kept of a stream for all who look. */
  maxPlaylistBytes: 524_288,
  maxHlsFileBytes: 16_777_216,
  hlsFetchMs: 10_000,

  // Pages and programs
  /** Of one page or program: every panel has some of its own, also for the alerts of its device. */
  maxSubscriptions: 128,
  /** At most one message with values per this time and connection: panels draw as often. With many channels, half as often. */
  frameMs: 33,
  /** Above this, values are sent as envelopes. */
  thinAboveBytes: 262_144,
  /** Above this, the connection is closed; the page connects again and asks for what it missed. */
  closeAboveBytes: 2_097_152,
  envelopeMs: 100,
  hiddenRateHz: 1,
  maxHistoryPoints: 5_000,
  maxEventStreams: 50,
  /** How long a program can wait for a value, and how many wait in a workspace. */
  maxWaitMs: 30_000,
  waitMs: 10_000,
  maxWaits: 50,
  ticketLifeMs: 30_000,
  /** Tools that look by the Foxglove protocol, per workspace; how long a link lives after its last use, and at most. */
  maxTools: 20,
  toolTicketLifeMs: 600_000,
  toolLinkLifeMs: 86_400_000,

  // Simulators that run in the server
  /** Per workspace. */
  maxSimulators: 6,
  /** Of all workspaces, per platform: in all, and started by one person. */
  maxSimulatorsHere: 30,
  maxSimulatorsPerPerson: 12,
  /** They end this long after the last page of the workspace. */
  simulatorIdleMs: 60_000,
  simulatorLifeMs: 14_400_000,
  /** A simulator that has not connected after this is given up. */
  simulatorStartMs: 5_000,

  // Control
  leaseMs: 5_000,
  /** A pressed control that is not heard of for this long has been released. */
  deadManMs: 300,
  pressMs: 100,
  /** What moves is told again this often, which feeds the watchdog in the device. */
  repeatMs: 200,
  deviceWatchdogMs: 1_000,
  ackMs: 2_000,
  commandsPerSecond: 20,

  // Recordings
  maxRecordings: 1_000,
  maxRecordingName: 120,
  /** A recording that is longer ends by itself. */
  maxRecordingMs: 86_400_000,
  chunkBytes: 262_144,
  /** What is not written yet when a process is killed is at most this old, or one chunk. */
  chunkMs: 1_000,
  maxMarks: 200,
  maxGaps: 100,
  /** Nothing from any device for this long is a gap. */
  gapMs: 5_000,
  previewFields: 3,
  previewPoints: 48,

  // Replay
  /** Pages and programs of one instance that replay. */
  maxReplays: 64,
  maxReplaysPerPerson: 16,
  minSpeed: 0.1,
  maxSpeed: 16,
} as const;
