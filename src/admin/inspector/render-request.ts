import { defined } from '../../observe/defined.ts';
import { type KeptAuth, type KeptBody, type KeptRequest, outcomeOf, ownTimeMs } from '../journal/kept-request.ts';
import type { ShownFieldTable, Kept, PartOf } from './field-table.ts';
import { AUTHORIZATION_FIELDS, AUTH_FIELDS, BODY_FIELDS, CALL_FIELDS, REQUEST_FIELDS } from './request-fields.ts';
import type { AccessRule } from '../../observe/access-facts.ts';
import type { HeadFacts } from '../../observe/call-facts.ts';
import { OPERATION_TABLE, type OperationRow } from '../../protocol/operation-table.ts';
import type {
  AuthFailure,
  ShownAuthentication,
  ShownBody,
  ChecksumFact,
  Classification,
  Decision,
  ErrorMapping,
  RequestDetail,
  RequestSummary,
} from './contract.ts';

/**
 * Makes a function for each of these objects of the API's JSON. It takes what the journal keeps and returns the fields
 * whose rows name the object (`json`), without those that are undefined.
 */
function partsOf<Table extends ShownFieldTable, Part extends string>(
  table: Table,
  parts: readonly Part[],
): { readonly [P in Part]: (kept: Kept<Table>) => PartOf<Table, P> } {
  const entries = parts.map((part) => {
    const names = Object.keys(table).filter((name) => table[name]?.json?.includes(part) === true);
    const take = (kept: Readonly<Record<string, unknown>>): Record<string, unknown> => {
      const taken: Record<string, unknown> = {};
      for (const name of names) if (kept[name] !== undefined) taken[name] = kept[name];
      return taken;
    };
    return [part, take] as const;
  });
  return Object.fromEntries(entries) as never;
}

const request = partsOf(REQUEST_FIELDS, ['summary', 'classification', 'times', 'request']);
const { authentication } = partsOf(AUTH_FIELDS, ['authentication']);
const { decision } = partsOf(AUTHORIZATION_FIELDS, ['decision']);
const { body } = partsOf(BODY_FIELDS, ['body']);
const { call } = partsOf(CALL_FIELDS, ['call']);

/** The replica that has a request, as others call it. */
export interface Origin {
  readonly replica: string;
  readonly slowMs: number;
  readonly isOwnHost: (host: string) => boolean;
}

export function summaryOf(kept: KeptRequest, { replica, slowMs }: Origin): RequestSummary {
  const { id, arrived, endMs, failure } = kept;
  return {
    ...request.summary(kept),
    ...defined({
      replica,
      href: `/api/requests/${encodeURIComponent(id)}`,
      outcome: outcomeOf(kept),
      identity: identityOf(kept.auth),
      code: failure?.code,
      deniedBy: deniedBy(kept),
      durationMs: endMs ?? Math.max(0, Date.now() - arrived),
      slow: endMs !== undefined && ownTimeMs(kept) >= slowMs,
    }),
  };
}

function deniedBy({ authorization, failure }: KeptRequest): string | undefined {
  if (authorization?.allowed !== false || authorization.reasons === undefined || failure === undefined) {
    return undefined;
  }
  const { by } = authorization.reasons;
  return by === undefined ? 'no statement' : `${by.policy}/${by.statement}`;
}

/** One request in the order in which a person asks. */
export function detailOf(kept: KeptRequest, origin: Origin): RequestDetail {
  const { heads, headers } = kept;
  const host = headers.findLast(([name]) => name.toLowerCase() === 'host')?.[1];
  const ownHost = host !== undefined && origin.isOwnHost(host) ? true : undefined;
  return defined({
    summary: summaryOf(kept, origin),
    classification: classificationOf(kept),
    authentication: authenticationOf(kept.auth),
    authorisation: decisionsOf(kept),
    backend: { calls: kept.backend.map(call), total: kept.backendCalls, retries: kept.backendRetries },
    head: shownHead(heads[0]),
    heads: heads.length > 1 ? heads.map((head) => ({ blob: head.name, ...shownHead(head) })) : undefined,
    body: bodyOf(kept.body),
    times: request.times(kept),
    error: errorOf(kept),
    request: { ...request.request(kept), ...defined({ headers, ownHost }) },
  });
}

