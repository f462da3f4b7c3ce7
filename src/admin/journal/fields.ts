import type { AuthorizationFacts } from '../../observe/access-facts.ts';
import type { BackendCallFacts, HeadFacts } from '../../observe/call-facts.ts';
import { redactTarget } from '../../observe/redact.ts';
import type { AuthFacts, Digest, RequestBodyFacts, RequestFacts } from '../../observe/request-facts.ts';
import {
  AUTHORIZATION_FIELDS,
  AUTH_FIELDS,
  BODY_FIELDS,
  CALL_FIELDS,
  DIGEST_FIELDS,
  HEAD_FIELDS,
  REQUEST_FIELDS,
} from '../inspector/request-fields.ts';
import { type Field, list, optional, tableRecord } from './entry-fields.ts';
import { type EntryBytes, TEXT_END } from './entry-marks.ts';
import { EntryReader, type TextAt } from './entry-reader.ts';
import { EntryWriter } from './entry-writer.ts';
import { readHeaders, writeHeaders } from './kept-headers.ts';
import { REASONS, wholeReasons } from './kept-reasons.ts';
import type { KeptRequest } from './kept-request.ts';
import {
  LIMIT,
  LOOKED_AT,
  claimedKeyId,
  clip,
  clipped,
  codeOf,
  keepFailure,
  keepReport,
  redactedOnce,
  shown,
} from './kept-text.ts';
import type { Packing } from './packing.ts';
import type { SharedTexts } from './shared-texts.ts';

const CALLS_OF_BRIEF = 4;

const accountOf = ({ identity }: AuthFacts): Extract<AuthFacts['identity'], { kind: 'account' }> | undefined =>
  identity?.kind === 'account' ? identity : undefined;

/**
 * A signature may also be found wrong later, in the body, as the report tells: then it is the failure of the whole
 * request.
 */
const refusalOf = ({ failure }: AuthFacts, { report, facts }: Packing): AuthFacts['failure'] =>
  failure ?? (report === undefined ? undefined : facts.failure);

const since = (time: number | undefined, start: number): number | undefined =>
  time === undefined ? undefined : time - start;

const addressed = ({ address }: Packing, text: string | undefined, limit: number): string | undefined =>
  text === undefined ? undefined : address(text, limit);

const AUTH = tableRecord<AuthFacts, Packing, typeof AUTH_FIELDS>(AUTH_FIELDS, {
  account: (auth) => accountOf(auth)?.account.name,
  user: (auth) => accountOf(auth)?.user?.name,
  accessKeyId: (auth, packing) => {
    const claims = auth.identity === undefined && refusalOf(auth, packing) !== undefined;
    return clipped(claims ? claimedKeyId(packing.facts.head) : accountOf(auth)?.accessKeyId, LIMIT.id);
  },
  method: ({ method }) => (method === 'anonymous' ? undefined : method),
  anonymous: ({ identity }) => (identity?.kind === 'anonymous' ? true : undefined),
  failure: (auth, packing) => {
    const refusal = refusalOf(auth, packing);
    return refusal && { code: codeOf(refusal), message: shown(refusal.message, LIMIT.message) };
  },
  report: (_, { brief, report }) => (brief ? undefined : report && keepReport(report)),
});

const AUTHORIZATION = tableRecord<AuthorizationFacts, Packing, typeof AUTHORIZATION_FIELDS>(AUTHORIZATION_FIELDS, {
  action: ({ action }) => action,
  allowed: ({ allowed }) => allowed,
  rule: ({ rule }) => rule,
  reasons: REASONS,
});

const DECLARED = tableRecord<Digest, Packing, typeof DIGEST_FIELDS>(DIGEST_FIELDS, {
  algorithm: ({ algorithm }) => clip(algorithm, LIMIT.id),
  value: ({ value }) => shown(value, LIMIT.id),
});

/** The gateway's own work, in which nothing of the client's can stand. */
const COMPUTED = tableRecord<Digest, Packing, typeof DIGEST_FIELDS>(DIGEST_FIELDS, {
  algorithm: ({ algorithm }) => algorithm,
  value: ({ value }) => value,
});

const BODY = tableRecord<RequestBodyFacts, Packing, typeof BODY_FIELDS>(BODY_FIELDS, {
  framing: ({ framing }) => framing,
  sentBytes: ({ contentLength }) => contentLength,
  declaredBytes: ({ declaredSize }) => declaredSize,
  decodedBytes: ({ received }) => received,
  chunks: ({ chunks }) => chunks,
  declared: list(DECLARED, ({ declared }) => declared),
  computed: list(COMPUTED, ({ computed }) => computed),
});

const HEAD = tableRecord<HeadFacts, Packing, typeof HEAD_FIELDS>(HEAD_FIELDS, {
  name: ({ name }, packing) => packing.address(name, LIMIT.path),
  before: ({ before }) => before,
  kind: ({ kind }) => kind,
  after: ({ after }) => after,
});

const CALL = tableRecord<BackendCallFacts, Packing, typeof CALL_FIELDS>(CALL_FIELDS, {
  system: ({ system }) => system,
  operation: ({ operation }) => operation,
  method: ({ method }) => (method === '' ? undefined : method),
  target: ({ path }, packing) => addressed(packing, path, LIMIT.path),
  attempt: ({ attempt }) => attempt,
  startMs: ({ started }, { facts }) => started - facts.arrived,
  durationMs: ({ ended, started }) => since(ended, started),
  status: ({ status }) => status,
  outcome: ({ outcome }) => outcome,
  requestId: ({ backendRequestId }) => clipped(backendRequestId, LIMIT.id),
  bytesSent: ({ bytesSent }) => bytesSent,
  bytesReceived: ({ bytesReceived }) => bytesReceived,
  failure: ({ failure }) => shown(failure?.message, LIMIT.message),
});

