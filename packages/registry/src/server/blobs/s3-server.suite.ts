import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export const S3_KEYS = { region: "eu-test-1", accessKeyId: "AKTEST", secretAccessKey: "s3cr3tS3cr3tS3cr3t/0123456789" };
const BUCKET = "packages";
/** Small, so that a few blobs are several pages. */
const PAGE = 3;

type Stored = { bytes: Buffer; modifiedMs: number };
/** A multipart upload that is neither completed nor aborted. */
type Upload = { key: string; initiatedMs: number; parts: Map<number, Buffer> };
type Kept = { objects: Map<string, Stored>; uploads: Map<string, Upload> };

/**
 * The part of S3 that a store of blobs needs, as its documentation states it: signatures (version 4) and the hash of each
 * body are checked, objects appear whole, listings come in pages, and uploads in parts stay until they are completed or aborted.
 */
export async function startS3() {
  const objects = new Map<string, Stored>();
  const uploads = new Map<string, Upload>();
  /** Set by a test: sees each request first; true: it answers. */
  const front: { answer?: (request: IncomingMessage, response: ServerResponse) => boolean } = {};
  const server = createServer((request, response) => {
    if (front.answer?.(request, response)) return;
    answer(request, { objects, uploads }).then(
      ([status, headers, body]) => response.writeHead(status, headers).end(body),
      () => response.destroy(),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    objects,
    uploads,
    front,
    settings: { endpoint, bucket: BUCKET, prefix: "back/plane/", ...S3_KEYS },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Answer = [status: number, headers: Record<string, string | number>, body: Buffer | string];

async function answer(request: IncomingMessage, { objects, uploads }: Kept): Promise<Answer> {
  const url = new URL(request.url ?? "/", "http://s3");
  const bytes = await buffer(request);
  if (request.method === "PUT" && request.headers["content-length"] === undefined) {
    return refused(411, "MissingContentLength");
  }
  const hash = createHash("sha256").update(bytes).digest("hex");
  if (request.headers["x-amz-content-sha256"] !== hash) return refused(400, "XAmzContentSHA256Mismatch");
  if (!isSigned(request, url)) return refused(403, "SignatureDoesNotMatch");
  const [, bucket, ...rest] = url.pathname.split("/");
  if (bucket !== BUCKET) return refused(404, "NoSuchBucket");
  const key = rest.join("/");
  const inParts = answerUpload(request.method ?? "", url.searchParams, key, bytes, { objects, uploads });
  if (inParts) return inParts;
  if (key === "") return [200, { "content-type": "application/xml" }, listing(url.searchParams, objects)];
  if (request.method === "PUT") {
    objects.set(key, { bytes, modifiedMs: Date.now() });
    return [200, {}, ""];
  }
  if (request.method === "DELETE") {
    objects.delete(key);
    return [204, {}, ""];
  }
  const found = objects.get(key);
  return found ? part(found.bytes, request.headers.range) : refused(404, "NoSuchKey");
}

/** Multipart uploads; undefined if it is another request. */
function answerUpload(
  method: string,
  query: URLSearchParams,
  key: string,
  bytes: Buffer,
  { objects, uploads }: Kept,
): Answer | undefined {
  const xml = { "content-type": "application/xml" };
  if (query.has("uploads")) {
    if (method === "GET") return [200, xml, uploadListing(query, uploads)];
    const id = `upload&${uploads.size + 1}.${Math.random()}`;
    uploads.set(id, { key, initiatedMs: Date.now(), parts: new Map() });
    return [
      200,
      xml,
      `<InitiateMultipartUploadResult><UploadId>${escaped(id)}</UploadId></InitiateMultipartUploadResult>`,
    ];
  }
  const id = query.get("uploadId");
  if (id === null) return undefined;
  const upload = uploads.get(id);
  if (upload?.key !== key) return refused(404, "NoSuchUpload");
  if (method === "PUT") {
    upload.parts.set(Number(query.get("partNumber")), bytes);
    return [200, { etag: `"${query.get("partNumber")}"` }, ""];
  }
  uploads.delete(id);
  if (method === "DELETE") return [204, {}, ""];
  const parts = [...upload.parts].sort(([a], [b]) => a - b).map(([, each]) => each);
  objects.set(key, { bytes: Buffer.concat(parts), modifiedMs: Date.now() });
  return [200, xml, "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>"];
}

function uploadListing(query: URLSearchParams, uploads: ReadonlyMap<string, Upload>): string {
  const after = [query.get("key-marker") ?? "", query.get("upload-id-marker") ?? ""].join("\n");
  const all = [...uploads]
    .map(([id, { key, initiatedMs }]) => ({ id, key, initiatedMs, order: `${key}\n${id}` }))
    .filter(({ key, order }) => key.startsWith(query.get("prefix") ?? "") && order > after)
    .sort((a, b) => (a.order < b.order ? -1 : 1));
  const page = all.slice(0, PAGE);
  const last = page.at(-1);
  const isCut = all.length > PAGE;
  const next = isCut
    ? `<NextKeyMarker>${last?.key}</NextKeyMarker><NextUploadIdMarker>${escaped(last?.id ?? "")}</NextUploadIdMarker>`
    : "";
  const listed = page.map(
    ({ id, key, initiatedMs }) =>
      `<Upload><Key>${key}</Key><UploadId>${escaped(id)}</UploadId><Initiated>${new Date(initiatedMs).toISOString()}</Initiated></Upload>`,
  );
  return `<?xml version="1.0"?><ListMultipartUploadsResult><IsTruncated>${isCut}</IsTruncated>${next}${listed.join("")}</ListMultipartUploadsResult>`;
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;");

function part(bytes: Buffer, range: string | undefined): Answer {
  if (range === undefined) return [200, { "content-length": bytes.length }, bytes];
  const [start = 0, end = 0] = (/^bytes=(\d+)-(\d+)$/.exec(range) ?? []).slice(1).map(Number);
  if (start >= bytes.length) return refused(416, "InvalidRange");
  const last = Math.min(end, bytes.length - 1);
  return [206, { "content-range": `bytes ${start}-${last}/${bytes.length}` }, bytes.subarray(start, last + 1)];
}

function listing(query: URLSearchParams, objects: Map<string, Stored>): string {
  const after = Buffer.from(query.get("continuation-token") ?? "", "base64").toString();
  const keys = [...objects.keys()].sort().filter((key) => key.startsWith(query.get("prefix") ?? "") && key > after);
  const page = keys.slice(0, PAGE);
  const next = keys.length > PAGE ? Buffer.from(page.at(-1) ?? "").toString("base64") : undefined;
  const contents = page.map((key) => {
    const { bytes, modifiedMs } = objects.get(key) ?? { bytes: Buffer.alloc(0), modifiedMs: 0 };
    const modified = new Date(modifiedMs).toISOString();
    return `<Contents><Key>${key}</Key><LastModified>${modified}</LastModified><Size>${bytes.length}</Size></Contents>`;
  });
  const token = next === undefined ? "" : `<NextContinuationToken>${next}</NextContinuationToken>`;
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${next !== undefined}</IsTruncated>${token}${contents.join("")}</ListBucketResult>`;
}

/** As with S3, the answer to a wrong signature repeats what was signed. */
const refused = (status: number, code: string): Answer => [
  status,
  { "content-type": "application/xml" },
  `<?xml version="1.0"?><Error><Code>${code}</Code><AWSAccessKeyId>${S3_KEYS.accessKeyId}</AWSAccessKeyId></Error>`,
];

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

function isSigned(request: IncomingMessage, url: URL): boolean {
  const [, accessKeyId, date, region, signed = "", signature] =
    AUTHORIZATION.exec(request.headers.authorization ?? "") ?? [];
  const names = signed.split(";");
  const needed = ["host", "x-amz-content-sha256", "x-amz-date"];
  if (accessKeyId !== S3_KEYS.accessKeyId || region !== S3_KEYS.region) return false;
  if (date === undefined || !needed.every((name) => names.includes(name))) return false;
  const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name] ?? "")]));
  return signature === signatureOf({ ...S3_KEYS, method: request.method ?? "", url, headers });
}

/** "Signature Version 4", header based, as Amazon documents it. */
export function signatureOf({ region, secretAccessKey, method, url, headers }: SignedRequest): string {
  const names = Object.keys(headers).sort();
  const query = [...url.searchParams].map((pair) => pair.map(encode).join("=")).sort();
  const canonical = [
    method,
    url.pathname
      .split("/")
      .map((piece) => encode(decodeURIComponent(piece)))
      .join("/"),
    query.join("&"),
    ...names.map((name) => `${name}:${headers[name]?.trim()}`),
    "",
    names.join(";"),
    headers["x-amz-content-sha256"],
  ].join("\n");
  const time = headers["x-amz-date"] ?? "";
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  const hmac = (key: string | Buffer, value: string) => createHmac("sha256", key).update(value).digest();
  const key = scope.split("/").reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return hmac(key, text).toString("hex");
}

export type SignedRequest = {
  region: string;
  secretAccessKey: string;
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
};

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
