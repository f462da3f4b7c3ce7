import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ReplaceableDirectory, replaceableDirectory } from '../../../src/access/directory.ts';
import { OPERATIONS } from '../../../src/operations/index.ts';
import { OPERATION_TABLE, operationRow, type OperationRow } from '../../../src/protocol/operation-table.ts';
import type { Sessions } from '../../../src/access/sessions/sessions.ts';
import { contentMd5, outcome, type Sent } from '../../support/clients/acl-client.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type RawAnswer, roundTrip } from '../../support/clients/raw-http.ts';
import { type Keys, keysOf, sessionsOf } from '../../support/clients/sts-client.ts';
import { ACTION_OF, NOT_BUILT } from './policy-matrix/actions.ts';
import { accountsFor, bucketPolicy, CALLERS, keysFor } from './policy-matrix/documents.ts';
import { askedBy, type Place, type Row, ROWS } from './policy-matrix/rows.ts';
import { type BucketSays, type Caller, isLetIn, type Surroundings } from './policy-matrix/rule.ts';
import { Client, signedForm, type Way, written } from './policy-matrix/wire.ts';

/**
 * Every operation, for every kind of caller and of signature, with every kind of document allowing it, denying it and
 * saying nothing about it. What ought to be is said by `policy-matrix/rule.ts` and `policy-matrix/actions.ts`, which
 * know nothing of the gateway's code.
 */
const PLAIN: Surroundings = { isPublic: false, isBlocked: false };
const AROUND: readonly Surroundings[] = [
  PLAIN,
  { isPublic: true, isBlocked: false },
  { isPublic: true, isBlocked: true },
];
const BUCKET_SAYS: readonly BucketSays[] = ['nothing', 'anyone', 'accounts', 'callers', 'roles', 'deny'];
/** S3 lets nobody do this who does not sign, whatever documents say. */
const NEVER_ANONYMOUS: ReadonlySet<string> = new Set([
  'ListBuckets',
  'CreateBucket',
  'CopyObject',
  'UploadPartCopy',
  'CreateMultipartUpload',
  'PutObjectAcl',
  'ListTagsForResource',
  'TagResource',
  'UntagResource',
  'GetBucketPolicy',
  'PutBucketPolicy',
  'DeleteBucketPolicy',
  'CreateSession',
  'RenameObject',
]);
const CHUNKED: ReadonlySet<string> = new Set(['PutObject', 'UploadPart']);
const IN_UPLOADS = /^(?:UploadPart|UploadPartCopy|ListParts|CompleteMultipartUpload|AbortMultipartUpload)$/;

let accounts: ReplaceableDirectory;
let sessions: Sessions;
let gateway: TestGateway;
let made = 0;

beforeAll(async () => {
  const [first] = ROWS;
  if (first === undefined) throw new Error('no rows');
  accounts = replaceableDirectory(accountsFor(first));
  sessions = sessionsOf(accounts);
  gateway = await startTestGateway({ accounts, sessions, bucketCacheMs: 1 });
});
afterAll(async () => {
  await gateway.close();
});

/** One request, and what is known of it. */
interface Cell {
  readonly row: Row;
  readonly caller: Caller;
  readonly keys: Keys | undefined;
  readonly way: Way;
}

interface World {
  readonly row: Row;
  readonly says: BucketSays;
  readonly around: Surroundings;
}

async function asRoot(sent: Sent, client: Client): Promise<RawAnswer> {
  const answer = await client.send(written(sent, 'header', keysOf('main')), sent.method);
  expect(answer.status, `${sent.method} ${sent.target}: ${outcome(answer)}`).toBeLessThan(300);
  return answer;
}

const BLOCK =
  '<PublicAccessBlockConfiguration><IgnorePublicAcls>true</IgnorePublicAcls><RestrictPublicBuckets>true</RestrictPublicBuckets></PublicAccessBlockConfiguration>';