const HEADERS: Field<RequestFacts, Packing, string> = {
  write({ head: { rawHeaders } }, packing, out) {
    packing.headersOmitted = writeHeaders(packing.brief ? [] : rawHeaders, out);
    if (packing.brief) packing.headersOmitted = rawHeaders.length / 2;
  },
  read: readHeaders,
};

/** Where each field of a kept request comes from. */
const REQUEST = tableRecord<RequestFacts, Packing, typeof REQUEST_FIELDS>(REQUEST_FIELDS, {
  id: ({ head }) => head.requestId,
  traceId: ({ head }) => head.trace.traceId,
  arrived: ({ head }) => head.arrivedAt,
  method: ({ head }) => clip(head.method, LIMIT.id),
  target: (_, { target }) => clip(target, LIMIT.target),
  httpVersion: ({ head }) => head.httpVersion,
  scheme: ({ scheme }) => scheme,
  clientAddress: ({ clientAddress }) => clientAddress,
  operation: ({ classification }) => classification?.name,
  bucket: ({ bucket }, packing) => addressed(packing, bucket, LIMIT.id),
  key: ({ key }, packing) => addressed(packing, key, LIMIT.key),
  versionId: ({ versionId }, packing) => addressed(packing, versionId, LIMIT.id),
  // An upload's first request does not name it: its answer does.
  uploadId: ({ uploadId, notes }, packing) =>
    addressed(packing, uploadId ?? notes?.['aws.s3.upload_id']?.toString(), LIMIT.id),
  virtualHost: ({ virtualHost }) => (virtualHost ? true : undefined),
  auth: optional(AUTH, ({ auth }) => auth),
  authorization: optional(AUTHORIZATION, ({ authorization }) => authorization),
  authorizations: ({ authorizations }) => authorizations,
  backendCalls: ({ backendCalls }) => backendCalls,
  backendRetries: ({ backendRetries }) => backendRetries,
  body: optional(BODY, ({ body }) => body),
  authenticatedMs: ({ authenticated, arrived }) => since(authenticated, arrived),
  authorisedMs: ({ authorized, arrived }) => since(authorized, arrived),
  firstByteMs: ({ firstByte, arrived }) => since(firstByte, arrived),
  endMs: ({ ended, arrived }) => since(ended, arrived),
  blockedOnClientMs: ({ clientWaitMs }) => clientWaitMs,
  blockedOnBackendMs: ({ backendWaitMs }) => backendWaitMs,
  status: ({ status }) => (status === 0 ? undefined : status),
  failure: ({ failure }) => keepFailure(failure),
  clientLeft: ({ clientLeft }) => (clientLeft ? true : undefined),
  bytesIn: ({ bytesIn }) => bytesIn,
  bytesOut: ({ bytesOut }) => bytesOut,
  heads: list(HEAD, ({ heads }) => heads),
  backend: list(CALL, ({ backend }, { brief }) => (brief ? backend.slice(0, CALLS_OF_BRIEF) : backend)),
  headers: HEADERS,
  headersOmitted: (_, { headersOmitted }) => headersOmitted,
});

const COPIES: ReadonlySet<string | undefined> = new Set(['CopyObject', 'UploadPartCopy']);

/** Whether keys come from elsewhere than the target: from a form or a list, or from the header that names a source. */
function namesElsewhere({ head, classification }: RequestFacts): boolean {
  return head.method === 'POST' || COPIES.has(classification?.name);
}

interface PackOptions extends Partial<Pick<Packing, 'report' | 'brief'>> {
  /** What other entries may have, too; absent: all of it stands in the entry. */
  readonly shared?: SharedTexts;
}

/** One entry is made at a time. */
const writer = new EntryWriter();

/**
 * What is worth keeping of a request that has ended, or still runs, without credentials: what `readRequest` reads.
 * @returns there until the next one is packed
 */
export function packRequest(facts: RequestFacts, { report, brief = false, shared }: PackOptions = {}): EntryBytes {
  const { head } = facts;
  const target = redactTarget(head.target, LOOKED_AT * LIMIT.target);
  const address = target === head.target && !namesElsewhere(facts) ? clip : redactedOnce();
  writer.start(shared);
  REQUEST.write(facts, { facts, report, brief, target, address, headersOmitted: 0 }, writer);
  return writer;
}

/** @param entry as `packRequest` made it @param textAt what stands at the places of what others have, too */
export function readRequest(entry: EntryBytes, textAt: TextAt = () => undefined): KeptRequest {
  const kept = REQUEST.read(new EntryReader(entry, textAt));
  const { authorization, bucket, key } = kept;
  if (authorization?.reasons === undefined) return kept;
  const reasons = wholeReasons({ bucket, key, reasons: authorization.reasons }, textAt);
  return { ...kept, authorization: { ...authorization, reasons } };
}

/** How the entry of a request with this id begins. */
export function beginningOf(id: string): Buffer {
  return Buffer.concat([Buffer.from(id), Buffer.from([TEXT_END])]);
}
