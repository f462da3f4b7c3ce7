import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type GoogleGround, JSON_TYPE, namesOf, resourceOf } from './google-ground.ts';
import {
  BEYOND,
  NotTried,
  OTHER_MD5,
  REPLACEMENT,
  TRIAL_BYTES,
  type Trial,
  WITHOUT_KEY,
  customerKey,
  done,
  md5Words,
  ofBlob,
  removalsOf,
  saidOf,
  valueOf,
} from './trial.ts';

const ANY_CONDITION = 'any 412 is PreconditionFailed for the client; 200 would lose changes of others';
const NEVER = '1';
/** One call of a rewrite to another class moves a share of this only. */
const REWRITTEN = 3 * 1024 * 1024;
const TOO_LONG = 'n'.repeat(1025);
const PACKED = gzipSync(TRIAL_BYTES);

/** Codes, conditions and limits. */
export const GOOGLE_REFUSALS: readonly Trial<GoogleGround>[] = [
  {
    id: 'G1',
    tries: 'a read (XML API) of an object that is not there',
    expected: ['404 NoSuchKey'],
    otherwise: 'an unknown code counts by its status',
    run: async (ground) => saidOf(await ground.read('missing')),
  },
  {
    id: 'G1',
    tries: 'a read (XML API) of a range behind the end',
    expected: ['416 InvalidRange'],
    otherwise: 'an unknown code counts by its status',
    run: ofBlob('range', (ground) => ground.read('range', 'range', 'bytes=100-200')),
  },
  {
    id: 'G1',
    tries: 'an upload with ifGenerationMatch=0 where there is an object',
    expected: ['412 conditionNotMet'],
    otherwise: ANY_CONDITION,
    run: ofBlob('exists', (ground) => ground.put('exists', TRIAL_BYTES, { query: [['ifGenerationMatch', '0']] })),
  },
  {
    id: 'G29',
    tries: 'an upload with ifGenerationMatch where there is no object',
    expected: ['412 conditionNotMet'],
    otherwise: 'a 404 would be NoSuchKey for the client, as S3 answers it; 200 would lose a delete',
    run: async (ground) => saidOf(await ground.put('absent', TRIAL_BYTES, { query: [['ifGenerationMatch', NEVER]] })),
  },
  {
    id: 'G27',
    tries: 'a read (XML API) with x-goog-if-generation-match of another generation',
    expected: ['412 PreconditionFailed'],
    otherwise: 'a read could be answered from a newer object than the one that was judged',
    run: ofBlob('pinned', (ground) => ground.read('pinned', 'x-goog-if-generation-match', NEVER)),
  },
  {
    id: 'G27',
    tries: 'a read (XML API) with x-goog-if-metageneration-match of another metageneration',
    expected: ['412 PreconditionFailed'],
    otherwise: 'a read could be answered with newer metadata than those that were judged',
    run: ofBlob('pinned-meta', (ground) => ground.read('pinned-meta', 'x-goog-if-metageneration-match', '77')),
  },
  {
    id: 'G20',
    tries: 'an upload with the MD5 of other bytes',
    expected: ['400 invalid'],
    otherwise: 'damage on the way to the cloud is found only by the MD5 of the answer',
    run: async (ground) => saidOf(await ground.put('damaged', TRIAL_BYTES, { resource: { md5Hash: OTHER_MD5 } })),
  },
  {
    id: 'G30',
    tries: 'an upload under a name of 1,024 bytes',
    expected: ['200'],
    otherwise: 'keys whose names are this long are refused',
    run: async (ground) => saidOf(await ground.put('n'.repeat(1024))),
  },
  {
    id: 'G30',
    tries: 'an upload under a name of 1,025 bytes',
    expected: ['400 invalid'],
    otherwise: 'nothing: the gateway cuts longer names and does not ask',
    run: async (ground) => {
      try {
        return saidOf(await ground.put(TOO_LONG));
      } finally {
        // The adapter knows no such name: what is left of it would keep the bucket from being removed.
        await ground.ask('DELETE', `${ground.bucket()}/o/${TOO_LONG}`);
      }
    },
  },
  {
    id: 'G33',
    tries: 'an upload with 12 KB of custom metadata',
    expected: ['400 invalid', '400 required'],
    otherwise: 'nothing: the gateway puts what is beyond 8 KiB into an overflow blob and does not ask',
    run: async (ground) =>
      saidOf(await ground.put('metadata', TRIAL_BYTES, { resource: { metadata: { a: 'x'.repeat(12_000) } } })),
  },
  {
    id: 'G5',
    tries: 'twenty changes of one object at once',
    expected: ['429 rateLimitExceeded, without Retry-After'],
    otherwise: 'changes that are refused wait a second for their turn, whatever the answer says',
    run: async (ground) => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => ground.put('often')));
      const refused = answers.find(({ status }) => status === 429 || status === 503);
      if (refused === undefined) throw new NotTried('all twenty were taken');
      return `${saidOf(refused)}, ${refused.retryAfter === undefined ? 'without' : 'with'} Retry-After`;
    },
  },
  {
    id: 'G3',
    tries: "a read (XML API) without the key of an object under a customer's key",
    expected: ['400 ResourceIsEncryptedWithCustomerEncryptionKey'],
    otherwise: WITHOUT_KEY,
    run: async (ground) => {
      done(await ground.put('keyed', TRIAL_BYTES, { headers: customerKey('x-goog') }), 'an upload with a key');
      return saidOf(await ground.read('keyed'));
    },
  },
  {
    id: 'G28',
    tries: 'a bucket name that another project has taken over',
    expected: [],
    otherwise: 'the bucket counts as one of others: nothing is read from or written to it',
    run: () => Promise.reject(new NotTried('it takes a second project')),
  },
];