/** A bucket with what a row asks for, made by its account. */
async function place({ row, says, around }: World, client: Client): Promise<Place> {
  const bucket = `matrix-${++made}`;
  const acl = around.isPublic ? { 'x-amz-acl': 'public-read-write' } : {};
  const isLocked = row.place === 'locked';
  const locking = isLocked ? { 'x-amz-bucket-object-lock-enabled': 'true' } : {};
  await asRoot({ method: 'PUT', target: `/${bucket}`, headers: { ...acl, ...locking } }, client);
  const until = new Date(Date.now() + 864e5).toISOString();
  const held = {
    'x-amz-object-lock-mode': 'GOVERNANCE',
    'x-amz-object-lock-retain-until-date': until,
    'x-amz-object-lock-legal-hold': 'ON',
    'content-md5': contentMd5('secret'),
  };
  const put = await asRoot(
    {
      method: 'PUT',
      target: `/${bucket}/object`,
      headers: { ...acl, ...(isLocked && held) },
      body: 'secret',
    },
    client,
  );
  if (row.operation === 'CopyObject') {
    await asRoot(
      {
        method: 'PUT',
        target: `/${bucket}/tagged`,
        headers: { ...acl, 'x-amz-tagging': 'a=b' },
        body: 'x',
      },
      client,
    );
  }
  const upload = IN_UPLOADS.test(row.operation) ? await startUpload(bucket, client) : { uploadId: '', etag: '' };
  if (around.isBlocked) await asRoot({ method: 'PUT', target: `/${bucket}?publicAccessBlock`, body: BLOCK }, client);
  const policy = isOfService(row) ? undefined : bucketPolicy(says, row, bucket);
  if (policy !== undefined) await asRoot({ method: 'PUT', target: `/${bucket}?policy`, body: policy }, client);
  return { bucket, ...upload, versionId: put.headers['x-amz-version-id'] ?? 'null' };
}

async function startUpload(bucket: string, client: Client): Promise<Pick<Place, 'uploadId' | 'etag'>> {
  const created = await asRoot({ method: 'POST', target: `/${bucket}/big?uploads` }, client);
  const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
  const part = await asRoot(
    {
      method: 'PUT',
      target: `/${bucket}/big?partNumber=1&uploadId=${uploadId}`,
      body: 'part',
    },
    client,
  );
  return { uploadId, etag: part.headers['etag'] ?? '' };
}

const isOfService = (row: Row): boolean => askedBy(row, row.action).level === 'service';

/** What the documents around a cell mean for a caller: in or out, and of what is shown besides. */
function expected(caller: Caller, { row, says, around }: World): { readonly isIn: boolean; readonly isShown: boolean } {
  const { operation, action, also } = row;
  const isOwn = caller.kind === 'root' || caller.kind === 'user' || caller.kind === 'session';
  if (operation === 'OptionsBucket' || operation === 'OptionsObject') return { isIn: true, isShown: true };
  if (caller.kind === 'anonymous' && NEVER_ANONYMOUS.has(operation)) return { isIn: false, isShown: false };
  if (row.isOwnAccounts === true && !isOwn) return { isIn: false, isShown: false };
  // Whoever may not list all buckets is shown those that he may list: only who is denied it is refused.
  if (operation === 'ListBuckets') {
    return { isIn: caller.identity !== 'deny' && caller.session !== 'deny', isShown: true };
  }
  const { identity, session, ...plain } = caller;
  const allowed: Caller = { ...plain, ...(identity && { identity: 'allow' }), ...(session && { session: 'allow' }) };
  // What the request takes besides, the bucket gives everybody.
  const isAlso = also.every((one) => isLetIn(askedBy(row, one), allowed, 'anyone', around));
  const is = isLetIn(askedBy(row, action), caller, says, around);
  return row.shows === undefined ? { isIn: is && isAlso, isShown: true } : { isIn: isAlso, isShown: is };
}

function waysOf({ operation }: Row, { kind }: Caller, around: Surroundings): readonly Way[] {
  const isForm = operation === 'PostObject';
  if (kind === 'anonymous') return isForm ? ['form'] : ['header'];
  if (around !== PLAIN) return isForm ? ['form'] : ['header'];
  return ['header', isForm ? 'form' : 'query', ...(CHUNKED.has(operation) ? (['chunked'] as const) : [])];
}

function ask({ row, keys, way }: Cell, here: Place, client: Client): Promise<RawAnswer> {
  const sent = row.request(here);
  const bytes = way === 'form' ? signedForm(here.bucket, row.fields ?? [], keys) : written(sent, way, keys);
  return client.send(bytes, sent.method);
}

/** The answer to a HEAD has no document that could say so. */
const wasRefused = ({ status, body }: RawAnswer): boolean =>
  body === '' ? status === 403 : body.includes('<Code>AccessDenied</Code>');

/** What is wrong with the answer; undefined: nothing. */
function faultOf(answer: RawAnswer, { row, caller }: Cell, world: World): string | undefined {
  const { isIn, isShown } = expected(caller, world);
  const seen = outcome(answer);
  if (!isIn) {
    return wasRefused(answer) && !answer.body.includes('secret') ? undefined : `let in with ${seen}`;
  }
  const isForeign = caller.kind === 'otherRoot' || caller.kind === 'otherUser';
  const told =
    row.toOthers !== undefined && isForeign
      ? row.toOthers.test(seen)
      : answer.status < 300 || row.otherwise?.test(seen) === true;
  if (!told || wasRefused(answer)) return `refused with ${seen}`;
  if (row.shows === undefined) return undefined;
  return (answer.headers[row.shows] !== undefined) === isShown
    ? undefined
    : `${isShown ? 'lacks' : 'shows'} ${row.shows}`;
}

