import { redactTarget } from '../../observe/redact.ts';
import type { AccessRule, AuthorizationFacts } from '../../observe/access-facts.ts';
import type { BackendCallFacts, HeadFacts } from '../../observe/call-facts.ts';
import type { AuthFacts, RequestBodyFacts, RequestFacts } from '../../observe/request-facts.ts';
import type { PackedReasons } from '../../observe/packed-reasons.ts';
import type { SignatureDiagnosis } from '../diagnosis/diagnosis.ts';
import type { KeptAuth, KeptAuthorization, KeptBody, KeptCall, KeptFailure, KeptRequest } from './kept-request.ts';
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
  keepReasons,
  keepReport,
  redactedOnce,
  shown,
} from './kept-text.ts';
import type { KeepText } from './kept-text.ts';
import {
  FLAG,
  LineReader,
  MARK,
  NUMBER,
  OPTIONAL_NUMBER,
  OPTIONAL_TEXT,
  OPTIONAL_TIME,
  OPTIONAL_WORD,
  TEXT,
  TIME,
  WORD,
  field,
  json,
  list,
  optional,
  record,
  rest,
} from './lines.ts';
import type { Kind, Line } from './lines.ts';

interface PackOptions {
  /** Of a signature that was refused. */
  readonly report?: SignatureDiagnosis | undefined;
  /** Without what takes most room. */
  readonly brief?: boolean;
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
}