/** What answers hold, listings, copies, batches. */
export const GOOGLE_ANSWERS: readonly Trial<GoogleGround>[] = [
  {
    id: 'G22',
    tries: 'the Cache-Control of a read where none was given',
    expected: ['private, max-age=0', 'private'],
    otherwise: 'clients see a Cache-Control that they did not give',
    run: async (ground) => {
      await ground.given('cache');
      return valueOf(done(await ground.read('cache'), 'a read'), 'cache-control');
    },
  },
  {
    id: 'G23',
    tries: 'a packed object (gzip) read with Accept-Encoding: gzip',
    expected: ['as it is stored'],
    otherwise: 'an answer that is not the bytes stored is refused, never passed on',
    run: async (ground) => {
      await ground.given('packed', PACKED, { resource: { contentEncoding: 'gzip' } });
      return packedWords(await ground.read('packed', 'accept-encoding', 'gzip'));
    },
  },
  {
    id: 'G25',
    tries: 'a packed object with Cache-Control: no-transform, read without Accept-Encoding',
    expected: ['as it is stored'],
    otherwise: 'tools that read natively get such objects unpacked; S3 clients do not',
    run: async (ground) => {
      const resource = { contentEncoding: 'gzip', cacheControl: 'no-transform' };
      await ground.given('packed-kept', PACKED, { resource });
      return packedWords(await ground.read('packed-kept'));
    },
  },
  {
    id: 'G24',
    tries: 'a read says in x-goog-stored-content-length what is stored',
    expected: [String(TRIAL_BYTES.length)],
    otherwise: 'takes the length that was announced',
    run: async (ground) => {
      await ground.given('stored');
      return valueOf(done(await ground.read('stored'), 'a read'), 'x-goog-stored-content-length');
    },
  },
  {
    id: 'G35',
    tries: 'an upload: the answer has the MD5 of the bytes',
    expected: ['of these bytes'],
    otherwise: 'ETags are computed or opaque (record 0017), and parts are hashed by the gateway',
    run: async (ground) => md5Words(resourceOf(done(await ground.put('md5'), 'an upload')).md5Hash),
  },
  {
    id: 'G24',
    tries: 'a composed object has no MD5',
    expected: ['none'],
    otherwise: 'the record of the object says its ETag',
    run: async (ground) => {
      for (const name of ['part-1', 'part-2']) await ground.given(name);
      return md5Words(resourceOf(done(await ground.compose('composed', ['part-1', 'part-2']), 'compose')).md5Hash);
    },
  },
  {
    id: 'G26',
    tries: 'a rewrite of 3 MiB to another class, in shares of 1 MiB',
    expected: ['a token, then done', 'done at once'],
    otherwise: 'copies end with NoProgress instead of going on for ever',
    run: rewriteInShares,
  },
  {
    id: 'G31',
    tries: 'a resource asked for with fields=generation',
    expected: ['generation'],
    otherwise: 'answers are larger than they need be',
    run: async (ground) => {
      await ground.given('fields');
      const answer = await ground.ask('GET', ground.object('fields'), { query: [['fields', 'generation']] });
      return Object.keys(resourceOf(done(answer, 'a read of the resource'))).join(', ');
    },
  },
  {
    id: 'G32',
    tries: 'a batch of three deletions: one good, one on an earlier generation, one of nothing',
    expected: ['removed, conditionFailed, notFound'],
    otherwise: 'DeleteObjects removes one by one where a service has no batches',
    run: async ({ at: { store, container, call } }) => removalsOf(store, container, call),
  },
  {
    id: 'G34',
    tries: 'a listing: names in the order of UTF-8 bytes, from startOffset on',
    expected: ['UTF-8, from b on'],
    otherwise: 'refuses pages out of order: listings of such keys fail until the adapter knows the order',
    run: async (ground) => {
      for (const last of ['a', 'b', REPLACEMENT, BEYOND]) await ground.given(`order/${last}`);
      const query = [['prefix', 'order/'] as const, ['startOffset', 'order/b'] as const];
      const names = namesOf(done(await ground.ask('GET', `${ground.bucket()}/o`, { query: [...query] }), 'a listing'));
      const order = names.indexOf(`order/${REPLACEMENT}`) < names.indexOf(`order/${BEYOND}`) ? 'UTF-8' : 'not UTF-8';
      return `${order}, from ${names[0]?.slice('order/'.length) ?? 'nothing'} on`;
    },
  },
];

function packedWords(answer: Awaited<ReturnType<GoogleGround['read']>>): string {
  return done(answer, 'a read').body.equals(PACKED) ? 'as it is stored' : 'unpacked';
}

async function rewriteInShares(ground: GoogleGround): Promise<string> {
  await ground.given('rewritten', randomBytes(REWRITTEN));
  const path = `${ground.object('rewritten')}/rewriteTo${ground.object('rewrite').replace(/^\/storage\/v1/, '')}`;
  const body = Buffer.from(JSON.stringify({ storageClass: 'NEARLINE' }));
  let token: string | undefined;
  for (let calls = 1; calls <= 4; calls += 1) {
    const query = [
      ['maxBytesRewrittenPerCall', String(1024 * 1024)] as const,
      ...(token === undefined ? [] : [['rewriteToken', token] as const]),
    ];
    const answer = done(await ground.ask('POST', path, { query, headers: JSON_TYPE, body }), 'a rewrite');
    const { done: ended, rewriteToken } = JSON.parse(answer.body.toString('utf8')) as {
      done?: boolean;
      rewriteToken?: string;
    };
    if (ended === true) return calls === 1 ? 'done at once' : 'a token, then done';
    token = rewriteToken;
  }
  return 'not done after four calls';
}
