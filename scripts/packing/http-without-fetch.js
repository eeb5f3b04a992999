// What the bundles have as `node:http` (quick-start.ts). Node's own module also exports the WebSocket of its `fetch`. An import
// reads all exports, so every program would load `fetch`: a tenth of a second and several MB.
import { Agent, globalAgent } from "node:_http_agent";
import { ClientRequest } from "node:_http_client";
import { methods } from "node:_http_common";
import { IncomingMessage } from "node:_http_incoming";
import { OutgoingMessage, validateHeaderName, validateHeaderValue } from "node:_http_outgoing";
import { Server, ServerResponse, STATUS_CODES } from "node:_http_server";

const METHODS = methods.toSorted();
const createServer = (...args) => new Server(...args);
const request = (...args) => new ClientRequest(...args);
const get = (...args) => request(...args).end();

export {
  Agent,
  ClientRequest,
  createServer,
  get,
  globalAgent,
  IncomingMessage,
  METHODS,
  OutgoingMessage,
  request,
  Server,
  ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
};
export default {
  ...{ Agent, ClientRequest, createServer, get, globalAgent, IncomingMessage, METHODS, OutgoingMessage, request },
  ...{ Server, ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue },
};
