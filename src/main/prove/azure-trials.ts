import { type AzureGround, BLOCK_ID } from './azure-ground.ts';
import {
  OTHER_MD5,
  md5Of,
  NotTried,
  TRIAL_BYTES,
  type Trial,
  done,
  ofBlob,
  ofChangedBlob,
  saidOf,
  valueOf,
} from './trial.ts';

/** What happens beyond Azure's limit of 8 KiB for metadata: twice three values of 2,000 characters. */
const LARGE_METADATA = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((name) => [`x-ms-meta-${name}`, 'x'.repeat(2000)]);
const ANY_CONDITION = 'a failed condition is PreconditionFailed for the client, whether it comes as 409 or as 412';
const BY_STATUS = 'an unknown code counts by its status';

/** Codes and conditions of single calls. */
export const AZURE_REFUSALS: readonly Trial<AzureGround>[] = [
  {
    id: 'A21',
    tries: 'HEAD of a blob that is not there: the code stands in a header',
    expected: ['404 BlobNotFound'],
    otherwise: BY_STATUS,
    run: async (ground) => saidOf(await ground.ask('HEAD', 'missing')),
  },
  {
    id: 'A1',
    tries: 'GET in a container that is not there',
    expected: ['404 ContainerNotFound'],
    otherwise: 'clients would be told NoSuchKey where the bucket is gone',
    run: async (ground) => saidOf(await ground.askContainer('GET', `${ground.at.container}-no`, LIST)),
  },
  {
    id: 'A2',
    tries: 'Create Container where there is one',
    expected: ['409 ContainerAlreadyExists'],
    otherwise: 'CreateBucket fails with InternalError',
    run: async (ground) => saidOf(await ground.askContainer('PUT', ground.at.container, CONTAINER)),
  },
  {
    id: 'A2',
    tries: 'Create Container right after Delete Container',
    expected: ['409 ContainerBeingDeleted'],
    otherwise: 'the bucket can be made again at once, which is better',
    run: async (ground) => {
      const { passing } = ground.at;
      done(await ground.askContainer('PUT', passing, CONTAINER), 'Create Container');
      done(await ground.askContainer('DELETE', passing, CONTAINER), 'Delete Container');
      return saidOf(await ground.askContainer('PUT', passing, CONTAINER));
    },
  },
  {
    id: 'A2',
    tries: 'Put Blob with If-None-Match: * where there is a blob',
    expected: ['409 BlobAlreadyExists'],
    otherwise: ANY_CONDITION,
    run: ofBlob('exists', (ground) => ground.put('exists', TRIAL_BYTES, { ifNoneMatch: '*' })),
  },
  {
    id: 'A3',
    tries: 'Put Blob with If-Match of an earlier revision',
    expected: ['412 ConditionNotMet'],
    otherwise: ANY_CONDITION,
    run: ofChangedBlob('stale', (ground, ifMatch) => ground.put('stale', TRIAL_BYTES, { ifMatch })),
  },
  {
    id: 'A3',
    tries: 'GET with If-Match of an earlier revision',
    expected: ['412 ConditionNotMet'],
    otherwise: ANY_CONDITION,
    run: ofChangedBlob('read', (ground, ifMatch) => ground.ask('GET', 'read', { ifMatch })),
  },
  {
    id: 'A32',
    tries: 'Put Blob with If-Match where there is no blob',
    expected: ['412 ConditionNotMet'],
    otherwise: 'a 404 would be NoSuchKey for the client, as S3 answers it; 201 would lose a delete',
    run: async (ground) => saidOf(await ground.put('absent', TRIAL_BYTES, { ifMatch: '"0x8D4BCC2E4835CD0"' })),
  },
  {
    id: 'A33',
    tries: 'Put Block, then HEAD, then Put Blob with If-None-Match: *',
    expected: ['404 BlobNotFound, 201'],
    otherwise: 'nothing is staged on a name that clients see (record 0018), so no create of theirs meets a block',
    run: async (ground) => {
      done(await ground.putBlock('staged'), 'Put Block');
      const before = saidOf(await ground.ask('HEAD', 'staged'));
      return `${before}, ${saidOf(await ground.put('staged', TRIAL_BYTES, { ifNoneMatch: '*' }))}`;
    },
  },
  {
    id: 'A33',
    tries: 'Put Block, Put Blob, then Put Block List with the block',
    expected: ['400 InvalidBlockList'],
    otherwise: 'nothing: blocks and blobs have different names in the gateway',
    run: async (ground) => {
      done(await ground.putBlock('discarded'), 'Put Block');
      await ground.given('discarded');
      return saidOf(await ground.putBlockList('discarded', BLOCK_ID));
    },
  },
  {
    id: 'A4',
    tries: 'Put Block List with a block that is not there',
    expected: ['400 InvalidBlockList'],
    otherwise: 'CompleteMultipartUpload fails with InternalError where it should say InvalidPart',
    run: async (ground) => saidOf(await ground.putBlockList('list', Buffer.from('no-such').toString('base64'))),
  },
  {
    id: 'A4',
    tries: 'Put Blob with the MD5 of other bytes, then HEAD',
    expected: ['400 Md5Mismatch, 404 BlobNotFound'],
    otherwise: 'damage on the way to the cloud is found only by the MD5 of the answer',
    run: async (ground) => {
      const answer = saidOf(await ground.put('damaged', TRIAL_BYTES, { contentMd5: OTHER_MD5 }));
      return `${answer}, ${saidOf(await ground.ask('HEAD', 'damaged'))}`;
    },
  },
  {
    id: 'A34',
    tries: 'Put Block with the MD5 of other bytes',
    expected: ['400 Md5Mismatch'],
    otherwise: 'damage of a part on the way to the cloud goes unseen, unless the client sent a checksum of the whole',
    run: async (ground) => saidOf(await ground.putBlock('damaged-block', OTHER_MD5)),
  },
  {
    id: 'A34',
    tries: 'Put Block with an MD5: the answer repeats it',
    expected: ['repeated'],
    otherwise: 'nothing: the answer of Put Block is not read, a wrong MD5 is refused',
    run: async (ground) => {
      const answer = done(await ground.putBlock('block', md5Of(TRIAL_BYTES)), 'Put Block');
      return valueOf(answer, 'content-md5') === md5Of(TRIAL_BYTES) ? 'repeated' : 'not repeated';
    },
  },
  {
    id: 'A4',
    tries: 'GET of a range behind the end',
    expected: ['416 InvalidRange'],
    otherwise: BY_STATUS,
    run: ofBlob('range', (ground) => ground.ask('GET', 'range', { ms: ['x-ms-range', 'bytes=100-200'] })),
  },
  {
    id: 'A35',
    tries: 'Put Blob with 12 KB of metadata',
    expected: ['400 MetadataTooLarge', '431 RequestHeaderFieldsTooLarge', '400 RequestHeaderFieldsTooLarge'],
    otherwise: 'nothing: the gateway puts what is beyond 8 KiB into an overflow blob and does not ask',
    run: async (ground) => saidOf(await ground.put('metadata', TRIAL_BYTES, { ms: LARGE_METADATA })),
  },
  {
    id: 'A36',
    tries: 'Put Blob with a name of 1,024 characters',
    expected: ['201'],
    otherwise: 'keys whose names are this long are refused',
    run: async (ground) => saidOf(await ground.put('n'.repeat(1024))),
  },
  {
    id: 'A36',
    tries: 'Put Blob with a name of 1,025 characters',
    expected: ['400 OutOfRangeInput', '400 InvalidResourceName', '400 InvalidUri'],
    otherwise: 'nothing: the gateway cuts longer names and does not ask',
    run: async (ground) => {
      const path = `${pathOf(ground)}/${'n'.repeat(1025)}`;
      return saidOf(await ground.askPath('PUT', path, { ms: ['x-ms-blob-type', 'BlockBlob'], body: TRIAL_BYTES }));
    },
  },
  {
    id: 'A9',
    tries: 'a busy service: 503 ServerBusy with Retry-After',
    expected: [],
    otherwise: 'repeats reads after a pause of its own, and answers SlowDown to the client',
    run: () => Promise.reject(new NotTried('no program can make the service busy without harm')),
  },
];

const CONTAINER: [string, string][] = [['restype', 'container']];
const LIST: [string, string][] = [
  ['comp', 'list'],
  ['restype', 'container'],
];

function pathOf({ at }: AzureGround): string {
  return `${at.client.endpoint.basePath}/${at.container}`;
}