/** First all who are to be refused, over a bucket that has to be as it was; then those who change it. */
async function faultsIn(world: World, everybody: readonly (readonly [Caller, Keys | undefined])[]): Promise<string[]> {
  const { row, says, around } = world;
  const all = everybody.flatMap(([caller, keys]) =>
    waysOf(row, caller, around).map((way): Cell => ({ row, caller, keys, way })),
  );
  const [inside, outside] = [
    all.filter(({ caller }) => expected(caller, world).isIn),
    all.filter(({ caller }) => !expected(caller, world).isIn),
  ];
  const faults: string[] = [];
  const check = async (cell: Cell, here: Place, client: Client): Promise<void> => {
    const fault = faultOf(await ask(cell, here, client), cell, world);
    if (fault !== undefined) {
      faults.push(`${JSON.stringify(cell.caller)} ${cell.way}, bucket ${says} ${JSON.stringify(around)}: ${fault}`);
    }
  };
  await withClient(async (client) => {
    const here = await place(world, client);
    for (const cell of outside) await check(cell, here, client);
    if (!(says === 'deny' && row.action === 'GetObject')) {
      const { body } = await asRoot({ method: 'GET', target: `/${here.bucket}/object` }, client);
      if (body !== 'secret') faults.push(`bucket ${says}: the object is not as it was`);
    }
    if (row.spends === true) return;
    for (const cell of inside) await check(cell, here, client);
  });
  if (row.spends !== true) return faults;
  await Promise.all(
    inside.map((cell) => withClient(async (client) => check(cell, await place(world, client), client))),
  );
  return faults;
}

async function withClient(work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client(gateway.port);
  try {
    await work(client);
  } finally {
    client.close();
  }
}

/** The action as the operation table has it, to be compared with the rows. */
function actionsOf({ permission, versionPermission, adds }: OperationRow): string[] {
  return [permission, versionPermission, ...adds.map(({ action }) => action)].filter((action) => action !== undefined);
}

describe('a decision about everything', () => {
  test('every operation is decided, or not built', () => {
    const decided = [...Object.keys(ACTION_OF), ...NOT_BUILT].sort();
    expect(decided).toEqual(OPERATION_TABLE.map(({ name }) => name as string).sort());
    expect(Object.keys(ACTION_OF).sort()).toEqual(Object.keys(OPERATIONS).sort());
  });

  test('every action that the operation table names has a row', () => {
    const named = OPERATION_TABLE.filter(({ name }) => !NOT_BUILT.includes(name)).flatMap((row) =>
      actionsOf(row).map((action) => `${row.name} ${action}`),
    );
    expect([...new Set(ROWS.map(({ operation, action }) => `${operation} s3:${action}`))].sort()).toEqual(
      [...new Set(named)].sort(),
    );
  });

  test('what is not built is told everybody who says who he is', async () => {
    for (const name of NOT_BUILT) {
      const { method, level, match } = operationRow(name);
      const query = match.subresource === undefined ? '' : `?${match.subresource}`;
      const sent = { method, target: `/${level === 'object' ? 'any/key' : 'any'}${query}` };
      for (const keys of [keysOf('main'), keysOf('other'), undefined]) {
        const answer = await roundTrip(gateway.port, written(sent, 'header', keys), method);
        expect(`${name} ${answer.status}`).toBe(`${name} ${keys === undefined ? 403 : 501}`);
      }
    }
  });
});

describe.each(
  ROWS.map((row) => [`${row.operation} ${row.action}${row.place === 'locked' ? ' (locked)' : ''}`, row] as const),
)('%s', (_, row) => {
  test('is let and refused as the documents say', { timeout: 60_000 }, async () => {
    accounts.replace(accountsFor(row));
    const everybody = CALLERS.map((caller) => [caller, keysFor(caller, row, sessions)] as const);
    const worlds = (isOfService(row) ? (['nothing'] as const) : BUCKET_SAYS).flatMap((says) =>
      AROUND.map((around): World => ({ row, says, around })),
    );
    const faults = (await Promise.all(worlds.map((world) => faultsIn(world, everybody)))).flat();
    expect(faults.slice(0, 12), `${faults.length} faults`).toEqual([]);
  });
});