interface PackedAuth {
  readonly auth: AuthFacts;
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

const AUTH = record<PackedAuth, KeptAuth>({
  method: field(OPTIONAL_WORD as Kind<KeptAuth['method']>, ({ auth }) => auth.method),
  account: field(OPTIONAL_TEXT, ({ auth }) => accountOf(auth)?.account.name),
  user: field(OPTIONAL_TEXT, ({ auth }) => accountOf(auth)?.user?.name),
  accessKeyId: field(OPTIONAL_TEXT, (packed) => {
    const claims = packed.auth.identity === undefined && refusalOf(packed) !== undefined;
    return clipped(claims ? claimedKeyId(packed.packing.facts.head) : accountOf(packed.auth)?.accessKeyId, LIMIT.id);
  }),
  anonymous: field(MARK, ({ auth }) => (auth.identity?.kind === 'anonymous' ? true : undefined)),
  failure: field(json<NonNullable<KeptAuth['failure']>>(), (packed) => {
    const refusal = refusalOf(packed);
    return refusal && { code: codeOf(refusal), message: shown(refusal.message, LIMIT.message) };
  }),
  report: field(json<SignatureDiagnosis>(), ({ packing: { brief, report } }) =>
    brief ? undefined : report && keepReport(report),
  ),
});

const AUTHORIZATION = record<AuthorizationFacts, KeptAuthorization>({
  action: field(WORD, ({ action }) => action),
  allowed: field(FLAG, ({ allowed }) => allowed),
  rule: field(WORD as Kind<AccessRule>, ({ rule }) => rule),
  reasons: field(json<PackedReasons>(), ({ reasons }) => reasons && keepReasons(reasons())),
});

const DIGESTS = json<readonly ReturnType<typeof keepDigest>[]>();
const digestsOf = (digests: RequestBodyFacts['declared']): readonly ReturnType<typeof keepDigest>[] | undefined =>
  digests.length === 0 ? undefined : digests.map(keepDigest);

const BODY = record<RequestBodyFacts, KeptBody>({
  framing: field(WORD, ({ framing }) => framing),
  contentLength: field(OPTIONAL_NUMBER, ({ contentLength }) => contentLength),
  declaredSize: field(OPTIONAL_NUMBER, ({ declaredSize }) => declaredSize),
  received: field(NUMBER, ({ received }) => received),
  chunks: field(NUMBER, ({ chunks }) => chunks),
  declared: field(DIGESTS, ({ declared }) => digestsOf(declared)),
  computed: field(DIGESTS, ({ computed }) => digestsOf(computed)),
});

const HEAD = record<PackedHead, HeadFacts>({
  name: field(TEXT, ({ head, packing }) => packing.address(head.name, LIMIT.path)),
  before: field(OPTIONAL_TEXT, ({ head }) => head.before),
  kind: field(OPTIONAL_WORD, ({ head }) => head.kind),
  after: field(OPTIONAL_TEXT, ({ head }) => head.after),
});

const CALL = record<PackedCall, KeptCall>({
  system: field(WORD, ({ call }) => call.system),
  operation: field(WORD, ({ call }) => call.operation),
  method: field(WORD, ({ call }) => call.method),
  path: field(OPTIONAL_TEXT, ({ call, packing }) => addressed(packing, call.path, LIMIT.path)),
  attempt: field(NUMBER, ({ call }) => call.attempt),
  startMs: field(TIME, ({ call, packing }) => call.started - packing.facts.arrived),
  durationMs: field(OPTIONAL_TIME, ({ call }) => since(call.ended, call.started)),
  status: field(OPTIONAL_NUMBER, ({ call }) => call.status),
  outcome: field(WORD, ({ call }) => call.outcome),
  requestId: field(OPTIONAL_TEXT, ({ call }) => clipped(call.backendRequestId, LIMIT.id)),
  bytesSent: field(NUMBER, ({ call }) => call.bytesSent),
  bytesReceived: field(NUMBER, ({ call }) => call.bytesReceived),
  failure: field(OPTIONAL_TEXT, ({ call }) => shown(call.failure?.message, LIMIT.message)),
});

/** All that the journal keeps of a request: where it comes from, how it lies in memory, in the order of its lines. */
const REQUEST = record<Packing, KeptRequest>({
  // First: a request is looked for by how its text begins.
  id: field(WORD, ({ facts }) => facts.head.requestId),
  traceId: field(WORD, ({ facts }) => facts.head.trace.traceId),
  arrived: field(NUMBER, ({ facts }) => facts.head.arrivedAt),
  method: field(TEXT, ({ facts }) => clip(facts.head.method, LIMIT.id)),
  target: field(TEXT, ({ target }) => clip(target, LIMIT.target)),
  httpVersion: field(WORD, ({ facts }) => facts.head.httpVersion),
  scheme: field(WORD, ({ facts }) => facts.scheme),
  client: field(OPTIONAL_TEXT, ({ facts }) => facts.clientAddress),
  operation: field(OPTIONAL_WORD, ({ facts }) => facts.classification?.name),
  bucket: field(OPTIONAL_TEXT, (packing) => addressed(packing, packing.facts.bucket, LIMIT.id)),
  key: field(OPTIONAL_TEXT, (packing) => addressed(packing, packing.facts.key, LIMIT.key)),
  versionId: field(OPTIONAL_TEXT, (packing) => addressed(packing, packing.facts.versionId, LIMIT.id)),
  // An upload's first request does not name it: its answer does.
  uploadId: field(OPTIONAL_TEXT, (packing) =>
    addressed(packing, packing.facts.uploadId ?? packing.facts.notes?.['aws.s3.upload_id']?.toString(), LIMIT.id),
  ),
  virtualHost: field(MARK, ({ facts }) => (facts.virtualHost ? true : undefined)),
  auth: optional(AUTH, (packing) =>
    packing.facts.auth === undefined ? undefined : { auth: packing.facts.auth, packing },
  ),
  authorization: optional(AUTHORIZATION, ({ facts }) => facts.authorization),
  authorizations: field(NUMBER, ({ facts }) => facts.authorizations),
  backendCalls: field(NUMBER, ({ facts }) => facts.backendCalls),
  backendRetries: field(NUMBER, ({ facts }) => facts.backendRetries),
  body: optional(BODY, ({ facts }) => facts.body),
  authenticated: field(OPTIONAL_TIME, ({ facts }) => since(facts.authenticated, facts.arrived)),
  authorized: field(OPTIONAL_TIME, ({ facts }) => since(facts.authorized, facts.arrived)),
  firstByte: field(OPTIONAL_TIME, ({ facts }) => since(facts.firstByte, facts.arrived)),
  ended: field(OPTIONAL_TIME, ({ facts }) => since(facts.ended, facts.arrived)),
  clientWaitMs: field(TIME, ({ facts }) => facts.clientWaitMs),
  backendWaitMs: field(TIME, ({ facts }) => facts.backendWaitMs),
  status: field(NUMBER, ({ facts }) => facts.status),
  failure: field(json<KeptFailure>(), ({ facts }) => keepFailure(facts.failure)),
  clientLeft: field(MARK, ({ facts }) => (facts.clientLeft ? true : undefined)),
  bytesIn: field(NUMBER, ({ facts }) => facts.bytesIn),
  bytesOut: field(NUMBER, ({ facts }) => facts.bytesOut),
  heads: list(HEAD, (packing) => packing.facts.heads.map((head) => ({ head, packing }))),
  backend: list(CALL, (packing) => {
    const { backend } = packing.facts;
    return (packing.brief ? backend.slice(0, CALLS_OF_BRIEF) : backend).map((call) => ({ call, packing }));
  }),
  headersOmitted: field(NUMBER, ({ facts, headers }) => (facts.head.rawHeaders.length - headers.length) / 2),
  headers: rest(({ headers }) => headers.join('\n')),
});

/**
 * What is worth keeping of a request that has ended, or still runs, without credentials: the text that `readRequest`
 * reads.
 */
export function packRequest(facts: RequestFacts, { report, brief = false }: PackOptions = {}): string {
  const { head } = facts;
  const target = redactTarget(head.target, LOOKED_AT * LIMIT.target);
  const address = target === head.target ? clip : redactedOnce();
  const lines: Line[] = [];
  REQUEST.write({ facts, report, brief, target, address, headers: brief ? [] : keepHeaders(head.rawHeaders) }, lines);
  return lines.join('\n');
}

/** @param text as `packRequest` made it */
export function readRequest(text: string): KeptRequest {
  return REQUEST.read(new LineReader(text));
}

/** How the text of a request with this id begins. */
export function beginningOf(id: string): string {
  return `${id}\n`;
}
