import { redactTarget } from '../../observe/redact.ts';
import type { AuthorizationFacts } from '../../observe/access-facts.ts';
import type { BackendCallFacts, HeadFacts } from '../../observe/call-facts.ts';
import type { AuthFacts, RequestBodyFacts, RequestFacts } from '../../observe/request-facts.ts';
import type { PackedDocument } from '../../observe/packed-reasons.ts';
import type { SignatureDiagnosis } from '../diagnosis/diagnosis.ts';
import {
  AUTHORIZATION_FIELDS,
  AUTH_FIELDS,
  BODY_FIELDS,
  CALL_FIELDS,
  HEAD_FIELDS,
  REQUEST_FIELDS,
} from '../inspector/request-fields.ts';
import type { KeptRequest } from './kept-request.ts';
import {
  LIMIT,
  LOOKED_AT,
  claimedKeyId,
  clip,
  clipped,
  codeOf,
  keepDigest,
  keepFailure,
  keepHeaders,
  keepReport,
  reasonsLine,
  redactedOnce,
  shown,
} from './kept-text.ts';
import type { KeepText, RepeatDocument } from './kept-text.ts';
import { LineReader, jsonLine, list, optional, rest, tableRecord } from './lines.ts';
import type { Line } from './lines.ts';

interface PackOptions {
  /** Of a signature that was refused. */
  readonly report?: SignatureDiagnosis | undefined;
  /** Without what takes most room. */
  readonly brief?: boolean;
  readonly repeat?: RepeatDocument;
}

const CALLS_OF_BRIEF = 4;

/** A request on its way into the journal. */
interface Packing {
  readonly facts: RequestFacts;
  readonly report: SignatureDiagnosis | undefined;
  readonly brief: boolean;
  /** Redacted. */
  readonly target: string;
  /** Names and values in turn, redacted. */
  readonly headers: readonly string[];
  /** Keeps names of buckets and keys, and paths. */
  readonly address: KeepText;
  readonly repeat: RepeatDocument;
}

interface PackedAuth {
  readonly auth: AuthFacts;
  readonly packing: Packing;
}

interface PackedAuthorization {
  readonly authorization: AuthorizationFacts;
  readonly packing: Packing;
}

interface PackedCall {
  readonly call: BackendCallFacts;
  readonly packing: Packing;
}

interface PackedHead {
  readonly head: HeadFacts;
  readonly packing: Packing;
}

const accountOf = ({ identity }: AuthFacts): Extract<AuthFacts['identity'], { kind: 'account' }> | undefined =>
  identity?.kind === 'account' ? identity : undefined;

/**
 * A signature may also be found wrong later, in the body, as the report tells: then it is the failure of the whole
 * request.
 */
const refusalOf = ({ auth, packing }: PackedAuth): AuthFacts['failure'] =>
  auth.failure ?? (packing.report === undefined ? undefined : packing.facts.failure);

const since = (time: number | undefined, start: number): number | undefined =>
  time === undefined ? undefined : time - start;

const addressed = ({ address }: Packing, text: string | undefined, limit: number): string | undefined =>
  text === undefined ? undefined : address(text, limit);

const AUTH = tableRecord<PackedAuth, typeof AUTH_FIELDS>(AUTH_FIELDS, {
  account: ({ auth }) => accountOf(auth)?.account.name,
  user: ({ auth }) => accountOf(auth)?.user?.name,
  accessKeyId: (packed) => {
    const claims = packed.auth.identity === undefined && refusalOf(packed) !== undefined;
    return clipped(claims ? claimedKeyId(packed.packing.facts.head) : accountOf(packed.auth)?.accessKeyId, LIMIT.id);
  },
  method: ({ auth: { method } }) => (method === 'anonymous' ? undefined : method),
  anonymous: ({ auth }) => (auth.identity?.kind === 'anonymous' ? true : undefined),
  failure: (packed) => {
    const refusal = refusalOf(packed);
    return refusal && { code: codeOf(refusal), message: shown(refusal.message, LIMIT.message) };
  },
  report: ({ packing: { brief, report } }) => (brief ? undefined : report && keepReport(report)),
});

