import { HASHING_VERSION } from '../../../adapters/azure/index.ts';
import { type AzureGround, BLOCK_ID, namesIn } from './azure-ground.ts';
import {
  BEYOND,
  NotTried,
  REPLACEMENT,
  TRIAL_BYTES,
  type Trial,
  WITHOUT_KEY,
  customerKey,
  done,
  md5Words,
  ofBlob,
  ofChangedBlob,
  removalsOf,
  saidOf,
  valueOf,
} from './trial.ts';

/** What answers hold, listings, copies. */
export const AZURE_ANSWERS: readonly Trial<AzureGround>[] = [
  {
    id: 'A24',
    tries: 'Put Blob: the answer has the MD5 of the bytes',
    expected: ['of these bytes'],
    otherwise: 'asks for the properties once more; where they lack it, too, ETags are computed or opaque (record 0017)',
    run: async (ground) => md5Words(valueOf(done(await ground.put('md5'), 'Put Blob'), 'content-md5')),
  },
  {
    id: 'A39',
    tries: `Put Block by version ${HASHING_VERSION}, without a digest: the answer has the MD5 of the bytes`,
    expected: ['of these bytes'],
    otherwise: 'the gateway hashes parts itself, for half of the CPU that an upload takes',
    run: async (ground) => {
      const answer = done(await ground.putBlock('hashed', undefined, HASHING_VERSION), 'Put Block');
      return md5Words(valueOf(answer, 'content-md5'));
    },
  },
  {
    id: 'A39',
    tries: `a block by version ${HASHING_VERSION} is committed by Put Block List of today's`,
    expected: ['201'],
    otherwise: 'CompleteMultipartUpload fails: such a version must not be used',
    run: async (ground) => {
      done(await ground.putBlock('hashed', undefined, HASHING_VERSION), 'Put Block');
      return saidOf(await ground.putBlockList('hashed', BLOCK_ID));
    },
  },
  {
    id: 'A25',
    tries: 'GET of a range: the MD5 of the whole is in x-ms-blob-content-md5',
    expected: ['of these bytes'],
    otherwise: 'ETags of ranges come from the record, where there is one',
    run: async (ground) => {
      await ground.given('md5-range');
      const answer = await ground.ask('GET', 'md5-range', { ms: ['x-ms-range', 'bytes=0-1'] });
      return md5Words(valueOf(done(answer, 'Get Blob'), 'x-ms-blob-content-md5'));
    },
  },
  {
    id: 'A25',
    tries: 'GET of a blob made of blocks: no MD5',
    expected: ['none'],
    otherwise: 'the record of the object says its ETag',
    run: async (ground) => {
      done(await ground.putBlock('blocks'), 'Put Block');
      done(await ground.putBlockList('blocks', BLOCK_ID), 'Put Block List');
      return md5Words(valueOf(done(await ground.ask('GET', 'blocks'), 'Get Blob'), 'content-md5'));
    },
  },
  {
    id: 'A29',
    tries: 'Put Blob: Last-Modified is Date, or up to two seconds later',
    expected: ['so it is'],
    otherwise: 'nothing: no clock is read off Last-Modified',
    run: async (ground) => {
      const answer = done(await ground.put('date'), 'Put Blob');
      const later = Date.parse(valueOf(answer, 'last-modified')) - Date.parse(valueOf(answer, 'date'));
      return later >= -1000 && later <= 2000 ? 'so it is' : `${later / 1000} s`;
    },
  },
  {
    id: 'A22',
    tries: 'List Blobs: the document begins with a byte order mark',
    expected: ['it does'],
    otherwise: 'reads documents without it as well',
    run: async (ground) => ((await ground.list(['maxresults', '1'])).startsWith('\ufeff') ? 'it does' : 'it does not'),
  },
  {
    id: 'A27',
    tries: 'List Blobs: names in the order of UTF-16 code units',
    expected: ['UTF-16'],
    otherwise: 'refuses pages out of order: listings of such keys fail until the adapter knows the order',
    run: async (ground) => {
      for (const last of [REPLACEMENT, BEYOND]) await ground.given(`order/${last}`);
      const names = namesIn(await ground.list(['prefix', 'order/']));
      if (names.length !== 2) return `${names.length} of 2 names`;
      return names[0] === `order/${BEYOND}` ? 'UTF-16' : 'not UTF-16';
    },
  },
  {
    id: 'A30',
    tries: 'List Blobs with startFrom: begins at that name',
    expected: ['b, c'],
    otherwise: 'listings with start-after would show keys twice, or none',
    run: async (ground) => {
      for (const last of ['a', 'b', 'c']) await ground.given(`start/${last}`);
      const names = namesIn(await ground.list(['prefix', 'start/'], ['startFrom', 'start/b']));
      return names.map((name) => name.slice('start/'.length)).join(', ');
    },
  },
  {
    id: 'A23',
    tries: 'List Blobs: a name that XML cannot hold is marked Encoded="true"',
    expected: ['marked'],
    otherwise: 'such keys are written in another form by the gateway; blobs of other tools with them stop the listing',
    run: async (ground) => {
      await ground.given('odd/\ufffe');
      try {
        return (await ground.list(['prefix', 'odd/'])).includes('Encoded="true"') ? 'marked' : 'not marked';
      } finally {
        await ground.ask('DELETE', 'odd/\ufffe');
      }
    },
  },
  {
    id: 'A38',
    tries: 'a batch of three deletions: one good, one on an earlier revision, one of nothing',
    expected: ['removed, conditionFailed, notFound'],
    otherwise: 'DeleteObjects removes one by one where a service has no batches',
    run: async ({ at: { store, container, call } }) => removalsOf(store, container, call),
  },
  {
    id: 'A31',
    tries: 'Copy Blob From URL inside the account',
    expected: ['202'],
    otherwise: 'the bytes of copies pass through the gateway',
    run: ofBlob('source', (ground) => ground.copy('source', 'copied')),
  },
  {
    id: 'A37',
    tries: 'a signature by a user delegation key for the source of a copy',
    expected: ['202'],
    otherwise: 'the bytes of copies pass through the gateway',
    run: async (ground) => {
      if (!ground.at.byToken) throw new NotTried('the credential is no token of Microsoft Entra ID');
      await ground.given('delegated');
      return saidOf(await ground.copy('delegated', 'delegated-copy'));
    },
  },
  {
    id: 'A20',
    tries: 'Copy Blob From URL on an earlier revision of the source',
    expected: ['412 CannotVerifyCopySource', '412 SourceConditionNotMet'],
    otherwise: 'looks at the source itself where the answer leaves open which end is meant',
    run: ofChangedBlob('pinned', (ground, earlier) =>
      ground.copy('pinned', 'pinned-copy', ['x-ms-source-if-match', earlier]),
    ),
  },
  {
    id: 'A3',
    tries: 'Copy Blob From URL with If-None-Match: * where the target exists',
    expected: ['409 BlobAlreadyExists', '412 TargetConditionNotMet'],
    otherwise: 'a failed condition is PreconditionFailed for the client, whether it comes as 409 or as 412',
    run: ofBlob('target', (ground) => ground.copy('target', 'target', [], { ifNoneMatch: '*' })),
  },
  {
    id: 'A26',
    tries: 'Copy Blob From URL of an empty source',
    expected: ['202', '409 CannotVerifyCopySource', '400 InvalidHeaderValue'],
    otherwise: 'puts an empty blob where such a copy is refused',
    run: async (ground) => {
      await ground.given('empty', Buffer.alloc(0));
      return saidOf(await ground.copy('empty', 'empty-copy'));
    },
  },
  {
    id: 'A10',
    tries: 'GET, and Copy Blob From URL, of a blob in the archive tier',
    expected: ['409 BlobArchived, 409 BlobArchived', '409 BlobArchived, 409 CannotVerifyCopySource'],
    otherwise: 'reads of archived blobs are InvalidObjectState for the client, as far as the code is known',
    run: async (ground) => {
      await ground.given('archived');
      const tier = { query: [['comp', 'tier']], ms: ['x-ms-access-tier', 'Archive'] } as const;
      done(await ground.ask('PUT', 'archived', tier), 'Set Blob Tier');
      const read = saidOf(await ground.ask('GET', 'archived'));
      return `${read}, ${saidOf(await ground.copy('archived', 'archived-copy'))}`;
    },
  },
  {
    id: 'A5',
    tries: "GET without the key of a blob that was put under a customer's key",
    expected: ['409 BlobUsesCustomerSpecifiedEncryption'],
    otherwise: WITHOUT_KEY,
    run: async (ground) => {
      done(await ground.put('keyed', TRIAL_BYTES, { ms: customerKey('x-ms') }), 'Put Blob with a key');
      return saidOf(await ground.ask('GET', 'keyed'));
    },
  },
];