export function shownHead(head: HeadFacts | undefined): RequestDetail['head'] {
  if (head === undefined) return {};
  const { before, kind, after } = head;
  return defined({
    before: before === undefined ? undefined : defined({ kind, revision: before }),
    after: after === undefined ? undefined : { revision: after },
  });
}

function identityOf(auth: KeptAuth | undefined): string | undefined {
  if (auth?.account === undefined) return auth?.accessKeyId;
  return auth.user === undefined ? auth.account : `${auth.account}/${auth.user}`;
}

function classificationOf(kept: KeptRequest): Classification {
  const row = OPERATION_TABLE.find(({ name }) => name === kept.operation);
  return { ...request.classification(kept), ...defined({ why: whyOf(row), level: row?.level }) };
}

const ON: Readonly<Record<OperationRow['level'], string>> = {
  service: 'the service itself',
  bucket: 'a bucket',
  object: 'an object',
  control: 'a bucket by its ARN',
};

/** What decided, in words: method, level, and the query key or header that the row of the operation table names. */
function whyOf(row: OperationRow | undefined): string {
  if (row === undefined) return 'it was refused before its operation was known, or none fits it';
  const {
    method,
    level,
    match: { subresource, query, value, header },
  } = row;
  const signs = [
    subresource === undefined ? undefined : `?${subresource}`,
    query === undefined ? undefined : `?${query}${value === undefined ? '' : `=${value}`}`,
    header === undefined ? undefined : `the header ${header}`,
  ].filter((sign) => sign !== undefined);
  return `${method} on ${ON[level]}${signs.length === 0 ? ', with no sub-resource' : `, with ${signs.join(' and ')}`}`;
}

function authenticationOf(auth: KeptAuth | undefined): ShownAuthentication {
  if (auth === undefined) return { verdict: 'none' };
  const failure = auth.failure === undefined ? undefined : failureOf(auth, auth.failure);
  const verdict: ShownAuthentication['verdict'] =
    failure !== undefined ? 'refused' : auth.anonymous === true ? 'anonymous' : 'accepted';
  return { ...authentication(auth), ...defined({ verdict, failure }) };
}

function failureOf({ report }: KeptAuth, { code, message }: { code: string; message: string }): AuthFailure {
  const { canonicalRequest, stringToSign, commonlyAltered = [], hints = [] } = report ?? {};
  return defined({ code, message, canonicalRequest, stringToSign, commonlyAltered, hints });
}

const RULES: Readonly<Record<AccessRule, string>> = {
  account: 'any account may',
  bucketOwner: 'owner of the bucket',
  objectOwner: 'owner of the object',
  uploadInitiator: 'started the upload',
  aclOwner: 'ACL grant to the owner',
  aclAccount: 'ACL grant to the account',
  aclAuthenticatedUsers: 'ACL grant to all accounts',
  aclAllUsers: 'ACL grant to everybody',
  identityPolicy: 'policy of the caller',
  sessionPolicy: 'policy of the session',
  bucketPolicy: 'policy of the bucket',
  policyWork: 'the policies take too long to ask',
  none: 'no rule allows it',
};

function decisionsOf({ authorization }: KeptRequest): Decision[] {
  if (authorization === undefined) return [];
  const { rule, reasons } = authorization;
  return [{ ...decision(authorization), ...defined({ rule: RULES[rule], reasons }) }];
}

function bodyOf(kept: KeptBody | undefined): ShownBody {
  return kept === undefined ? { checksums: [] } : { ...body(kept), checksums: checksumsOf(kept) };
}

/** Declared and computed ones of an algorithm side by side. */
function checksumsOf({ declared, computed }: KeptBody): ChecksumFact[] {
  const algorithms = new Set([...declared, ...computed].map(({ algorithm }) => algorithm));
  return [...algorithms].map((algorithm) =>
    defined({
      algorithm,
      declared: declared.find((digest) => digest.algorithm === algorithm)?.value,
      computed: computed.find((digest) => digest.algorithm === algorithm)?.value,
    }),
  );
}

function errorOf({ failure, status }: KeptRequest): ErrorMapping | undefined {
  if (failure === undefined) return undefined;
  return defined({
    code: failure.code,
    status: status ?? failure.status,
    message: failure.message,
    causes: failure.causes,
  });
}