const AUTHORIZATION = tableRecord<PackedAuthorization, typeof AUTHORIZATION_FIELDS>(AUTHORIZATION_FIELDS, {
  action: ({ authorization }) => authorization.action,
  allowed: ({ authorization }) => authorization.allowed,
  rule: ({ authorization }) => authorization.rule,
  reasons: jsonLine(({ authorization, packing }) => {
    const reasons = authorization.reasons?.();
    return reasons && reasonsLine(reasons, keepResource(reasons.resource, packing), packing.repeat);
  }),
});

/** In place of a resource that bucket and key of the request are. */
const ADDRESSED = '';
/** Keys and names that are kept whole, in the resource as well. */
const SURELY_WHOLE = { bucket: LIMIT.id, key: LIMIT.path / 2 } as const;

/** DeleteObjects and copies name others than their targets. */
function keepResource(resource: string, { facts: { bucket = '', key = '' }, address }: Packing): string {
  if (!isAddress(resource, bucket, key)) return shown(resource, LIMIT.path);
  const isWhole = bucket.length <= SURELY_WHOLE.bucket && key.length <= SURELY_WHOLE.key;
  return isWhole ? ADDRESSED : address(resource, LIMIT.path);
}

const RESOURCE = 'arn:aws:s3:::';

function resourceOf(bucket: string, key: string): string {
  return `${RESOURCE}${bucket}/${key}`;
}

/** Whether it is `resourceOf` these, which is not put together to find out. */
function isAddress(resource: string, bucket: string, key: string): boolean {
  const slash = RESOURCE.length + bucket.length;
  return (
    resource.length === slash + 1 + key.length &&
    resource[slash] === '/' &&
    resource.startsWith(RESOURCE) &&
    resource.startsWith(bucket, RESOURCE.length) &&
    resource.endsWith(key)
  );
}

const digestsOf = (digests: RequestBodyFacts['declared']): readonly ReturnType<typeof keepDigest>[] | undefined =>
  digests.length === 0 ? undefined : digests.map(keepDigest);

const BODY = tableRecord<RequestBodyFacts, typeof BODY_FIELDS>(BODY_FIELDS, {
  framing: ({ framing }) => framing,
  sentBytes: ({ contentLength }) => contentLength,
  declaredBytes: ({ declaredSize }) => declaredSize,
  decodedBytes: ({ received }) => received,
  chunks: ({ chunks }) => chunks,
  declared: ({ declared }) => digestsOf(declared),
  computed: ({ computed }) => digestsOf(computed),
});

const HEAD = tableRecord<PackedHead, typeof HEAD_FIELDS>(HEAD_FIELDS, {
  name: ({ head, packing }) => packing.address(head.name, LIMIT.path),
  before: ({ head }) => head.before,
  kind: ({ head }) => head.kind,
  after: ({ head }) => head.after,
});

const CALL = tableRecord<PackedCall, typeof CALL_FIELDS>(CALL_FIELDS, {
  system: ({ call }) => call.system,
  operation: ({ call }) => call.operation,
  method: ({ call }) => (call.method === '' ? undefined : call.method),
  target: ({ call, packing }) => addressed(packing, call.path, LIMIT.path),
  attempt: ({ call }) => call.attempt,
  startMs: ({ call, packing }) => call.started - packing.facts.arrived,
  durationMs: ({ call }) => since(call.ended, call.started),
  status: ({ call }) => call.status,
  outcome: ({ call }) => call.outcome,
  requestId: ({ call }) => clipped(call.backendRequestId, LIMIT.id),
  bytesSent: ({ call }) => call.bytesSent,
  bytesReceived: ({ call }) => call.bytesReceived,
  failure: ({ call }) => shown(call.failure?.message, LIMIT.message),
});

/** Where each field of a kept request comes from. */
const REQUEST = tableRecord<Packing, typeof REQUEST_FIELDS>(REQUEST_FIELDS, {
  id: ({ facts }) => facts.head.requestId,
  traceId: ({ facts }) => facts.head.trace.traceId,
  arrived: ({ facts }) => facts.head.arrivedAt,
  method: ({ facts }) => clip(facts.head.method, LIMIT.id),
  target: ({ target }) => clip(target, LIMIT.target),
  httpVersion: ({ facts }) => facts.head.httpVersion,
  scheme: ({ facts }) => facts.scheme,
  clientAddress: ({ facts }) => facts.clientAddress,
  operation: ({ facts }) => facts.classification?.name,
  bucket: (packing) => addressed(packing, packing.facts.bucket, LIMIT.id),
  key: (packing) => addressed(packing, packing.facts.key, LIMIT.key),
  versionId: (packing) => addressed(packing, packing.facts.versionId, LIMIT.id),
  // An upload's first request does not name it: its answer does.
  uploadId: (packing) =>
    addressed(packing, packing.facts.uploadId ?? packing.facts.notes?.['aws.s3.upload_id']?.toString(), LIMIT.id),
  virtualHost: ({ facts }) => (facts.virtualHost ? true : undefined),
  auth: optional(AUTH, (packing) =>
    packing.facts.auth === undefined ? undefined : { auth: packing.facts.auth, packing },
  ),
  authorization: optional(AUTHORIZATION, (packing) => {
    const { authorization } = packing.facts;
    return authorization === undefined ? undefined : { authorization, packing };
  }),
  authorizations: ({ facts }) => facts.authorizations,
  backendCalls: ({ facts }) => facts.backendCalls,
  backendRetries: ({ facts }) => facts.backendRetries,
  body: optional(BODY, ({ facts }) => facts.body),
  authenticatedMs: ({ facts }) => since(facts.authenticated, facts.arrived),
  authorisedMs: ({ facts }) => since(facts.authorized, facts.arrived),
  firstByteMs: ({ facts }) => since(facts.firstByte, facts.arrived),
  endMs: ({ facts }) => since(facts.ended, facts.arrived),
  blockedOnClientMs: ({ facts }) => facts.clientWaitMs,
  blockedOnBackendMs: ({ facts }) => facts.backendWaitMs,
  status: ({ facts }) => (facts.status === 0 ? undefined : facts.status),
  failure: ({ facts }) => keepFailure(facts.failure),
  clientLeft: ({ facts }) => (facts.clientLeft ? true : undefined),
  bytesIn: ({ facts }) => facts.bytesIn,
  bytesOut: ({ facts }) => facts.bytesOut,
  heads: list(HEAD, (packing) => packing.facts.heads.map((head) => ({ head, packing }))),
  backend: list(CALL, (packing) => {
    const { backend } = packing.facts;
    return (packing.brief ? backend.slice(0, CALLS_OF_BRIEF) : backend).map((call) => ({ call, packing }));
  }),
  headersOmitted: ({ facts, headers }) => (facts.head.rawHeaders.length - headers.length) / 2,
  headers: rest(({ headers }) => headers.join('\n')),
});

const COPIES: ReadonlySet<string | undefined> = new Set(['CopyObject', 'UploadPartCopy']);

/** Whether keys come from elsewhere than the target: from a form or a list, or from the header that names a source. */
function namesElsewhere({ head, classification }: RequestFacts): boolean {
  return head.method === 'POST' || COPIES.has(classification?.name);
}

/**
 * What is worth keeping of a request that has ended, or still runs, without credentials: the text that `readRequest`
 * reads.
 */
export function packRequest(
  facts: RequestFacts,
  { report, brief = false, repeat = () => undefined }: PackOptions = {},
): string {
  const { head } = facts;
  const target = redactTarget(head.target, LOOKED_AT * LIMIT.target);
  const address = target === head.target && !namesElsewhere(facts) ? clip : redactedOnce();
  const lines: Line[] = [];
  const headers = brief ? [] : keepHeaders(head.rawHeaders);
  REQUEST.write({ facts, report, brief, repeat, target, address, headers }, lines);
  return lines.join('\n');
}

/** @param text as `packRequest` made it @param at what stands at the places that `repeat` gave */
export function readRequest(
  text: string,
  at: (place: number) => PackedDocument | undefined = () => undefined,
): KeptRequest {
  const kept = REQUEST.read(new LineReader(text));
  const { authorization, bucket = '', key = '' } = kept;
  if (authorization?.reasons === undefined) return kept;
  const { resource, documents, ...reasons } = authorization.reasons;
  return {
    ...kept,
    authorization: {
      ...authorization,
      reasons: {
        ...reasons,
        resource: resource === ADDRESSED ? resourceOf(bucket, key) : resource,
        documents: documents.map((document) => (typeof document === 'number' ? (at(document) ?? document) : document)),
      },
    },
  };
}

/** How the text of a request with this id begins. */
export function beginningOf(id: string): string {
  return `${id}\n`;
}
